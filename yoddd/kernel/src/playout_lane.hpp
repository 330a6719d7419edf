// What the playout loops share with the rest. This header and playout_loop.hpp use no inline functions
// that other files use: the linker might keep the AVX2 copy of such a function for all callers.
#pragma once

#include <type_traits>

#include "geometry.hpp"
#include "planes.hpp"
#include "rng.hpp"

namespace yoddd {

// With so few empty cells left between turns every draw is exact.
constexpr int endgame_cells = 2;
// And one drop earlier the loop hands over to `finish_playout`.
constexpr int handover_cells = endgame_cells + 1;
// So many drops in succession that do not restore an odd count make it look at all of them.
constexpr int patience = 64;
// The same of turns of one stone of either colour, most of which a number of groups may forbid.
constexpr int patience_of_singles = 1024;

// An empty cell as two drops: where the stone lies in the planes of its colour, Black's in the lower
// half and White's in the upper. Lists of cells are read as lists of drops, the lower half first.
using Cell = u32;
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the masks and lists are little-endian");

constexpr Cell cell_of(u32 index) { return index * 0x10001 + (u32{Planes::colour_stride} << 16); }
constexpr u16 index_of(Cell cell) { return static_cast<u16>(cell); }

// A game that is being played out.
struct Lane {
    const Geometry* geometry;
    bool own;
    u8 least, most;  // stones of a turn
    Planes planes;
    // The empty cells, in the order that drops have left. While the count is even the cell that
    // was filled last stands behind them.
    Cell list[max_cells + 1];
    Draws draws;
    int empty;
    int empty_at_start;
    int groups[2];
    int player;
    int passes;
    bool even;  // no turn may end with this number of groups: a stone has to restore it
};

// Play a game whose turns have not one or two stones to its end, from between turns; what many draws in
// succession do not find is drawn exactly.
void play_by_turns(Lane& lane);
// Play on from an odd count between turns, or an even count, to the end; every draw exact.
void finish_playout(Lane& lane);
// Drop one stone that keeps the count odd, as the first turn from an odd set-up has to.
void drop_and_keep_odd(Lane& lane);

// Play a lane whose generator is set already to its end.
using PlayoutLoop = void (*)(Lane& lane);

}  // namespace yoddd
