// A position that can be played on by half turns: a first stone, then a second one or the end of
// the turn. Trivially copyable and under 3 KB, so that a tree search copies it freely.
#pragma once

#include <bit>
#include <vector>

#include "geometry.hpp"
#include "planes.hpp"
#include "rules.hpp"

namespace yoddd {

enum class Step : u8 { stone, end, pass, swap };

// A half turn.
struct Move {
    Step step = Step::stone;
    Stone stone{};
    bool operator==(const Move&) const = default;
};

class Board {
public:
    // What a half turn changes besides the planes; undoing one copies it back.
    struct State {
        u64 stones_hash = 0;
        u32 number = 1;  // of the turn about to be played or in progress, from 1
        u16 empty = 0;
        i16 groups[2] = {0, 0};
        // Of a colour, for the learned value: stones, those on the rim, pairs of neighbours.
        i16 stones[2] = {0, 0};
        i16 rim[2] = {0, 0};
        i16 pairs[2] = {0, 0};
        u16 pending = 0;  // 1 + padded index of the first stone of the turn in progress, or 0
        u8 pending_colour = 0;
        u8 player = black;
        u8 passes = 0;
    };

    // What `undo` needs of a half turn.
    struct Undo {
        State before;
        Move move;
        Touch touched;
    };

    // An empty board with Black to play turn 1.
    Board(const Geometry& geometry, const Rules& rules);

    // Any content, as a set-up: `cells` holds none, black or white for each cell. Nothing but its
    // length is checked; throws std::invalid_argument for that.
    void set_up(const std::vector<int>& cells, int player, int passes, u32 number);

    const Geometry& geometry() const { return *geometry_; }
    const Rules& rules() const { return rules_; }
    const Planes& planes() const { return planes_; }
    const State& state() const { return state_; }
    int player() const { return state_.player; }
    int total() const { return state_.groups[black] + state_.groups[white]; }
    // A turn may end with this number of groups.
    bool fits() const { return rules_.parity == none || total() % 2 == rules_.parity; }
    bool is_full() const { return state_.empty == 0; }
    bool is_pending() const { return state_.pending != 0; }
    Stone pending() const { return {static_cast<u16>(state_.pending - 1), state_.pending_colour}; }
    bool is_over() const;

    bool is_empty(int at) const { return empty_[at >> 6] >> (at & 63) & 1; }
    int colour_at(int at) const;
    // Write the padded indices of the empty cells in ascending order; returns how many.
    int list_empty(u16* list) const;

    // This turn may drop a second stone (asked between turns or after the first stone).
    bool may_drop_two() const { return (is_first() ? rules_.first : rules_.most) > 1; }
    bool must_drop_two() const { return (is_first() ? rules_.first : rules_.least) > 1; }
    // Its stones are of the player's own colour.
    bool only_own() const { return is_first() ? rules_.first_own : rules_.own; }
    // Exchanging the colours of all stones changes neither turns nor winner.
    bool is_blind() const { return rules_.is_blind() && !only_own(); }
    // The turn in progress may end with the stone it has dropped.
    bool may_end() const { return !must_drop_two() && fits(); }
    // This turn goes by half turns: in games of one stone a drop ends the turn by itself.
    bool by_halves() const { return rules_.most > 1 || may_drop_two(); }
    bool may_swap() const {
        return rules_.pie && state_.number == 2 && state_.player == white && !is_pending();
    }

    // Play a half turn. Legality is the caller's business (see legality.hpp).
    Undo play(Move move);
    void undo(const Undo& undo);
    // Drop a stone whose `touch` was computed before, as half turns do.
    Undo drop(Stone stone, const Touch& touched);

    // Change the state as `play` would, but put down no stone; `restore` takes that back. For
    // looking up what a half turn leads to without taking it.
    void pretend(Move move);
    void restore(const State& state) { state_ = state; }

    // A hash of the position, the stone pending, the passes, the player, and of what is special
    // about the first two turns.
    u64 hash() const;

    // The cells of all groups of a colour by flood fill, in the order of their lowest cell, each
    // ascending.
    std::vector<std::vector<int>> groups(int colour) const;
    // Who has won on this board if the game ends here.
    Outcome score() const;

private:
    bool is_first() const { return state_.number == 1; }
    void put(Stone stone, const Touch& touched);
    void advance(Move move);
    void end_turn();

    Planes planes_;
    u64 empty_[plane_bytes / 64];
    State state_;
    const Geometry* geometry_;
    Rules rules_;
};

static_assert(sizeof(Board) <= 3072, "a copy of a board stays under 3 KB");

// The sizes of both colours' groups.
void measure(const Geometry& g, const Planes& planes, Sizes (&sizes)[2]);
// Who has won with these groups, of which so many are Black's and White's.
template <class Number>
Outcome score_of(const Rules& rules, const Geometry& g, const Planes& planes,
                 const Number (&groups)[2]) {
    if (rules.counts_groups()) {
        const Outcome outcome = compare(rules, groups[black], groups[white]);
        if (outcome.winner != none) return outcome;
    }
    Sizes sizes[2];
    measure(g, planes, sizes);
    return judge(rules, sizes);
}

}  // namespace yoddd
