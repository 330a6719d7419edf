// The work on one record of a layer: one of `Loops`.
//
// A record belongs to a set of occupied cells. It holds planes of values, each with one value for
// every filling of the set: bit j of a filling's index is 1 if the stone on the j-th cell of the set
// is black. Planes are padded to vectors of four words; vectors of as many
// fillings lie together, plane by plane.
#pragma once

#include "types.hpp"

namespace yoddd {

constexpr int most_swept = 25;  // empty cells of any sweep

// Of a plane of so many bits, as a power of two.
constexpr u64 plane_words(int bits) { return bits <= 8 ? 4 : u64{1} << (bits - 6); }

// Records of sets with one cell more, ascending by the position of that cell's index bit.
struct LayerSources {
    u32 count = 0;
    const u64* record[most_swept];
    u8 at[most_swept];
};

// Planes of bits for the numbers of groups, least significant first. The index of their vectors
// has a bit for each cell that is not settled by `black` and `white` themselves.
struct LayerGroups {
    const u64* black;
    const u64* white;
    u64 stride;  // words from plane to plane
    int planes;
    u64 inside;        // the unsettled cells of the set
    u64 outside;       // the other ones
    const u64* valid;  // a vector with ones where there are fillings
};

struct LayerJob {
    int bits;  // the binary logarithm of the bits of a plane
    LayerSources sources;
    const u64* extra;  // planes of what other sources bring, or null
    LayerGroups groups;
    bool ends;  // with passes: the game is over here; else: a turn ends here
    u64* out;
};

// How the records of a game are made.
struct LayerGame {
    int planes;   // of a record
    int colours;  // 2, or 1 if White's planes are left out as those of Black, colours exchanged
    int shift;    // the binary logarithm of the bits of a value
    // The record of a set, from its sources.
    void (*settle)(const LayerJob& job);
    // The best of all sources.
    void (*gather)(const LayerSources& sources, int bits, u64* out);
    void (*join)(u64* to, const u64* from, u64 vectors);
};

enum class LayerKind : u8 {
    passing,
    own_passing,
    any,    // one stone of any colour a turn, or two
    black,  // one black stone
    white,
};

struct LayerLoops {
    // `bytes`: values with distances, only with passes.
    LayerGame (*game)(LayerKind kind, bool bytes, int colours);
    // Bit j of the new index is bit from[j] of the old one, counted from `shift` on.
    void (*permute)(u64* array, u64 planes, int bits, int shift, const u8* from);
    // A plane of bits without the index bit `at`: the half where it is 0, or 1. `to` may be `from`
    // or lie below it.
    void (*halve)(const u64* from, u64* to, int bits, int at, bool one);
};

}  // namespace yoddd
