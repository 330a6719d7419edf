// The arithmetic of selection over the dense arrays of a node and of statistics: one of `Loops`.
// Without fused operations, so that the results of all instruction sets are the same.
#pragma once

#include <cstddef>

#include "geometry.hpp"
#include "portable.hpp"

namespace yoddd {

// Children are looked at so many at once. Their arrays are whole multiples of that, and what lies
// behind the last child is read, but counts for nothing.
constexpr u32 abreast = 8;

YODDD_INLINE constexpr std::size_t whole_rows(std::size_t count) {
    return (count + abreast - 1) / abreast * abreast;
}

constexpr std::size_t others = 3;  // half turns that are no stones: end, pass, swap
constexpr std::size_t most_children = whole_rows(2 * max_cells + others);

// How many playouts had a stone on its cell at their end, and the sum of their results for Black.
// Floats, of which a vector takes both at once; they are exact up to 2^24.
struct StoneSum {
    float playouts = 0;
    float value = 0;

    friend YODDD_INLINE constexpr StoneSum operator+(StoneSum one, StoneSum other) {
        return {one.playouts + other.playouts, one.value + other.value};
    }
    friend YODDD_INLINE constexpr StoneSum operator-(StoneSum one, StoneSum other) {
        return {one.playouts - other.playouts, one.value - other.value};
    }
};

// The children of a node, and what is lent to them.
struct Children {
    u32 count = 0;
    const u16* ids = nullptr;
    const u32* visits = nullptr;
    const float* value = nullptr;    // sum of results for the player
    const float* policy = nullptr;   // logarithms, 0 or less; null without a policy
    const StoneSum* lent = nullptr;  // of each stone, and behind the last one an empty one
    u32 stones = 0;
    bool white = false;
    float mean = 0;  // of the node, for the player
    float bias = 0;
    float weight = 0;  // of the policy
    float fade = 0;    // visits after which it counts half
};

struct Chooser {
    // Write what each child promises, and zeros up to the end of the row: GRAVE's mean of its own
    // value v / n and the lent value w / m, the latter weighted by m / (m + n + bias m n). Put over
    // one denominator it needs one division, and neither n = 0 nor m = 0 is special; where both are,
    // it is the node's mean. With a policy all are raised by one, so that none is negative, and the
    // policy is added.
    void (*promise)(const Children& children, float* out);
    // The first of the greatest of some numbers that are not negative, looking from `start` on and
    // then from the beginning; behind them there are zeros up to the end of the row.
    u32 (*best)(const float* values, u32 count, u32 start);
    // Write the sums of one playout that ended with these cells (none, black or white): of Black's
    // stones, then of White's.
    void (*spread)(const signed char* cells, std::size_t count, float value, StoneSum* sums);
    // Add to each of `count` stones' statistics.
    void (*gather)(StoneSum* sums, const StoneSum* more, std::size_t count);
};

}  // namespace yoddd
