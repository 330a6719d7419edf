// The numbers of groups of all fillings as planes of bits, taken apart set by set.
#pragma once

#include <functional>
#include <vector>

#include "board.hpp"
#include "layers_record.hpp"

namespace yoddd {

// The empty cells of a board as padded indices, in ascending order.
std::vector<u16> empty_cells(const Board& board);

// By the cells that Black fills, the numbers of groups of both colours if White fills all others.
// With fewer stones a cell counts as White's for Black's groups, and the other way round. In games
// without passes one plane tells whether Black wins.
class LayerPlanes {
public:
    static u64 memory(const Rules& rules, int cells);
    // Of a position's empty cells; bit i of a filling is the i-th. False if `interrupted` ended it.
    bool make(const Board& board, int threads, const std::function<bool()>& interrupted);

    std::vector<u16> cells;
    int planes = 0;          // of a colour
    std::vector<u64> words;  // Black's, then White's
};

// One thread's way from the planes of all cells to those of a set: cell by cell, shared between
// sets that begin alike.
class LayerGroupStack {
public:
    static u64 memory(int cells);
    explicit LayerGroupStack(const LayerPlanes& planes) : planes_(planes) {}

    // Valid until the next call.
    LayerGroups groups(u32 set);
    // The part of it that games need in which groups count on full boards only.
    LayerGroups fillings(int stones);

private:
    struct Level {
        const u64* words = nullptr;
        int bits = 0;    // of a plane's index
        int stones = 0;  // those of its bits that are cells of the set
        std::vector<u64> own;
    };

    const LayerPlanes& planes_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
    u32 set_ = 0;
    u64 valid_[4] = {};
};

}  // namespace yoddd
