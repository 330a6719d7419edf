// Stones and groups as flat byte planes, one pair a colour.
//
// For every index a colour has a *label* (equal for stones of one group) and a *mask* of the
// directions in which its neighbours hold a stone of that colour. A drop looks its mask up in the
// arc table: where the like-coloured neighbours form at most one arc no label is needed, and else
// the labels of the arcs say how many groups are joined.
//
// The label of a cell without a stone of the colour is either its founding label, or the cell has
// a neighbour of the colour (labels are swept by value, and mates share their founding label). So
// a stone that joins nothing already carries its own label.
#pragma once

#include <cstring>

#include "geometry.hpp"

namespace yoddd {

struct alignas(64) Planes {
    static constexpr int colour_stride = plane_bytes;
    static constexpr int mask_offset = 2 * plane_bytes + mask_margin;

    u8 bytes[4 * plane_bytes];

    u8 mask(int colour, int at) const { return bytes[mask_offset + colour * colour_stride + at]; }
    u8& mask(int colour, int at) { return bytes[mask_offset + colour * colour_stride + at]; }

    u16 label(const Geometry& g, int colour, int at) const {
        if (!g.wide) return bytes[colour * colour_stride + at];
        u16 value;
        std::memcpy(&value, bytes + 2 * at, sizeof value);
        return value;
    }

    void set_label(const Geometry& g, int colour, int at, u16 value) {
        if (g.wide)
            std::memcpy(bytes + 2 * at, &value, sizeof value);
        else
            bytes[colour * colour_stride + at] = static_cast<u8>(value);
    }

    // Whether `at` holds a stone of `colour`, read from the mask of its right neighbour, which may
    // be padding.
    bool has(const Geometry& g, int colour, int at) const {
        return mask(colour, at + 1) >> g.opposite[0] & 1;
    }

    void clear(const Geometry& g);
    // Write the content of every cell: none, black or white.
    void copy_cells(const Geometry& g, signed char* cells) const;
};

// What a drop would touch: the label of each arc of like-coloured neighbours, and how many groups
// these are.
struct Touch {
    // Of 16 bits each, the first the lowest: in one word, which is written and read at once.
    u64 labels;
    u8 arcs;
    u8 joins;

    u16 label(int arc) const { return static_cast<u16>(labels >> 16 * arc); }

    // Dropping the stone changes the parity of the number of groups.
    bool flips() const { return joins % 2 == 0; }
};

Touch touch(const Geometry& g, const Planes& planes, Stone stone);

// Whether a stone `b` of the same colour flips the parity after stone `a` if it does not before,
// and the other way round. By how much a changes the number of groups that b joins: where they share s
// groups, that falls by s - 1 if s > 0, and rises by 1 if s = 0 and the cells are adjacent.
bool entangled(const Geometry& g, Stone a, const Touch& of_a, Stone b, const Touch& of_b);

// How many groups both stones touch; both of one colour.
int shared(const Touch& a, const Touch& b);

// Put down a stone that `touch` was asked about just now.
void place(const Geometry& g, Planes& planes, Stone stone, const Touch& touched);

// Take a stone off again. `touched` says which labels its neighbours get back; without it each
// part of a group that falls apart is labelled again after one of its stones.
void remove(const Geometry& g, Planes& planes, Stone stone, const Touch* touched);

}  // namespace yoddd
