// The turns of the lower levels, drawn at random by how likely the half turns are.
#pragma once

#include <utility>
#include <vector>

#include "played.hpp"

namespace yoddd {

// A turn, half turn by half turn, each with a probability that falls by a factor of e for `spread`
// nats: by the policy of a learned value, or without weights by what a search made of the half turns,
// the values of `lent`. What may not begin a turn may still complete one; it is taken to be worth
// `winrate`. The same seed draws the same on every machine.
std::vector<int> draw_turn(const Played& start, const std::vector<float>& weights,
                           const std::vector<std::pair<int, double>>& lent, double winrate,
                           double spread, u64 seed);

}  // namespace yoddd
