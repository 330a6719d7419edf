#include "playout.hpp"

#include <algorithm>
#include <cstdlib>

#include "filling.hpp"
#include "loops.hpp"

namespace yoddd {
namespace {

// Begin a game of Yodd or Xodd. True if its first turn has to be one stone that keeps the count odd:
// turn 1 of an odd set-up.
bool begin(const Board& board, Lane& lane) {
    const Board::State& state = board.state();
    lane.geometry = &board.geometry();
    lane.own_colour = board.rules().own_colour;
    lane.planes = board.planes();
    u16 list[max_cells];
    lane.empty = lane.empty_at_start = board.list_empty(list);
    for (int i = 0; i < lane.empty; ++i) lane.list[i] = cell_of(list[i]);
    lane.list[lane.empty] = 0;
    lane.groups[black] = state.groups[black];
    lane.groups[white] = state.groups[white];
    lane.player = state.player;
    lane.passes = state.passes;
    lane.even = !board.odd();
    if (!board.is_pending()) return state.number == 1 && !lane.even;
    lane.passes = 0;
    lane.player ^= !lane.even;  // with an odd count the turn is complete
    return false;
}

PlayoutResult result_of(const Lane& lane, int empty_before) {
    const int margin = lane.groups[white] - lane.groups[black];
    return {margin > 0 ? black : white,
            std::abs(margin),
            {lane.groups[0], lane.groups[1]},
            empty_before - lane.empty};
}

int colour_in(const Geometry& g, const Lane& lane, int cell) {
    const int at = g.index[cell];
    // No branch: which stones lie at the end is random.
    return none + (black - none) * lane.planes.has(g, black, at) +
           (white - none) * lane.planes.has(g, white, at);
}

}  // namespace

void play_out(const Board& board, u64 count, const NextDraws& next, const TakePlayout& take) {
    const Geometry& g = board.geometry();
    signed char cells[max_cells];
    const auto report = [&](const PlayoutResult& result, const auto& colour_at) {
        for (int cell = 0; cell < g.cells; ++cell)
            cells[cell] = static_cast<signed char>(colour_at(cell));
        take(result, cells);
    };
    if (board.is_over()) {
        const Outcome outcome = board.score();
        const Board::State& state = board.state();
        const PlayoutResult result{
            outcome.winner, outcome.score, {state.groups[0], state.groups[1]}, 0};
        while (count--) report(result, [&](int cell) { return board.colour_at(g.index[cell]); });
        return;
    }
    if (!board.rules().odd_total()) {
        Fillings fillings(g);
        for (int lanes = 0; count; count -= static_cast<u64>(lanes)) {
            lanes = static_cast<int>(std::min<u64>(count, fill_lanes));
            fillings.run(board, lanes, next);
            for (int lane = 0; lane < lanes; ++lane)
                report(fillings.result(lane),
                       [&](int cell) { return fillings.colour_at(cell, lane); });
        }
        return;
    }
    Lane lane;
    const PlayoutLoop loop = loops().playout(g, board.rules().own_colour);
    while (count--) {
        const bool keeps_odd = begin(board, lane);
        lane.draws = next();
        const int before = lane.empty;
        if (keeps_odd) {
            drop_and_keep_odd(lane);
            lane.player ^= 1;
            lane.passes = 0;
        }
        loop(lane);
        report(result_of(lane, before), [&](int cell) { return colour_in(g, lane, cell); });
    }
}

PlayoutSums sum_playouts(const Board& board, u64 seed, u64 first, u64 count) {
    PlayoutSums sums;
    const auto next = [&] {
        Pcg32 rng = Pcg32::stream(seed, first++);
        return Draws::from(rng);
    };
    play_out(board, count, next, [&](const PlayoutResult& found, const signed char*) {
        sums.black_wins += found.winner == black;
        sums.stones += static_cast<u64>(found.stones);
    });
    return sums;
}

}  // namespace yoddd
