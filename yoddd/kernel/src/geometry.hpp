// The fixed tables of one board.
//
// Cells are numbered as in yoddd.board: rows from bottom to top, each from left to right. The
// kernel works on *padded* indices: every row has one index of padding, so that the neighbours of
// a cell lie at fixed distances and what is written beyond the edge hits padding only. Ascending
// padded indices are ascending cells.
#pragma once

#include <array>
#include <vector>

#include "types.hpp"

namespace yoddd {

constexpr int max_cells = 625;
constexpr int plane_bytes = 704;  // one byte an index, margins included: square25 needs 703
constexpr int mask_margin = 27;   // a neighbour of index 0 lies at most that far below it
constexpr int max_directions = 6;
constexpr int max_joins = 4;

// For a mask of like-coloured neighbours: one neighbour out of each arc, that is out of each run
// of neighbours which touch each other. Unused entries repeat the first, so that code without
// branches may read all of them.
struct Arcs {
    i16 offset[max_joins];
    u16 any;     // 0 for the empty mask, else 1
    u16 count;   // 0 to 3 on hexhex, 0 to 4 on square boards
    u32 stones;  // of the mask
};

// The same for the loops of playouts on hexhex boards, in 4 bytes: one neighbour of each arc, where
// there are at most two. With one arc both are the same. For the empty mask the first is the cell
// itself and the second one whose label is never that of the cell; so a stone changes the parity
// just where the labels differ. Of three arcs (every other neighbour) two are given.
struct HexArcs {
    i16 offset[2];
};

struct Geometry {
    Shape shape;
    int size;
    int cells;
    int stride;      // from one row to the next
    int span;        // one more than the largest padded index
    int directions;  // 6 or 4
    // More cells than a byte can number in pairs: labels are 16 bits wide and both colours share
    // one plane (square23 and larger).
    bool wide;
    std::array<i16, max_directions> offset;
    std::array<u8, max_directions> opposite;
    std::array<Arcs, 64> arcs;
    std::array<HexArcs, 64> hex_arcs;
    std::array<u16, max_cells> index;    // cell -> padded index
    std::array<i16, plane_bytes> cell;   // padded index -> cell, or -1 for padding
    std::array<u8, plane_bytes> around;  // the directions in which a cell has neighbours
    std::array<u8, plane_bytes> rim;     // 1 for a cell with fewer neighbours than others
    // The first cell of each row, and behind them the number of cells. Rows without padding between
    // them are one.
    std::vector<u16> row_begins;
    // The label of a group that a stone here begins. Larger boards give two adjacent cells (mates)
    // the same one: two groups of one colour can never hold one of them each.
    std::array<u16, plane_bytes> founding;
    std::array<u16, plane_bytes> mate;  // the cell itself where it has none
    std::array<std::array<u64, plane_bytes>, 2> zobrist;
    std::vector<std::vector<u16>> symmetries;  // cell -> cell, identity first

    int rows() const { return shape == Shape::hex ? 2 * size - 1 : size; }
};

// The tables of a board, made once and kept. Throws std::invalid_argument for a size that does
// not exist: hexhex 2 to 13, square 2 to 25.
const Geometry& geometry(Shape shape, int size);

}  // namespace yoddd
