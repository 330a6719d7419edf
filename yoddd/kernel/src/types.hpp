// The words that every file of the kernel shares.
#pragma once

#include <cstdint>

namespace yoddd {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Callers name these by their numbers.
enum class Shape : u8 { hex, square };
// How a game is played and scored: the first of `GAMES` in yoddd/rules/games.py, in their order.
enum class Game : u8 { yodd, xodd, odd, yoin, product };
enum class Tie : u8 { stones, black, white };  // who wins at equal products

// Colours are 0 (Black) and 1 (White) throughout; they index planes and counts.
constexpr int black = 0;
constexpr int white = 1;
constexpr int none = -1;

struct Rules {
    Game game = Game::yodd;
    bool end_on_full = false;
    bool own_colour = false;  // the option of Yodd and Xodd, not the nature of Yoin
    bool pie = false;
    u16 min_group = 5;
    bool one_group =
        false;  // of Product: a colour has two groups at least, of one stone if need be
    Tie tie = Tie::stones;

    // The number of groups must be odd at the end of a turn; passing exists.
    bool odd_total() const { return game == Game::yodd || game == Game::xodd; }
    // From the second turn on a turn may, or in Product must, drop a second stone.
    bool two_stones() const { return odd_total() || game == Game::product; }
    bool must_drop_two() const { return game == Game::product; }
    bool only_own() const { return own_colour || game == Game::yoin; }
    bool operator==(const Rules&) const = default;
};

// A stone that may be dropped: its colour and its padded index.
struct Stone {
    u16 at = 0;
    u16 colour = 0;
    bool operator==(const Stone&) const = default;
};

}  // namespace yoddd
