// The inner loop of playouts of Yodd and Xodd. Included once for each instruction set, inside a
// namespace of its own that defines nothing else.
//
// What costs time here is instructions first, mispredicted branches second and loads that wait for
// stores third. One game at a time goes by two branches: is the drop refused, does it join groups.
// So the next drop begins before the processor has found this one legal. A batch plays K games in
// rounds of three phases: draw in all of them, place where the parity allows it, join groups where
// there are several; each phase queues its games for the next without branches.
// docs/lab/kernel.md has what was tried and the ratios.

constexpr int sweep_bytes = 32;
constexpr int games_at_once = 8;

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

// Sweeps: how many vectors hold the labels of one colour, rounded up.
template <bool Hex, bool Wide, int Sweeps, bool Own>
struct Loop {
    using Label = std::conditional_t<Wide, u16, u8>;
    using ArcTable = std::conditional_t<Hex, HexArcs, Arcs>;
    static constexpr u64 colour_stride = Planes::colour_stride;
    static constexpr int arcs_at_most = Hex ? 3 : 4;

    static YODDD_INLINE const ArcTable* table(const Start& start) {
        if constexpr (Hex)
            return start.geometry->hex_arcs.data();
        else
            return start.geometry->arcs.data();
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

    // -- one game at a time ------------------------------------------------------------------------

    // Play one lane to its end; `failures` drops in succession were refused already. What changes is
    // kept in locals: byte stores might alias anything else.
    static YODDD_INLINE void run_out(const Start& start, Lane& lane, int failures) {
        const i64 stride = start.geometry->stride;
        const ArcTable* const arcs = table(start);
        Draws draws = lane.draws;
        u64 drops = 2 * static_cast<u64>(lane.empty);  // also with `own_colour`
        i64 groups[2] = {lane.groups[0], lane.groups[1]};
        u64 player = static_cast<u64>(lane.player);
        u64 pending = index_of(lane.list[lane.empty]);  // the stone that made the count even
        u64 odd = !(lane.even && drops);
        while (failures < patience && (!odd || drops > 2 * handover_cells)) {
            const Aim a = aim(lane, draws.next(), drops, player);
            u64 flips;
            if (Hex && !three_arcs(a.mask)) [[likely]] {
                const Pair p = look_at_two(a, arcs);
                flips = p.flips;
                if (!(odd | flips)) {
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
                if (!(odd | flips)) {
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
        finish_playout(start, lane);
    }

    static void single(const Start& start, Lane& lane) { run_out(start, lane, 0); }

    // -- a batch -----------------------------------------------------------------------------------

    // A game of a batch: the lane, and what the phases of a round hand on to each other, all at
    // fixed distances from one pointer. Narrow fields are read as they were written, since a load
    // that spans several stores waits for them.
    struct Seat {
        Lane lane;
        Draws draws;
        u64 drops;  // 2 * empty cells
        u64 odd;
        i64 groups[2];
        u64 player;
        u64 index;  // of the playout
        u64 since;  // the round of its latest stone
        u64 drop;
        u8* at;
        u32 joins;  // but on hexhex boards what `other` is for
        Label kept;
        Label other;
        u8 apart[512];  // spreads the seats over the sets of the cache
    };

    static YODDD_INLINE Aim aim_of(const Seat& seat) {
        const u8* const planes = seat.lane.planes.bytes;
        return {seat.drop, static_cast<u64>(seat.at - planes), seat.at,
                seat.at[Planes::mask_offset]};
    }

    // A drop that hardly occurs, looked at and placed at once; returns how many drops are left.
    static YODDD_INLINE u64 drop_now(Seat& seat, const Aim& a, const ArcTable* arcs, i64 stride,
                                     u64 round) {
        const Look l = look(seat.lane, a, arcs, stride);
        if (!seat.odd && (l.joins & 1)) return seat.drops;
        const Cell filled = seat.lane.list[a.drop >> 1];
        seat.drops -= 2;
        drop(seat.lane, a, l, seat.drops, stride, seat.groups);
        seat.lane.list[seat.drops >> 1] = filled;
        seat.odd ^= ~l.joins & 1;
        seat.since = round;
        return end_placing(seat);
    }

    static YODDD_INLINE u64 end_placing(Seat& seat) {
        if constexpr (Own) {
            seat.lane.passes = 0;
            seat.player ^= seat.odd;
        }
        return seat.drops;
    }

    // Draw a drop and look at it. Loads and arithmetic only; true if it is to be placed.
    static YODDD_INLINE u64 draw(Seat& seat, const ArcTable* arcs, i64 stride, u64 round,
                                 i64& over) {
        const Aim a = aim(seat.lane, seat.draws.next(), seat.drops, seat.player);
        if constexpr (Hex) {
            if (three_arcs(a.mask)) [[unlikely]] {
                over |= spare(drop_now(seat, a, arcs, stride, round));
                return 0;
            }
            const Pair p = look_at_two(a, arcs);
            seat.kept = p.kept;
            seat.other = p.other;
            return note(seat, a, p.flips);
        } else {
            const Look l = look(seat.lane, a, arcs, stride);
            seat.kept = static_cast<Label>(l.label[0]);
            seat.joins = static_cast<u32>(l.joins);
            return note(seat, a, ~l.joins & 1);
        }
    }

    static YODDD_INLINE u64 note(Seat& seat, const Aim& a, u64 flips) {
        seat.at = a.at;
        seat.drop = a.drop;
        const u64 odd = seat.odd;
        seat.odd = odd ^ flips;
        return odd | flips;
    }

    // Negative if a game with so many drops left has to leave.
    static YODDD_INLINE i64 spare(u64 drops) {
        return static_cast<i64>(drops) - 2 * handover_cells - 1;
    }

    // Put the stone down, but for joining groups; returns whether there are groups to join.
    static YODDD_INLINE u64 place(Seat& seat, i64 stride, u64 round, i64& over) {
        const Aim a = aim_of(seat);
        const u64 drops = seat.drops -= 2;
        const Cell filled = seat.lane.list[a.drop >> 1];
        put(seat.lane, a, drops, stride);
        seat.lane.list[drops >> 1] = filled;
        seat.since = round;
        over |= spare(drops);
        set_label(seat.lane, a, seat.kept);
        end_placing(seat);
        if constexpr (Hex) {
            const u64 founds = !a.mask;
            const u64 joins = (seat.kept != seat.other) & (founds ^ 1);
            seat.groups[a.drop & 1] += static_cast<i64>(founds) - static_cast<i64>(joins);
            return joins;
        } else {
            seat.groups[a.drop & 1] += 1 - static_cast<i64>(seat.joins);
            return seat.joins > 1;
        }
    }

    static YODDD_INLINE void join_groups(Seat& seat, const ArcTable* arcs, i64 stride) {
        if constexpr (Hex) {
            sweep<Label, Sweeps>(labels_of(seat.lane, seat.drop), seat.other, seat.kept);
        } else {
            const Aim a = aim_of(seat);
            join(seat.lane, a, look(seat.lane, a, arcs, stride));
        }
    }

    // A copy of the starting position, no more of it than is in use.
    static YODDD_INLINE void begin(const Start& start, Lane& lane, u64 index) {
        const Lane& from = *start.lane;
        const int masks =
            (mask_margin + start.geometry->span + start.geometry->stride + 2 + 31) & ~31;
        constexpr int labels = Sweeps * sweep_bytes;
        const u8* source = from.planes.bytes;
        u8* target = lane.planes.bytes;
        std::memcpy(target, source, labels);
        if constexpr (!Wide) std::memcpy(target + colour_stride, source + colour_stride, labels);
        for (int colour = 0; colour < 2; ++colour) {
            const i64 offset = (2 + colour) * Planes::colour_stride;
            std::memcpy(
                target + offset, source + offset,
                static_cast<u64>(masks < Planes::colour_stride ? masks : Planes::colour_stride));
        }
        std::memcpy(lane.list, from.list, static_cast<u64>(from.empty) * sizeof(Cell));
        lane.empty = from.empty;
        lane.groups[0] = from.groups[0];
        lane.groups[1] = from.groups[1];
        lane.player = from.player;
        lane.passes = from.passes;
        lane.even = from.even;
        lane.empty_at_start = from.empty_at_start;
        Pcg32 stream = Pcg32::stream(start.seed, index);
        lane.draws = Draws::from(stream);
    }

    static YODDD_INLINE void seat_game(const Start& start, Seat& seat, u64 index, u64 round) {
        Lane& lane = seat.lane;
        begin(start, lane, index);
        seat.draws = lane.draws;
        seat.drops = 2 * static_cast<u64>(lane.empty);
        seat.odd = !lane.even;
        seat.groups[0] = lane.groups[0];
        seat.groups[1] = lane.groups[1];
        seat.player = static_cast<u64>(lane.player);
        seat.index = index;
        seat.since = round;
    }

    // Between turns with hardly a cell left, or as many refusals in succession as there are rounds
    // without a stone: the rest needs more care than rounds take.
    static YODDD_INLINE bool leaves(const Seat& seat, u64 round) {
        return (seat.odd && spare(seat.drops) < 0) || round - seat.since >= patience;
    }

    static YODDD_INLINE void end_game(const Start& start, Seat& seat, u64 round, const Sink& sink) {
        Lane& lane = seat.lane;
        lane.draws = seat.draws;
        lane.empty = static_cast<int>(seat.drops / 2);
        lane.even = !seat.odd;
        lane.groups[0] = static_cast<int>(seat.groups[0]);
        lane.groups[1] = static_cast<int>(seat.groups[1]);
        lane.player = static_cast<int>(seat.player);
        run_out(start, lane, static_cast<int>(round - seat.since));
        sink.take(sink.context, seat.index, lane);
    }

    // The first round in which a game may be stuck.
    static YODDD_INLINE u64 deadline_of(const Seat* seats) {
        u64 least = ~u64{0};
        for (int k = 0; k < games_at_once; ++k)
            least = seats[k].since < least ? seats[k].since : least;
        return least + patience;
    }

    // Rounds of all games until one of them may have to leave; returns the number of the last.
    static YODDD_INLINE u64 play_rounds(Seat* seats, const ArcTable* arcs, i64 stride, u64 round) {
        Seat* legal[games_at_once + 1];
        Seat* joining[games_at_once + 1];
        const u64 deadline = deadline_of(seats);
        Seat* const seats_end = seats + games_at_once;
        i64 over = 0;  // negative as soon as a game has few cells left
        do {
            ++round;
            Seat** legal_end = legal;
            Seat** joining_end = joining;
            for (Seat* seat = seats; seat != seats_end; ++seat) {
                *legal_end = seat;
                legal_end += draw(*seat, arcs, stride, round, over);
            }
            for (Seat** i = legal; i != legal_end; ++i) {
                *joining_end = *i;
                joining_end += place(**i, stride, round, over);
            }
            for (Seat** i = joining; i != joining_end; ++i) join_groups(**i, arcs, stride);
        } while (over >= 0 && round < deadline);
        return round;
    }

    // Play until no game is left to begin, then the others one by one. Not to be inlined, since
    // compilers compute the address of the seats again for each draw where they can see it.
    static YODDD_OPAQUE void play(const Start& start, Seat* seats, u64 next, u64 end,
                                  const Sink& sink) {
        const i64 stride = start.geometry->stride;
        const ArcTable* const arcs = table(start);
        u64 round = 0;
        for (int k = 0; k < games_at_once; ++k) seat_game(start, seats[k], next++, round);
        int leaving = 0;
        while (next <= end) {
            round = play_rounds(seats, arcs, stride, round);
            for (leaving = 0; leaving < games_at_once; ++leaving) {
                Seat& seat = seats[leaving];
                if (!leaves(seat, round)) continue;
                end_game(start, seat, round, sink);
                if (next == end) break;
                seat_game(start, seat, next++, round);
            }
            if (leaving < games_at_once) break;
        }
        for (int k = 0; k < games_at_once; ++k)
            if (k != leaving) end_game(start, seats[k], round, sink);
    }

    static void batch(const Start& start, u64 first, u64 count, const Sink& sink) {
        static thread_local Seat seats[games_at_once];
        const u64 end = first + count;
        if (start.lane->empty > handover_cells && count >= games_at_once) {
            play(start, seats, first, end, sink);
            return;
        }
        for (u64 index = first; index < end; ++index) {
            seat_game(start, seats[0], index, 0);
            end_game(start, seats[0], 0, sink);
        }
    }
};
