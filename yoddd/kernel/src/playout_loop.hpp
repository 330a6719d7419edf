// The inner loop of playouts of Yodd and Xodd. Included once for each instruction set, inside a
// namespace of its own that defines nothing else.
//
// What costs time here is instructions first, mispredicted branches second and loads that wait for
// stores third. One game at a time goes by branches, which let the next drop begin before this one
// is known to be legal. A batch plays K games in rounds of three phases: draw in all of them, place
// where the parity allows it, join groups where there are several; each phase queues its games for
// the next without branches. docs/explanation/kernel.md has what was tried and the ratios.

#define YODDD_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define YODDD_OPAQUE __attribute__((noinline))
#else
#define YODDD_OPAQUE __attribute__((noipa))
#endif

constexpr int sweep_bytes = 32;
constexpr int games_at_once = 8;

YODDD_INLINE void set_bits16(u8* bytes, u16 bits) {
    u16 value;
    __builtin_memcpy(&value, bytes, sizeof value);
    value |= bits;
    __builtin_memcpy(bytes, &value, sizeof value);
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
    auto* labels = reinterpret_cast<Label __attribute__((may_alias))*>(bytes);
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
        u16* slot;  // in the list of empty cells
        u64 colour;
        u64 index;
        u8* at;  // the stone's byte in the label plane of its colour
    };

    static YODDD_INLINE Aim aim(Lane& lane, u64 state, u64 drops, u64 player) {
        const u64 r = Pcg32::output(state);
        const u64 drawn = Own ? 2 * (r * (drops / 2) >> 32) + player : r * drops >> 32;
        Aim a;
        a.slot = lane.list + (drawn >> 1);
        a.colour = drawn & 1;
        a.index = *a.slot;
        a.at = lane.planes.bytes + (-a.colour & colour_stride) + a.index;
        return a;
    }

    // The label of each arc round a cell, and how many groups these are.
    struct Look {
        u64 joins;
        u64 label[arcs_at_most];
    };

    static YODDD_INLINE u64 label_at(const Lane& lane, const Aim& a, i64 offset) {
        if constexpr (Wide) {
            u16 value;
            __builtin_memcpy(&value, lane.planes.bytes + 2 * (static_cast<i64>(a.index) + offset), 2);
            return value;
        } else {
            return a.at[offset];
        }
    }

    static YODDD_INLINE Look look(const Lane& lane, const Aim& a, const ArcTable* arcs) {
        const ArcTable& found = arcs[a.at[Planes::mask_offset]];
        Look l;
        l.label[0] = label_at(lane, a, found.offset[0]);
        l.label[1] = label_at(lane, a, found.offset[1]);
        l.label[2] = label_at(lane, a, found.offset[2]);
        l.joins = found.any + (l.label[1] != l.label[0]) +
                  ((l.label[2] != l.label[0]) & (l.label[2] != l.label[1]));
        if constexpr (!Hex) {
            l.label[3] = label_at(lane, a, found.offset[3]);
            l.joins += (l.label[3] != l.label[0]) & (l.label[3] != l.label[1]) &
                       (l.label[3] != l.label[2]);
        }
        return l;
    }

    // Behind the empty cells of the list lie the stones, latest first.
    static YODDD_INLINE void strike(Lane& lane, const Aim& a, u64 drops) {
        u16* const last = lane.list + (drops >> 1);
        *a.slot = *last;
        *last = static_cast<u16>(a.index);
    }

    static YODDD_INLINE void set_label(Lane& lane, const Aim& a, u64 label) {
        const auto kept = static_cast<Label>(label);
        if constexpr (Wide)
            __builtin_memcpy(lane.planes.bytes + 2 * a.index, &kept, sizeof kept);
        else
            a.at[0] = kept;
    }

    // Give all groups that a stone joins the label of the first.
    static YODDD_INLINE void join(Lane& lane, const Aim& a, const Look& l) {
        u8* const labels = Wide ? lane.planes.bytes : a.at - a.index;
        const auto kept = static_cast<Label>(l.label[0]);
        auto other = l.label[1] != l.label[0] ? l.label[1] : l.label[2];
        if constexpr (!Hex) other = other != l.label[0] ? other : l.label[3];
        sweep<Label, Sweeps>(labels, static_cast<Label>(other), kept);
        if (__builtin_expect(l.joins > 2, 0)) {
            sweep<Label, Sweeps>(labels, static_cast<Label>(l.label[2]), kept);
            if constexpr (!Hex) sweep<Label, Sweeps>(labels, static_cast<Label>(l.label[3]), kept);
        }
    }

    // -- one game at a time ------------------------------------------------------------------------

    // The scalars of a game, in locals of the loop: byte stores might alias anything else.
    struct Game {
        u64 rng;
        u64 drops;  // 2 * empty cells
        u64 even;
        i64 groups[2];
        u64 player;
    };

    static YODDD_INLINE Game take(const Lane& lane) {
        return {lane.rng, 2 * static_cast<u64>(lane.empty), lane.even,
                {lane.groups[0], lane.groups[1]}, static_cast<u64>(lane.player)};
    }

    static YODDD_INLINE void give_back(Lane& lane, const Game& game) {
        lane.rng = game.rng;
        lane.empty = static_cast<int>(game.drops / 2);
        lane.even = game.even != 0;
        lane.groups[0] = static_cast<int>(game.groups[0]);
        lane.groups[1] = static_cast<int>(game.groups[1]);
        lane.player = static_cast<int>(game.player);
    }

    // Between turns with hardly a cell left: the rest needs more care than this loop takes.
    static YODDD_INLINE bool nearly_over(const Game& game) {
        return game.drops + (game.even << 32) <= 2 * handover_cells;
    }

    // Play one lane to its end; `failures` drops in succession were refused already.
    static YODDD_INLINE void run_out(const Start& start, Lane& lane, u64 failures) {
        const i64 stride = start.geometry->stride;
        const ArcTable* const arcs = table(start);
        Game game = take(lane);
        while (failures < patience && game.drops && !nearly_over(game)) {
            const Aim a = aim(lane, game.rng, game.drops, game.player);
            game.rng = Pcg32::advanced(game.rng);
            const Look l = look(lane, a, arcs);
            const u64 keeps = l.joins & 1;
            if (game.even & keeps) {
                ++failures;
                continue;
            }
            failures = 0;
            game.even ^= keeps ^ 1;
            game.drops -= 2;
            strike(lane, a, game.drops);
            game.groups[a.colour] += 1 - static_cast<i64>(l.joins);
            mark_neighbours<Hex>(a.at + Planes::mask_offset, stride);
            if (l.joins > 1) join(lane, a, l);
            set_label(lane, a, l.label[0]);
            if constexpr (Own) {
                lane.passes = 0;
                game.player ^= game.even ^ 1;
            }
        }
        give_back(lane, game);
        finish_playout(start, lane);
    }

    static void single(const Start& start, Lane& lane) { run_out(start, lane, 0); }

    // -- a batch -----------------------------------------------------------------------------------

    // A game of a batch: the lane, and what the phases of a round hand on to each other, all at
    // fixed distances from one pointer. Narrow fields are read as they were written, since a load
    // that spans several stores waits for them.
    struct Seat {
        Lane lane;
        Game game;
        u64 index;  // of the playout
        u64 since;  // the round of its latest stone
        u8* at;
        u16* slot;
        u32 joins;
        u16 colour;
        Label kept;
        u8 apart[512];  // spreads the seats over the sets of the cache
    };

    // Draw a drop and look at it. Loads and arithmetic only; true if it is legal.
    static YODDD_INLINE u64 draw(Seat& seat, const ArcTable* arcs) {
        Game& game = seat.game;
        const Aim a = aim(seat.lane, game.rng, game.drops, game.player);
        game.rng = Pcg32::advanced(game.rng);
        const Look l = look(seat.lane, a, arcs);
        seat.at = a.at;
        seat.slot = a.slot;
        seat.colour = static_cast<u16>(a.colour);
        seat.joins = static_cast<u32>(l.joins);
        seat.kept = static_cast<Label>(l.label[0]);
        const u64 keeps = l.joins & 1;
        const u64 even = game.even;
        game.even = even ^ keeps ^ 1;
        return (even & keeps) ^ 1;
    }

    // Put the stone down, but for joining groups; returns how many drops are left.
    static YODDD_INLINE u64 place(Seat& seat, i64 stride) {
        const Aim a = {seat.slot, seat.colour, *seat.slot, seat.at};
        Game& game = seat.game;
        const u64 drops = game.drops -= 2;
        strike(seat.lane, a, drops);
        game.groups[a.colour] += 1 - static_cast<i64>(seat.joins);
        mark_neighbours<Hex>(a.at + Planes::mask_offset, stride);
        set_label(seat.lane, a, seat.kept);
        if constexpr (Own) {
            seat.lane.passes = 0;
            game.player ^= game.even ^ 1;
        }
        return drops;
    }

    static YODDD_INLINE void join_groups(Seat& seat, const ArcTable* arcs) {
        Lane& lane = seat.lane;
        const u8* const labels = lane.planes.bytes + (-u64{seat.colour} & colour_stride);
        const Aim a = {seat.slot, seat.colour, static_cast<u64>(seat.at - labels), seat.at};
        join(lane, a, look(lane, a, arcs));
    }

    // A copy of the starting position, no more of it than is in use.
    static YODDD_INLINE void begin(const Start& start, Lane& lane, u64 index) {
        const Lane& from = *start.lane;
        const int masks = (mask_margin + start.geometry->span + start.geometry->stride + 2 + 31) & ~31;
        constexpr int labels = Sweeps * sweep_bytes;
        const u8* source = from.planes.bytes;
        u8* target = lane.planes.bytes;
        __builtin_memcpy(target, source, labels);
        if constexpr (!Wide) __builtin_memcpy(target + colour_stride, source + colour_stride, labels);
        for (int colour = 0; colour < 2; ++colour) {
            const i64 offset = (2 + colour) * Planes::colour_stride;
            __builtin_memcpy(target + offset, source + offset,
                             static_cast<u64>(masks < Planes::colour_stride ? masks : Planes::colour_stride));
        }
        __builtin_memcpy(lane.list, from.list, static_cast<u64>(from.empty) * sizeof(u16));
        lane.empty = from.empty;
        lane.groups[0] = from.groups[0];
        lane.groups[1] = from.groups[1];
        lane.player = from.player;
        lane.passes = from.passes;
        lane.even = from.even;
        lane.empty_at_start = from.empty_at_start;
        lane.rng = Pcg32::stream(start.seed, index).state;
    }

    static YODDD_INLINE void seat_game(const Start& start, Seat& seat, u64 index, u64 round) {
        begin(start, seat.lane, index);
        seat.game = take(seat.lane);
        seat.index = index;
        seat.since = round;
    }

    // A game that places no stone in `patience` rounds had as many refusals.
    static YODDD_INLINE bool stuck(const Seat& seat, u64 round) {
        return round - seat.since >= patience;
    }

    static YODDD_INLINE void end_game(const Start& start, Seat& seat, u64 round, const Sink& sink) {
        give_back(seat.lane, seat.game);
        run_out(start, seat.lane, round - seat.since);
        sink.take(sink.context, seat.index, seat.lane);
    }

    // The first round in which a game may be stuck.
    static YODDD_INLINE u64 deadline_of(const Seat* seats) {
        u64 least = ~u64{0};
        for (int k = 0; k < games_at_once; ++k)
            least = seats[k].since < least ? seats[k].since : least;
        return least + patience;
    }

    // Rounds of all games until one of them has to leave; returns the number of the last.
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
                legal_end += draw(*seat, arcs);
            }
            for (Seat** i = legal; i != legal_end; ++i) {
                Seat* const seat = *i;
                const u32 joins = seat->joins;
                const u64 drops = place(*seat, stride);
                seat->since = round;
                over |= static_cast<i64>(drops) - 2 * handover_cells - 1;
                *joining_end = seat;
                joining_end += joins > 1;
            }
            for (Seat** i = joining; i != joining_end; ++i) {
                join_groups(**i, arcs);
            }
        } while (over >= 0 && round < deadline);
        return round;
    }

    // Play until no game is left to begin, then the others one by one. Not to be inlined, since
    // compilers look the address of the seats up anew for each draw where they know it.
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
                if (!nearly_over(seat.game) && !stuck(seat, round)) continue;
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
