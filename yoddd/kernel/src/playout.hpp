// Random games from a position to the end. What is drawn, and how, is specified in
// docs/lab/playouts.md; change one with the other.
#pragma once

#include <functional>
#include <vector>

#include "board.hpp"
#include "rng.hpp"

namespace yoddd {

struct PlayoutResult {
    int winner = none;
    int score = 0;
    int groups[2] = {0, 0};
    int stones = 0;  // dropped by the playout
};

struct Batch {
    u64 seed = 0;
    u64 first = 0;  // playouts first .. first + count - 1 of the seed's sequence
    u64 count = 0;
    int threads = 1;
    bool want_margins = false;
    bool want_ownership = false;
};

struct BatchResult {
    u64 playouts = 0;  // that were really run
    u64 black_wins = 0;
    u64 stones = 0;              // dropped in all of them
    std::vector<i32> margins;    // for each playout the score, negative where White won
    std::vector<u32> ownership;  // for each cell in how many playouts Black held it ...
    std::vector<u32> occupied;   // ... and in how many any stone lay there
};

// A playout, and the content of every cell at its end (none, black or white).
using TakePlayout = std::function<void(const PlayoutResult& result, const signed char* cells)>;

// So many playouts from one position, as a tree search calls them; `rng` moves on.
void play_out(const Board& board, Pcg32& rng, u64 count, const TakePlayout& take);

// Many playouts from one position. The result depends on the board and on `seed`, `first` and
// `count` only, not on threads or instruction sets.
BatchResult playouts(const Board& board, const Batch& batch);

// The instruction sets for which playouts were compiled and which this machine has, best first;
// the first is in use unless `use_instruction_set` chose another.
std::vector<const char*> instruction_sets();
const char* instruction_set();
bool use_instruction_set(const char* name);

}  // namespace yoddd
