#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <stdexcept>

#include "layers.hpp"
#include "rng.hpp"

namespace yoddd {
namespace {

constexpr u32 infinite = 1u << 30;
constexpr int exact_cells = 40;  // 3^40 < 2^64
constexpr u64 bucket = 4;
constexpr u64 clock_interval = 1024;
constexpr int few_stones = 8;  // beyond, symmetric children are too rare to look for

// Bits of a key's second half.
constexpr u32 white_on_turn = 1;
constexpr u32 one_pass = 2;
constexpr int number_shift = 2;
constexpr u32 in_turn = 16;  // the player has dropped a first stone

// The leaves of a search are so many cells below its root, unless memory forbids it. With fewer,
// sweeps take the time, with more the nodes and ever more sweeps do.
constexpr int two_stone_depth = 3;
constexpr int one_stone_depth = 2;
constexpr int shared_cells = 24;  // groups of all fillings are counted at the root up to so many

constexpr u32 capped(u64 value) { return static_cast<u32>(std::min<u64>(value, infinite - 1)); }

// Added to the numbers of a node that another thread is at.
constexpr u32 busy = 4;

// Of so many empty cells.
u64 fillings_of(int cells) {
    u64 fillings = 1;
    while (cells-- > 0) fillings *= 3;
    return fillings;
}

u64 hash_of(u64 code, u32 extra) { return split_mix(code ^ u64{extra} << 40); }

}  // namespace

Solver::Solver(const Board& board, SolverShared& shared, std::function<bool()> interrupted)
    : board_(board),
      shared_(shared),
      interrupted_(std::move(interrupted)),
      symmetries_(static_cast<int>(board.geometry().symmetries.size())) {
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
    const bool odd_game = board_.rules().game == Game::odd;
    const u32 number = std::min<u32>(state.number, board_.rules().pie ? 3 : 2);
    u32 extra = number << number_shift | (state.passes ? one_pass : 0u);
    if (board_.is_pending()) extra |= in_turn;
    // Exchanging the colours changes the winner with the player on turn, save in Odd, where
    // it changes neither.
    const auto least = [](const std::vector<u64>& codes) {
        return *std::min_element(codes.begin(), codes.end());
    };
    if (odd_game)
        return {std::min(least(plain_), least(flipped_)),
                extra | (state.player == white ? white_on_turn : 0u)};
    return {least(state.player == white ? flipped_ : plain_), extra};
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
    const bool own = board_.rules().only_own();
    const bool odd = board_.odd();
    const bool pending = board_.is_pending();
    if (pending) {
        if (board_.may_end()) add_child({Step::end, {}});
    } else if (board_.rules().odd_total()) {
        // Passing is the reply to a pass that ends the game, so it comes first.
        const bool allowed = odd && (!board_.rules().own_colour || !Drops(board_).any());
        if (allowed) add_child({Step::pass, {}});
    }
    const bool second_allowed = board_.may_drop_two();
    if (pending && !second_allowed) return;
    for (const int colour : {black, white}) {
        if (own && colour != board_.player()) continue;
        for (int i = 0; i < count; ++i) {
            const Stone stone{list[i], static_cast<u16>(colour)};
            if (board_.two_stones()) {
                // Whether the count would be even with it, where it has to be odd in the end.
                const bool leaves_even =
                    board_.rules().odd_total() && touch(g, board_.planes(), stone).flips() == odd;
                if (leaves_even && (pending || !second_allowed)) continue;
            }
            add_child({Step::stone, stone});
        }
    }
    drop_duplicates(begin);
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

void Solver::refresh(Child& child) const {
    if (child.decided) return;
    Entry entry;
    shared_.look_up(child.key, entry);
    const Numbers n = entry.numbers;
    child.numbers = child.same_player ? n : Numbers{n.loss, n.win};
    u32& win = child.numbers.win;
    if (win && win < infinite &&
        shared_.is_busy(*this, depth_ + 1, hash_of(child.key.code, child.key.extra)))
        win = capped(u64{win} + win / 2 + busy);
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

// Whether the clock or the caller ends the search; asks the caller only on its own thread.
bool Solver::poll() {
    const SolveLimits& limits = shared_.limits_;
    if (limits.seconds > 0 && shared_.spent() >= limits.seconds) shared_.stopped_ = true;
    if (interrupted_ && interrupted_()) shared_.stopped_ = true;
    return shared_.stopped_;
}

bool Solver::out_of_budget() {
    const u64 nodes = shared_.nodes_;
    if (shared_.limits_.nodes && nodes >= shared_.limits_.nodes) shared_.stopped_ = true;
    if (++polls_ % clock_interval == 0) poll();
    return shared_.stopped_;
}

// Whether a sweep solves the position. Not where it could not: a first turn is of one stone, and
// White may take over Black's.
bool Solver::is_leaf() const {
    const Board::State& state = board_.state();
    return shared_.leaf_ && state.empty <= shared_.leaf_ &&
           state.number > (board_.rules().pie ? 2 : 1);
}

Solver::Numbers Solver::sweep() {
    const int empty = board_.state().empty;
    const int threads = shared_.searching_.empty() ? shared_.limits_.threads : 1;
    Layers sweep(board_, {false, LayerOptions::least, threads},
                 shared_.has_groups_ ? &shared_.groups_ : nullptr);
    ++shared_.sweeps_;
    if (!sweep.run([this] { return poll(); })) return {1, 1};
    const Numbers numbers = sweep.wins() ? Numbers{0, infinite} : Numbers{infinite, 0};
    shared_.store(key(), numbers, fillings_of(empty));
    return numbers;
}

Solver::Numbers Solver::search(Numbers limit) {
    ++shared_.nodes_;
    if (is_leaf()) return sweep();
    const Key here = key();
    const u64 nodes_before = shared_.nodes_;
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
        enter(child);
        if (child.same_player)
            search(child_limit);
        else
            search({child_limit.loss, child_limit.win});
        leave();
        for (std::size_t i = begin; i < children_.size(); ++i)
            if (i == best || shared_.limits_.threads > 1) refresh(children_[i]);
    }
    if (numbers.win == 0 && children_[best].move.step == Step::stone)
        ++score_of(children_[best].move.stone);
    children_.resize(begin);
    if (!shared_.stopped_ || numbers.win == 0 || numbers.loss == 0)
        shared_.store(here, numbers, shared_.nodes_ - nodes_before + 1);
    return numbers;
}

// Play the half turn of a child, and let other threads see it.
void Solver::enter(const Child& child) {
    undos_.push_back(play(child.move));
    ++depth_;
    if (depth_ < path_.size()) path_[depth_] = hash_of(child.key.code, child.key.extra);
}

void Solver::leave() {
    if (depth_ < path_.size()) path_[depth_] = 0;
    --depth_;
    undo(undos_.back());
    undos_.pop_back();
}

// -- results -----------------------------------------------------------------------------------

int Solver::prove() {
    while (!shared_.stopped_) {
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
        Entry entry;
        const u32 work = !child.decided && shared_.look_up(child.key, entry) ? entry.work : 0;
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

// Best play of both sides from here to the end of the game.
std::vector<Turn> Solver::best_line() {
    std::vector<Turn> line;
    std::vector<Board::Undo> played;
    Turn turn;
    Move move;
    while (!board_.is_over() && choose(move)) {
        if (move.step == Step::stone)
            turn.stone[turn.stones++] = move.stone;
        else if (move.step != Step::end)
            turn.kind = move.step;
        played.push_back(play(move));
        if (!board_.is_pending()) {
            line.push_back(turn);
            turn = {};
        }
    }
    for (; !played.empty(); played.pop_back()) undo(played.back());
    return line;
}

// -- threads -----------------------------------------------------------------------------------

int SolverShared::leaf_cells(const Board& board, const SolveLimits& limits) {
    const int empty = board.state().empty;
    const auto fits = [&](int cells, int threads) {
        const u64 bytes = Layers::memory(board, cells, {false, LayerOptions::least, 1}) *
                          static_cast<u64>(threads);
        const u64 fillings = fillings_of(cells);
        return bytes <= limits.memory / 2 && (!limits.nodes || fillings <= limits.nodes / 64);
    };
    if (limits.leaf == SolveLimits::automatic && empty <= most_swept && fits(empty, 1))
        return empty;
    int leaf = limits.leaf == SolveLimits::automatic
                   ? empty - (board.rules().two_stones() ? two_stone_depth : one_stone_depth)
                   : limits.leaf;
    leaf = std::min(leaf, most_swept);
    while (leaf > 0 && !fits(leaf, limits.threads)) --leaf;
    return leaf;
}

SolverShared::SolverShared(const Board& board, const SolveLimits& limits)
    : board_(board),
      limits_(limits),
      leaf_(leaf_cells(board, limits)),
      locks_(limits.threads > 1 ? stripes : 1) {
    const int empty = board.state().empty;
    u64 memory = limits.memory;
    if (leaf_)
        memory -=
            std::min(memory / 2, Layers::memory(board, leaf_, {false, LayerOptions::least, 1}) *
                                     static_cast<u64>(limits.threads));
    const u64 groups = empty <= shared_cells ? LayerPlanes::memory(board.rules(), empty) : memory;
    has_groups_ = leaf_ && groups <= memory / 4;
    if (has_groups_) memory -= groups;
    const u64 entries = std::max<u64>(memory / sizeof(Entry), 16 * bucket);
    table_.resize(std::bit_floor(entries));
}

u64 SolverShared::bucket_of(const Key& key) const {
    return hash_of(key.code, key.extra) & (table_.size() - 1) & ~(bucket - 1);
}

bool SolverShared::look_up(const Key& key, Entry& found) const {
    const u64 at = bucket_of(key);
    const std::lock_guard held(locks_[at / bucket % locks_.size()]);
    for (u64 i = at; i < at + bucket; ++i)
        if (table_[i].code == key.code && table_[i].extra == key.extra) {
            found = table_[i];
            return true;
        }
    return false;
}

void SolverShared::store(const Key& key, Solver::Numbers numbers, u64 work) {
    const u64 at = bucket_of(key);
    const std::lock_guard held(locks_[at / bucket % locks_.size()]);
    Entry* victim = &table_[at];
    for (u64 i = at; i < at + bucket; ++i) {
        Entry& entry = table_[i];
        if (entry.code == key.code && entry.extra == key.extra) {
            // Another thread may have proven it meanwhile.
            if (!entry.numbers.win || !entry.numbers.loss) return;
            victim = &entry;
            work += entry.work;
            break;
        }
        if (entry.work < victim->work) victim = &entry;
    }
    *victim = {key.code, key.extra, numbers, capped(work)};
}

// Whether another thread is at a node.
bool SolverShared::is_busy(const Solver& asks, std::size_t depth, u64 key) const {
    if (searching_.size() < 2 || depth >= asks.path_.size()) return false;
    return std::any_of(searching_.begin(), searching_.end(), [&](const Solver* other) {
        return other != &asks && other->path_[depth].load(std::memory_order_relaxed) == key;
    });
}

double SolverShared::spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

// The winner; the first thread to prove it ends the others.
int SolverShared::prove_together(Solver& first) {
    if (limits_.threads < 2 || first.is_leaf()) return first.prove();
    std::vector<std::unique_ptr<Solver>> others;
    for (int i = 1; i < limits_.threads; ++i)
        others.push_back(std::make_unique<Solver>(board_, *this, std::function<bool()>{}));
    searching_ = {&first};
    for (const auto& other : others) searching_.push_back(other.get());
    std::atomic<int> winner{none};
    std::vector<std::exception_ptr> failures(searching_.size());
    const auto work = [&](std::size_t i) {
        try {
            const int found = searching_[i]->prove();
            if (found != none) winner = found;
        } catch (...) {
            failures[i] = std::current_exception();
        }
        stopped_ = true;
    };
    std::vector<Thread> threads;
    for (std::size_t i = 1; i < searching_.size(); ++i) threads.emplace_back(work, i);
    work(0);
    for (Thread& thread : threads) thread.join();
    searching_.clear();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return winner;
}

Solution SolverShared::solve(const std::function<bool()>& interrupted) {
    if (board_.is_pending()) throw std::invalid_argument("a turn is in progress");
    start_ = std::chrono::steady_clock::now();
    Solution solution;
    if (board_.is_over()) {
        solution.winner = board_.score().winner;
        return solution;
    }
    Solver first(board_, *this, interrupted);
    if (!has_groups_ || groups_.make(board_, limits_.threads, interrupted))
        solution.winner = prove_together(first);
    if (solution.winner != none) {
        stopped_ = false;
        solution.line = first.best_line();
    }
    solution.nodes = nodes_;
    solution.sweeps = sweeps_;
    solution.seconds = spent();
    return solution;
}

}  // namespace yoddd
