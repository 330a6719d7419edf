// What a sweep over the fillings of an endgame's empty cells needs to know about groups.
//
// The groups of a colour depend on the stones that stand and on the cells which that colour fills.
// Sets of cells are numbers: bit i is the i-th empty cell.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <vector>

#include "board.hpp"
#include "threads.hpp"

namespace yoddd {

constexpr int most_swept = 25;  // empty cells of any sweep

constexpr auto powers = [] {
    std::array<u64, most_swept + 1> list{};
    u64 power = 1;
    for (u64& entry : list) {
        entry = power;
        power *= 3;
    }
    return list;
}();

// Run `task(i)` for all i below `count` on so many threads, the calling one included, which polls
// `interrupted`. False if that ended it.
template <class Task>
bool share(int threads, u64 count, const std::function<bool()>& interrupted, const Task& task) {
    std::atomic<u64> next{0};
    std::atomic<bool> stopped{false};
    const auto work = [&](bool polls) {
        for (u64 i; !stopped && (i = next++) < count;) {
            task(i);
            if (polls && interrupted && interrupted()) stopped = true;
        }
    };
    std::vector<Thread> others;
    for (int i = 1; i < threads && static_cast<u64>(i) < count; ++i)
        others.emplace_back(work, false);
    work(true);
    for (Thread& other : others) other.join();
    return !stopped;
}

// The empty cells of a board as padded indices, in ascending order.
std::vector<u16> empty_cells(const Board& board);

// By the cells that a colour fills, its number of groups. False if `interrupted` ended it.
bool count_groups(const Board& board, const std::vector<u16>& cells, std::vector<i16> (&groups)[2],
                  int threads, const std::function<bool()>& interrupted);

// By the cells that Black fills of a full board, whether Black wins, in a game without passes.
bool judge_full(const Board& board, const std::vector<u16>& cells, std::vector<u8>& black_wins,
                int threads, const std::function<bool()>& interrupted);

// Both for a position, to be looked up for all that follow from it.
class EndgameGroups {
public:
    static u64 memory(const Rules& rules, int empty);
    // False if `interrupted` ended it.
    bool count(const Board& board, int threads, const std::function<bool()>& interrupted);
    // As `count_groups` and `judge_full` for the cells that are empty on a later board.
    void pick(const Board& board, int colour, std::vector<i16>& groups) const;
    void pick(const Board& board, std::vector<u8>& black_wins) const;

private:
    std::vector<u32> sets(const Board& board, int colour) const;

    std::vector<u16> cells_;
    std::vector<i16> groups_[2];
    std::vector<u8> black_wins_;
};

}  // namespace yoddd
