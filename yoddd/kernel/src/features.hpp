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

// How many weights the learned value of a board takes.
inline std::size_t weights_of(const Geometry& geometry) {
    return static_cast<std::size_t>((geometry.cells + 1) * (feature_count + 2));
}

// The sum of the weighted features, each Black's less White's: the logit of what Black wins with, whose
// logistic is the learned value.
// `weights` are `weights_of` the board: rows for 0, 1, 2, ... empty cells, each with a weight for
// every feature, one for the player (counted 1 for Black and -1 for White) and one for the player of
// a turn in progress.
double learned_logit(const Board::State& state, const std::array<Features, 2>& features,
                     const std::vector<float>& weights);
// Those of many positions of one state: `leads` are Black's less White's, feature by feature.
void learned_logits(const Board::State& state, const int* leads, std::size_t count,
                    const std::vector<float>& weights, float* logits);

}  // namespace yoddd
