// The features of a position, and the value that is learned from them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "board.hpp"

namespace yoddd {

// Counts of a colour; yoddd.kernel.FEATURES has their names in this order. The last four are about
// stones of the colour that might be dropped on empty cells.
enum Feature : int {
    of_groups,
    of_closed,  // groups without an empty neighbour
    of_stones,
    of_rim,       // stones on the rim
    of_pairs,     // pairs of neighbouring stones
    of_fringe,    // empty cells beside a stone
    of_joins,     // over these cells, the groups beside each, less one
    of_linked,    // by how much the groups fall if those with two such cells in common are joined
    of_linkable,  // the same for those with one
    feature_count
};

using Features = std::array<int, feature_count>;

// The factors of a position: the lead of each feature, Black's less White's; 1 if Black is to move, -1 if
// White is; and the same again in the middle of a turn.
constexpr int factor_count = feature_count + 2;

// The weights of a learned value on one board: rows for 0, 1, 2, ... empty cells, each with a weight for
// every factor; with a policy of its own, with another one for every factor of what a half turn leads
// to.
class Learned {
public:
    Learned(const std::vector<float>& weights, const Geometry& geometry)
        : weights_(weights.data()),
          width_(static_cast<int>(weights.size()) / (geometry.cells + 1)) {}
    static bool fits(std::size_t weights, const Geometry& geometry) {
        const auto rows = static_cast<std::size_t>(geometry.cells + 1);
        return weights == rows * factor_count || weights == 2 * rows * factor_count;
    }

    // The weights without those of a policy.
    static std::vector<float> value_alone(const std::vector<float>& weights,
                                          const Geometry& geometry);

    bool has_policy() const { return width_ > factor_count; }
    // The sums of the weighted factors of many positions of one state: the logits of what Black wins
    // with, whose logistic is the learned value. `leads` lie feature by feature.
    void value(const Board::State& state, const int* leads, std::size_t count,
               float* logits) const {
        add_up(state, 0, leads, count, logits);
    }
    // The same with the weights that the policy is made of: without one of its own, those of the value.
    void policy(const Board::State& state, const int* leads, std::size_t count,
                float* logits) const {
        add_up(state, has_policy() ? factor_count : 0, leads, count, logits);
    }

private:
    void add_up(const Board::State& state, int first, const int* leads, std::size_t count,
                float* logits) const;

    const float* weights_;
    int width_;
};

}  // namespace yoddd
