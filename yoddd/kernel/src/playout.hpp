// Random games from a position to the end. What is drawn, and how, is specified in
// docs/lab/playouts.md; change one with the other.
#pragma once

#include <functional>

#include "board.hpp"
#include "rng.hpp"

namespace yoddd {

struct PlayoutResult {
    int winner = none;
    int score = 0;
    int groups[2] = {0, 0};
    int stones = 0;  // dropped by the playout
};

// The generator of the next playout.
using NextDraws = std::function<Draws()>;
// A playout, and the content of every cell at its end (none, black or white).
using TakePlayout = std::function<void(const PlayoutResult& result, const signed char* cells)>;

// The position after the turn in progress, or a turn that begins, of random stones.
Board complete_turn(Board board, Draws& draws);

// So many playouts from one position.
void play_out(const Board& board, u64 count, const NextDraws& next, const TakePlayout& take);

// The results of many.
struct PlayoutSums {
    u64 black_wins = 0;
    u64 stones = 0;
};

// Playouts first .. first + count - 1 of the sequence of a seed; the same on every machine.
PlayoutSums sum_playouts(const Board& board, u64 seed, u64 first, u64 count);

}  // namespace yoddd
