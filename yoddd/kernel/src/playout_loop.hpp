// The inner loop of playouts of Yodd and Xodd. Included once for each instruction set, inside a
// namespace of its own that defines nothing else.
//
// What costs time here is mispredicted branches and loads that wait for them. Hence, for each of
// K independent games in turn: first draw and evaluate a drop with loads and arithmetic only, all
// games before any branch; then decide and place, carrying the evaluation over. Labels are swept
// with vector instructions whether or not groups were joined, where boards are small enough for
// that to be cheaper than a branch. docs/explanation/kernel.md has the measurements.

#define YODDD_INLINE inline __attribute__((always_inline))

constexpr int sweep_bytes = 32;
constexpr int lanes_in_batch = 4;
constexpr int branchless_sweeps = 8;  // beyond, a branch costs less than sweeping for nothing

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
    static constexpr i64 colour_stride = Planes::colour_stride;

    // The scalars of a game, in locals of the loop: byte stores might alias anything else.
    struct Game {
        u64 rng;
        u64 drops;  // 2 * empty cells
        u64 even;
        u64 failures;
        i64 groups;  // Black's in the lower half, White's added in the upper
        u64 player;
    };

    struct Drawn {
        u8* at;  // the stone's byte in the label plane of its colour
        u64 index;
        u64 colour;
        u16* slot;
        u64 joins;
        u64 label[Hex ? 3 : 4];
    };

    static YODDD_INLINE u64 label_at(const Lane& lane, const u8* at, u64 index, i64 offset) {
        if constexpr (Wide) {
            u16 value;
            __builtin_memcpy(&value, lane.planes.bytes + 2 * (static_cast<i64>(index) + offset), 2);
            return value;
        } else {
            return at[offset];
        }
    }

    // Draw a drop and see which groups it would join. Loads and arithmetic only.
    static YODDD_INLINE Drawn draw(Lane& lane, Game& game, const Arcs* arcs) {
        Drawn d;
        const u64 r = Pcg32::output(game.rng);
        game.rng = Pcg32::advanced(game.rng);
        if constexpr (Own) {
            d.slot = lane.list + (r * (game.drops / 2) >> 32);
            d.colour = game.player;
        } else {
            const u64 drawn = r * game.drops >> 32;
            d.slot = lane.list + (drawn >> 1);
            d.colour = drawn & 1;
        }
        d.index = *d.slot;
        d.at = lane.planes.bytes + (-d.colour & static_cast<u64>(colour_stride)) + d.index;
        const Arcs& found = arcs[d.at[Planes::mask_offset]];
        d.label[0] = label_at(lane, d.at, d.index, found.offset[0]);
        d.label[1] = label_at(lane, d.at, d.index, found.offset[1]);
        d.label[2] = label_at(lane, d.at, d.index, found.offset[2]);
        d.joins = found.any + (d.label[1] != d.label[0]) +
                  ((d.label[2] != d.label[0]) & (d.label[2] != d.label[1]));
        if constexpr (!Hex) {
            d.label[3] = label_at(lane, d.at, d.index, found.offset[3]);
            d.joins += (d.label[3] != d.label[0]) & (d.label[3] != d.label[1]) &
                       (d.label[3] != d.label[2]);
        }
        return d;
    }

    static YODDD_INLINE void merge(Lane& lane, const Drawn& d) {
        u8* labels = Wide ? lane.planes.bytes
                          : lane.planes.bytes + (-d.colour & static_cast<u64>(colour_stride));
        const auto kept = static_cast<Label>(d.label[0]);
        // Of at most two groups the one that is not kept; itself where there is only one.
        auto other = d.label[1] != d.label[0] ? d.label[1] : d.label[2];
        if constexpr (!Hex) other = other != d.label[0] ? other : d.label[3];
        if (Sweeps <= branchless_sweeps || d.joins > 1)
            sweep<Label, Sweeps>(labels, static_cast<Label>(other), kept);
        if (__builtin_expect(d.joins > 2, 0)) {
            sweep<Label, Sweeps>(labels, static_cast<Label>(d.label[2]), kept);
            if constexpr (!Hex) sweep<Label, Sweeps>(labels, static_cast<Label>(d.label[3]), kept);
        }
        if constexpr (Wide)
            __builtin_memcpy(labels + 2 * d.index, &kept, sizeof kept);
        else
            d.at[0] = kept;
    }

    static YODDD_INLINE void place(Lane& lane, Game& game, const Drawn& d, i64 stride) {
        game.drops -= 2;
        u16* const last = lane.list + (game.drops >> 1);
        *d.slot = *last;
        *last = static_cast<u16>(d.index);  // behind the empty cells: the stones, latest first
        const i64 change = 1 - static_cast<i64>(d.joins);
        game.groups += change << (32 * d.colour);
        mark_neighbours<Hex>(d.at + Planes::mask_offset, stride);
        merge(lane, d);
    }

    static YODDD_INLINE Game take(const Lane& lane) {
        Game game;
        game.rng = lane.rng;
        game.drops = 2 * static_cast<u64>(lane.empty);
        game.even = lane.even;
        game.failures = 0;
        game.groups = lane.groups[0] + static_cast<i64>(lane.groups[1]) * (i64{1} << 32);
        game.player = static_cast<u64>(lane.player);
        return game;
    }

    static YODDD_INLINE void give_back(Lane& lane, const Game& game) {
        lane.rng = game.rng;
        lane.empty = static_cast<int>(game.drops / 2);
        lane.even = game.even != 0;
        lane.groups[0] = static_cast<int>(static_cast<u32>(game.groups));
        lane.groups[1] = static_cast<int>((game.groups - lane.groups[0]) >> 32);
        lane.player = static_cast<int>(game.player);
    }

    // Between turns with hardly a cell left: the rest needs more care than this loop takes.
    static YODDD_INLINE bool nearly_over(const Game& game) {
        return game.drops + (game.even << 32) <= 2 * endgame_cells;
    }

    // Place the drop if the parity allows it. True if the loop has to hand over.
    static YODDD_INLINE bool settle(Lane& lane, Game& game, const Drawn& d, i64 stride) {
        const u64 keeps = d.joins & 1;
        const u64 refused = game.even & keeps;
        game.even = game.even ^ keeps ^ 1;
        if (refused) return ++game.failures >= patience;
        game.failures = 0;
        place(lane, game, d, stride);
        if constexpr (Own) {
            lane.passes = 0;
            game.player ^= game.even ^ 1;
        }
        return nearly_over(game);
    }

    // Play one game to its end; `done` says that the loop has to hand over at once.
    static YODDD_INLINE void run_out(const Start& start, Lane& lane, Game game, bool done) {
        const i64 stride = start.geometry->stride;
        const Arcs* arcs = start.geometry->arcs.data();
        while (!done) {
            const Drawn drawn = draw(lane, game, arcs);
            done = settle(lane, game, drawn, stride);
        }
        give_back(lane, game);
        finish_playout(start, lane);
    }

    static void single(const Start& start, Lane& lane) {
        const Game game = take(lane);
        run_out(start, lane, game, nearly_over(game));
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
            const i64 offset = (2 + colour) * colour_stride;
            __builtin_memcpy(target + offset, source + offset,
                             static_cast<u64>(masks < colour_stride ? masks : colour_stride));
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

    // K games at a time; each that ends makes room for the next.
    static void batch(const Start& start, u64 first, u64 count, const Sink& sink) {
        constexpr int K = lanes_in_batch;
        const i64 stride = start.geometry->stride;
        const Arcs* arcs = start.geometry->arcs.data();
        static thread_local Lane lanes[K];
        Game games[K];
        u64 indices[K];
        const u64 end = first + count;
        u64 next = first;
        if (start.lane->empty <= endgame_cells || count < static_cast<u64>(K)) {
            for (; next < end; ++next) {
                begin(start, lanes[0], next);
                single(start, lanes[0]);
                sink.take(sink.context, next, lanes[0]);
            }
            return;
        }
        const auto refill = [&](int k) {
            begin(start, lanes[k], next);
            games[k] = take(lanes[k]);
            indices[k] = next++;
        };
        for (int k = 0; k < K; ++k) refill(k);
        for (;;) {
            Drawn drawn[K];
#pragma GCC unroll 4
            for (int k = 0; k < K; ++k) drawn[k] = draw(lanes[k], games[k], arcs);
#pragma GCC unroll 4
            for (int k = 0; k < K; ++k) {
                if (!__builtin_expect(settle(lanes[k], games[k], drawn[k], stride), 0)) continue;
                give_back(lanes[k], games[k]);
                finish_playout(start, lanes[k]);
                sink.take(sink.context, indices[k], lanes[k]);
                if (next < end) {
                    refill(k);
                    continue;
                }
                // No game is left to begin: finish the others, of which some have drawn already.
                for (int other = 0; other < K; ++other) {
                    if (other == k) continue;
                    Lane& lane = lanes[other];
                    const bool done =
                        other > k && settle(lane, games[other], drawn[other], stride);
                    run_out(start, lane, games[other], done);
                    sink.take(sink.context, indices[other], lane);
                }
                return;
            }
        }
    }
};
