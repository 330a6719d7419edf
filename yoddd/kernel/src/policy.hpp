// What the learned value says about half turns before any of them is tried.
#pragma once

#include <vector>

#include "board.hpp"
#include "successors.hpp"

namespace yoddd {

// Made for one position after the other, since it keeps its memory.
class Policy {
public:
    // Write for each half turn the logarithm of its probability over that of the likeliest one, so 0
    // or less. The probabilities are the softmax of the learned values after the half turns, as
    // logits for the player; how sharp it is depends on the share of cells that are empty, and was
    // fitted to the visits of searches (docs/lab/experiments.md, 33).
    void judge(const Board& board, const std::vector<float>& weights,
               const std::vector<Move>& moves, float* out);

private:
    Successors successors_;
};

}  // namespace yoddd
