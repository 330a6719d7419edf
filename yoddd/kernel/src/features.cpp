#include "features.hpp"

namespace yoddd {

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

}  // namespace yoddd
