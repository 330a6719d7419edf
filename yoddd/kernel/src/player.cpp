#include "player.hpp"

#include <algorithm>
#include <cstdlib>

#include "solver.hpp"

namespace yoddd {
namespace {

// Seconds to the next look for a reason to end.
#if YODDD_THREADS
constexpr double slice = 0.005;
constexpr double most_fillings = 1162261467;  // 3^19: half a second for the winner
constexpr double first_speed = 8e6;
constexpr double quick = 0.05;
#else
constexpr double slice = 0.02;
constexpr double most_fillings = 1e6;
constexpr double first_speed = 4e6;
constexpr double quick = 0.145;  // for the same sweeps, so that levels play the same turns
#endif

constexpr std::size_t first_stones = 20;  // the most in a report
constexpr std::size_t second_stones = 5;  // for each of them
constexpr std::size_t depth = 16;         // half turns of a line
constexpr std::size_t most_proven = 100;  // turns in a report
constexpr u64 fewest = 32;  // visits even without time: with none, the turn would mostly be a pass

// The greatest forecast; the share of the learned value was not measured with more. And that of a
// search that goes on, so that it finds the same in one part as in several.
constexpr u64 most_forecast = 60000;
constexpr u64 goes_on = 20000;

// The bytes of the smallest tree in which room is made, which holds some hundred visits of any board,
// and of one for whose copy a second is enough.
constexpr u64 least_room = 1 << 20;
constexpr double copied = 5e8;

// The part of the time for a sweep that is begun; for the tree if its best turns are then proven to
// win or to lose; for the search of a proof.
constexpr double sweep_share = 0.85;
constexpr double tree_share = 0.3;
constexpr double solver_share = 0.5;
// The work for each playout that was asked for.
constexpr double fillings_per_playout = 20;
constexpr u64 nodes_per_playout = 20;
// Empty cells up to which proofs are searched, with one and with two stones a turn: some 100,000
// nodes, in a tenth of a second.
constexpr int solver_cells[] = {12, 10};
constexpr u64 solver_nodes = 2000000;
constexpr std::size_t solver_memory = std::size_t{16} << 20;

bool is_same(const Board& a, const Board& b) {
    const Geometry& g = a.geometry();
    return a.player() == b.player() && a.state().passes == b.state().passes &&
           a.state().number == b.state().number &&
           std::all_of(g.index.begin(), g.index.begin() + g.cells,
                       [&](u16 at) { return a.colour_at(at) == b.colour_at(at); });
}

// Whether a pass answers a pass and wins at once.
bool wins_by_passing(Board board) {
    const int player = board.player();
    const Turn pass{Step::pass};
    if (!board.state().passes || !is_legal(board, pass)) return false;
    play_turn(board, pass);
    return board.is_over() && board.score().winner == player;
}

// Whether so much memory can be had in one piece.
bool has_memory(u64 bytes) {
    void* const probe = bytes < SIZE_MAX ? std::malloc(static_cast<std::size_t>(bytes)) : nullptr;
    std::free(probe);
    return probe;
}

u64 product(u64 a, u64 b, u64 most) { return a > most / b ? most : a * b; }

}  // namespace

Player::Player() : speed_(first_speed) {}

u64 Player::bytes_for(const Played& played, u64 limit) const {
    return endgame_.bytes_for(played.board(), limit);
}

u64 Player::bytes_kept() const { return endgame_.bytes_kept() + (search_ ? settings_.memory : 0); }

void Player::drop() {
    search_ = nullptr;
    endgame_.drop();
}

bool Player::begin(const Played& played, const std::vector<Moves>& turns,
                   const SearchSettings& settings, u64 seed, const PlayLimits& limits,
                   const Ended& ended) {
    asked_ = Clock::now();
    played_ = played;
    limits_ = limits;
    std::vector<Turn> history;
    for (const Moves& moves : turns) history.push_back(played.turn(moves));
    if (!plant(played, history, settings, seed)) return false;
    proven_.clear();
    ranked_.clear();
    lost_ = 0;
    before_ = 0;
    const auto& barred = settings.barred;
    const bool is_deep = std::any_of(barred.begin(), barred.end(), [](u32 n) { return n > 1; });
    // Proofs are of games in which everything may be played.
    if (!is_deep) prove(ended);
    settles_ = limits.proves && proven_.empty() && !is_deep && !is_weak() &&
               endgame_.settles(played.board(), reach());
    begun_ = Clock::now();
    if (!proven_.empty()) limits_.playouts = 1;
    searches_ = settles_ ? tree_share * left() : left();
    search_->begin({limits_.playouts, limits_.visits, searches_, true, settings.threads});
    phase_ = Phase::searches;
    return true;
}

bool Player::step(const Ended& ended) {
    if (phase_ == Phase::searches) {
        const double left = this->left();
        if (!search_->wait(std::min(slice, left)) && left > slice) return true;
        if (search_->is_cut() && make_room()) return true;
        finish();
        if (!settles_ || found_.proven != none) return false;
        ranked_.push_back(turn_);
        for (const Considered& one : considered()) {
            const Turn turn = played_->turn(std::get<0>(one)[0]);
            if (turn != turn_) ranked_.push_back(turn);
        }
        phase_ = Phase::settles;
    }
    if (phase_ == Phase::over || lost_ == ranked_.size()) return false;
    const Turn& turn = ranked_[lost_];
    Reach reach = this->reach();
    // Of all of them together.
    reach.fillings /= static_cast<double>(lost_ + 1);
    reach.quick /= static_cast<double>(lost_ + 1);
    const auto wins = endgame_.wins_by(turn, played_->board(), reach, ended);
    if (wins && *wins) proven_ = {{{turn, true, 0}, {turn}}};
    if (!wins || *wins) turn_ = turn;
    if (!wins || *wins || ++lost_ == ranked_.size()) phase_ = Phase::over;
    return phase_ == Phase::settles;
}

void Player::finish() {
    if (phase_ == Phase::searches) {
        search_->stop();
        search_->wait(1e9);  // each thread may be about to add one
        found_ = search_->stats();
        const u64 least =
            proven_.empty() ? std::min({fewest, limits_.playouts, limits_.visits}) : 0;
        found_.playouts += before_;
        if (found_.visits < least && found_.proven == none) {
            const u64 before = found_.playouts;
            found_ = search_->run({least - found_.visits});
            found_.playouts += before;
        }
        const double took = seconds_since(begun_);
        if (limits_.seconds < without_end && took > 0 && found_.playouts > 1)
            speed_ =
                static_cast<double>(found_.playouts) / took * played_->cells() / settings_.threads;
        turn_ = proven_.empty() ? played_->turn(whole_turns(search_->best_turn())[0])
                                : proven_[0].value.turn;
    }
    phase_ = Phase::over;
}

// Go on with a full tree, in which what was visited least makes room; without room where that would
// take the time that is left. False at the end of the search.
bool Player::make_room() {
    const SearchStats stats = search_->stats();
    const double left = searches_ - seconds_since(begun_);
    if (stats.proven != none || stats.visits >= limits_.visits ||
        before_ + stats.playouts >= limits_.playouts || left <= slice)
        return false;
    before_ += stats.playouts;
    const bool grows =
        settings_.memory >= least_room && static_cast<double>(settings_.memory) < copied * left;
    if (grows) search_->advance({});
    search_->begin({limits_.playouts - before_, limits_.visits, left, grows, settings_.threads});
    return true;
}

// -- the tree ----------------------------------------------------------------------------------

bool Player::plant(const Played& played, const std::vector<Turn>& turns,
                   const SearchSettings& settings, u64 seed) {
    const bool kept = follow(played.board(), turns, settings);
    if (!kept) {
        search_ = nullptr;
        if (!has_memory(settings.memory)) return false;
        search_ = std::make_unique<Search>(played.board(), settings, seed);
    }
    settings_ = settings;
    turns_ = turns;
    // A search that goes on values what it sees as before.
    if (!kept || !limits_.resume) search_->expect(forecast());
    return true;
}

// Whether the tree is of this game and leads to the position; then it has been moved along. That of
// several threads serves fewer.
bool Player::follow(const Board& board, const std::vector<Turn>& turns,
                    const SearchSettings& settings) {
    if (!search_ || turns.size() < turns_.size()) return false;
    SearchSettings kept = search_->settings();
    kept.threads = std::min(kept.threads, settings.threads);
    if (settings != kept) return false;
    Board after = search_->board();
    if (&after.geometry() != &board.geometry() || after.rules() != board.rules()) return false;
    if (!std::equal(turns_.begin(), turns_.end(), turns.begin())) return false;
    const auto more = turns.begin() + static_cast<std::ptrdiff_t>(turns_.size());
    if (more == turns.end() ? !limits_.resume : !settings.barred.empty()) return false;
    for (auto turn = more; turn != turns.end(); ++turn) {
        if (!is_legal(after, *turn)) return false;
        play_turn(after, *turn);
    }
    if (!is_same(after, board)) return false;
    for (auto turn = more; turn != turns.end(); ++turn) search_->advance(moves_of(*turn));
    return true;
}

// The visits that the search is going to have.
u64 Player::forecast() const {
    if (limits_.resume) return goes_on;
    const double speed = speed_ * settings_.threads / played_->cells();
    const double timed = std::clamp(speed * limits_.seconds, 0.0, double{most_forecast});
    return std::min({limits_.playouts, limits_.visits, static_cast<u64>(timed)});
}

double Player::left() const { return limits_.seconds - seconds_since(asked_); }

// -- proofs ------------------------------------------------------------------------------------

Reach Player::reach() const {
    const bool is_timed = limits_.seconds < without_end;
    const double seconds = is_timed ? sweep_share * left() : without_end;
    Reach reach{is_timed ? without_end : most_fillings, seconds, limits_.swept, settings_.threads};
    const auto playouts = static_cast<double>(std::min(limits_.playouts, limits_.visits));
    if (limits_.counts && (!is_timed || is_weak()))
        reach.fillings = fillings_per_playout * playouts;
    if (limits_.counts) reach.quick = playouts * played_->cells() / first_speed;
    reach.quick = is_weak() ? 0 : std::max(quick, reach.quick);
    return reach;
}

// Whether its few playouts serve a level that draws its turns: what these know is to stay little.
bool Player::is_weak() const {
    return limits_.counts && std::min(limits_.playouts, limits_.visits) < tree::least_proving;
}

void Player::prove(const Ended& ended) {
    const Board& board = played_->board();
    std::vector<TurnValue> values;
    if (limits_.proves) values = endgame_.look(board, reach(), ended);
    if (wins_by_passing(board)) {
        std::erase_if(values, [](const auto& value) { return value.turn.kind == Step::pass; });
        values.insert(values.begin(), {{Step::pass}, true, 1});
    }
    std::erase_if(values, [&](const auto& value) { return !permits(value.turn); });
    if (values.size() > most_proven) values.resize(most_proven);
    for (const TurnValue& value : values) proven_.push_back({value, {value.turn}});
    if (!values.empty())
        proven_[0].line = endgame_.line(board, values[0].turn);
    else if (limits_.proves && settings_.barred.empty())
        solve(ended);
}

// A turn that the proof search finds to win.
void Player::solve(const Ended& ended) {
    const Board& board = played_->board();
    const Rules& rules = board.rules();
    if (board.state().empty > solver_cells[rules.most > 1]) return;
    if (rules.pie && board.state().number == 1) return;  // White may take over the colour that wins
    const u64 nodes = product(limits_.playouts, nodes_per_playout, solver_nodes);
    const bool is_timed = limits_.seconds < without_end;
    const double seconds = is_timed ? std::max(1e-3, solver_share * left()) : 0;
    const Solution found = Solver(board, {nodes, seconds, solver_memory}, ended).solve();
    if (found.winner == board.player()) proven_ = {{{found.line[0], true, 0}, found.line}};
}

bool Player::permits(const Turn& turn) const {
    if (settings_.barred.empty()) return true;
    const int stones = 2 * played_->cells();
    const int first = played_->board().player() * (stones + 2);
    const Moves moves = played_->numbers(turn);
    return std::none_of(moves.begin(), moves.end(), [&](int move) {
        // Behind the stones is a turn's end.
        return settings_.barred[static_cast<std::size_t>(first + move - (move > stones))];
    });
}

// -- what was found ----------------------------------------------------------------------------

PlayResult Player::result() const {
    const double winrate = proven_.empty() ? found_.winrate : proven_[0].value.wins;
    return {played_->numbers(turn_), found_.visits, winrate, found_.margin.mean, found_.playouts};
}

PlayReport Player::report() const {
    const SearchStats stats = search_->stats();
    const Board& board = played_->board();
    std::vector<Considered> all;
    for (const auto& [value, line] : proven_) {
        std::vector<Moves> turns;
        for (const Turn& turn : line) turns.push_back(played_->numbers(turn));
        const bool is_best = all.empty();
        const Margin margin = is_best ? stats.margin : Margin{};
        all.emplace_back(std::move(turns), is_best ? stats.visits : 0, value.wins, margin.mean,
                         margin.spread, true, value.distance, 0, 0, 0);
    }
    const std::size_t proven = all.size();
    for (Considered& one : considered()) {
        const auto is_same_turn = [&](const Considered& other) {
            return std::get<0>(other)[0] == std::get<0>(one)[0];
        };
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(proven);
        if (std::none_of(all.begin(), end, is_same_turn)) all.push_back(std::move(one));
    }
    std::vector<double> owned = search_->ownership();
    if (board.player() == white)
        for (double& one : owned) one = -one;
    std::vector<std::pair<int, double>> lent;
    for (const MoveReport& half : search_->report({}, SIZE_MAX))
        lent.emplace_back(played_->number(half.move), half.lent);
    std::sort(lent.begin(), lent.end());
    double winrate = stats.winrate;
    int winner = stats.proven;
    if (proven) {
        winrate = proven_[0].value.wins;
        winner = proven_[0].value.wins ? board.player() : 1 - board.player();
    }
    return {std::move(all),      stats.visits,     winrate,         stats.margin.mean,
            stats.margin.spread, std::move(owned), std::move(lent), winner};
}

std::vector<MoveReport> Player::visited(const std::vector<Move>& after, std::size_t most) const {
    std::vector<MoveReport> halves = search_->report(after, most);
    std::erase_if(halves, [](const auto& half) { return !half.visits; });
    return halves;
}

// The turns that were visited, the most visited first.
std::vector<Considered> Player::considered() const {
    std::vector<Considered> all;
    const auto add = [&](const std::vector<Move>& moves, const MoveReport& half,
                         const MoveReport& first) {
        all.emplace_back(whole_turns(search_->line(moves, depth)), half.visits, half.value,
                         half.margin.mean, half.margin.spread, false, 0, first.visits, first.value,
                         first.margin.mean);
    };
    for (const MoveReport& first : visited({}, first_stones)) {
        const std::vector<Move> moves{first.move};
        if (!whole_turns(moves).empty())
            add(moves, first, {});
        else
            for (const MoveReport& second : visited(moves, second_stones))
                add({first.move, second.move}, second, first);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return std::get<1>(a) > std::get<1>(b); });
    // The few visits of a search that was stopped at once ended within a turn.
    const SearchStats stats = search_->stats();
    if (all.empty())
        all.emplace_back(whole_turns(search_->best_turn()), 0, stats.winrate, stats.margin.mean,
                         stats.margin.spread, false, 0, 0, 0, 0);
    return all;
}

// The turns that half turns make; an incomplete one at the end is left out.
std::vector<Moves> Player::whole_turns(const std::vector<Move>& moves) const {
    std::vector<Moves> turns;
    Moves begun;
    std::size_t count = 0;
    const Board& board = played_->board();
    for (const Move& move : moves) {
        if (move.step != Step::end) begun.push_back(played_->number(move));
        ++count;
        // A first turn of two stones may be the only one that goes by halves.
        const bool by_halves = turns.empty() ? board.by_halves() : board.rules().most > 1;
        if (move.step == Step::stone && count < (by_halves ? 2 : 1)) continue;
        turns.push_back(std::move(begun));
        begun.clear();
        count = 0;
    }
    return turns;
}

}  // namespace yoddd
