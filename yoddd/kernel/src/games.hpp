// Many games of one kind played side by side by single actions, for learning programs.
//
// Actions are those of yoddd.library: colour * cells + cell for a stone, then one each for the end
// of a turn, a pass and a swap. A turn that can take no further stone ends by itself. Players are
// numbered by the colour they began with, 0 for Black, also after a swap. A game that ends begins
// again at once, or waits for `reset`.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "board.hpp"
#include "crew.hpp"

namespace yoddd {

class Games {
public:
    // Game i begins at starts[i % starts.size()]; all of these are of the same rules and not over.
    // `places` says where each cell lies in a plane of side * side values; throws
    // std::invalid_argument where these do not fit the board, or for less than one start, game or
    // thread. If `restarts`, a game that ends begins again at once.
    Games(std::vector<Board> starts, int count, std::vector<int> places, int side, int threads,
          bool restarts);
    Games(const Games& other) : Games(other, std::lock_guard(other.busy_)) {}
    Games& operator=(const Games&) = delete;

    int count() const { return static_cast<int>(games_.size()); }
    int actions() const { return actions_; }
    int side() const { return side_; }

    // Begins the games again for which `which` is not 0, or all of them if it is null.
    void reset(const std::uint8_t* which);
    // One action in every game; -1 leaves a game as it is. Of a game that ends with it `done` is 1
    // and its two `rewards` are 1 and -1 by player, else 0. Of a game that has ended before and was
    // not reset the action is ignored, `done` is 1 and the rewards are 0. Throws
    // std::invalid_argument if an action is not legal, and then no game has changed.
    void step(const std::int64_t* actions, float* rewards, std::uint8_t* done);
    // What may be done now: a row of `actions()` bytes a game.
    void masks(std::int8_t* out);
    // The player on turn in each game; -4 in one that has ended.
    void players(std::int8_t* out);
    // For each game a legal action: of n that one whose place is n times the game's draw, which is
    // at least 0 and below 1. 0 in a game that has ended.
    void choose(const double* draws, std::int64_t* out);
    // Six planes a game, as yoddd.library.state names them.
    void observe(std::int8_t* out);

    // One moment of a game, for another process.
    struct Saved {
        std::vector<int> cells;  // without the first stone of a turn in progress
        int player, passes;
        u32 number;
        int first;  // the action that dropped that stone, or -1
        bool swapped, passed;
    };
    std::vector<Saved> save() const;
    // Continues from what a batch of the same rules and as many games has saved; throws
    // std::invalid_argument where it cannot have, and then no game has changed.
    void load(const std::vector<Saved>& saved);

private:
    struct Seat {
        Board board;
        bool swapped = false;
        bool passed = false;  // the turn before was a pass, also after a first stone
        bool over = false;    // it has ended and waits for `reset`
    };

    Games(const Games& other, const std::lock_guard<std::mutex>& held);
    template <class Work>
    void for_each(Work work);
    void begin(int index);
    void mark(int index);
    bool apply(Seat& seat, int action) const;
    Seat seat_of(const Saved& saved) const;
    std::int8_t* mask(int i) { return masks_.data() + i64{i} * actions_; }
    Move move_of(int action) const;
    void observe(const Seat& seat, std::int8_t* out) const;

    const std::vector<Board> starts_;
    const std::vector<int> places_;
    const int side_, actions_;
    const bool restarts_;
    std::vector<Seat> games_;
    // A row for each game, apart from the boards, so that looking an action up touches no board.
    std::vector<std::int8_t> masks_;
    Crew crew_;
    mutable std::mutex busy_;  // callers do not hold the interpreter's lock
};

}  // namespace yoddd
