// The features of a position, and of those after each stone that might be dropped, without dropping it;
// and what the learned value says about half turns by them.
#pragma once

#include <array>
#include <vector>

#include "board.hpp"
#include "features.hpp"

namespace yoddd {

// Groups of one colour that are told apart; those beyond count as one more. Only the largest boards
// have so many.
constexpr int most_groups = 256;

// Made for one position after the other, since it keeps its memory.
class Successors {
public:
    // Look at a position; it has to stay as it is until the next call.
    void look_at(const Board& board);
    // The features of Black and of White.
    std::array<Features, 2> now() const { return {sides_[black].base, sides_[white].base}; }
    // Those after `stone` was dropped on an empty cell: what `now` would say then.
    std::array<Features, 2> after(Stone stone) const;

    // The policy: look at a position and write for each half turn the logarithm of its probability over
    // that of the likeliest one, so 0 or less. The probabilities are the softmax of the learned values
    // after the half turns, as logits for the player; how sharp it is depends on the share of cells
    // that are empty, and was fitted to the visits of searches (docs/lab/experiments.md, 33).
    void judge(const Board& board, const std::vector<float>& weights,
               const std::vector<Move>& moves, float* out);

private:
    using Group = u8;

    // The groups of one colour and the empty cells beside them.
    struct Side {
        Features base;
        int groups = 0;  // that have an empty neighbour; only these are numbered
        // For each padded index of an empty cell the groups beside it.
        u8 count[plane_bytes];
        Group near[plane_bytes][max_joins];
        std::vector<u16> crowded;                 // the empty cells beside three groups and more
        u16 liberties[most_groups];               // of each group: empty cells beside it
        std::vector<u16> shared;                  // of each two groups: empty cells beside both
        std::vector<std::array<Group, 2>> pairs;  // of groups that share any
        std::vector<Group> linked;    // of each group: the part that it is in by double links,
        std::vector<Group> linkable;  // and by single ones

        u16 common(int a, int b) const { return shared[static_cast<std::size_t>(a * groups + b)]; }
        bool touches(int empty, int group) const;
        int touched_of(int empty, int of) const;
        void join_parts(int at, const u16* fresh, int fresh_count, Features& found) const;
        void part_without(int at, Features& found) const;
    };

    void look_at(int colour, const u16* empties, int count);
    Features with(Stone stone) const;
    Features without_cell(int colour, int at) const;

    const Board* board_ = nullptr;
    std::array<Side, 2> sides_;
};

}  // namespace yoddd
