#include "features.hpp"

#include <algorithm>

#include "portable.hpp"

namespace yoddd {

double learned_logit(const Board::State& state, const std::array<Features, 2>& features,
                     const std::vector<float>& weights) {
    int leads[feature_count];
    for (int i = 0; i < feature_count; ++i) leads[i] = features[black][i] - features[white][i];
    float logit = 0;
    learned_logits(state, leads, 1, weights, &logit);
    return logit;
}

void learned_logits(const Board::State& state, const int* leads, std::size_t count,
                    const std::vector<float>& weights, float* logits) {
    constexpr int row = feature_count + 2;
    const float* const weight = weights.data() + row * state.empty;
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
