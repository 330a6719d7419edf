#include "planes.hpp"

namespace yoddd {
namespace {

void flip_masks(const Geometry& g, Planes& planes, Stone stone) {
    for (int d = 0; d < g.directions; ++d)
        planes.mask(stone.colour, stone.at + g.offset[d]) ^= static_cast<u8>(1 << g.opposite[d]);
}

template <class Label>
void sweep(u8* bytes, int span, u16 from, u16 to) {
    // Through memcpy because wide labels live in the same bytes; compilers vectorise it all the same.
    for (int i = 0; i < span; ++i) {
        Label value;
        std::memcpy(&value, bytes + i * static_cast<int>(sizeof value), sizeof value);
        value = value == static_cast<Label>(from) ? static_cast<Label>(to) : value;
        std::memcpy(bytes + i * static_cast<int>(sizeof value), &value, sizeof value);
    }
}

void relabel(const Geometry& g, Planes& planes, int colour, u16 from, u16 to) {
    if (g.wide)
        sweep<u16>(planes.bytes, g.span, from, to);
    else
        sweep<u8>(planes.bytes + colour * Planes::colour_stride, g.span, from, to);
}

// Give the group of the stone at `start` a label that differs from its present one.
void flood(const Geometry& g, Planes& planes, int colour, u16 start, u16 label) {
    u16 stack[max_cells + 1];
    int height = 0;
    stack[height++] = start;
    planes.set_label(g, colour, start, label);
    while (height) {
        const u16 at = stack[--height];
        const unsigned near = planes.mask(colour, at);
        // No branches: which neighbours are new is beyond prediction. In a direction without a
        // stone the cell looks at itself, which is not new.
        for (int d = 0; d < g.directions; ++d) {
            const auto next =
                static_cast<u16>(at + (g.offset[d] & -static_cast<int>(near >> d & 1)));
            stack[height] = next;
            height += planes.label(g, colour, next) != label;
            planes.set_label(g, colour, next, label);
        }
    }
}

}  // namespace

void Planes::clear(const Geometry& g) {
    std::memset(bytes, 0, sizeof bytes);
    for (int cell = 0; cell < g.cells; ++cell)
        for (int colour : {black, white})
            set_label(g, colour, g.index[cell], g.founding[g.index[cell]]);
}

void Planes::copy_cells(const Geometry& g, signed char* cells) const {
    const u8* const blacks = bytes + mask_offset + 1;  // as of `has`
    const u8* const whites = blacks + colour_stride;
    const u8 bit = static_cast<u8>(1 << g.opposite[0]);
    // By index first and without branches, which compilers turn into vector instructions.
    constexpr int chunk = 32;
    signed char contents[plane_bytes + chunk], found[max_cells + chunk];
    for (int at = 0; at < g.span; ++at) {
        const bool is_black = blacks[at] & bit, is_white = whites[at] & bit;
        contents[at] =
            static_cast<signed char>(none + (black - none) * is_black + (white - none) * is_white);
    }
    // Rows in whole chunks; what is written behind one is overwritten by the next.
    for (std::size_t row = 0; row + 1 < g.row_begins.size(); ++row) {
        const int begin = g.row_begins[row], end = g.row_begins[row + 1];
        for (int cell = begin; cell < end; cell += chunk)
            std::memcpy(found + cell, contents + g.index[begin] + cell - begin, chunk);
    }
    std::memcpy(cells, found, static_cast<std::size_t>(g.cells));
}

Touch touch(const Geometry& g, const Planes& planes, Stone stone) {
    const Arcs& arcs = g.arcs[planes.mask(stone.colour, stone.at)];
    Touch result;
    // No branches: unused arcs repeat the first.
    const auto label = [&](int i) -> u64 {
        return planes.label(g, stone.colour, stone.at + arcs.offset[i]);
    };
    const u64 one = label(0), two = label(1), three = label(2), four = label(3);
    result.labels = one | two << 16 | three << 32 | four << 48;
    result.arcs = static_cast<u8>(arcs.count);
    result.joins = static_cast<u8>(arcs.any + (two != one) + ((three != one) & (three != two)) +
                                   ((four != one) & (four != two) & (four != three)));
    return result;
}

int shared(const Touch& a, const Touch& b) {
    int count = 0;
    for (int i = 0; i < a.arcs; ++i) {
        bool repeated = false;
        for (int j = 0; j < i; ++j) repeated |= a.label(j) == a.label(i);
        if (repeated) continue;
        bool found = false;
        for (int j = 0; j < b.arcs; ++j) found |= a.label(i) == b.label(j);
        count += found;
    }
    return count;
}

bool entangled(const Geometry& g, Stone a, const Touch& of_a, Stone b, const Touch& of_b) {
    const int common = shared(of_a, of_b);
    if (common) return common % 2 == 0;
    for (int d = 0; d < g.directions; ++d)
        if (a.at + g.offset[d] == b.at) return true;
    return false;
}

void place(const Geometry& g, Planes& planes, Stone stone, const Touch& touched) {
    flip_masks(g, planes, stone);
    if (!touched.arcs) return;
    const u16 kept = touched.label(0);
    for (int i = 1; touched.joins > 1 && i < touched.arcs; ++i)
        if (touched.label(i) != kept) relabel(g, planes, stone.colour, touched.label(i), kept);
    planes.set_label(g, stone.colour, stone.at, kept);
}

void remove(const Geometry& g, Planes& planes, Stone stone, const Touch* touched) {
    flip_masks(g, planes, stone);
    const int colour = stone.colour;
    planes.set_label(g, colour, stone.at, g.founding[stone.at]);
    const u16 mate = g.mate[stone.at];
    // A sweep may have changed the label that an empty mate shares with this founder.
    if (mate != stone.at && !planes.has(g, colour, mate))
        planes.set_label(g, colour, mate, g.founding[mate]);
    const Arcs& arcs = g.arcs[planes.mask(colour, stone.at)];
    if (arcs.count < 2) return;
    for (int i = 0; i < arcs.count; ++i) {
        const auto next = static_cast<u16>(stone.at + arcs.offset[i]);
        const u16 label = touched ? touched->label(i) : g.founding[next];
        if (planes.label(g, colour, next) != label) flood(g, planes, colour, next, label);
    }
}

}  // namespace yoddd
