// Random numbers that are the same on every platform.
//
// PCG32 (XSH RR 64/32) is M. E. O'Neill's generator, <https://www.pcg-random.org>; SplitMix64 is
// S. Vigna's, <https://prng.di.unimi.it/splitmix64.c>. Playouts draw from a multiplicative
// congruential generator of 128 bits, of which the upper 64 are used; the multiplier is from
// G. Steele and S. Vigna, "Computationally easy, spectrally good multipliers for congruential
// pseudorandom number generators" (2021).
#pragma once

#include "portable.hpp"
#include "types.hpp"

namespace yoddd {

constexpr u64 golden_gamma = 0x9e3779b97f4a7c15ULL;

// One output of SplitMix64: a bijection of 64-bit numbers that scatters neighbours.
YODDD_INLINE constexpr u64 split_mix(u64 z) {
    z += golden_gamma;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

struct Pcg32 {
    static constexpr u64 multiplier = 6364136223846793005ULL;
    static constexpr u64 increment = 1442695040888963407ULL;
    u64 state = 0;

    // Playout `index` of the batch that `seed` names has a stream of its own, so that a batch is
    // the same however it is divided among threads and lanes.
    static YODDD_INLINE constexpr Pcg32 stream(u64 seed, u64 index) {
        return Pcg32{split_mix(split_mix(seed) + index * golden_gamma)};
    }

    YODDD_INLINE constexpr u32 next() {
        const u32 drawn = static_cast<u32>(((state >> 18) ^ state) >> 27);
        const u32 turn = static_cast<u32>(state >> 59);
        state = state * multiplier + increment;
        return (drawn >> turn) | (drawn << ((32 - turn) & 31));
    }

    // A number below `bound` by one multiplication: off uniform by less than bound / 2^32.
    constexpr u32 below(u32 bound) {
        return static_cast<u32>((static_cast<u64>(next()) * bound) >> 32);
    }
};

// The generator of one playout. Always inlined, since the loops that are compiled for other
// instruction sets must share no function with the rest.
struct Draws {
    static constexpr u64 multiplier = 0xda942042e4dd58b5ULL;
    u64 high = 0;
    u64 low = 1;  // always odd

    // What a playout draws from follows from two outputs of the generator it is given.
    static YODDD_INLINE constexpr Draws from(Pcg32& rng) {
        const u64 first = rng.next();
        const u64 high = first << 32 | rng.next();
        return {high, split_mix(high) | 1};
    }

    static YODDD_INLINE constexpr u64 scaled(u64 value, u64 bound) {
        return upper_product(value, bound);
    }

    // The upper half of the state; which then advances.
    YODDD_INLINE constexpr u64 next() {
        const u64 value = high;
        high = high * multiplier + scaled(low, multiplier);
        low *= multiplier;
        return value;
    }

    // A number below `bound` by one multiplication: off uniform by less than bound / 2^64.
    YODDD_INLINE constexpr u64 below(u64 bound) { return scaled(next(), bound); }

    // As if so many outputs had been drawn.
    constexpr void skip(int outputs) {
        while (outputs--) next();
    }
};

}  // namespace yoddd
