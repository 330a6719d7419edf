// The arithmetic of selection over the dense arrays of a node and of statistics: one of `Loops`.
// Without fused operations, so that the results of all instruction sets are the same.
#pragma once

#include <cstddef>

#include "types.hpp"

namespace yoddd {

// The children of a node, and what is lent to them.
struct Children {
    u32 count = 0;
    u32 stones = 0;  // the first so many have statistics
    const u16* ids = nullptr;
    const u32* visits = nullptr;
    const float* value = nullptr;  // sum of results for the player
    const u32* lent_visits = nullptr;
    const float* lent_value = nullptr;  // sum of results for Black
    bool white = false;
    float mean = 0;  // of the node, for the player
    float bias = 0;
};

// What the policy adds to the promises of children.
struct Guidance {
    u32 count = 0;
    const u32* visits = nullptr;
    const float* policy = nullptr;  // logarithms, 0 or less
    float weight = 0;
    float fade = 0;  // visits after which it counts half
};

struct Chooser {
    // Write what each child promises: GRAVE's mean of its own value v / n and the lent value
    // w / m, the latter weighted by m / (m + n + bias m n). Put over one denominator it needs one
    // division, and neither n = 0 nor m = 0 is special; where both are, it is the node's mean.
    void (*promise)(const Children& children, float* out);
    // Raise all promises by one, so that none is negative, and add the policy.
    void (*guide)(const Guidance& guidance, float* promises);
    // The first of the greatest of some numbers that are not negative, looking from `start` on and
    // then from the beginning.
    u32 (*best)(const float* values, u32 count, u32 start);
    // Add to each of `count` stones' statistics.
    void (*gather)(u32* visits, float* value, const u32* more_visits, const float* more_value,
                   std::size_t count);
};

}  // namespace yoddd
