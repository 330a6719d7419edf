#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

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
constexpr int pending_shift = 4;

constexpr u32 capped(u64 value) { return static_cast<u32>(std::min<u64>(value, infinite - 1)); }

}  // namespace

Solver::Solver(const Board& board, const SolveLimits& limits, std::function<bool()> interrupted)
    : board_(board),
      limits_(limits),
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
    const u64 entries = std::max<u64>(limits.memory / sizeof(Entry), 16 * bucket);
    table_.resize(std::bit_floor(entries), Entry{0, ~u32{0}, {1, 1}, 0});
    table_mask_ = table_.size() - 1;
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
    if (board_.is_pending()) {
        // Seconds are tried in one order only, which symmetries do not respect.
        const Stone first = board_.pending();
        extra |= (2u * first.at + first.colour + 1) << pending_shift;
        return {plain_[0], extra | (state.player == white ? white_on_turn : 0u)};
    }
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

const Solver::Entry* Solver::look_up(const Key& key) const {
    const u64 at =
        split_mix(key.code ^ static_cast<u64>(key.extra) << 40) & table_mask_ & ~(bucket - 1);
    for (u64 i = at; i < at + bucket; ++i)
        if (table_[i].code == key.code && table_[i].extra == key.extra) return &table_[i];
    return nullptr;
}

void Solver::store(const Key& key, Numbers numbers, u64 work) {
    const u64 at =
        split_mix(key.code ^ static_cast<u64>(key.extra) << 40) & table_mask_ & ~(bucket - 1);
    Entry* victim = &table_[at];
    for (u64 i = at; i < at + bucket; ++i) {
        Entry& entry = table_[i];
        if (entry.code == key.code && entry.extra == key.extra) {
            victim = &entry;
            work += entry.work;
            break;
        }
        if (entry.work < victim->work) victim = &entry;
    }
    *victim = {key.code, key.extra, numbers, capped(work)};
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
    children_.push_back(child);
}

// Push the children of the present node: the half turns that go on with it.
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
    } else if (board_.may_swap()) {
        add_child({Step::swap, {}});
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
                if (pending) {
                    const Stone first = board_.pending();
                    // Each pair once: the second stone comes later in canonical order.
                    const bool later =
                        colour != first.colour ? colour > first.colour : stone.at > first.at;
                    if (!later || leaves_even) continue;
                } else if (!second_allowed && leaves_even) {
                    continue;
                }
            }
            add_child({Step::stone, stone});
        }
    }
    drop_duplicates(begin);
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
    const Entry* entry = look_up(child.key);
    const Numbers numbers = entry ? entry->numbers : Numbers{1, 1};
    child.numbers = child.same_player ? numbers : Numbers{numbers.loss, numbers.win};
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

bool Solver::out_of_budget() {
    if (limits_.nodes && nodes_ >= limits_.nodes) return stopped_ = true;
    if (nodes_ % clock_interval == 0) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        stopped_ |= limits_.seconds > 0 && spent.count() >= limits_.seconds;
        stopped_ |= interrupted_ && interrupted_();
    }
    return stopped_;
}

Solver::Numbers Solver::search(Numbers limit) {
    ++nodes_;
    const Key here = key();
    const u64 nodes_before = nodes_;
    const std::size_t begin = children_.size();
    expand();
    for (std::size_t i = begin; i < children_.size(); ++i) refresh(children_[i]);
    Numbers numbers;
    for (;;) {
        std::size_t best = begin;
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
    children_.resize(begin);
    if (!stopped_ || numbers.win == 0 || numbers.loss == 0)
        store(here, numbers, nodes_ - nodes_before + 1);
    return numbers;
}

// -- results -----------------------------------------------------------------------------------

bool Solver::prove(int& winner) {
    const Numbers numbers = search({infinite, infinite});
    if (numbers.win == 0) winner = board_.player();
    if (numbers.loss == 0) winner = 1 - board_.player();
    return numbers.win == 0 || numbers.loss == 0;
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
    int winner = none;
    if (!prove(winner)) return false;
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
        const Entry* entry = child.decided ? nullptr : look_up(child.key);
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
        int child_winner = none;
        const bool proven = prove(child_winner);
        undo(undo_move);
        if (!proven) return false;
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

Solution Solver::solve() {
    if (board_.is_pending()) throw std::invalid_argument("a turn is in progress");
    start_ = std::chrono::steady_clock::now();
    Solution solution;
    if (board_.is_over())
        solution.winner = board_.score().winner;
    else if (prove(solution.winner))
        solution.line = best_line();
    solution.nodes = nodes_;
    solution.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return solution;
}

}  // namespace yoddd
