#include "exact.hpp"

#include <algorithm>
#include <set>

#include "solver.hpp"

namespace yoddd {
namespace {

// A sweep is begun if its expected time is so many times within the limit.
constexpr double haste = 2;
// The fewest legal turns of which the only one that wins is worth a remark.
constexpr std::size_t fewest = 8;

// Whether the opponent may take over the colour that wins.
bool is_before_swap(const Board& board) { return board.rules().pie && board.state().number == 1; }

std::optional<SweepCost> cost_of(const Board& board, bool distances, int threads) {
    return sweep_cost(board, board.state().empty, {distances, threads});
}

int known_distance(const TurnValue& value) { return value.distance ? value.distance : unknown; }

}  // namespace

ExactValues::ExactValues(const Played& start, const std::vector<Board>& positions,
                         const ExactLimits& limits, Table table, const Ended& ended)
    : start_(start),
      positions_(positions),
      limits_(limits),
      table_(std::move(table)),
      first_(positions.size()) {
    extend();
    if (limits.seconds <= 0) return;
    add_sweeps(ended);
    add_proofs(ended);
}

std::optional<Known> ExactValues::find(const Place& place, const Ended& ended) const {
    auto found = read(place);
    if (!found && limits_.seconds > 0) found = solve(place.board, ended);
    return found;
}

std::optional<Known> ExactValues::read(const Place& place) const {
    const Board& board = place.board;
    if (board.is_over()) {
        const bool wins = board.score().winner == board.player();
        return Known{Chance::proven(wins, 0), false, [] { return Line{}; }};
    }
    if (const auto values = tabled(place); !values.empty())
        return valued(place, values, [this, place, values] {
            Line line;
            Place after = place;
            for (auto found = values; !found.empty(); found = tabled(after)) {
                line.push_back(start_.numbers(found[0].turn));
                after.more.push_back(line.back());
                play_turn(after.board, found[0].turn);
            }
            return line;
        });
    if (is_before_swap(board)) return {};
    for (const auto& sweep : sweeps_) {
        if (!sweep->covers(board)) continue;
        const auto values = sweep->turns(board);
        const int winner = values[0].wins ? board.player() : 1 - board.player();
        return valued(place, values, [this, sweep, board, winner] {
            std::vector<Turn> line;
            for (const TurnValue& value : sweep->line(board)) line.push_back(value.turn);
            return participants(board, winner, line);
        });
    }
    return {};
}

Known ExactValues::valued(const Place& place, const std::vector<TurnValue>& values,
                          std::function<Line()> line) const {
    const Chance chance = Chance::proven(values[0].wins, known_distance(values[0]));
    return {chance, is_sole(place.board, values), std::move(line)};
}

std::vector<TurnValue> ExactValues::tabled(const Place& place) const {
    std::vector<TurnValue> values;
    if (table_ && !place.board.is_over())
        for (const auto& [moves, wins, distance] : table_(place.at, place.more))
            values.push_back({start_.turn(moves), wins, distance});
    return values;
}

// Go back as far as the sources reach.
void ExactValues::extend() {
    for (; first_; --first_) {
        auto found = read(place(first_ - 1));
        if (!found) return;
        known_[first_ - 1] = std::move(*found);
    }
}

bool ExactValues::allows(const Board& board, bool distances) const {
    const auto cost = cost_of(board, distances, limits_.threads);
    return cost && cost->memory <= limits_.memory &&
           haste * cost->seconds / limits_.threads <= limits_.seconds;
}

// Make a sweep of the earliest position that allows it, then a compact one before that.
void ExactValues::add_sweeps(const Ended& ended) {
    for (const bool distances : {true, false}) {
        const auto end = positions_.begin() + static_cast<std::ptrdiff_t>(first_);
        const auto board = std::find_if(positions_.begin(), end,
                                        [&](const Board& b) { return allows(b, distances); });
        if (board == end || ended()) continue;
        auto sweep = Sweep::make(*board, {distances, limits_.threads}, ended);
        if (!sweep) continue;
        sweeps_.push_back(std::move(sweep));
        extend();
    }
}

// Search for proofs of the positions before those that are known, up to the first failure.
void ExactValues::add_proofs(const Ended& ended) {
    while (first_ && limits_.nodes && !ended()) {
        auto found = solve(positions_[first_ - 1], ended);
        if (!found) return;
        known_[--first_] = std::move(*found);
        extend();
    }
}

std::optional<Known> ExactValues::solve(const Board& board, const Ended& ended) const {
    if (is_before_swap(board)) return {};
    const bool fits = allows(board, false);
    if (!fits && !limits_.nodes) return {};
    const u64 nodes = fits ? 0 : limits_.nodes;
    int winner = none, distance = unknown;
    std::vector<Turn> line;
    const auto has_room = [&](bool distances) {
        const auto cost = cost_of(board, distances, limits_.threads);
        return cost && cost->memory <= limits_.memory && (!nodes || cost->fillings <= nodes);
    };
    const bool full = has_room(true);
    if (full || has_room(false)) {
        const auto sweep = Sweep::make(board, {full, limits_.threads}, ended);
        if (!sweep) return {};
        const auto values = sweep->line(board);
        for (const TurnValue& value : values) line.push_back(value.turn);
        winner = values[0].wins ? board.player() : 1 - board.player();
        distance = known_distance(values[0]);
    } else {
        Solver solver(board,
                      {nodes, 0, static_cast<std::size_t>(limits_.proof_memory), limits_.threads},
                      ended);
        Solution found = solver.solve();
        winner = found.winner;
        line = std::move(found.line);
    }
    if (winner == none) return {};
    // Before a swap the player to move chooses the colour.
    const Chance chance = Chance::proven(winner == board.player() || board.may_swap(), distance);
    return Known{chance, false,
                 [this, board, winner, line] { return participants(board, winner, line); }};
}

// A line as participants play it who may swap: White takes over the colour that wins.
Line ExactValues::participants(Board board, int winner, std::vector<Turn> turns) const {
    if (winner == black && board.rules().pie)
        for (auto turn = turns.begin(); turn != turns.end(); ++turn) {
            if (board.may_swap()) {
                if (turn->kind != Step::swap) turns.insert(turn, Turn{Step::swap});
                break;
            }
            play_turn(board, *turn);
        }
    Line line;
    for (const Turn& turn : turns) line.push_back(start_.numbers(turn));
    return line;
}

// Whether the turns that win are the images of one under the symmetries that change no stone; where
// only the parity of counts decides, exchanging the colours is one too.
bool ExactValues::is_sole(const Board& board, const std::vector<TurnValue>& values) const {
    if (values.size() < fewest || !values[0].wins) return false;
    const Geometry& g = board.geometry();
    std::set<Moves> images, wins;
    for (const TurnValue& value : values)
        if (value.wins) wins.insert(start_.numbers(value.turn));
    for (const auto& symmetry : g.symmetries)
        for (const int flip : {0, 1}) {
            if (flip && !board.is_blind()) continue;
            const auto is_kept = [&](int cell) {
                const int colour = board.colour_at(g.index[symmetry[cell]]);
                return (colour == none ? none : colour ^ flip) == board.colour_at(g.index[cell]);
            };
            int cell = 0;
            while (cell < g.cells && is_kept(cell)) ++cell;
            if (cell < g.cells) continue;
            Moves image = start_.numbers(values[0].turn);
            for (int& move : image)
                if (move < 2 * g.cells)
                    move = (move / g.cells ^ flip) * g.cells + symmetry[move % g.cells];
            std::sort(image.begin(), image.end());
            images.insert(std::move(image));
        }
    return images == wins;
}

}  // namespace yoddd
