// What the loops over filled boards (compiled once for each instruction set) share with the rest.
// As in playout_lane.hpp there is no function here that the linker might keep.
#pragma once

#include "choose.hpp"
#include "portable.hpp"
#include "types.hpp"

namespace yoddd {

constexpr int fill_lanes = 32;  // boards that are filled at once

// For each board a number of each colour.
struct FillCounts {
    u16 of[2][fill_lanes];
};

// The sizes of the two largest groups of each colour, 0 where there is none, and its stones.
struct FillLargest {
    u16 first[2][fill_lanes];
    u16 second[2][fill_lanes];
    u16 stones[2][fill_lanes];
};

// What the loops work on: for each cell a number for each board; of 16 bits where the cells
// themselves need that (`wide`), else of 8.
struct FilledBoards {
    // Two neighbours of a cell, on square boards the first counts; the cell itself where it has
    // none.
    struct Near {
        u16 cell[2];
    };

    int cells;
    int rows;
    bool hex;
    bool wide;
    const u16* row_begins;  // cells; one more than rows
    const Near* below;      // of each cell
    const Near* above;
    const u8* colours;
    u8* labels;  // they lead to the largest cell of each group, whose label is its own number
    u8* sizes;   // of the group at this cell, else 0
};

struct FillLoops {
    // Write labels, and the sizes of so many boards; without `sizes` those of all groups are 1.
    void (*find_groups)(const FilledBoards& boards, bool sizes, int used);
    // How many groups have more stones than n.
    void (*count_groups)(const FilledBoards& boards, int n, FillCounts& counts);
    void (*find_largest)(const FilledBoards& boards, FillLargest& largest);
    // For each of some cells the sum over those boards where White holds it; the values of boards
    // that are not in use are 0.
    void (*add_whites)(const FilledBoards& boards, const u16* cells, int count, const float* values,
                       StoneSum* sums, int used);
};

}  // namespace yoddd
