#include "playout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#if defined(YODDD_HAVE_V3)
#include <cpuid.h>
#endif

#include "playout_lane.hpp"

namespace yoddd {
namespace {

// -- instruction sets --------------------------------------------------------------------------

#if defined(YODDD_HAVE_V3)
// Asked of the processor itself: behind __builtin_cpu_supports some compilers have a stub that
// says no (Zig's, ziglang/zig#18074).
bool machine_has_v3() {
    constexpr unsigned first = bit_FMA | bit_POPCNT | bit_OSXSAVE | bit_AVX;
    constexpr unsigned seventh = bit_AVX2 | bit_BMI | bit_BMI2;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & first) != first) return false;
    unsigned kept = 0, upper = 0;  // the registers that the system saves: 6 is those of AVX
    __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    return (kept & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & seventh) == seventh;
}
#endif

std::vector<const PlayoutLoops*> available_loops() {
    std::vector<const PlayoutLoops*> loops;
#if defined(YODDD_HAVE_V3)
    if (machine_has_v3()) loops.push_back(&v3_loops);
#endif
    loops.push_back(&baseline_loops);
    return loops;
}

std::atomic<const PlayoutLoops*>& loops_in_use() {
    static std::atomic<const PlayoutLoops*> loops{available_loops().front()};
    return loops;
}

// -- Yodd and Xodd -----------------------------------------------------------------------------

// How the starting position of a batch is handed to the loops.
struct Prepared {
    Lane lane;
    Start start;
    bool keep_first;  // a first turn from an odd set-up: exactly one stone that keeps it odd
};

void list_cells(const Board& board, Lane& lane) {
    u16 list[max_cells];
    lane.empty = lane.empty_at_start = board.list_empty(list);
    for (int i = 0; i < lane.empty; ++i) lane.list[i] = cell_of(list[i]);
    lane.list[lane.empty] = 0;
}

void prepare(const Board& board, Prepared& prepared) {
    const Board::State& state = board.state();
    Lane& lane = prepared.lane;
    lane.planes = board.planes();
    list_cells(board, lane);
    lane.groups[black] = state.groups[black];
    lane.groups[white] = state.groups[white];
    lane.player = state.player;
    lane.passes = state.passes;
    lane.even = !board.odd();
    prepared.keep_first = false;
    if (board.is_pending()) {
        lane.passes = 0;
        lane.player ^= !lane.even;  // with an odd count the turn is complete
    } else if (state.number == 1) {
        prepared.keep_first = !lane.even;
    }
    prepared.start = {&board.geometry(), &lane, board.rules().own_colour, 0};
}

PlayoutResult result_of(const Lane& lane, int empty_before) {
    const int margin = lane.groups[white] - lane.groups[black];
    return {margin > 0 ? black : white,
            std::abs(margin),
            {lane.groups[0], lane.groups[1]},
            empty_before - lane.empty};
}

void play_lane(const Prepared& prepared, Lane& lane, SingleLoop loop) {
    if (prepared.keep_first) {
        drop_and_keep_odd(prepared.start, lane);
        lane.player ^= 1;
        lane.passes = 0;
    }
    loop(prepared.start, lane);
}

// -- Odd, Product and Yoin ------------------------------------------------------------------------------

// Nothing constrains the drops, so a playout is a random filling of the empty cells. Its groups are
// counted row by row: a cell takes the label of a neighbour that was labelled before it, to the left
// or below. Only where two of these have its colour and nothing between them are labels joined.
class Filling {
public:
    explicit Filling(const Board& board) : board_(board), g_(board.geometry()) {
        empty_ = board.list_empty(list_);
        std::fill(std::begin(start_), std::end(start_), padding);
        for (int cell = 0; cell < g_.cells; ++cell)
            start_[margin + g_.index[cell]] = static_cast<u8>(board.colour_at(g_.index[cell]));
        const int below = -g_.stride, corner = below - 1;
        for (int near = 0; near < 8; ++near) {
            // On hexhex boards the three neighbours are left, below left and below right.
            const bool by_corner = g_.shape == Shape::hex && near & of_corner;
            from_[near] = near & of_left ? -1 : by_corner ? corner : near & of_below ? below : 0;
        }
    }

    PlayoutResult run(Draws& draws) {
        std::memcpy(colour_, start_, sizeof colour_);
        if (board_.rules().only_own())
            fill_alternating(draws);
        else
            fill_freely(draws);
        compare();
        label();
        join();
        return result();
    }

    int colour_at(int at) const { return colour_[margin + at]; }

private:
    static constexpr u8 padding = 2;
    static constexpr int margin = 32;  // more than a row
    static constexpr u8 of_left = 1, of_corner = 2, of_below = 4;

    // Odd and Product: every cell gets either colour, 64 cells a draw.
    void fill_freely(Draws& draws) {
        u64 bits = 0;
        for (int i = 0; i < empty_; ++i, bits >>= 1) {
            if (i % 64 == 0) bits = draws.next();
            colour_[margin + list_[i]] = static_cast<u8>(bits & 1);
        }
    }

    // Yoin: of n empty cells the player on turn gets n - n / 2; draw those of the opponent.
    void fill_alternating(Draws& draws) {
        u16 cells[max_cells];
        std::memcpy(cells, list_, static_cast<std::size_t>(empty_) * sizeof(u16));
        const auto mine = static_cast<u8>(board_.player());
        const int theirs = empty_ / 2;
        for (int i = 0; i < theirs; ++i) {
            std::swap(cells[i],
                      cells[i + static_cast<int>(draws.below(static_cast<u64>(empty_ - i)))]);
            colour_[margin + cells[i]] = 1 - mine;
        }
        for (int i = theirs; i < empty_; ++i) colour_[margin + cells[i]] = mine;
    }

    // Which of the three neighbours before a cell have its colour.
    void compare() {
        const u8* const own = colour_ + margin;
        const u8* const below = own - g_.stride;
        u8* __restrict near = near_;
        for (int at = 0; at < g_.span; ++at) {
            const u8 colour = own[at];
            near[at] = static_cast<u8>((own[at - 1] == colour ? of_left : 0) |
                                       (below[at - 1] == colour ? of_corner : 0) |
                                       (below[at] == colour ? of_below : 0));
        }
    }

    // Give every cell a label, and list the cells where two labels may have to become one.
    void label() {
        labels_ = joins_ = 0;
        for (int cell = 0; cell < g_.cells; ++cell) {
            const u16 at = g_.index[cell];
            const u8 near = near_[at];
            label_[at] = parent_[labels_] = labels_;
            size_[labels_] = 0;
            owner_[labels_] = colour_[margin + at];
            const u16 label = label_[at + from_[near]];
            label_[at] = label;
            ++size_[label];
            labels_ = static_cast<u16>(labels_ + (from_[near] == 0));
            join_[joins_] = at;
            joins_ += near == (of_left | of_below);
        }
    }

    u16 find(u16 label) {
        while (parent_[label] != label) label = parent_[label] = parent_[parent_[label]];
        return label;
    }

    void join() {
        for (int i = 0; i < joins_; ++i) {
            const u16 one = find(label_[join_[i] - 1]);
            const u16 other = find(label_[join_[i] - g_.stride]);
            if (one == other) continue;
            parent_[other] = one;
            size_[one] = static_cast<u16>(size_[one] + size_[other]);
        }
    }

    PlayoutResult result() {
        for (auto& sizes : sizes_) sizes.clear();
        for (u16 label = 0; label < labels_; ++label)
            if (parent_[label] == label) sizes_[owner_[label]].push_back(size_[label]);
        const Outcome outcome = score_sizes(board_.rules(), sizes_);
        return {outcome.winner,
                outcome.score,
                {static_cast<int>(sizes_[black].size()), static_cast<int>(sizes_[white].size())},
                empty_};
    }

    const Board& board_;
    const Geometry& g_;
    int empty_;
    u16 list_[max_cells];
    u8 start_[margin + plane_bytes];
    u8 colour_[margin + plane_bytes];
    u8 near_[plane_bytes];
    int from_[8];  // where a cell takes its label from; 0 for a label of its own
    u16 label_[plane_bytes];
    u16 labels_;
    u16 parent_[max_cells + 1];  // of each label
    u16 size_[max_cells + 1];
    u8 owner_[max_cells + 1];
    u16 join_[max_cells + 1];
    int joins_;
    std::vector<int> sizes_[2];
};

// -- batches -----------------------------------------------------------------------------------

// Adds up what the playouts of one thread give.
class Tally {
public:
    Tally(const Board& board, const Batch& batch, BatchResult& total)
        : g_(board.geometry()), batch_(batch), total_(total), empty_(board.state().empty) {
        if (batch.want_ownership) {
            ownership_.resize(static_cast<std::size_t>(g_.cells));
            occupied_.resize(static_cast<std::size_t>(g_.cells));
        }
    }

    template <class ColourAt>
    void add(u64 index, const PlayoutResult& result, ColourAt colour_at) {
        ++playouts_;
        black_wins_ += result.winner == black;
        stones_ += static_cast<u64>(result.stones);
        if (batch_.want_margins)
            total_.margins[index - batch_.first] =
                result.winner == black ? result.score : -result.score;
        if (!batch_.want_ownership) return;
        for (int cell = 0; cell < g_.cells; ++cell) {
            const int colour = colour_at(g_.index[cell]);
            ownership_[cell] += colour == black;
            occupied_[cell] += colour != none;
        }
    }

    static void take(void* context, u64 index, const Lane& lane) {
        auto& tally = *static_cast<Tally*>(context);
        const Geometry& g = tally.g_;
        tally.add(index, result_of(lane, tally.empty_), [&](int at) {
            return lane.planes.has(g, black, at)   ? black
                   : lane.planes.has(g, white, at) ? white
                                                   : none;
        });
    }

    // Threads have ended by now.
    void flush() {
        total_.playouts += playouts_;
        total_.black_wins += black_wins_;
        total_.stones += stones_;
        for (std::size_t cell = 0; cell < ownership_.size(); ++cell) {
            total_.ownership[cell] += ownership_[cell];
            total_.occupied[cell] += occupied_[cell];
        }
    }

private:
    const Geometry& g_;
    const Batch& batch_;
    BatchResult& total_;
    int empty_;
    u64 playouts_ = 0, black_wins_ = 0, stones_ = 0;
    std::vector<u32> ownership_, occupied_;
};

void run_part(const Board& board, u64 seed, u64 first, u64 count, Tally& tally) {
    if (board.is_over()) {
        const Outcome outcome = board.score();
        const PlayoutResult result{outcome.winner, outcome.score, {0, 0}, 0};
        for (u64 index = first; index < first + count; ++index)
            tally.add(index, result, [&](int at) { return board.colour_at(at); });
        return;
    }
    if (!board.rules().odd_total()) {
        Filling filling(board);
        for (u64 index = first; index < first + count; ++index) {
            Pcg32 rng = Pcg32::stream(seed, index);
            Draws draws = Draws::from(rng);
            tally.add(index, filling.run(draws), [&](int at) { return filling.colour_at(at); });
        }
        return;
    }
    Prepared prepared;
    prepare(board, prepared);
    prepared.start.seed = seed;
    const PlayoutLoops& loops = *loops_in_use().load();
    const bool own = board.rules().own_colour;
    if (!prepared.keep_first) {
        loops.batch(board.geometry(), own)(prepared.start, first, count, {&Tally::take, &tally});
        return;
    }
    const SingleLoop loop = loops.single(board.geometry(), own);
    for (u64 index = first; index < first + count; ++index) {
        Lane lane = prepared.lane;
        Pcg32 rng = Pcg32::stream(seed, index);
        lane.draws = Draws::from(rng);
        play_lane(prepared, lane, loop);
        Tally::take(&tally, index, lane);
    }
}

}  // namespace

void play_out(const Board& board, Pcg32& rng, int count, const TakePlayout& take) {
    const Geometry& g = board.geometry();
    signed char cells[max_cells];
    const auto report = [&](const PlayoutResult& result, const auto& colour_at) {
        for (int cell = 0; cell < g.cells; ++cell)
            cells[cell] = static_cast<signed char>(colour_at(g.index[cell]));
        take(result, cells);
    };
    if (board.is_over()) {
        const Outcome outcome = board.score();
        const Board::State& state = board.state();
        const PlayoutResult result{
            outcome.winner, outcome.score, {state.groups[0], state.groups[1]}, 0};
        while (count--) report(result, [&](int at) { return board.colour_at(at); });
        return;
    }
    if (!board.rules().odd_total()) {
        Filling filling(board);
        while (count--) {
            Draws draws = Draws::from(rng);
            report(filling.run(draws), [&](int at) { return filling.colour_at(at); });
        }
        return;
    }
    Prepared prepared;
    Lane& lane = prepared.lane;
    const auto loop = loops_in_use().load()->single(g, board.rules().own_colour);
    while (count--) {
        prepare(board, prepared);
        lane.draws = Draws::from(rng);
        const int before = lane.empty;
        play_lane(prepared, lane, loop);
        report(result_of(lane, before), [&](int at) {
            return lane.planes.has(g, black, at)   ? black
                   : lane.planes.has(g, white, at) ? white
                                                   : none;
        });
    }
}

BatchResult playouts(const Board& board, const Batch& batch) {
    BatchResult result;
    const auto cells = static_cast<std::size_t>(board.geometry().cells);
    if (batch.want_margins) result.margins.resize(batch.count);
    if (batch.want_ownership) {
        result.ownership.resize(cells);
        result.occupied.resize(cells);
    }
    const u64 threads =
        std::clamp<u64>(static_cast<u64>(batch.threads), 1, std::max<u64>(1, batch.count));
    std::vector<Tally> tallies(threads, Tally(board, batch, result));
    const auto part = [&](u64 n) {
        const u64 begin = batch.count * n / threads;
        const u64 end = batch.count * (n + 1) / threads;
        run_part(board, batch.seed, batch.first + begin, end - begin, tallies[n]);
    };
    std::vector<std::thread> helpers;
    for (u64 n = 1; n < threads; ++n) helpers.emplace_back(part, n);
    part(0);
    for (std::thread& helper : helpers) helper.join();
    for (Tally& tally : tallies) tally.flush();
    return result;
}

std::vector<const char*> instruction_sets() {
    std::vector<const char*> names;
    for (const PlayoutLoops* loops : available_loops()) names.push_back(loops->name);
    return names;
}

const char* instruction_set() { return loops_in_use().load()->name; }

bool use_instruction_set(const char* name) {
    for (const PlayoutLoops* loops : available_loops())
        if (!std::strcmp(loops->name, name)) {
            loops_in_use() = loops;
            return true;
        }
    return false;
}

}  // namespace yoddd
