#include "features.hpp"

#include <algorithm>

#include "portable.hpp"

namespace yoddd {

std::vector<float> Learned::value_alone(const std::vector<float>& weights,
                                        const Geometry& geometry) {
    const Learned learned(weights, geometry);
    if (!learned.has_policy()) return weights;
    std::vector<float> found;
    for (auto row = weights.begin(); row != weights.end(); row += learned.width_)
        found.insert(found.end(), row, row + factor_count);
    return found;
}

void Learned::add_up(const Board::State& state, int first, const int* leads, std::size_t count,
                     float* logits) const {
    const float* const weight = weights_ + width_ * state.empty + first;
    std::fill_n(logits, count, 0.0F);
    for (int i = 0; i < feature_count; ++i, leads += count) {
        const float of_one = weight[i];
        YODDD_INDEPENDENT
        for (std::size_t n = 0; n < count; ++n) logits[n] += of_one * static_cast<float>(leads[n]);
    }
    const float turn = weight[feature_count] + (state.pending ? weight[feature_count + 1] : 0);
    const float signed_turn = state.player == black ? turn : -turn;
    for (std::size_t n = 0; n < count; ++n) logits[n] += signed_turn;
}

}  // namespace yoddd
