// The numbers of groups of all fillings as planes of bits, taken apart set by set.
#pragma once

#include <functional>
#include <vector>

#include "layers_record.hpp"

namespace yoddd {

// By the cells that Black fills, the numbers of groups of both colours if White fills all others.
// With fewer stones a cell counts as White's for Black's groups, and the other way round.
class LayerPlanes {
public:
    static u64 memory(int cells);
    // From counts by the cells that a colour fills, bit i the i-th cell. False if `interrupted`
    // ended it.
    bool make(int cells, const std::vector<i16>& black, const std::vector<i16>& white,
              const std::function<bool()>& interrupted);

    // Whether a filling has an odd number of groups, both sets by bit i the i-th cell.
    bool odd(u32 blacks, u32 set) const;

    int cells = 0;
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
    LayerGroups groups(u32 set, const LayerLoops& loops);
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
