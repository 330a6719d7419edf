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
// Colours are 0 (Black) and 1 (White) throughout; they index planes and counts.
constexpr int black = 0;
constexpr int white = 1;
constexpr int none = -1;

// A stone that may be dropped: its colour and its padded index.
struct Stone {
    u16 at = 0;
    u16 colour = 0;
    bool operator==(const Stone&) const = default;
};

}  // namespace yoddd
