// Which turns are legal, without listing them.
//
// A drop changes the number of groups by 1 - k, k the number of groups joined. The parities of two
// drops simply add up unless they are `entangled` (planes.hpp), which takes one colour and either
// adjacent cells or two groups that both touch. So turns are counted by class, and only the few
// entangled pairs need a second look.
#pragma once

#include <vector>

#include "board.hpp"

namespace yoddd {

struct Candidate {
    Stone stone;
    Touch touched;
    bool flips;
};

// A whole turn: up to two stones, or a pass or swap.
struct Turn {
    Step kind = Step::stone;
    int stones = 0;
    Stone stone[2] = {};
    bool operator==(const Turn&) const = default;
};

// The half turns of a turn, without the end behind a single stone.
std::vector<Move> moves_of(const Turn& turn);
void play_turn(Board& board, const Turn& turn);

// Every drop that the player might begin or go on with, evaluated once, in canonical order.
// Valid as long as the board does not change.
class Drops {
public:
    explicit Drops(const Board& board);

    const std::vector<Candidate>& candidates() const { return candidates_; }
    // The index of a stone among the candidates, or -1.
    int find(Stone stone) const;

    // Between turns:
    bool single_legal(int x) const {
        return !board_.must_drop_two() && (!has_parity() || fits_ != candidates_[x].flips);
    }
    bool pair_legal(int x, int y) const;
    bool completable(int x) const;
    bool any() const;
    u64 count_drops() const;
    bool pass_legal() const { return passes_ && (board_.rules().pass == Pass::free || !any()); }
    u64 count_turns() const { return count_drops() + pass_legal() + may_swap(); }

    // After the first stone of a turn:
    bool second_legal(int y) const { return !has_parity() || fits_ != candidates_[y].flips; }

    bool may_drop_two() const { return board_.may_drop_two(); }
    bool may_swap() const { return board_.may_swap() && !board_.is_over(); }

private:
    bool has_parity() const { return board_.rules().parity != none; }
    u64 count_entangled(bool alike) const;

    const Board& board_;
    bool passes_ = false;  // but for what could be dropped
    bool fits_;            // the number of groups, before the next stone
    std::vector<Candidate> candidates_;
};

// Whether a turn is legal, between turns, without looking at other drops (save for a forced
// pass). Stones may be given in any order and must lie on the board.
bool is_legal(const Board& board, const Turn& turn);

// Whether the player may pass, between turns; looks at drops only where a pass is forced.
bool may_pass(const Board& board);

// Walks the legal drops (not pass, not swap) of a position in canonical order: by first stone, a
// single stone before its pairs.
class DropCursor {
public:
    explicit DropCursor(const Board& board) : board_(board), drops_(board_) {}
    DropCursor(const DropCursor&) = delete;  // drops_ refers to this very board_
    DropCursor& operator=(const DropCursor&) = delete;
    // The next drop, or false at the end.
    bool next(Turn& turn);

private:
    Board board_;  // a copy: the caller's may move on
    Drops drops_;
    int x_ = 0;
    int y_ = -1;  // -1: the single stone is next
};

// The half turns that may be played now, in canonical order; then end or pass or swap.
std::vector<Move> legal_moves(const Board& board);

// Count the sequences of `depth` turns. The board is the same afterwards.
u64 perft(Board& board, int depth);

// Whether a stone on an empty cell changes the parity of the number of groups: touch(...).flips()
// without branches, since unused arcs repeat the first one.
bool flips(const Board& board, Stone stone);

}  // namespace yoddd
