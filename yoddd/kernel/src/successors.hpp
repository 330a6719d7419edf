// The features of a position, and of those after each stone that might be dropped, without dropping it;
// and what the learned value says about half turns by them.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "board.hpp"
#include "features.hpp"

namespace yoddd {

// No board has more groups of one colour.
constexpr int most_groups = (max_cells + 1) / 2;
constexpr int few_groups = 64;  // as most positions have

// A set of groups of one colour.
template <int Words>
struct GroupSet {
    u64 words[Words] = {};

    void add(int group) { words[Words == 1 ? 0 : group / 64] |= u64{1} << group % 64; }
    bool any() const {
        u64 found = 0;
        for (const u64 word : words) found |= word;
        return found != 0;
    }
    template <class Work>
    void each(const Work& work) const {
        for (int i = 0; i < Words; ++i)
            for (u64 rest = words[i]; rest; rest &= rest - 1) work(64 * i + std::countr_zero(rest));
    }
    int count() const {
        int found = 0;
        each([&](int) { ++found; });
        return found;
    }
    GroupSet operator|(const GroupSet& other) const {
        GroupSet found;
        for (int i = 0; i < Words; ++i) found.words[i] = words[i] | other.words[i];
        return found;
    }
    GroupSet operator&(const GroupSet& other) const {
        GroupSet found;
        for (int i = 0; i < Words; ++i) found.words[i] = words[i] & other.words[i];
        return found;
    }
    GroupSet without(const GroupSet& other) const {
        GroupSet found;
        for (int i = 0; i < Words; ++i) found.words[i] = words[i] & ~other.words[i];
        return found;
    }
};

// Made for one position after the other, since it keeps its memory.
class Successors {
public:
    // Look at a position; it has to stay as it is until the next call.
    void look_at(const Board& board);
    // The features of Black and of White.
    std::array<Features, 2> now() const { return {sides_[black].base, sides_[white].base}; }
    // Those after `stone` was dropped on an empty cell: what `now` would say then.
    std::array<Features, 2> after(Stone stone);
    // Of each of some half turns the factors of what it leads to.
    std::vector<std::vector<int>> factors_after(const std::vector<Move>& moves);
    // The logit of the learned value here, if the state were this one.
    double logit(const Board::State& state, const std::vector<float>& weights);

    // How many groups a stone would join.
    int joins(Stone stone) const { return sides_[stone.colour].count[stone.at]; }

    // The policy: write for each half turn the logarithm of its probability over that of the likeliest
    // one, so 0 or less. The probabilities are the softmax of the learned values after the half
    // turns, as logits for the player, times `sharpness`; or of what a policy of its own says instead.
    // Returns the likeliest one's. With a policy of its own `values` gets the logits of the learned
    // values after the half turns, unless it is null.
    float judge(const std::vector<float>& weights, const std::vector<Move>& moves, float* out,
                float* values = nullptr);
    // It depends on the share of cells that are empty, and was fitted to the visits of searches
    // (docs/lab/experiments.md, 33).
    static double sharpness(const Geometry& geometry, int empty);

private:
    using Group = u16;

    static constexpr int most_words = most_groups / few_groups + 1;

    // The groups of one colour and the empty cells beside them.
    struct Side {
        Features base;
        int groups = 0;         // that have an empty neighbour; only these are numbered
        u8 count[plane_bytes];  // of the groups beside each empty cell, by padded index
        u8 close[plane_bytes];  // whether there are any beside it or its neighbours
        Group near[plane_bytes][max_joins];
        std::vector<u16> crowded;                 // the empty cells beside three groups and more
        u16 liberties[most_groups];               // of each group: empty cells beside it
        std::vector<u16> shared;                  // of each two groups: empty cells beside both
        std::vector<std::array<Group, 2>> pairs;  // of groups that share any
        std::vector<Group> linked;    // of each group: the part that it is in by double links,
        std::vector<Group> linkable;  // and by single ones

        u16 common(int a, int b) const { return shared[static_cast<std::size_t>(a * groups + b)]; }
    };

    // What two cells or groups have in common, as sets.
    template <int Words>
    struct Sets {
        GroupSet<Words> beside[plane_bytes];  // of each empty cell
        // Of each group the others with which it has such a cell in common, and those with two.
        GroupSet<Words> once[Words * few_groups], twice[Words * few_groups];

        void fill(const Side& side, const u16* empties, int count);
    };
    template <int Words>
    using SetsOfBoth = std::array<Sets<Words>, 2>;

    void look_at(int colour);
    void find_close();
    // Call with the sets of both colours.
    template <class Work>
    void with_sets(const Work& work);
    // What a stone changes for its colour, and for the other one, which loses the cell.
    template <int Words>
    Features more_by(const Sets<Words>& sets, Stone stone) const;
    template <int Words>
    Features less_by(const Sets<Words>& sets, Stone stone) const;
    template <int Words>
    void join(const Side& side, const Sets<Words>& sets, int at, unsigned open,
              Features& more) const;
    template <int Words>
    GroupSet<Words> not_linked(const Side& side, const Sets<Words>& sets, int at, unsigned open,
                               const GroupSet<Words>& doubtful) const;
    static void part_without(const Side& side, int at, Features& less);
    Features leads() const;
    void look_after(const std::vector<Move>& moves);

    const Board* board_ = nullptr;
    u16 empties_[max_cells];
    int count_ = 0;
    std::array<Side, 2> sides_;
    SetsOfBoth<1> few_;
    std::unique_ptr<SetsOfBoth<most_words>> many_;  // where there are more than few
    std::vector<int> leads_;  // Black's after each half turn, feature by feature
    std::vector<float> logits_;
};

}  // namespace yoddd
