// The value of every position that can follow from an endgame, by one sweep over all fillings.
//
// With e empty cells there are 3^e fillings of them. A stone makes the index of a filling larger,
// so a pass from the full board down meets every successor before it is needed. For each filling
// and colour the sweep knows how a turn that ends there turns out for the player of that colour,
// and, where turns have two stones, what the best of such endings is with at most one stone more.
// Groups are looked up: the number of groups of a colour depends on the stones that stand and on
// the cells which that colour fills, so two tables of 2^e entries hold them all.
//
// Values are bytes from the view of a player: 255 - n where that player wins in n turns, n where
// the player loses in n turns, of both sides, the last one included. The largest is the best one:
// winners want the end soon and losers late. 0 stands for no turn at all.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "board.hpp"
#include "legality.hpp"

namespace yoddd {

struct TurnValue {
    Turn turn;
    bool wins;     // for the player who takes it
    int distance;  // turns to the end of the game by best play, this one included
};

class Sweep {
public:
    static constexpr int most_empty = 21;

    // `board` is between turns and has at most `most_empty` empty cells; throws
    // std::invalid_argument otherwise and std::bad_alloc where memory lacks.
    explicit Sweep(const Board& board);

    // Fill the tables. `interrupted` is polled every few milliseconds by the calling thread. False
    // if it ended the sweep; then there are no values.
    bool run(int threads, const std::function<bool()>& interrupted);

    // Whether the values of a position are known: it has the stones that stood at the beginning.
    bool covers(const Board& board) const;

    // Each legal turn but a swap, in canonical order, drops before the pass. Values are those of
    // colours: whether a player may take over the other colour is the caller's business. Between
    // turns of a game that is not over.
    std::vector<TurnValue> turns(const Board& board) const;
    // The best of them, the first of equals.
    TurnValue best(const Board& board) const;

private:
    struct Release {
        void operator()(u8* block) const { std::free(block); }
    };
    u64 filling(const Board& board) const;
    u8 landing(u64 at, int player) const { return words_[width_ * at + player]; }
    u8 value_of_pass(const Board& board) const;

    Board board_;
    int empty_;
    u64 fillings_;
    u64 width_ = 0;             // bytes of a word
    std::vector<u16> cells_;    // padded indices of the empty cells; digit i belongs to the i-th
    std::vector<u64> weights_;  // padded index -> 3^i, or 0
    // A word a filling; its first bytes are the values, by player, of a turn that ends with it.
    std::unique_ptr<u8[], Release> words_;
    std::vector<i16> groups_[2];  // by the cells that the colour fills: its number of groups
    std::vector<u8> black_wins_;  // by the cells that Black fills of a full board
};

}  // namespace yoddd
