// Random fillings of the empty cells, many boards side by side: the playouts of the games without
// passes, in which nothing constrains the stones.
#pragma once

#include <vector>

#include "board.hpp"
#include "filling_lane.hpp"
#include "playout.hpp"
#include "shared.hpp"

namespace yoddd {

class Fillings {
public:
    explicit Fillings(const Geometry& geometry);
    Fillings(const Fillings&) = delete;
    Fillings& operator=(const Fillings&) = delete;

    // Fill so many boards, `fill_lanes` at most, each with a generator of its own.
    void run(const Board& board, int count, const NextDraws& next);
    // Look at a board whose cells are to be filled by numbers.
    void begin(const Board& board);
    // Fill it by so many consecutive numbers: bit i is 1 if the i-th empty cell gets a black stone.
    void fill_by_number(const Rules& rules, u32 first, int count);
    // From now on no player of a game like Yoin loses a bridge: two groups that each of two neighbouring cells
    // would join. An opponent who plays on one cell is answered on the other, so where both fall to
    // the opponent one of them becomes the player's.
    void keep_bridges();
    // Of the last run.
    const PlayoutResult& result(int lane) const { return results_[lane]; }
    int colour_at(int cell, int lane) const;
    // For each stone (those of Black first) on how many boards it lies in the end, and the sum of
    // their values.
    void spread(const float* values, StoneSum* sums) const;

private:
    struct alignas(cache_line) Block {
        u8 bytes[cache_line];
    };
    struct Bridge {
        int from, to, one, other;  // two cells, and the two that each would join them
    };

    int cell_at(int index) const;  // -1 beyond the board
    template <class T>
    T* row(int cell);
    template <class T>
    void set_row(int cell, int colour);
    template <class T>
    void fill_rest();
    template <class T>
    void fill_by_number(u32 first);
    template <class T>
    void fill(const Board& board, Draws* draws);
    template <class T>
    void fill_freely(Draws* draws);
    template <class T>
    void fill_alternating(const Board& board, Draws* draws);
    template <class T>
    void mend_bridges(const Board& board);
    template <class T>
    void mend(int colour, int one, int other);
    void judge(const Rules& rules);
    void fill_all(const Board& board, Draws* draws);
    int stones_of_opponent(const Board& board, Draws& draws) const;
    void set_outcome(int lane, const Outcome& outcome) {
        results_[lane].winner = outcome.winner;
        results_[lane].score = outcome.score;
    }
    bool count_all(const Rules& rules, const FillCounts& groups, FillLargest& largest);
    void break_ties_by_size();
    void measure(int lane, Sizes (&sizes)[2]);

    const Geometry& g_;
    std::vector<FilledBoards::Near> below_, above_;
    std::vector<Block> colours_, labels_, sizes_;
    FilledBoards boards_;
    std::vector<Bridge> bridges_;  // none before keep_bridges()
    int count_ = 0;
    int empty_ = 0;
    u16 list_[max_cells];           // the empty cells
    signed char start_[max_cells];  // what each cell held before
    int counted_[2][fill_lanes];
    PlayoutResult results_[fill_lanes];
};

}  // namespace yoddd
