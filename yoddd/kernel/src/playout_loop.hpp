// The inner loop of playouts of Yodd, Xodd and all games of their turns, in a namespace of loops_compiled.hpp.
//
// What costs time here is instructions first, mispredicted branches second and loads that wait for
// stores third. A game goes by two branches: is the drop refused, does it join groups. So the next
// drop begins before the processor has found this one legal. docs/lab/kernel.md has what was tried
// and the ratios.

constexpr int sweep_bytes = 32;

YODDD_INLINE void set_bits16(u8* bytes, u16 bits) {
    u16 value;
    std::memcpy(&value, bytes, sizeof value);
    value |= bits;
    std::memcpy(bytes, &value, sizeof value);
}

// A stone's own direction in the masks of its neighbours; each write takes a row at a time.
template <bool Hex>
YODDD_INLINE void mark_neighbours(u8* mask, i64 stride) {
    if constexpr (Hex) {
        // Directions E NE NW W SW SE are bits 0 to 5; the lowest byte is the leftmost cell.
        set_bits16(mask + stride, 1 << 5 | 1 << 12);
        mask[-1] |= 1 << 0;
        mask[1] |= 1 << 3;
        set_bits16(mask - stride - 1, 1 << 1 | 1 << 10);
    } else {
        // Directions E N W S are bits 0 to 3.
        mask[stride] |= 1 << 3;
        mask[-1] |= 1 << 0;
        mask[1] |= 1 << 2;
        mask[-stride] |= 1 << 1;
    }
}

template <class Label, int Sweeps>
YODDD_INLINE void sweep(u8* bytes, Label from, Label to) {
    auto* labels = reinterpret_cast<Label YODDD_MAY_ALIAS*>(bytes);
    for (int i = 0; i < Sweeps * sweep_bytes / static_cast<int>(sizeof(Label)); ++i)
        labels[i] = labels[i] == from ? to : labels[i];
}

// Sweeps: how many vectors hold the labels of one colour, rounded up. Single: a turn is one stone.
template <bool Hex, bool Wide, int Sweeps, bool Own, bool Single>
struct Loop {
    using Label = std::conditional_t<Wide, u16, u8>;
    using ArcTable = std::conditional_t<Hex, HexArcs, Arcs>;
    static constexpr u64 colour_stride = Planes::colour_stride;
    static constexpr int arcs_at_most = Hex ? 3 : 4;

    static YODDD_INLINE const ArcTable* table(const Geometry& geometry) {
        if constexpr (Hex)
            return geometry.hex_arcs.data();
        else
            return geometry.arcs.data();
    }

    // -- one drop --------------------------------------------------------------------------------

    struct Aim {
        u64 drop;   // its number; the lowest bit is the colour
        u64 plane;  // where the stone lies in the planes of its colour
        u8* at;     // its byte in the label plane of its colour
        u64 mask;   // where its neighbours have that colour
    };

    static YODDD_INLINE Aim aim(Lane& lane, u64 drawn, u64 drops, u64 player) {
        Aim a;
        a.drop = Own ? 2 * Draws::scaled(drawn, drops / 2) + player : Draws::scaled(drawn, drops);
        u16 plane;
        std::memcpy(&plane, reinterpret_cast<const u8*>(lane.list) + 2 * a.drop, sizeof plane);
        a.plane = plane;
        a.at = lane.planes.bytes + a.plane;
        a.mask = a.at[Planes::mask_offset];
        return a;
    }

    static YODDD_INLINE u64 index_of_stone(u64 drop, u64 plane) {
        return plane - (-(drop & 1) & colour_stride);
    }

    // Where labels are wide both colours share their plane.
    static YODDD_INLINE u64 label_at(const Lane& lane, const Aim& a, i64 offset) {
        if constexpr (Wide) {
            u16 value;
            const i64 index = static_cast<i64>(index_of_stone(a.drop, a.plane)) + offset;
            std::memcpy(&value, lane.planes.bytes + 2 * index, sizeof value);
            return value;
        } else {
            return a.at[offset];
        }
    }

    static YODDD_INLINE void set_label(Lane& lane, const Aim& a, u64 label) {
        const auto kept = static_cast<Label>(label);
        if constexpr (Wide)
            std::memcpy(lane.planes.bytes + 2 * index_of_stone(a.drop, a.plane), &kept,
                        sizeof kept);
        else
            a.at[0] = kept;
    }

    // Remove the stone's cell from the list, whose last entry is left at `drops`, and update the
    // masks of its neighbours.
    static YODDD_INLINE void put(Lane& lane, const Aim& a, u64 drops, i64 stride) {
        lane.list[a.drop >> 1] = lane.list[drops >> 1];
        mark_neighbours<Hex>(a.at + Planes::mask_offset, stride);
    }

    // Every other neighbour: on hexhex boards the only masks of three arcs.
    static YODDD_INLINE bool three_arcs(u64 mask) {
        return (u64{1} << 0b010101 | u64{1} << 0b101010) >> mask & 1;
    }

    // The label of each arc round a cell, and how many groups these are.
    struct Look {
        u64 joins;
        u64 label[arcs_at_most];
    };

    // With three arcs on hexhex boards, and any number on others.
    static YODDD_INLINE Look look(const Lane& lane, const Aim& a, const ArcTable* arcs,
                                  i64 stride) {
        const ArcTable& found = arcs[a.mask];
        Look l;
        l.label[0] = label_at(lane, a, found.offset[0]);
        l.label[1] = label_at(lane, a, found.offset[1]);
        if constexpr (Hex) {
            l.label[2] = label_at(lane, a, a.mask & 1 ? -stride - 1 : -stride);
            l.joins = 1;
        } else {
            l.label[2] = label_at(lane, a, found.offset[2]);
            l.label[3] = label_at(lane, a, found.offset[3]);
            l.joins = found.any + ((l.label[3] != l.label[0]) & (l.label[3] != l.label[1]) &
                                   (l.label[3] != l.label[2]));
        }
        l.joins +=
            (l.label[1] != l.label[0]) + ((l.label[2] != l.label[0]) & (l.label[2] != l.label[1]));
        return l;
    }

    static YODDD_INLINE u8* labels_of(Lane& lane, u64 drop) {
        return lane.planes.bytes + (Wide ? 0 : -(drop & 1) & colour_stride);
    }

    // Give all groups that a stone joins the label of the first.
    static YODDD_INLINE void join(Lane& lane, const Aim& a, const Look& l) {
        u8* const labels = labels_of(lane, a.drop);
        const auto kept = static_cast<Label>(l.label[0]);
        auto other = l.label[1] != l.label[0] ? l.label[1] : l.label[2];
        if constexpr (!Hex) other = other != l.label[0] ? other : l.label[3];
        sweep<Label, Sweeps>(labels, static_cast<Label>(other), kept);
        if (l.joins > 2) [[unlikely]] {
            sweep<Label, Sweeps>(labels, static_cast<Label>(l.label[2]), kept);
            if constexpr (!Hex) sweep<Label, Sweeps>(labels, static_cast<Label>(l.label[3]), kept);
        }
    }

    // Put down a stone that was looked at.
    static YODDD_INLINE void drop(Lane& lane, const Aim& a, const Look& l, u64 drops, i64 stride,
                                  i64* groups) {
        put(lane, a, drops, stride);
        groups[a.drop & 1] += 1 - static_cast<i64>(l.joins);
        if (l.joins > 1) join(lane, a, l);
        set_label(lane, a, l.label[0]);
    }

    // What most drops on hexhex boards do: with at most two arcs two labels say everything.
    struct Pair {
        Label kept;
        Label other;
        u64 flips;
        u64 joins;
        i64 grown;  // by how many groups
    };

    static YODDD_INLINE Pair look_at_two(const Aim& a, const ArcTable* arcs) {
        Pair p;
        p.kept = a.at[arcs[a.mask].offset[0]];
        p.other = a.at[arcs[a.mask].offset[1]];
        p.flips = p.kept != p.other;
        const u64 founds = a.mask == 0;  // and flips
        p.joins = p.flips ^ founds;
        p.grown = static_cast<i64>(founds) - static_cast<i64>(p.joins);
        return p;
    }

    // -- one game ----------------------------------------------------------------------------------

    // Play a lane to its end. What changes is kept in locals: byte stores might alias anything else.
    static void play(Lane& lane) {
        const i64 stride = lane.geometry->stride;
        const ArcTable* const arcs = table(*lane.geometry);
        Draws draws = lane.draws;
        u64 drops = 2 * static_cast<u64>(lane.empty);  // also of own colours
        i64 groups[2] = {lane.groups[0], lane.groups[1]};
        u64 player = static_cast<u64>(lane.player);
        u64 pending = index_of(lane.list[lane.empty]);  // the stone that made the count even
        u64 odd = !(lane.even && drops);
        int failures = 0;  // drops in succession that were refused
        constexpr int most_failures = Single && !Own ? patience_of_singles : patience;
        while (failures < most_failures && (!odd || drops > 2 * handover_cells)) {
            const Aim a = aim(lane, draws.next(), drops, player);
            u64 flips;
            if (Hex && !three_arcs(a.mask)) [[likely]] {
                const Pair p = look_at_two(a, arcs);
                flips = p.flips;
                if (Single ? flips : !(odd | flips)) {
                    ++failures;
                    continue;
                }
                drops -= 2;
                put(lane, a, drops, stride);
                groups[a.drop & 1] += p.grown;
                set_label(lane, a, p.kept);
                if (p.joins) sweep<Label, Sweeps>(labels_of(lane, a.drop), p.other, p.kept);
            } else {
                const Look l = look(lane, a, arcs, stride);
                flips = ~l.joins & 1;
                if (Single ? flips : !(odd | flips)) {
                    ++failures;
                    continue;
                }
                drops -= 2;
                drop(lane, a, l, drops, stride, groups);
            }
            failures = 0;
            pending = odd ? index_of_stone(a.drop, a.plane) : pending;
            odd ^= flips;
            if (Own) {
                lane.passes = 0;
                player ^= odd;
            }
        }
        lane.draws = draws;
        lane.empty = static_cast<int>(drops / 2);
        lane.list[lane.empty] = cell_of(static_cast<u32>(pending));
        lane.groups[0] = static_cast<int>(groups[0]);
        lane.groups[1] = static_cast<int>(groups[1]);
        lane.player = static_cast<int>(player);
        lane.even = !odd;
        Single ? play_by_turns(lane) : finish_playout(lane);
    }
};

// -- which instance serves which board ---------------------------------------------------------

template <bool Hex, bool Wide, int Sweeps>
PlayoutLoop instance(bool own, bool single) {
    if (single)
        return own ? &Loop<Hex, Wide, Sweeps, true, true>::play
                   : &Loop<Hex, Wide, Sweeps, false, true>::play;
    return own ? &Loop<Hex, Wide, Sweeps, true, false>::play
               : &Loop<Hex, Wide, Sweeps, false, false>::play;
}

// Sizes that share a number of sweeps share code.
template <bool Hex>
PlayoutLoop narrow_instance(int span, bool own, bool single) {
    const int sweeps = (span + sweep_bytes - 1) / sweep_bytes;
    if (sweeps <= 4) return instance<Hex, false, 4>(own, single);
    if (sweeps <= 8) return instance<Hex, false, 8>(own, single);
    if (sweeps <= 12) return instance<Hex, false, 12>(own, single);
    return instance<Hex, false, 22>(own, single);
}

PlayoutLoop playout_loop(const Geometry& g, bool own, bool single) {
    if (g.wide) return instance<false, true, 2 * 22>(own, single);
    return g.shape == Shape::hex ? narrow_instance<true>(g.span, own, single)
                                 : narrow_instance<false>(g.span, own, single);
}
