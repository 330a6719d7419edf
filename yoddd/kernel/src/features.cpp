#include "features.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "joined.hpp"

namespace yoddd {
namespace {

// Counts what the empty cells say about one colour.
class Surroundings {
public:
    Surroundings(const Board& board, int colour)
        : geometry_(board.geometry()), planes_(board.planes()), colour_(colour) {
        const std::size_t labels = geometry_.wide ? plane_bytes : 256;
        std::fill_n(group_, labels, i16{none});
    }

    void look_at(int empty) {
        const Arcs& arcs = geometry_.arcs[planes_.mask(colour_, empty)];
        if (!arcs.any) return;
        ++fringe;
        int near[max_joins];
        int count = 0;
        for (int i = 0; i < arcs.count; ++i) {
            const int group = group_of(planes_.label(geometry_, colour_, empty + arcs.offset[i]));
            if (std::find(near, near + count, group) == near + count) near[count++] = group;
        }
        joins += count - 1;
        for (int i = 1; i < count; ++i)
            for (int j = 0; j < i; ++j) share(near[i], near[j]);
    }

    int open = 0;  // groups that have been met
    int fringe = 0;
    int joins = 0;
    int linked = 0;
    int linkable = 0;

private:
    int group_of(u16 label) {
        i16& group = group_[label];
        if (group == none) {
            group = static_cast<i16>(std::min(open, most_groups - 1));
            linked_.add(group);
            linkable_.add(group);
            std::memset(shared_[group], 0, sizeof shared_[group]);
            ++open;
        }
        return group;
    }

    // One more empty cell lies beside both groups.
    void share(int a, int b) {
        if (a < b) std::swap(a, b);
        u64& word = shared_[a][b >> 6];
        const u64 bit = u64{1} << (b & 63);
        if (word & bit)
            linked += linked_.join(a, b);
        else
            linkable += linkable_.join(a, b);
        word |= bit;
    }

    const Geometry& geometry_;
    const Planes& planes_;
    const int colour_;
    i16 group_[plane_bytes];  // by label
    Joined linked_, linkable_;
    u64 shared_[most_groups][most_groups / 64];  // whether two groups share a cell; a row once met
};

Features count(const Board::State& state, int colour, const Surroundings& around) {
    Features found;
    found[of_groups] = state.groups[colour];
    found[of_closed] = state.groups[colour] - around.open;
    found[of_stones] = state.stones[colour];
    found[of_rim] = state.rim[colour];
    found[of_pairs] = state.pairs[colour];
    found[of_fringe] = around.fringe;
    found[of_joins] = around.joins;
    found[of_linked] = around.linked;
    found[of_linkable] = around.linkable;
    return found;
}

}  // namespace

std::array<Features, 2> features(const Board& board) {
    Surroundings of_black(board, black), of_white(board, white);
    u16 list[max_cells];
    const int empty = board.list_empty(list);
    for (int i = 0; i < empty; ++i) {
        of_black.look_at(list[i]);
        of_white.look_at(list[i]);
    }
    return {count(board.state(), black, of_black), count(board.state(), white, of_white)};
}

double learned_logit(const Board::State& state, const std::array<Features, 2>& features,
                     const std::vector<float>& weights) {
    constexpr int row = feature_count + 2;
    const float* const weight = weights.data() + row * state.empty;
    const auto& [mine, theirs] = features;
    float sum = 0;
    for (int i = 0; i < feature_count; ++i)
        sum += weight[i] * static_cast<float>(mine[i] - theirs[i]);
    const float turn = weight[feature_count] + (state.pending ? weight[feature_count + 1] : 0);
    sum += state.player == black ? turn : -turn;
    return sum;
}

double learned_value(const Board::State& state, const std::array<Features, 2>& features,
                     const std::vector<float>& weights) {
    return 1 / (1 + std::exp(-learned_logit(state, features, weights)));
}

}  // namespace yoddd
