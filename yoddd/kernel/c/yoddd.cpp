// The C interface: see yoddd.h. What callers may get wrong is checked here, so that nothing throws.
#include "yoddd.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../src/features.hpp"
#include "../src/json.hpp"
#include "../src/legality.hpp"
#include "../src/levels.hpp"
#include "../src/played.hpp"
#include "../src/player.hpp"
#include "../src/playout.hpp"
#include "../src/review.hpp"
#include "../src/solver.hpp"
#include "../src/square5.hpp"
#include "../src/successors.hpp"

using namespace yoddd;

struct yoddd_board : Played {
    using Played::Played;
};

struct yoddd_drops {
    Played played;
    DropCursor cursor;
};

struct yoddd_engine : Player {};

struct yoddd_review : Review {
    using Review::Review;
};

struct yoddd_square5 {
    Square5 values;
};

namespace {

constexpr int largest[] = {13, 25};  // boards of each shape

std::string& reason() {
    static std::string text;
    return text;
}

int fail(const char* text) {
    reason() = text;
    return -1;
}

bool is_move(const Played& played, int move) { return 0 <= move && move <= 2 * played.cells() + 2; }

// The moves of a turn as they are numbered here, checked; empty if they are none.
std::vector<int> turn_of(const Played& played, const int32_t* moves, int count) {
    const bool fits = 0 < count && count <= 2 &&
                      std::all_of(moves, moves + count, [&](int m) { return is_move(played, m); });
    if (!fits) fail("no such turn");
    return fits ? std::vector<int>(moves, moves + count) : std::vector<int>{};
}

// Turns of two moves each, the second -1 in a turn of one; none if one of them is no turn.
std::optional<std::vector<Moves>> turns_of(const Played& played, const int32_t* turns, int count) {
    std::vector<Moves> found;
    for (const int32_t* turn = turns; turn != turns + 2 * count; turn += 2) {
        found.push_back(turn_of(played, turn, turn[1] < 0 ? 1 : 2));
        if (found.back().empty()) return {};
    }
    return found;
}

int write(const Played& played, const std::vector<Move>& moves, int32_t* out) {
    for (const Move& move : moves) *out++ = played.number(move);
    return static_cast<int>(moves.size());
}

// A turn as two moves.
void write(const Played& played, const Turn& turn, int32_t* moves) {
    const std::vector<int> numbers = played.numbers(turn);
    moves[0] = numbers[0];
    moves[1] = numbers.size() > 1 ? numbers[1] : -1;
}

template <class Found>
const char* json(const Found& found) {
    static std::string text;
    text.clear();
    append_json(text, found);
    return text.c_str();
}

bool never() { return false; }

LayerOptions options_of(int distances) { return {distances != 0, 1}; }

bool fits(const Played& played, const float* weights, std::size_t count) {
    return weights && Learned::fits(count, played.board().geometry());
}

}  // namespace

const char* yoddd_error(void) { return reason().c_str(); }
void* yoddd_allocate(size_t bytes) { return std::malloc(bytes); }
void yoddd_release(void* memory) { std::free(memory); }

// -- boards ------------------------------------------------------------------------------------

yoddd_board* yoddd_board_new(int shape, int size, const int32_t* facts, int count) {
    Rules rules;
    if (shape != YODDD_HEX && shape != YODDD_SQUARE) {
        fail("no such shape");
    } else if (size < 2 || size > largest[shape]) {
        fail("no board of this size");
    } else if (const char* const key = read_rules({facts, facts + std::max(0, count)}, rules)) {
        reason() = std::string("the kernel cannot play ") + key;
    } else {
        return new yoddd_board(shape, size, rules);
    }
    return nullptr;
}

void yoddd_board_free(yoddd_board* board) { delete board; }

int yoddd_set_up(yoddd_board* board, const int8_t* cells, int player, int passes, uint32_t number) {
    const std::vector<int> contents(cells, cells + board->cells());
    const auto is_colour = [](int colour) { return none <= colour && colour <= white; };
    if (!std::all_of(contents.begin(), contents.end(), is_colour)) return fail("no such colour");
    if (player != black && player != white) return fail("no such player");
    if (passes < 0 || passes > 2) return fail("passes are 0 to 2");
    if (number < 1) return fail("turns count from 1");
    board->set_up(contents, player, passes, number);
    return 0;
}

int yoddd_score(const yoddd_board* board, int32_t* score) {
    const Outcome outcome = board->board().score();
    *score = outcome.score;
    return outcome.winner;
}

int yoddd_play(yoddd_board* board, int move) {
    if (!is_move(*board, move)) return fail("no such move");
    const Move next = board->move(move);
    if (next.step == Step::stone && !board->board().is_empty(next.stone.at))
        return fail("the cell is occupied");
    board->play(move);
    return 0;
}

int yoddd_moves(const yoddd_board* board, int32_t* moves, int room) {
    const std::vector<int> legal = board->legal_moves();
    std::copy_n(legal.begin(), std::clamp<int>(room, 0, static_cast<int>(legal.size())), moves);
    return static_cast<int>(legal.size());
}

int yoddd_is_legal(const yoddd_board* board, const int32_t* moves, int count) {
    if (board->board().is_pending()) return fail("a turn is in progress");
    const std::vector<int> turn = turn_of(*board, moves, count);
    return turn.empty() ? -1 : is_legal(board->board(), board->turn(turn));
}

uint64_t yoddd_count_turns(const yoddd_board* board) { return Drops(board->board()).count_turns(); }

uint64_t yoddd_perft(const yoddd_board* board, int depth) {
    Board copy = board->board();
    return perft(copy, std::max(0, depth));
}

yoddd_drops* yoddd_drops_new(const yoddd_board* board) {
    if (!board->board().is_pending()) return new yoddd_drops{*board, DropCursor(board->board())};
    fail("a turn is in progress");
    return nullptr;
}

int yoddd_drops_next(yoddd_drops* drops, int32_t* moves, int turns) {
    int count = 0;
    for (Turn turn; count < turns && drops->cursor.next(turn); ++count)
        write(drops->played, turn, moves + 2 * count);
    return count;
}

void yoddd_drops_free(yoddd_drops* drops) { delete drops; }

// -- what is learned and drawn -----------------------------------------------------------------

int yoddd_policy(const yoddd_board* board, const float* weights, size_t count, int32_t* moves,
                 float* logs) {
    if (!fits(*board, weights, count)) return fail("weights for another board");
    const std::vector<Move> legal = legal_moves(board->board());
    Successors around;
    around.look_at(board->board());
    around.judge({weights, weights + count}, legal, logs);
    return write(*board, legal, moves);
}

int yoddd_playouts(const yoddd_board* board, uint64_t count, uint64_t seed, uint64_t first,
                   yoddd_playouts_result* result) {
    if (board->board().is_pending()) return fail("a turn is in progress");
    const PlayoutSums found = sum_playouts(board->board(), seed, first, count);
    *result = {count, found.black_wins, found.stones};
    return 0;
}

// -- play --------------------------------------------------------------------------------------

yoddd_engine* yoddd_engine_new(void) { return new yoddd_engine; }
void yoddd_engine_free(yoddd_engine* engine) { delete engine; }
void yoddd_engine_drop(yoddd_engine* engine) { engine->drop(); }

int yoddd_engine_begin(yoddd_engine* engine, const yoddd_board* board, const int32_t* turns,
                       int count, const float* weights, size_t weight_count, uint64_t memory,
                       uint64_t seed, uint64_t playouts, uint64_t visits, double seconds,
                       uint64_t swept, int resume) {
    constexpr uint64_t least = 1 << 20;
    SearchSettings settings;
    if (weights && weight_count) {
        if (!fits(*board, weights, weight_count)) return fail("weights for another board");
        settings.weights.assign(weights, weights + weight_count);
    }
    if (board->board().is_pending()) return fail("a turn is in progress");
    if (board->board().is_over()) return fail("the game is over");
    if (memory < least) return fail("a tree takes 1 MB at least");
    settings.memory = memory;
    const auto history = turns_of(*board, turns, count);
    if (!history) return -1;
    PlayLimits limits;
    if (playouts) limits.playouts = playouts;
    if (visits) limits.visits = visits;
    if (seconds > 0) limits.seconds = seconds;
    limits.counts = playouts || visits;
    limits.swept = swept;
    limits.resume = resume;
    const bool has_begun = engine->begin(*board, *history, settings, seed, limits, never);
    return has_begun ? 0 : fail("not enough memory");
}

int yoddd_engine_step(yoddd_engine* engine) { return engine->step(never); }
void yoddd_engine_finish(yoddd_engine* engine) { engine->finish(); }
const char* yoddd_engine_result(const yoddd_engine* engine) { return json(engine->result()); }
const char* yoddd_engine_report(const yoddd_engine* engine) { return json(engine->report()); }

int yoddd_engine_draw(const yoddd_engine* engine, const yoddd_board* board, const float* weights,
                      size_t weight_count, double spread, uint64_t seed, int32_t* moves) {
    std::vector<float> learned;
    std::vector<std::pair<int, double>> lent;
    double winrate = 0;
    if (board->board().is_over()) return fail("the game is over");
    if (weights) {
        if (!fits(*board, weights, weight_count)) return fail("weights for another board");
        learned.assign(weights, weights + weight_count);
    } else {
        std::tie(std::ignore, std::ignore, winrate, std::ignore, std::ignore, std::ignore, lent,
                 std::ignore) = engine->report();
        if (lent.empty()) return 0;
    }
    const Moves turn = draw_turn(*board, learned, lent, winrate, spread, seed);
    std::copy(turn.begin(), turn.end(), moves);
    return static_cast<int>(turn.size());
}

// -- perfect play ------------------------------------------------------------------------------

uint64_t yoddd_sweep_memory(const yoddd_board* board, int distances) {
    const auto cost =
        sweep_cost(board->board(), board->board().state().empty, options_of(distances));
    // A full board, on which only passes are left, takes none.
    return cost ? std::max<uint64_t>(1, cost->memory) : 0;
}

double yoddd_sweep_seconds(const yoddd_board* board, int distances) {
    const auto cost =
        sweep_cost(board->board(), board->board().state().empty, options_of(distances));
    return cost ? cost->seconds : without_end;
}

const char* yoddd_sweep(const yoddd_board* start, int distances, int line, double seconds) {
    using Clock = std::chrono::steady_clock;
    Board board = start->board();
    const uint64_t memory = yoddd_sweep_memory(start, distances);
    if (!memory) {
        fail("too many empty cells");
    } else if (board.is_over()) {
        fail("the game is over");
    } else if (memory > SIZE_MAX) {
        fail("not enough memory");
    } else {
        const auto begun = Clock::now();
        const auto is_late = [&] {
            return seconds > 0 &&
                   std::chrono::duration<double>(Clock::now() - begun).count() >= seconds;
        };
        if (const auto sweep = Sweep::make(board, options_of(distances), is_late)) {
            const std::vector<TurnValue> values = sweep->turns(board);
            play_turn(board, values[0].turn);
            const Values after = line ? numbered(*start, sweep->line(board)) : Values{};
            return json(std::pair(numbered(*start, values), after));
        }
        fail("the time is up");
    }
    return nullptr;
}

yoddd_square5* yoddd_square5_new(const uint8_t* data, size_t bytes) {
    return new yoddd_square5{Square5({data, data + bytes})};
}

const char* yoddd_square5_turns(const yoddd_square5* table, const yoddd_board* board) {
    return json(numbered(*board, table->values.turns(board->board())));
}

int yoddd_solve(const yoddd_board* board, uint64_t nodes, double seconds, uint64_t memory,
                int threads, int32_t* moves) {
    if (board->board().is_pending()) return fail("a turn is in progress");
    if (board->board().is_over()) return fail("the game is over");
    if (memory > SIZE_MAX) return fail("not enough memory");
    SolveLimits limits;
    limits.nodes = nodes;
    limits.seconds = seconds;
    limits.memory = static_cast<std::size_t>(memory);
    limits.threads = std::max(1, threads);
    const Solution found = Solver(board->board(), limits).solve();
    if (found.line.empty()) return fail("the limits were reached");
    write(*board, found.line.front(), moves);
    return found.winner;
}

// -- reviews -----------------------------------------------------------------------------------

yoddd_review* yoddd_review_new(const yoddd_board* start, const int32_t* turns, int count,
                               uint64_t memory, uint64_t proof_memory, double seconds,
                               uint64_t nodes) {
    const auto played = turns_of(*start, turns, count);
    if (!played) return nullptr;
    auto* const review = new yoddd_review(*start, *played);
    review->solve({memory, proof_memory, seconds, nodes, 1}, {}, never);
    return review;
}

void yoddd_review_free(yoddd_review* review) { delete review; }

const char* yoddd_review_wanted(yoddd_review* review, uint64_t visits, uint64_t seed) {
    return json(review->wanted(visits, seed, never));
}

int yoddd_review_stage(const yoddd_review* review) { return review->stage(); }

void yoddd_review_take(yoddd_review* review, const yoddd_engine* engine) {
    const auto [turn, visits, winrate, margin, playouts] = engine->result();
    const auto report = engine->report();
    std::vector<Line> lines;
    for (const auto& one : std::get<0>(report)) lines.push_back(std::get<0>(one));
    review->take(turn, winrate, std::max({visits, playouts, uint64_t{1}}), lines);
}

const char* yoddd_review_report(const yoddd_review* review) { return json(review->report()); }
