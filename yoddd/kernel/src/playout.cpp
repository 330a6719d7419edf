#include "playout.hpp"

#include <algorithm>
#include <cstdlib>

#include "filling.hpp"
#include "legality.hpp"
#include "loops.hpp"

namespace yoddd {
namespace {

// Whether the loops of Yodd's playouts play the game, and the position: later turns of one stone or
// two, and a first one of a stone of the same colours.
bool has_loop(const Board& board) {
    const Rules& rules = board.rules();
    const bool is_usual = rules.first == 1 && rules.first_own == rules.own;
    return rules.least == 1 && rules.most == 2 && (is_usual || board.state().number > 1);
}

// Begin a game of such turns. True if its first turn has to be one stone that keeps the count odd:
// turn 1 of an odd set-up.
bool begin(const Board& board, Lane& lane) {
    const Board::State& state = board.state();
    lane.geometry = &board.geometry();
    lane.own = board.rules().own;
    lane.least = board.rules().least;
    lane.most = board.rules().most;
    lane.planes = board.planes();
    u16 list[max_cells];
    lane.empty = board.list_empty(list);
    for (int i = 0; i < lane.empty; ++i) lane.list[i] = cell_of(list[i]);
    lane.empty_at_start = lane.empty;
    lane.list[lane.empty] = 0;
    lane.groups[black] = state.groups[black];
    lane.groups[white] = state.groups[white];
    lane.player = state.player;
    lane.passes = state.passes;
    lane.even = !board.fits();
    if (!board.is_pending()) return state.number == 1 && !lane.even;
    lane.passes = 0;
    lane.player ^= !lane.even;  // with an odd count the turn is complete
    return false;
}

PlayoutResult result_of(const Rules& rules, const Lane& lane, int empty_before) {
    const Outcome outcome = score_of(rules, *lane.geometry, lane.planes, lane.groups);
    return {
        outcome.winner, outcome.score, {lane.groups[0], lane.groups[1]}, empty_before - lane.empty};
}

}  // namespace

Board complete_turn(Board board, Draws& draws) {
    const u32 number = board.state().number;
    u16 list[max_cells];
    const int count = board.is_pending() ? board.list_empty(list) : 0;
    // A second stone is mostly found soon.
    for (int i = 0; i < patience && board.is_pending() && board.must_drop_two() && count; ++i) {
        const u64 drawn = draws.below(static_cast<u64>(2 * count));
        const auto colour = static_cast<u16>(board.only_own() ? board.player() : drawn & 1);
        const Stone stone{list[drawn >> 1], colour};
        if (board.rules().parity == none || flips(board, stone) != board.fits())
            board.play({Step::stone, stone});
    }
    while (board.state().number == number) {
        const std::vector<Move> moves = legal_moves(board);
        board.play(moves[draws.below(moves.size())]);
    }
    return board;
}

void play_out(const Board& board, u64 count, const NextDraws& next, const TakePlayout& take) {
    const Geometry& g = board.geometry();
    signed char cells[max_cells];
    if (board.is_over()) {
        const Outcome outcome = board.score();
        const Board::State& state = board.state();
        const PlayoutResult result{
            outcome.winner, outcome.score, {state.groups[0], state.groups[1]}, 0};
        board.planes().copy_cells(g, cells);
        while (count--) take(result, cells);
        return;
    }
    if (!board.rules().has_pass()) {
        Fillings fillings(g);
        for (int lanes = 0; count; count -= static_cast<u64>(lanes)) {
            lanes = static_cast<int>(std::min<u64>(count, fill_lanes));
            fillings.run(board, lanes, next);
            for (int lane = 0; lane < lanes; ++lane) {
                for (int cell = 0; cell < g.cells; ++cell)
                    cells[cell] = static_cast<signed char>(fillings.colour_at(cell, lane));
                take(fillings.result(lane), cells);
            }
        }
        return;
    }
    Lane lane;
    const Rules& rules = board.rules();
    const bool is_between = !board.is_pending() && board.state().number > 1;
    const bool is_looped = has_loop(board);
    const PlayoutLoop loop =
        rules.least == 2 ? &play_by_turns : loops().playout(g, rules.own, rules.most == 1);
    while (count--) {
        lane.draws = next();
        const bool keeps_odd = is_looped || is_between
                                   ? begin(board, lane)
                                   : begin(complete_turn(board, lane.draws), lane);
        const int before = board.state().empty;
        if (keeps_odd) {
            drop_and_keep_odd(lane);
            lane.player ^= 1;
            lane.passes = 0;
        }
        loop(lane);
        lane.planes.copy_cells(g, cells);
        take(result_of(rules, lane, before), cells);
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
