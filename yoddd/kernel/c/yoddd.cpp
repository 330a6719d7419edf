// The C interface: see yoddd.h. What callers may get wrong is checked here, so that nothing throws.
#include "yoddd.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../src/features.hpp"
#include "../src/layers.hpp"
#include "../src/legality.hpp"
#include "../src/played.hpp"
#include "../src/playout.hpp"
#include "../src/policy.hpp"
#include "../src/search.hpp"
#include "../src/solver.hpp"

using namespace yoddd;

struct yoddd_board : Played {
    using Played::Played;
};

struct yoddd_drops {
    Played played;
    DropCursor cursor;
};

struct yoddd_search {
    Played played;  // numbers moves
    Search search;
};

struct yoddd_sweep {
    Layers layers;
};

namespace {

constexpr int largest[] = {13, 25};  // boards of each shape
constexpr const char* shapes[] = {"hex", "square"};
constexpr const char* games[] = {"yodd", "xodd", "odd", "yoin", "product"};
constexpr const char* ties[] = {"stones", "black", "white"};

std::string& reason() {
    static std::string text;
    return text;
}

int fail(const char* text) {
    reason() = text;
    return -1;
}

template <std::size_t Count>
bool names(const char* const (&)[Count], int number) {
    return 0 <= number && number < static_cast<int>(Count);
}

bool is_move(const Played& played, int move) { return 0 <= move && move <= 2 * played.cells() + 2; }

// The moves of a turn as they are numbered here, checked; empty if they are none.
std::vector<int> turn_of(const Played& played, const int32_t* moves, int count) {
    const bool fits = 0 < count && count <= 2 &&
                      std::all_of(moves, moves + count, [&](int m) { return is_move(played, m); });
    if (!fits) fail("no such turn");
    return fits ? std::vector<int>(moves, moves + count) : std::vector<int>{};
}

// The same as half turns, of which there may also be none.
bool read(const Played& played, const int32_t* moves, int count, std::vector<Move>& found) {
    if (count < 0) return false;
    for (int i = 0; i < count; ++i) {
        if (!is_move(played, moves[i])) return false;
        found.push_back(played.move(moves[i]));
    }
    return true;
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

// Whether so much memory can be had in one piece; in several pieces there may be more.
bool has_memory(uint64_t bytes) {
    void* const probe = bytes < SIZE_MAX ? std::malloc(static_cast<std::size_t>(bytes)) : nullptr;
    std::free(probe);
    return probe;
}

LayerOptions options_of(int distances, int threads) {
    LayerOptions options;
    options.distances = distances != 0;
    options.threads = std::max(1, threads);
    return options;
}

bool fits(const Played& played, const float* weights, std::size_t count) {
    return weights && count == weights_of(played.board().geometry());
}

}  // namespace

const char* yoddd_error(void) { return reason().c_str(); }
void* yoddd_allocate(size_t bytes) { return std::malloc(bytes); }
void yoddd_release(void* memory) { std::free(memory); }

// -- boards ------------------------------------------------------------------------------------

yoddd_board* yoddd_board_new(int shape, int size, int game, int options, int min_group, int tie) {
    if (!names(shapes, shape) || !names(games, game) || !names(ties, tie)) {
        fail("no such shape, game or tie rule");
    } else if (size < 2 || size > largest[shape]) {
        fail("no board of this size");
    } else if (min_group < 1 || min_group > 0xffff) {
        fail("no such min_group");
    } else {
        return new yoddd_board(shapes[shape], size, games[game], options & YODDD_END_ON_FULL,
                               options & YODDD_OWN_COLOUR, options & YODDD_PIE, min_group,
                               options & YODDD_ONE_GROUP, ties[tie]);
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

int yoddd_cells(const yoddd_board* board) { return board->cells(); }
int yoddd_player(const yoddd_board* board) { return board->board().player(); }
int yoddd_is_over(const yoddd_board* board) { return board->board().is_over(); }
int yoddd_is_pending(const yoddd_board* board) { return board->board().is_pending(); }
uint64_t yoddd_hash(const yoddd_board* board) { return board->board().hash(); }

void yoddd_contents(const yoddd_board* board, int8_t* cells) {
    for (const int colour : board->contents()) *cells++ = static_cast<int8_t>(colour);
}

int yoddd_groups(const yoddd_board* board, int16_t* group_of, int32_t* blacks) {
    std::fill_n(group_of, board->cells(), int16_t{-1});
    int16_t number = 0;
    for (const int colour : {black, white}) {
        for (const auto& group : board->board().groups(colour)) {
            for (const int cell : group) group_of[cell] = number;
            ++number;
        }
        if (colour == black) *blacks = number;
    }
    return number;
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

int yoddd_undo(yoddd_board* board) {
    if (!board->has_past()) return fail("nothing to take back");
    board->undo();
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

int yoddd_is_completable(const yoddd_board* board, int move) {
    if (move < 0 || move >= 2 * board->cells()) return fail("no such stone");
    if (board->board().is_pending()) return fail("a turn is in progress");
    const Drops drops(board->board());
    const int found = drops.find(board->stone(move));
    return found >= 0 && drops.completable(found);
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
    Policy().judge(board->board(), {weights, weights + count}, legal, logs);
    return write(*board, legal, moves);
}

int yoddd_playouts(const yoddd_board* board, uint64_t count, uint64_t seed, uint64_t first,
                   yoddd_playouts_result* result) {
    if (board->board().is_pending()) return fail("a turn is in progress");
    const BatchResult found = playouts(board->board(), {seed, first, count});
    *result = {found.playouts, found.black_wins, found.stones};
    return 0;
}

// -- the tree search ---------------------------------------------------------------------------

yoddd_search* yoddd_search_new(const yoddd_board* board, const float* weights, size_t count,
                               uint64_t memory, int threads, uint64_t seed) {
    constexpr uint64_t least = 1 << 20;
    const bool weighs = weights && count;
    if (board->board().is_pending()) {
        fail("a turn is in progress");
    } else if (weighs && !fits(*board, weights, count)) {
        fail("weights for another board");
    } else if (memory < least) {
        fail("a tree takes 1 MB at least");
    } else if (!has_memory(memory)) {
        fail("not enough memory");
    } else {
        SearchSettings settings;
        if (weighs) settings.weights.assign(weights, weights + count);
        settings.memory = memory;
        settings.threads = threads;
        return new yoddd_search{*board, Search(board->board(), settings, seed)};
    }
    return nullptr;
}

void yoddd_search_free(yoddd_search* search) { delete search; }

void yoddd_expect(yoddd_search* search, uint64_t visits) { search->search.expect(visits); }

int yoddd_run(yoddd_search* search, uint64_t playouts, uint64_t visits, double seconds) {
    constexpr SearchLimits unlimited;
    return search->search
               .run({playouts ? playouts : unlimited.playouts, visits ? visits : unlimited.visits,
                     seconds > 0 ? seconds : unlimited.seconds})
               .proven != none;
}

void yoddd_search_stats(const yoddd_search* search, yoddd_stats* stats) {
    const SearchStats found = search->search.stats();
    *stats = {found.playouts,    found.visits,        found.nodes, found.winrate,
              found.margin.mean, found.margin.spread, found.proven};
}

int yoddd_best_turn(const yoddd_search* search, int32_t* moves) {
    return write(search->played, search->search.best_turn(), moves);
}

int yoddd_report_moves(const yoddd_search* search, const int32_t* after, int count,
                       yoddd_report* reports, int room) {
    std::vector<Move> moves;
    if (!read(search->played, after, count, moves)) return fail("no such move");
    int written = 0;
    for (const MoveReport& one : search->search.report(moves, std::max(0, room))) {
        reports[written++] = {search->played.number(one.move),
                              one.proven,
                              one.visits,
                              one.value,
                              one.margin.mean,
                              one.margin.spread,
                              one.lent};
    }
    return written;
}

int yoddd_line(const yoddd_search* search, const int32_t* after, int count, int32_t* moves,
               int room) {
    std::vector<Move> begun;
    if (count > room || !read(search->played, after, count, begun)) return fail("no such move");
    return write(search->played, search->search.line(begun, static_cast<std::size_t>(room)), moves);
}

void yoddd_ownership(const yoddd_search* search, double* cells) {
    const std::vector<double> owned = search->search.ownership();
    std::copy(owned.begin(), owned.end(), cells);
}

int yoddd_advance(yoddd_search* search, const int32_t* moves, int count) {
    std::vector<Move> turn;
    if (count > 2 || !read(search->played, moves, count, turn)) return fail("no such turn");
    search->search.advance(turn);
    return 0;
}

// -- perfect play ------------------------------------------------------------------------------

uint64_t yoddd_sweep_memory(const yoddd_board* board, int empty, int distances) {
    if (empty < 0 || empty > most_swept) return 0;
    // A full board, on which only passes are left, takes none.
    return std::max<uint64_t>(1, Layers::memory(board->board(), empty, options_of(distances, 1)));
}

yoddd_sweep* yoddd_sweep_new(const yoddd_board* board, int distances, int threads, double seconds) {
    using Clock = std::chrono::steady_clock;
    const uint64_t memory = yoddd_sweep_memory(board, board->board().state().empty, distances);
    if (!memory) {
        fail("too many empty cells");
    } else if (board->board().is_over()) {
        fail("the game is over");
    } else if (!has_memory(memory)) {
        fail("not enough memory");
    } else {
        const auto begun = Clock::now();
        const auto is_late = [&] {
            return seconds > 0 &&
                   std::chrono::duration<double>(Clock::now() - begun).count() >= seconds;
        };
        std::unique_ptr<yoddd_sweep> sweep(
            new yoddd_sweep{Layers(board->board(), options_of(distances, threads))});
        if (sweep->layers.run(is_late)) return sweep.release();
        fail("the time is up");
    }
    return nullptr;
}

void yoddd_sweep_free(yoddd_sweep* sweep) { delete sweep; }

int yoddd_sweep_wins(const yoddd_sweep* sweep) { return sweep->layers.wins(); }

int yoddd_sweep_follows(const yoddd_sweep* sweep, const yoddd_board* board) {
    return sweep->layers.follows(board->board());
}

int yoddd_sweep_covers(const yoddd_sweep* sweep, const yoddd_board* board) {
    return sweep->layers.covers(board->board());
}

int yoddd_sweep_turns(const yoddd_sweep* sweep, const yoddd_board* board, yoddd_value* values,
                      int room) {
    if (!yoddd_sweep_covers(sweep, board)) return fail("the values are not kept");
    int count = 0;
    for (const TurnValue& one : sweep->layers.turns(board->board())) {
        if (count < room) {
            values[count].wins = one.wins;
            values[count].distance = one.distance;
            write(*board, one.turn, values[count].moves);
        }
        ++count;
    }
    return count;
}

int yoddd_solve(const yoddd_board* board, uint64_t nodes, double seconds, uint64_t memory,
                int threads, int32_t* moves) {
    if (board->board().is_pending()) return fail("a turn is in progress");
    if (!has_memory(memory)) return fail("not enough memory");
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
