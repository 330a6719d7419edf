// The values of Xodd's and Odd's positions of few stones on square5, from the file that
// docs/reference/tables.md describes.
#pragma once

#include <array>
#include <vector>

#include "sweep.hpp"

namespace yoddd {

class Square5 {
public:
    // The file, unpacked.
    explicit Square5(const std::vector<u8>& data);

    // Each legal turn, best first, of a position all of whose turns lead to what is held.
    std::vector<TurnValue> turns(Board board) const;

private:
    bool wins(const Board& board) const;

    std::vector<std::vector<u32>> images_;  // of each cell as a bit of a set, by symmetry
    std::vector<std::vector<u32>> sets_;    // that stand for their images, by size
    std::vector<u32> first_;                // the place of the first filling of so many stones
    // By game and player on turn, a bit for each filling. Without one of Black's his values are
    // White's, colours exchanged.
    std::array<std::array<std::vector<u8>, 2>, 2> won_;
};

}  // namespace yoddd
