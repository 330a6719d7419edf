#include "playout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#if defined(YODDD_HAVE_V3)
#include <cpuid.h>
#endif

#include "filling.hpp"
#include "playout_lane.hpp"
#include "threads.hpp"

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

int colour_in(const Geometry& g, const Lane& lane, int cell) {
    const int at = g.index[cell];
    // No branch: which stones lie at the end is random.
    return none + (black - none) * lane.planes.has(g, black, at) +
           (white - none) * lane.planes.has(g, white, at);
}

void play_lane(const Prepared& prepared, Lane& lane, SingleLoop loop) {
    if (prepared.keep_first) {
        drop_and_keep_odd(prepared.start, lane);
        lane.player ^= 1;
        lane.passes = 0;
    }
    loop(prepared.start, lane);
}

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
            const int colour = colour_at(cell);
            ownership_[cell] += colour == black;
            occupied_[cell] += colour != none;
        }
    }

    static void take(void* context, u64 index, const Lane& lane) {
        auto& tally = *static_cast<Tally*>(context);
        const Geometry& g = tally.g_;
        tally.add(index, result_of(lane, tally.empty_),
                  [&](int cell) { return colour_in(g, lane, cell); });
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
            tally.add(index, result,
                      [&](int cell) { return board.colour_at(board.geometry().index[cell]); });
        return;
    }
    if (!board.rules().odd_total()) {
        Fillings fillings(board.geometry());
        Draws draws[fill_lanes];
        for (u64 done = 0; done < count; done += fill_lanes) {
            const int lanes = static_cast<int>(std::min<u64>(fill_lanes, count - done));
            for (int lane = 0; lane < lanes; ++lane) {
                Pcg32 rng = Pcg32::stream(seed, first + done + static_cast<u64>(lane));
                draws[lane] = Draws::from(rng);
            }
            fillings.run(board, draws, lanes);
            for (int lane = 0; lane < lanes; ++lane)
                tally.add(first + done + static_cast<u64>(lane), fillings.result(lane),
                          [&](int cell) { return fillings.colour_at(cell, lane); });
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

void play_out(const Board& board, Pcg32& rng, u64 count, const TakePlayout& take) {
    const Geometry& g = board.geometry();
    signed char cells[max_cells];
    const auto report = [&](const PlayoutResult& result, const auto& colour_at) {
        for (int cell = 0; cell < g.cells; ++cell)
            cells[cell] = static_cast<signed char>(colour_at(cell));
        take(result, cells);
    };
    if (board.is_over()) {
        const Outcome outcome = board.score();
        const Board::State& state = board.state();
        const PlayoutResult result{
            outcome.winner, outcome.score, {state.groups[0], state.groups[1]}, 0};
        while (count--) report(result, [&](int cell) { return board.colour_at(g.index[cell]); });
        return;
    }
    if (!board.rules().odd_total()) {
        Fillings fillings(g);
        for (int lanes = 0; count; count -= static_cast<u64>(lanes)) {
            lanes = static_cast<int>(std::min<u64>(count, fill_lanes));
            fillings.run(board, rng, lanes);
            for (int lane = 0; lane < lanes; ++lane)
                report(fillings.result(lane),
                       [&](int cell) { return fillings.colour_at(cell, lane); });
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
        report(result_of(lane, before), [&](int cell) { return colour_in(g, lane, cell); });
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
    std::vector<Thread> helpers;
    for (u64 n = 1; n < threads; ++n) helpers.emplace_back(part, n);
    part(0);
    for (Thread& helper : helpers) helper.join();
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
