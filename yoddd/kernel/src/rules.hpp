// The facts of a game, and the winner by them. Nothing else tells one game from another.
#pragma once

#include <cstdlib>
#include <vector>

#include "types.hpp"

namespace yoddd {

// Callers name these by their numbers: the order is that of the words in yoddd/rules/facts.py.
enum class Pass : u8 { none, free, forced };
enum class Count : u8 { points, largest, smallest, product, area };
enum class Value : u8 { one, size, less, square, odd, large };
enum class Wins : u8 { more, fewer, odd, even };
enum class Tie : u8 { nothing, size, ascending, stones, odd, black, white };

constexpr int most_ties = 5;  // different ones, a colour being the last

struct Rules {
    bool pie = false;
    u8 first = 1;            // stones of turn 1
    bool first_own = false;  // these are of the player's colour
    u8 least = 1, most = 1;  // stones of each later turn
    bool own = false;
    signed char parity =
        none;                // of the number of groups when a turn ends; none where it may be any
    Pass pass = Pass::none;  // with a parity, and only with one
    bool full_ends = false;
    Count count = Count::points;
    Value value = Value::one;
    u16 k = 0;
    u8 lone = 0;
    Wins wins = Wins::more;
    Tie ties[most_ties] = {};

    bool has_pass() const { return pass != Pass::none; }
    bool counts_groups() const { return count == Count::points && value == Value::one; }
    bool has_fewest_groups() const { return counts_groups() && wins == Wins::fewer; }
    // Whether loops count many boards at once.
    bool is_counted_at_once() const {
        if (count != Count::points) return count != Count::smallest;
        return value == Value::one || value == Value::large;
    }
    bool by_parity() const { return wins == Wins::odd || wins == Wins::even; }
    // Whether exchanging the colours of all stones changes neither turns nor winner, from turn 2 on.
    bool is_blind() const { return by_parity() && !own; }
    // Whether exchanging them together with the players exchanges the winners.
    bool is_fair() const;
    bool operator==(const Rules&) const = default;
};

// Read the numbers that `Facts.numbers` gives; returns the key at fault, or null.
const char* read_rules(const std::vector<int>& numbers, Rules& rules);

// The sizes of a colour's groups.
struct Sizes {
    static constexpr int most = 625;
    int count = 0;
    u16 of[most];

    void add(int size) { of[count++] = static_cast<u16>(size); }
};

struct Outcome {
    int winner = none;
    int score = 0;  // the n of B+n
};

// What a colour's groups count.
int counted(const Rules& rules, const Sizes& sizes);
inline Outcome led_by(int margin) {
    return {margin > 0 ? black : margin < 0 ? white : none, std::abs(margin)};
}

// The winner by both colours' counts; none where they are equal and ties have to decide.
inline Outcome compare(const Rules& rules, int blacks, int whites) {
    if (rules.by_parity())
        return {((blacks + whites) % 2 != 0) == (rules.wins == Wins::odd) ? black : white, 1};
    return led_by(rules.wins == Wins::more ? blacks - whites : whites - blacks);
}

// The winner by the ties, which may sort the sizes; none where they do not decide either.
Outcome break_tie(const Rules& rules, Sizes (&sizes)[2]);
// By the counts, or else by the ties.
Outcome judge(const Rules& rules, Sizes (&sizes)[2]);

}  // namespace yoddd
