#include "policy.hpp"

#include <algorithm>

namespace yoddd {
namespace {

double sharpness(const Board& board) {
    const double phase = static_cast<double>(board.state().empty) / board.geometry().cells;
    return std::clamp(10 * phase, 1.0, 6.9);
}

}  // namespace

void Policy::judge(const Board& board, const std::vector<float>& weights,
                   const std::vector<Move>& moves, float* out) {
    successors_.look_at(board);
    Board after = board;
    const double sharp = sharpness(board);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        after.pretend(moves[i]);
        const bool is_stone = moves[i].step == Step::stone;
        const double logit = learned_logit(
            after.state(), is_stone ? successors_.after(moves[i].stone) : successors_.now(),
            weights);
        after.restore(board.state());
        // A swap gives the player the other colour.
        const bool blacks = (board.player() == black) != (moves[i].step == Step::swap);
        out[i] = static_cast<float>(sharp * (blacks ? logit : -logit));
    }
    if (moves.empty()) return;
    const float most = *std::max_element(out, out + moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) out[i] -= most;
}

}  // namespace yoddd
