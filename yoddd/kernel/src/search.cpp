#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <string_view>
#include <thread>

#include "choose.hpp"
#include "legality.hpp"
#include "playout.hpp"

namespace yoddd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr float at_once = 1e6F;      // the value of what has to be looked at before all else
constexpr float exact_until = 1 << 16;  // a sum in a float that still takes what is added to it
constexpr u32 most_lent = 1 << 17;     // playouts of statistics before they are halved
constexpr u64 most_visits = (u64{1} << 31) - 1;  // what selection can count
constexpr double margin_scale = 6;   // groups; a lead of so many is worth most of a margin's share
constexpr u32 young_part = 8;        // a node that has this part of the playouts that lending takes
                                     // begins to keep statistics
constexpr std::size_t alignment = 16;

// A half turn in a node: the number of a stone, colour * cells + cell, or one of these.
enum : u16 { id_end = 0xfffd, id_pass = 0xfffe, id_swap = 0xffff };

template <class T>
T load(const std::atomic<T>& value) {
    return value.load(std::memory_order_relaxed);
}

// Adding without a locked instruction: what two threads lose in a million visits does no harm.
template <class T>
void add(std::atomic<T>& value, T by) {
    value.store(value.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

bool before(Stone a, Stone b) {
    return a.colour != b.colour ? a.colour < b.colour : a.at < b.at;
}

}  // namespace

// For each stone, how the playouts ended that had it on its cell at their end.
//
// The numbers of stones, here and in a node, are plain memory that threads write at the same time:
// compilers do not vectorise atomic accesses. An aligned word is written whole on every machine
// that we know, and an update lost now and then does no harm.
struct Search::Statistics {
    std::atomic<u32> playouts{0};
    u32* visits = nullptr;
    float* value = nullptr;  // sum of results for Black

    double black_value(u16 id, double otherwise) const {
        const u32 n = visits[id];
        return n ? value[id] / n : otherwise;
    }
};

// A position, in the middle of a turn or between turns. What belongs to its half turns lies in
// parallel arrays, so that selection runs over dense memory.
struct Search::Node {
    enum : u8 { leaf, growing, grown };

    std::atomic<u32> visits{0};
    std::atomic<u32> black_wins{0};
    std::atomic<double> value{0};   // sum of results for Black
    std::atomic<double> margin{0};  // sum of margins for Black
    std::atomic<signed char> proven{none};
    std::atomic<u8> stage{leaf};
    u8 player = black;
    u32 count = 0;
    u16* ids = nullptr;
    std::atomic<Node*>* below = nullptr;
    u32* child_visits = nullptr;    // plain memory, as in `Statistics`
    float* child_value = nullptr;   // sum of results for `player`
    std::atomic<signed char>* child_proven = nullptr;
    std::atomic<bool> knows{false};  // whether something is proven of a child
    std::atomic<Statistics*> statistics{nullptr};

    // The colour that wins here for certain by what is proven below, or none.
    int verdict() const {
        bool all_lost = count > 0;
        for (u32 i = 0; i < count; ++i) {
            const int known = load(child_proven[i]);
            if (known == player) return player;
            all_lost &= known != none;
        }
        return all_lost ? 1 - player : none;
    }
};

// Memory for nodes, handed out in order and freed as a whole.
class Search::Arena {
public:
    explicit Arena(u64 bytes)
        : bytes_(bytes), memory_(new (std::align_val_t{alignment}) char[bytes]) {}
    ~Arena() { ::operator delete[](memory_, std::align_val_t{alignment}); }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // So many new objects, or null when the memory is used up.
    template <class T>
    T* make(std::size_t count) {
        const u64 size = (count * sizeof(T) + alignment - 1) & ~u64{alignment - 1};
        const u64 at = used_.fetch_add(size, std::memory_order_relaxed);
        if (at + size > bytes_) return nullptr;
        T* first = reinterpret_cast<T*>(memory_ + at);
        for (std::size_t i = 0; i < count; ++i) new (first + i) T{};
        return first;
    }

    // Room for the half turns of `node`; false if there is not enough.
    bool make_children(Node& node, std::size_t count) {
        node.ids = make<u16>(count);
        node.below = make<std::atomic<Node*>>(count);
        node.child_visits = make<u32>(count);
        node.child_value = make<float>(count);
        node.child_proven = make<std::atomic<signed char>>(count);
        if (!node.ids || !node.below || !node.child_visits || !node.child_value ||
            !node.child_proven)
            return false;
        for (std::size_t i = 0; i < count; ++i) node.child_proven[i] = none;
        return true;
    }

    Statistics* make_statistics(std::size_t stones) {
        auto* made = make<Statistics>(1);
        if (!made) return nullptr;
        made->visits = make<u32>(stones);
        made->value = make<float>(stones);
        return made->visits && made->value ? made : nullptr;
    }

    Node* make_node(int player) {
        auto* node = make<Node>(1);
        if (!node) return nullptr;
        node->player = static_cast<u8>(player);
        nodes.fetch_add(1, std::memory_order_relaxed);
        return node;
    }

    std::atomic<u64> nodes{0};

private:
    u64 bytes_;
    std::atomic<u64> used_{0};
    char* memory_;
};

// One thread's simulations.
class Search::Worker {
public:
    Worker(Search& search, u64 seed)
        : search_(search), settings_(search.settings_), rng_(Pcg32::stream(seed, 0)) {}

    // One descent, at most one playout, and what it has taught. True if a playout was run.
    bool simulate() {
        board_ = search_.root_board_;
        path_.clear();
        const int winner = descend();
        if (winner == none) return roll_out();
        const Outcome known{winner, 1};
        back_up(known, false);
        prove();
        return false;
    }

private:
    struct Visit {
        Node* node;
        u32 child;
    };

    // Walk from the root to a leaf. Returns the winner where the end is known, or none.
    int descend() {
        Node* node = search_.root_;
        const Statistics* lent = nullptr;
        for (;;) {
            if (const Statistics* own = statistics_of(*node))
                if (!lent || load(own->playouts) >= settings_.rave_playouts) lent = own;
            if (!is_grown(*node) || node->count == 0) return none;
            const u32 child = select(*node, lent);
            // A visit whose result is still out counts as lost, which keeps other threads away.
            ++node->child_visits[child];
            path_.push_back({node, child});
            board_->play(search_.move_of(node->ids[child]));
            if (const int known = load(node->child_proven[child]); known != none) return seen(known);
            if (board_->is_over()) {
                const int winner = board_->score().winner;
                note(*node, child, winner);
                return winner;
            }
            Node* next = below(*node, child);
            if (!next) return none;
            if (const int known = load(next->proven); known != none) return known;
            node = next;
        }
    }

    // The statistics of a node that has earned some: most nodes are seen a few times only, and
    // theirs would never be lent.
    const Statistics* statistics_of(Node& node) {
        Statistics* found = node.statistics.load(std::memory_order_acquire);
        const bool earned = load(node.visits) >= settings_.rave_playouts / young_part ||
                            &node == search_.root_;
        if (found || !earned || !settings_.rave) return found;
        const auto stones = 2 * static_cast<std::size_t>(board_->geometry().cells);
        Statistics* made = search_.arena_->make_statistics(stones);
        if (!made) return nullptr;
        const bool first = node.statistics.compare_exchange_strong(
            found, made, std::memory_order_acq_rel, std::memory_order_acquire);
        return first ? made : found;
    }

    static void note(Node& node, u32 child, int winner) {
        node.child_proven[child].store(static_cast<signed char>(winner));
        node.knows.store(true, std::memory_order_relaxed);
    }

    // What the half turn just made is known to lead to, as the position after it sees it: a swap
    // exchanges the colours, and with them who is who.
    int seen(int winner) const { return is_swap(path_.back()) ? 1 - winner : winner; }

    static bool is_swap(const Visit& visit) { return visit.node->ids[visit.child] == id_swap; }

    // The node below a child, made at its first visit; null if memory is used up.
    Node* below(Node& node, u32 child) {
        Node* found = node.below[child].load(std::memory_order_acquire);
        if (found) return found;
        Node* made = search_.arena_->make_node(board_->player());
        if (!made) return nullptr;
        const bool first = node.below[child].compare_exchange_strong(
            found, made, std::memory_order_acq_rel, std::memory_order_acquire);
        return first ? made : found;
    }

    bool is_grown(Node& node) {
        const u8 stage = node.stage.load(std::memory_order_acquire);
        if (stage == Node::grown) return true;
        if (&node != search_.root_ && load(node.visits) + 1 < settings_.expand_visits) return false;
        u8 leaf = Node::leaf;
        if (!node.stage.compare_exchange_strong(leaf, Node::growing)) return false;
        const bool done = grow(node);
        // Where memory is used up the node stays as it is for good.
        node.stage.store(done ? Node::grown : Node::growing, std::memory_order_release);
        return done;
    }

    bool grow(Node& node) {
        list_ids();
        if (!search_.arena_->make_children(node, ids_.size())) return false;
        std::copy(ids_.begin(), ids_.end(), node.ids);
        node.count = static_cast<u32>(ids_.size());
        return true;
    }

    u16 id_of(Stone stone) const {
        const Geometry& g = board_->geometry();
        return static_cast<u16>(stone.colour * g.cells + g.cell[stone.at]);
    }

    // What may be played, of the two orders of a pair of stones only the canonical one: a first
    // stone is listed if it can stand alone or a later one can follow.
    void list_ids() {
        ids_.clear();
        if (board_->is_pending()) {
            list_seconds();
            if (board_->may_end()) ids_.push_back(id_end);
            return;
        }
        const Drops drops(*board_);
        const auto n = static_cast<int>(drops.candidates().size());
        for (int x = 0; x < n; ++x) {
            bool begins = drops.single_legal(x);
            for (int y = x + 1; !begins && y < n; ++y) begins = drops.pair_legal(x, y);
            if (begins) ids_.push_back(id_of(drops.candidates()[x].stone));
        }
        if (drops.pass_legal()) ids_.push_back(id_pass);
        if (drops.may_swap()) ids_.push_back(id_swap);
    }

    // The second stones behind the first one, as `Drops` would say; most nodes list nothing else.
    void list_seconds() {
        if (!board_->may_drop_two() || board_->is_over()) return;
        const Rules& rules = board_->rules();
        const Stone first = board_->pending();
        u16 list[max_cells];
        const int count = board_->list_empty(list);
        for (u16 colour = first.colour; colour <= white; ++colour) {
            if (rules.only_own() && colour != board_->player()) continue;
            for (int i = 0; i < count; ++i) {
                const Stone second{list[i], colour};
                if (!before(first, second)) continue;
                if (!rules.odd_total() ||
                    touch(board_->geometry(), board_->planes(), second).flips() != board_->odd())
                    ids_.push_back(id_of(second));
            }
        }
    }

    // The half turn to follow: one that is proven to win, else the most promising one that is not
    // proven to lose, else any.
    u32 select(const Node& node, const Statistics* lent) {
        const u32 stones = promise(node, lent);
        if (settings_.exploration > 0) explore(node);
        // What has no statistics is looked at before all else.
        for (u32 i = stones; i < node.count; ++i)
            if (node.child_visits[i] == 0) promises_[i] = at_once;
        if (load(node.knows)) {
            for (u32 i = 0; i < node.count; ++i) {
                const int known = load(node.child_proven[i]);
                if (known == node.player) return i;
                if (known != none) promises_[i] = 0;
            }
        }
        // Where several promise as much, which is usual before the first visit, any of them.
        return chooser_.best(promises_.data(), node.count, rng_.below(node.count));
    }

    // Write what each child promises. Returns how many there are statistics for; those are the
    // first ones.
    u32 promise(const Node& node, const Statistics* lent) {
        const u32 visits = std::max<u32>(1, load(node.visits));
        const double mean = load(node.value) / visits;
        u32 stones = lent ? node.count : 0;
        while (stones > 0 && node.ids[stones - 1] >= id_end) --stones;
        promises_.resize(node.count);
        chooser_.promise({.count = node.count,
                          .stones = stones,
                          .ids = node.ids,
                          .visits = node.child_visits,
                          .value = node.child_value,
                          .lent_visits = lent ? lent->visits : nullptr,
                          .lent_value = lent ? lent->value : nullptr,
                          .white = node.player == white,
                          .mean = static_cast<float>(node.player == black ? mean : 1 - mean),
                          .bias = static_cast<float>(settings_.rave_bias)},
                         promises_.data());
        return stones;
    }

    // UCB1 on top.
    void explore(const Node& node) {
        const auto width = static_cast<float>(
            settings_.exploration * std::sqrt(std::log(load(node.visits) + 1.0)));
        for (u32 i = 0; i < node.count; ++i)
            promises_[i] += width / std::sqrt(static_cast<float>(node.child_visits[i] + 1));
    }

    bool roll_out() {
        const PlayoutResult result = playout(*board_, rng_, &final_cells_);
        back_up({result.winner, result.score}, true);
        return true;
    }

    // Add a result to everything on the path, from the leaf up; that of a playout also to the
    // stones that lay on the board at its end.
    void back_up(Outcome outcome, bool from_playout) {
        int winner = outcome.winner;
        double margin = winner == black ? outcome.score : -outcome.score;
        const double lead = 0.5 + 0.5 * std::tanh(margin / margin_scale);
        const double w = from_playout ? settings_.margin_weight : 0;
        double value = (1 - w) * (winner == black) + w * lead;
        if (from_playout && settings_.rave) spread(static_cast<float>(value));
        for (auto visit = path_.rbegin(); visit != path_.rend(); ++visit) {
            Node* const next = load(visit->node->below[visit->child]);
            if (next) count(*next, winner, value, margin, from_playout);
            if (is_swap(*visit)) {
                winner = 1 - winner;
                value = 1 - value;
                margin = -margin;
                if (from_playout && settings_.rave) spread(static_cast<float>(value));
            }
            const double mine = visit->node->player == black ? value : 1 - value;
            float& sum = visit->node->child_value[visit->child];
            if (next && sum >= exact_until)
                sum = exact_sum(*visit, *next);
            else
                sum += static_cast<float>(mine);
        }
        count(*search_.root_, winner, value, margin, from_playout);
    }

    // The sum of results of a half turn that was followed so often that adding one more to a float
    // would round it: what the node below says, which counts in doubles.
    static float exact_sum(const Visit& visit, const Node& next) {
        const double mean = load(next.value) / load(next.visits);
        const bool same = (visit.node->player == black) != is_swap(visit);
        const u32 visits = visit.node->child_visits[visit.child];
        return static_cast<float>((same ? mean : 1 - mean) * visits);
    }

    // What a playout adds to each stone's statistics: a visit and its value, or nothing.
    void spread(float value) {
        const std::size_t cells = final_cells_.size();
        more_visits_.assign(2 * cells, 0);
        more_value_.assign(2 * cells, 0);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const int colour = final_cells_[cell];
            if (colour == none) continue;
            const std::size_t id = static_cast<std::size_t>(colour) * cells + cell;
            more_visits_[id] = 1;
            more_value_[id] = value;
        }
    }

    void count(Node& node, int winner, double value, double margin, bool from_playout) {
        add(node.visits, u32{1});
        add(node.value, value);
        add(node.margin, margin);
        if (winner == black) add(node.black_wins, u32{1});
        Statistics* statistics = load(node.statistics);
        if (!statistics || !from_playout) return;
        add(statistics->playouts, u32{1});
        chooser_.gather(statistics->visits, statistics->value, more_visits_.data(),
                        more_value_.data(), more_visits_.size());
        if (load(statistics->playouts) >= most_lent) halve(*statistics);
    }

    // Keep sums in floats small enough to be exact; what they say of a stone stays the same.
    void halve(Statistics& statistics) const {
        u32 whole = load(statistics.playouts);
        if (whole < most_lent || !statistics.playouts.compare_exchange_strong(whole, whole / 2))
            return;  // another thread has done it
        for (std::size_t id = 0; id < more_visits_.size(); ++id) {
            const u32 kept = statistics.visits[id] / 2;
            if (kept) statistics.value[id] *= static_cast<float>(kept) / statistics.visits[id];
            statistics.visits[id] = kept;
        }
    }

    // What is known below is known above, as far as it decides.
    void prove() {
        for (auto visit = path_.rbegin(); visit != path_.rend(); ++visit) {
            Node& node = *visit->node;
            if (const Node* next = load(node.below[visit->child]))
                if (const signed char known = load(next->proven); known != none)
                    note(node, visit->child, is_swap(*visit) ? 1 - known : known);
            const int winner = node.verdict();
            if (winner == none) return;
            node.proven.store(static_cast<signed char>(winner));
        }
    }

    Search& search_;
    const SearchSettings& settings_;
    const Chooser& chooser_ = chooser();
    Pcg32 rng_;
    std::optional<Board> board_;
    std::vector<Visit> path_;
    std::vector<u16> ids_;
    std::vector<int> final_cells_;
    std::vector<u32> more_visits_;  // of each stone, by the last playout
    std::vector<float> more_value_;
    std::vector<float> promises_;  // of each child of the node looked at
};

const Chooser& chooser() {
#if defined(YODDD_HAVE_V3)
    if (std::string_view(instruction_set()) == "x86-64-v3") return v3_chooser;
#endif
    return baseline_chooser;
}

// -- the search as a whole ---------------------------------------------------------------------

Search::Search(const Board& board, const SearchSettings& settings, u64 seed)
    : root_board_(board),
      settings_(settings),
      seed_(seed),
      arena_(std::make_unique<Arena>(settings.memory)),
      root_(arena_->make_node(board.player())) {}

Search::~Search() {
    stop();
    join();
}

SearchStats Search::run(const SearchLimits& limits) {
    begin(limits);
    join();
    return stats();
}

void Search::begin(const SearchLimits& limits) {
    stop();
    join();
    const auto length = std::chrono::duration<double>(std::min(limits.seconds, 1e9));
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
    limits_ = limits;
    limits_.visits = std::min(limits.visits, most_visits);
    stopped_ = root_board_.is_over();
    playouts_ = 0;
    const auto wanted = static_cast<std::size_t>(std::max(1, settings_.threads));
    while (workers_.size() < wanted)
        workers_.push_back(std::make_unique<Worker>(*this, split_mix(seed_) + workers_.size()));
    // The first simulation is the caller's, so that there is one, however little time there is.
    simulate(*workers_[0]);
    active_ = wanted;
    for (const auto& worker : workers_) threads_.emplace_back([&] { work(*worker); });
}

// One simulation, and whether that was enough.
void Search::simulate(Worker& worker) {
    if (load(stopped_)) return;
    if (worker.simulate()) playouts_.fetch_add(1, std::memory_order_relaxed);
    if (Clock::now() >= deadline_ || load(root_->proven) != none ||
        load(playouts_) >= limits_.playouts || load(root_->visits) >= limits_.visits)
        stop();
}

// What one thread does until somebody says that it is enough.
void Search::work(Worker& worker) {
    while (!load(stopped_)) simulate(worker);
    const std::lock_guard held(mutex_);
    if (--active_ == 0) ended_.notify_all();
}

bool Search::wait(double seconds) {
    const auto length = std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9));
    std::unique_lock held(mutex_);
    return ended_.wait_for(held, length, [&] { return active_ == 0; });
}

void Search::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

SearchStats Search::stats() const {
    SearchStats stats{load(playouts_), load(root_->visits), load(arena_->nodes), 0.5, 0,
                      load(root_->proven)};
    if (stats.visits) {
        const auto n = static_cast<double>(stats.visits);
        stats.winrate = load(root_->black_wins) / n;
        stats.margin = load(root_->margin) / n;
    }
    if (root_->player == white) {
        stats.winrate = 1 - stats.winrate;
        stats.margin = -stats.margin;
    }
    if (stats.proven != none) stats.winrate = stats.proven == root_->player;
    return stats;
}

Move Search::move_of(u16 id) const {
    if (id == id_end) return {Step::end, {}};
    if (id == id_pass) return {Step::pass, {}};
    if (id == id_swap) return {Step::swap, {}};
    const Geometry& g = root_board_.geometry();
    return {Step::stone, {g.index[id % g.cells], static_cast<u16>(id / g.cells)}};
}

int Search::best_child(const Node& node) const {
    if (node.stage.load(std::memory_order_acquire) != Node::grown) return -1;
    int best = -1;
    u32 most = 0;
    for (u32 i = 0; i < node.count; ++i) {
        const int known = load(node.child_proven[i]);
        if (known == node.player) return static_cast<int>(i);
        // Visits decide among those not proven to lose; any of these beats a proven loss.
        const u32 visits = known == none ? node.child_visits[i] + 1 : 0;
        if (best < 0 || visits > most) {
            best = static_cast<int>(i);
            most = visits;
        }
    }
    return best;
}

std::vector<Move> Search::best_turn() const {
    std::vector<Move> moves;
    Board board = root_board_;
    const Node* node = root_;
    while (!board.is_over() && (moves.empty() || board.is_pending())) {
        const int child = node ? best_child(*node) : -1;
        Move move;
        if (child >= 0) {
            move = move_of(node->ids[child]);
            node = load(node->below[child]);
        } else {
            move = legal_moves(board).back();  // the end of the turn, where that is allowed
            node = nullptr;
        }
        moves.push_back(move);
        board.play(move);
    }
    return moves;
}

const Search::Node* Search::find(const std::vector<Move>& moves) const {
    const Node* node = root_;
    for (const Move& move : moves) {
        if (!node || node->stage.load(std::memory_order_acquire) != Node::grown) return nullptr;
        const u16* begin = node->ids;
        const u16* end = begin + node->count;
        const u16* found =
            std::find_if(begin, end, [&](u16 id) { return move_of(id) == move; });
        node = found == end ? nullptr : load(node->below[found - begin]);
    }
    return node;
}

// The expected difference in groups after a half turn, for the player who makes it.
double Search::margin_of(const Node& node, u32 child) {
    const Node* next = load(node.below[child]);
    const u32 visits = next ? load(next->visits) : 0;
    if (!visits) return 0;
    const double mean = load(next->margin) / visits;
    return (node.player == black) != (node.ids[child] == id_swap) ? mean : -mean;
}

std::vector<MoveReport> Search::report(const std::vector<Move>& moves, std::size_t limit) const {
    std::vector<MoveReport> reports;
    const Node* node = find(moves);
    if (!node || node->stage.load(std::memory_order_acquire) != Node::grown) return reports;
    const Statistics* statistics = load(node->statistics);
    for (u32 i = 0; i < node->count; ++i) {
        const u32 visits = node->child_visits[i];
        const double value = visits ? node->child_value[i] / visits : 0.5;
        const bool stone = node->ids[i] < id_end;
        const double black_value =
            stone && statistics ? statistics->black_value(node->ids[i], 0.5) : 0.5;
        const double prior = node->player == black ? black_value : 1 - black_value;
        reports.push_back({move_of(node->ids[i]), visits, value, margin_of(*node, i), prior,
                           load(node->child_proven[i])});
    }
    std::stable_sort(reports.begin(), reports.end(),
                     [](const auto& a, const auto& b) { return a.visits > b.visits; });
    if (reports.size() > limit) reports.resize(limit);
    return reports;
}

std::vector<Move> Search::line(const std::vector<Move>& moves, std::size_t length) const {
    std::vector<Move> found = moves;
    const Node* node = find(moves);
    while (node && found.size() < length) {
        const int child = best_child(*node);
        if (child < 0 || node->child_visits[child] == 0) break;
        found.push_back(move_of(node->ids[child]));
        node = load(node->below[child]);
    }
    return found;
}

std::vector<double> Search::ownership() const {
    const auto cells = static_cast<std::size_t>(root_board_.geometry().cells);
    std::vector<double> owned(cells, 0);
    const Statistics* statistics = load(root_->statistics);
    const double n = statistics ? load(statistics->playouts) : 0;
    for (std::size_t cell = 0; n > 0 && cell < cells; ++cell)
        owned[cell] = (statistics->visits[cell] -
                       static_cast<double>(statistics->visits[cells + cell])) / n;
    return owned;
}

// -- keeping a part of the tree ----------------------------------------------------------------

void Search::advance(const std::vector<Move>& moves) {
    std::vector<Move> ordered = moves;
    if (ordered.size() == 2 && ordered[1].step == Step::stone &&
        before(ordered[1].stone, ordered[0].stone))
        std::swap(ordered[0], ordered[1]);
    if (ordered.size() == 1 && ordered[0].step == Step::stone && root_board_.two_stones())
        ordered.push_back({Step::end, {}});
    stop();
    join();
    const Node* kept = find(ordered);
    for (const Move& move : ordered) root_board_.play(move);
    auto arena = std::make_unique<Arena>(settings_.memory);
    const auto stones = 2 * static_cast<std::size_t>(root_board_.geometry().cells);
    Node* root = kept ? copy(*arena, *kept, stones) : nullptr;
    root_ = root ? root : arena->make_node(root_board_.player());
    arena_ = std::move(arena);
}

// A copy of a node and of what is below it, as far as there is room; null if there is none.
Search::Node* Search::copy(Arena& to, const Node& node, std::size_t stones) {
    Node* twin = to.make_node(node.player);
    if (!twin) return nullptr;
    twin->visits = load(node.visits);
    twin->black_wins = load(node.black_wins);
    twin->value = load(node.value);
    twin->margin = load(node.margin);
    twin->proven = load(node.proven);
    if (load(node.stage) != Node::grown || !to.make_children(*twin, node.count)) return twin;
    for (u32 i = 0; i < node.count; ++i) {
        twin->ids[i] = node.ids[i];
        twin->child_visits[i] = node.child_visits[i];
        twin->child_value[i] = node.child_value[i];
        twin->child_proven[i] = load(node.child_proven[i]);
    }
    if (const Statistics* statistics = load(node.statistics))
        if (Statistics* mine = to.make_statistics(stones)) {
            mine->playouts = load(statistics->playouts);
            for (std::size_t id = 0; id < stones; ++id) {
                mine->visits[id] = statistics->visits[id];
                mine->value[id] = statistics->value[id];
            }
            twin->statistics = mine;
        }
    twin->count = node.count;
    twin->knows = load(node.knows);
    twin->stage = Node::grown;
    for (u32 i = 0; i < node.count; ++i)
        if (const Node* next = load(node.below[i])) twin->below[i] = copy(to, *next, stones);
    return twin;
}

}  // namespace yoddd
