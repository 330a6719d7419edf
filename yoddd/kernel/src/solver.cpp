#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "layers.hpp"
#include "rng.hpp"
#include "search.hpp"

namespace yoddd {
namespace {

constexpr u32 infinite = 1u << 30;
constexpr int exact_cells = 40;  // 3^40 < 2^64
constexpr u64 bucket = 4;
constexpr u64 clock_interval = 1024;
constexpr u64 filling_nodes = 64;         // a sweep has fewer fillings than nodes by so much
constexpr double filling_seconds = 1e-9;  // expected of a sweep, within a factor of three
constexpr int least_sweeps = 8;           // for which there is time
constexpr int guided_leaf = 15;  // a sweep of so many cells takes some milliseconds, or more
constexpr int guide_parts = 10;  // between two looks at the clock
constexpr u64 guide_playouts = 100;
constexpr u64 guide_memory = u64{2} << 20;  // before the sweep takes as much or more
constexpr int few_stones = 8;               // beyond, symmetric children are too rare to look for

// Bits of a key's second half.
constexpr u32 white_on_turn = 1;
constexpr u32 one_pass = 2;
constexpr int number_shift = 2;
constexpr u32 in_turn = 16;  // the player has dropped a first stone

constexpr u32 capped(u64 value) { return static_cast<u32>(std::min<u64>(value, infinite - 1)); }

// Of so many empty cells.
u64 fillings_of(int cells) {
    u64 fillings = 1;
    while (cells-- > 0) fillings *= 3;
    return fillings;
}

u64 sweep_memory(const Board& board, int cells, int threads) {
    return Layers::memory(board, cells, {false, threads});
}

u64 hash_of(u64 code, u32 extra) { return split_mix(code ^ u64{extra} << 40); }

}  // namespace

Solver::Solver(const Board& board, const SolveLimits& limits, std::function<bool()> interrupted)
    : board_(board),
      limits_(limits),
      leaf_(leaf_cells(board, limits)),
      interrupted_(std::move(interrupted)),
      start_(std::chrono::steady_clock::now()),
      symmetries_(static_cast<int>(board.geometry().symmetries.size())) {
    const u64 left = limits.memory - sweep_memory(board, leaf_, limits.threads);
    table_.resize(std::bit_floor(std::max<u64>(left / sizeof(Entry), 16 * bucket)));
    const Geometry& g = board_.geometry();
    std::vector<u64> base;
    u64 power = 1;
    for (int cell = 0; cell < g.cells; ++cell, power *= 3)
        base.push_back(g.cells <= exact_cells ? power : split_mix(static_cast<u64>(cell)));
    weights_.resize(static_cast<std::size_t>(g.span * symmetries_));
    for (int cell = 0; cell < g.cells; ++cell)
        for (int s = 0; s < symmetries_; ++s)
            weights_[g.index[cell] * symmetries_ + s] = base[g.symmetries[s][cell]];
    plain_.resize(static_cast<std::size_t>(symmetries_));
    flipped_.resize(static_cast<std::size_t>(symmetries_));
    for (int cell = 0; cell < g.cells; ++cell) {
        const u16 at = g.index[cell];
        const int colour = board_.colour_at(at);
        if (colour != none) add({at, static_cast<u16>(colour)}, 1);
    }
    for (auto& scores : scores_) scores.resize(static_cast<std::size_t>(2 * g.span));
}

// -- moving ------------------------------------------------------------------------------------

void Solver::add(Stone stone, u64 sign) {
    const u64* weights = &weights_[static_cast<std::size_t>(stone.at * symmetries_)];
    const u64 plain = sign * (stone.colour == black ? 1 : 2);
    const u64 flipped = sign * (stone.colour == black ? 2 : 1);
    for (int s = 0; s < symmetries_; ++s) {
        plain_[s] += plain * weights[s];
        flipped_[s] += flipped * weights[s];
    }
}

Board::Undo Solver::play(Move move) {
    if (move.step == Step::stone) add(move.stone, 1);
    return board_.play(move);
}

void Solver::undo(const Board::Undo& undo) {
    board_.undo(undo);
    if (undo.move.step == Step::stone) add(undo.move.stone, ~u64{0});
}

// -- keys and the table ------------------------------------------------------------------------

Solver::Key Solver::key() const {
    const Board::State& state = board_.state();
    const u32 number = std::min<u32>(state.number, board_.rules().pie ? 3 : 2);
    u32 extra = number << number_shift | (state.passes ? one_pass : 0u);
    if (board_.is_pending()) extra |= in_turn;
    const auto least = [](const std::vector<u64>& codes) {
        return *std::min_element(codes.begin(), codes.end());
    };
    // Exchanging the colours may change the winner with the player on turn.
    if (board_.rules().is_fair()) return {least(state.player == white ? flipped_ : plain_), extra};
    const u64 code = least(plain_);
    return {board_.is_blind() ? std::min(code, least(flipped_)) : code,
            extra | (state.player == white ? white_on_turn : 0u)};
}

Solver::Key Solver::key_after(Move move) {
    const Board::State before = board_.state();
    const bool stone = move.step == Step::stone;
    if (stone) add(move.stone, 1);
    board_.pretend(move);
    const Key result = key();
    board_.restore(before);
    if (stone) add(move.stone, ~u64{0});
    return result;
}

// -- search ------------------------------------------------------------------------------------

void Solver::add_child(Move move) {
    Child child{};
    child.move = move;
    const int player = board_.player();
    const Board::State before = board_.state();
    board_.pretend(move);
    child.same_player = board_.player() == player;
    const bool over = board_.is_over();
    board_.restore(before);
    if (over) {
        const Board::Undo undo_move = board_.play(move);
        const bool won = board_.score().winner == player;
        board_.undo(undo_move);
        child.numbers = won ? Numbers{0, infinite} : Numbers{infinite, 0};
        child.decided = true;
    } else {
        child.key = key_after(move);
    }
    child.score = move.step == Step::stone ? score_of(move.stone) : ~u32{0};
    children_.push_back(child);
}

u32& Solver::score_of(Stone stone) {
    const int slot = stone.colour * board_.geometry().span + stone.at;
    return scores_[board_.player()][static_cast<std::size_t>(slot)];
}

// Push the children of the present node: the half turns that go on with it. Not a swap, after which
// the same colour is on turn in the same position: values are those of colours.
void Solver::expand() {
    const std::size_t begin = children_.size();
    const Geometry& g = board_.geometry();
    u16 list[max_cells];
    const int count = board_.list_empty(list);
    const bool own = board_.only_own();
    const bool has_parity = board_.rules().parity != none, fits = board_.fits();
    const bool pending = board_.is_pending();
    if (pending) {
        if (board_.may_end()) add_child({Step::end, {}});
    } else if (may_pass(board_)) {
        // Passing is the reply to a pass that ends the game, so it comes first.
        add_child({Step::pass, {}});
    }
    const bool second_allowed = board_.may_drop_two();
    if (pending && !second_allowed) return;
    for (const int colour : {black, white}) {
        if (own && colour != board_.player()) continue;
        for (int i = 0; i < count; ++i) {
            const Stone stone{list[i], static_cast<u16>(colour)};
            // Only a second stone may mend a number of groups that a turn may not end with.
            const bool is_last = has_parity && (pending || !second_allowed);
            if (is_last && touch(g, board_.planes(), stone).flips() == fits) continue;
            add_child({Step::stone, stone});
        }
    }
    drop_duplicates(begin);
    if (leaf_ >= guided_leaf && !pending) rank(begin);
    std::stable_sort(children_.begin() + static_cast<std::ptrdiff_t>(begin), children_.end(),
                     [](const Child& a, const Child& b) { return a.score > b.score; });
}

void Solver::drop_duplicates(std::size_t begin) {
    if (board_.geometry().cells - board_.state().empty > few_stones) return;
    std::size_t kept = begin;
    for (std::size_t i = begin; i < children_.size(); ++i) {
        bool seen = false;
        for (std::size_t j = begin; j < kept && !children_[i].decided; ++j)
            seen |= !children_[j].decided && children_[j].key == children_[i].key;
        if (!seen) children_[kept++] = children_[i];
    }
    children_.resize(kept);
}

// Score children by the visits of a short tree search, which takes less time than a sweep.
void Solver::rank(std::size_t begin) {
    SearchSettings settings;
    settings.memory = guide_memory;
    Search guide(board_, settings, 0);
    for (int part = 0; part < guide_parts && !poll(); ++part) guide.run({guide_playouts});
    for (const MoveReport& found : guide.report({}, children_.size() - begin))
        for (std::size_t i = begin; i < children_.size(); ++i)
            if (const Move& move = children_[i].move; move.step == Step::stone &&
                                                      move.stone.at == found.move.stone.at &&
                                                      move.stone.colour == found.move.stone.colour)
                children_[i].score = static_cast<u32>(found.visits);
}

void Solver::refresh(Child& child) {
    if (child.decided) return;
    const Entry* const entry = look_up(child.key);
    const Numbers n = entry ? entry->numbers : Numbers{1, 1};
    child.numbers = child.same_player ? n : Numbers{n.loss, n.win};
}

// The node's numbers from its children's; which child is nearest to a win, and the runner-up's
// distance.
Solver::Numbers Solver::combine(std::size_t begin, std::size_t& best, u32& second) const {
    u32 least = infinite;
    second = infinite;
    u64 most = 0;
    u64 open = 0;
    best = begin;
    for (std::size_t i = begin; i < children_.size(); ++i) {
        const Numbers& n = children_[i].numbers;
        if (n.win < least) {
            second = least;
            least = n.win;
            best = i;
        } else {
            second = std::min(second, n.win);
        }
        if (n.loss) {
            ++open;
            most = std::max<u64>(most, n.loss);
        }
    }
    if (least == 0) return {0, infinite};
    if (!open || least == infinite) return {infinite, 0};
    return {least, capped(most + open - 1)};
}

// Whether the clock or the caller ends the search.
bool Solver::poll() {
    if (limits_.seconds > 0 && spent() >= limits_.seconds) stopped_ = true;
    if (interrupted_ && interrupted_()) stopped_ = true;
    return stopped_;
}

bool Solver::out_of_budget() {
    if (limits_.nodes && nodes_ >= limits_.nodes) stopped_ = true;
    if (++polls_ % clock_interval == 0) poll();
    return stopped_;
}

double Solver::spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

// Whether a sweep solves the position. Not where it could not: a first turn is of one stone, and
// White may take over Black's.
bool Solver::is_leaf() const {
    const Board::State& state = board_.state();
    return leaf_ && state.empty <= leaf_ && state.number > (board_.rules().pie ? 2 : 1);
}

// The last sweep, or a new one if that does not know the position's turns; null if the budget ends
// first.
const Layers* Solver::sweep() {
    if (last_ && (last_->begins_at(board_) || last_->covers(board_))) return last_.get();
    last_ = std::make_unique<Layers>(board_, LayerOptions{false, limits_.threads});
    ++sweeps_;
    if (!last_->run([this] { return poll(); })) last_.reset();
    return last_.get();
}

Solver::Numbers Solver::search(Numbers limit) {
    ++nodes_;
    const Key here = key();
    const Entry* const known = look_up(here);
    if (known && (!known->numbers.win || !known->numbers.loss)) return known->numbers;
    if (is_leaf()) {
        const Layers* const swept = sweep();
        if (!swept) return {1, 1};
        const bool wins = is_won(swept->best(board_).second);
        const Numbers numbers = wins ? Numbers{0, infinite} : Numbers{infinite, 0};
        store(here, numbers, fillings_of(board_.state().empty));
        return numbers;
    }
    const u64 nodes_before = nodes_;
    const std::size_t begin = children_.size();
    expand();
    for (std::size_t i = begin; i < children_.size(); ++i) refresh(children_[i]);
    Numbers numbers;
    std::size_t best = begin;
    for (;;) {
        u32 second = infinite;
        numbers = combine(begin, best, second);
        if (numbers.win >= limit.win || numbers.loss >= limit.loss || numbers.win == 0 ||
            numbers.loss == 0 || out_of_budget())
            break;
        // The child may grow somewhat beyond the runner-up before another is looked at.
        u32 open = 0;
        for (std::size_t i = begin; i < children_.size(); ++i)
            open += children_[i].numbers.loss != 0;
        const u32 runner_up = second == infinite ? infinite : capped(u64{second} + second / 4 + 1);
        const Numbers child_limit{std::min(limit.win, runner_up),
                                  limit.loss == infinite ? infinite : limit.loss - (open - 1)};
        const Child child = children_[best];
        const Board::Undo undo_move = play(child.move);
        if (child.same_player)
            search(child_limit);
        else
            search({child_limit.loss, child_limit.win});
        undo(undo_move);
        refresh(children_[best]);
    }
    if (numbers.win == 0 && children_[best].move.step == Step::stone)
        ++score_of(children_[best].move.stone);
    children_.resize(begin);
    if (!stopped_ || numbers.win == 0 || numbers.loss == 0)
        store(here, numbers, nodes_ - nodes_before + 1);
    return numbers;
}

// -- results -----------------------------------------------------------------------------------

int Solver::prove() {
    while (!stopped_) {
        const Numbers numbers = search({infinite, infinite});
        if (numbers.win == 0) return board_.player();
        if (numbers.loss == 0) return 1 - board_.player();
    }
    return none;
}

// Whether a half turn can be gone on with: a first stone may need a second that the rules, or the
// order in which pairs are tried, do not offer.
bool Solver::leads_on(Move move) {
    const Board::Undo undo_move = play(move);
    const std::size_t begin = children_.size();
    if (board_.is_pending()) expand();
    const bool leads = !board_.is_pending() || children_.size() > begin;
    children_.resize(begin);
    undo(undo_move);
    return leads;
}

// The best half turn of the present, proven node: one that keeps the win, or the one that took
// the most work to refute. False if the budget ends first.
bool Solver::choose(Move& chosen) {
    const int winner = prove();
    if (winner == none) return false;
    const int player = board_.player();
    const std::size_t begin = children_.size();
    expand();
    const std::vector<Child> children(children_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      children_.end());
    children_.resize(begin);
    bool found = false;
    u32 most = 0;
    for (Child child : children) {
        refresh(child);
        if (child.numbers.win == 0) {
            chosen = child.move;
            return true;
        }
        if (winner == player || !leads_on(child.move)) continue;
        const Entry* const entry = child.decided ? nullptr : look_up(child.key);
        const u32 work = entry ? entry->work : 0;
        if (!found || work > most) {
            chosen = child.move;
            most = work;
            found = true;
        }
    }
    // The table may have lost the winning child: prove them again until it turns up.
    for (std::size_t i = 0; winner == player && i < children.size(); ++i) {
        if (children[i].decided) continue;
        const Board::Undo undo_move = play(children[i].move);
        const int child_winner = prove();
        undo(undo_move);
        if (child_winner == none) return false;
        if (child_winner == player) {
            chosen = children[i].move;
            return true;
        }
    }
    return found;
}

// Best play of both sides from here to the end of the game, as far as the budget allows.
std::vector<Turn> Solver::best_line() {
    std::vector<Turn> line;
    std::vector<Board::Undo> played;
    const auto go_on = [&](Move move) { played.push_back(play(move)); };
    Turn turn;
    while (!board_.is_over()) {
        const bool leaf = is_leaf();
        Turn rest;
        if (leaf) {
            const Layers* const swept = sweep();
            if (!swept) break;
            rest = swept->best(board_).first;
        } else {
            Move move;
            if (!choose(move)) break;
            rest = {move.step, move.step == Step::stone, {move.stone, {}}};
        }
        for (int i = 0; i < rest.stones; ++i) {
            turn.stone[turn.stones++] = rest.stone[i];
            go_on({Step::stone, rest.stone[i]});
        }
        if (!rest.stones) {
            if (rest.kind != Step::end) turn.kind = rest.kind;
            go_on({rest.kind, {}});
        } else if (leaf && board_.is_pending()) {
            go_on({Step::end, {}});
        }
        if (board_.is_pending()) continue;
        line.push_back(turn);
        turn = {};
    }
    for (; !played.empty(); played.pop_back()) undo(played.back());
    return line;
}

// -- the table ---------------------------------------------------------------------------------

// The first of the places of a key.
Solver::Entry* Solver::places_of(const Key& key) {
    return &table_[hash_of(key.code, key.extra) & (table_.size() - 1) & ~(bucket - 1)];
}

const Solver::Entry* Solver::look_up(const Key& key) {
    const Entry* const places = places_of(key);
    const auto* const found =
        std::find_if(places, places + bucket, [&](const Entry& entry) { return entry.has(key); });
    return found == places + bucket ? nullptr : found;
}

void Solver::store(const Key& key, Numbers numbers, u64 work) {
    Entry* const places = places_of(key);
    Entry* victim = places;
    for (u64 i = 0; i < bucket; ++i) {
        if (places[i].has(key)) {
            victim = &places[i];
            work += victim->work;
            break;
        }
        if (places[i].work < victim->work) victim = &places[i];
    }
    *victim = {key.code, key.extra, numbers, capped(work)};
}

int Solver::leaf_cells(const Board& board, const SolveLimits& limits) {
    if (!Layers::can_sweep(board.rules())) return 0;
    const auto fits = [&](int cells) {
        const double seconds = static_cast<double>(fillings_of(cells)) * filling_seconds;
        return (limits.seconds <= 0 || seconds <= limits.seconds * limits.threads / least_sweeps) &&
               (!limits.nodes || fillings_of(cells) <= limits.nodes / filling_nodes) &&
               sweep_memory(board, cells, limits.threads) <= limits.memory;
    };
    const bool given = limits.leaf != SolveLimits::automatic;
    int cells = std::min(given ? limits.leaf : board.state().empty, most_swept);
    while (cells > 0 && !fits(cells)) --cells;
    return cells;
}

Solution Solver::solve() {
    if (board_.is_pending()) throw std::invalid_argument("a turn is in progress");
    Solution solution;
    solution.winner = board_.is_over() ? board_.score().winner : prove();
    stopped_ = false;
    if (solution.winner != none) solution.line = best_line();
    solution.nodes = nodes_;
    solution.sweeps = sweeps_;
    solution.seconds = spent();
    return solution;
}

}  // namespace yoddd
