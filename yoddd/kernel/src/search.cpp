#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "legality.hpp"
#include "playout.hpp"

namespace yoddd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr u64 grant = 16;   // playouts that one of several threads may run before it asks again
constexpr u32 look_up = 8;  // simulations from one look at the clock to the next
constexpr u64 most_visits = u64{1} << 31;  // of the root: nodes count in 32 bits

Clock::duration ticks(double seconds) {
    const std::chrono::duration<double> length(std::clamp(seconds, -1e9, 1e9));
    return std::chrono::duration_cast<Clock::duration>(length);
}

// The margin of a position for Black or for White.
Margin margin_for(bool blacks, const tree::Tally& tally) {
    const u32 visits = load(tally.visits);
    if (!visits) return {};
    const double mean = load(tally.margin) / visits;
    const double variance = load(tally.squares) / visits - mean * mean;
    // Sums that are read during a search are of slightly different moments.
    return {blacks ? mean : -mean, std::sqrt(std::max(variance, 0.0))};
}

}  // namespace

Search::Search(const Board& board, const SearchSettings& settings, u64 seed)
    : tree_(board, settings), seed_(seed) {}

Search::~Search() { end(); }

void Search::expect(u64 visits) {
    end();
    tree_.expect(visits);
}

SearchStats Search::run(const SearchLimits& limits) {
    begin(limits);
    join();
    return stats();
}

void Search::begin(const SearchLimits& limits) {
    end();
    deadline_ = Clock::now() + ticks(limits.seconds);
    limits_ = limits;
    stopped_ = board().is_over();
    const int threads = std::clamp(limits.threads, 1, tree_.settings().threads);
    const auto wanted = static_cast<std::size_t>(has_threads ? threads : 1);
    while (workers_.size() < wanted) {
        const auto number = workers_.size();
        workers_.push_back(
            std::make_unique<Worker>(tree_, static_cast<int>(number), split_mix(seed_) + number));
    }
    for (const auto& worker : workers_)
        worker->simulations = worker->playouts = worker->granted = 0;
    visits_before_ = load(tree_.root().record.tally.visits);
    limits_.playouts =
        std::min(limits.playouts, most_visits - std::min(most_visits, visits_before_));
    // The first simulation is the caller's, so that there is one, however little time there is.
    granted_ = workers_[0]->granted = 1;
    simulate(*workers_[0]);
    active_ = wanted;
    for (std::size_t i = 0; has_threads && i < wanted; ++i)
        threads_.emplace_back([this, i] { work(*workers_[i], deadline_); });
}

// One simulation, and whether that was enough.
void Search::simulate(Worker& worker) {
    if (load(stopped_)) return;
    if (worker.simulate()) {
        add(worker.playouts, u64{1});
        if (worker.granted) --worker.granted;
    }
    add(worker.simulations, u64{1});
    const bool looks_up = load(worker.simulations) % look_up == 0;
    if ((looks_up && Clock::now() >= deadline_) || load(tree_.root().proven) != none ||
        has_visits() || is_cut())
        stop();
}

// Whether the root has as many visits as are wanted; what threads have not added to the tree yet
// counts as well.
bool Search::has_visits() const {
    if (limits_.visits == SearchLimits{}.visits) return false;
    u64 sum = visits_before_;
    for (const auto& worker : workers_) sum += load(worker->simulations);
    return sum >= limits_.visits;
}

// Whether `worker` may run another playout. Threads ask for several at once; towards the limit for
// so few that all of them are run.
bool Search::may_play(Worker& worker) {
    if (worker.granted) return true;
    const u64 all = workers_.size();
    u64 at = load(granted_);
    while (at < limits_.playouts) {
        const u64 left = limits_.playouts - at;
        const u64 more = all > 1 ? std::clamp<u64>(left / (2 * all), 1, grant) : 1;
        if (!granted_.compare_exchange_weak(at, at + more, std::memory_order_relaxed)) continue;
        worker.granted = more;
        return true;
    }
    return false;
}

// The work of one thread, until it is stopped or a limit is reached; the caller's, where there are no
// threads, at most until a moment.
void Search::work(Worker& worker, Clock::time_point until) {
    while (!load(stopped_) && may_play(worker)) {
        simulate(worker);
        const bool looks_up = load(worker.simulations) % look_up == 0;
        if (!has_threads && looks_up && Clock::now() >= until) return;
    }
    worker.share();
    const std::lock_guard held(mutex_);
    if (--active_ == 0) ended_.notify_all();
}

bool Search::wait(double seconds) {
    if (!has_threads && active_) work(*workers_[0], Clock::now() + ticks(seconds));
    std::unique_lock held(mutex_);
    return ended_.wait_for(held, ticks(seconds), [&] { return active_ == 0; });
}

void Search::join() {
    if (!has_threads && active_) work(*workers_[0], Clock::time_point::max());
    for (Thread& thread : threads_) thread.join();
    threads_.clear();
}

u64 Search::playouts() const {
    u64 sum = 0;
    for (const auto& worker : workers_) sum += load(worker->playouts);
    return sum;
}

SearchStats Search::stats() const {
    const Node& root = tree_.root();
    const tree::Tally& tally = root.record.tally;
    SearchStats stats{playouts(), load(tally.visits), tree_.arena().nodes(), 0.5,
                      {},         load(root.proven)};
    const bool blacks = root.player == black;
    if (stats.visits) {
        const double won = load(tally.black_wins) / static_cast<double>(stats.visits);
        stats.winrate = blacks ? won : 1 - won;
        stats.margin = margin_for(blacks, tally);
    }
    if (stats.proven != none) stats.winrate = stats.proven == root.player;
    return stats;
}

std::vector<Move> Search::best_turn() const {
    std::vector<Move> moves;
    Board board = tree_.board();
    const Node* node = &tree_.root();
    while (!board.is_over() && (moves.empty() || board.is_pending())) {
        const int child = node ? node->best_child() : -1;
        Move move;
        if (child >= 0) {
            move = tree_.move_of(node->ids[child]);
            node = tree_.arena().below(*node, static_cast<u32>(child));
        } else {
            // The end of the turn, where that is allowed.
            const std::vector<Move> moves_left = legal_moves(board);
            const auto found =
                std::find_if(moves_left.rbegin(), moves_left.rend(),
                             [&](const Move& one) { return !tree_.is_barred(board, one); });
            move = found == moves_left.rend() ? moves_left.back() : *found;
            node = nullptr;
        }
        moves.push_back(move);
        board.play(move);
    }
    return moves;
}

// The margin after a half turn, for the player who makes it.
Margin Search::margin_of(const Node& node, u32 child) const {
    const Node* next = tree_.arena().below(node, child);
    if (!next) return {};
    return margin_for((node.player == black) != (node.ids[child] == tree::id_swap),
                      next->record.tally);
}

// What statistics alone promise of each half turn, for the player.
std::vector<double> Search::lent_to(const Node& node) const {
    const u32 count = node.count;
    std::vector<double> lent(count, 0.5);
    const tree::Statistics* statistics = node.record.statistics.load(std::memory_order_acquire);
    if (!statistics) return lent;
    const std::lock_guard held(node.record.lock);
    for (u32 i = 0; i < count; ++i) {
        if (node.ids[i] >= tree::id_end) continue;
        const double black_value = statistics->black_value(node.ids[i], 0.5);
        lent[i] = node.player == black ? black_value : 1 - black_value;
    }
    return lent;
}

std::vector<MoveReport> Search::report(const std::vector<Move>& moves, std::size_t limit) const {
    std::vector<MoveReport> reports;
    const Node* node = tree_.find(moves);
    if (!node || !node->is_grown()) return reports;
    const std::vector<double> lent = lent_to(*node);
    const std::lock_guard held(node->record.lock);
    const tree::Edges& edges = node->record.edges;
    for (u32 i = 0; i < lent.size(); ++i) {
        const u32 visits = load(edges.visits[i]);
        const int proven = load(node->child_proven[i]);
        double value = visits ? load(edges.value[i]) / visits : 0.5;
        if (proven != none) value = proven == node->player;
        reports.push_back({tree_.move_of(node->ids[i]), load(edges.taken[i]), value,
                           margin_of(*node, i), lent[i]});
    }
    std::stable_sort(reports.begin(), reports.end(),
                     [](const auto& a, const auto& b) { return a.visits > b.visits; });
    if (reports.size() > limit) reports.resize(limit);
    return reports;
}

std::vector<Move> Search::line(const std::vector<Move>& moves, std::size_t length) const {
    std::vector<Move> found = moves;
    const Node* node = tree_.find(moves);
    while (node && found.size() < length) {
        const int child = node->best_child();
        if (child < 0) break;
        const std::lock_guard held(node->record.lock);
        if (load(node->record.edges.taken[child]) == 0) break;
        found.push_back(tree_.move_of(node->ids[child]));
        node = tree_.arena().below(*node, static_cast<u32>(child));
    }
    return found;
}

std::vector<double> Search::ownership() const {
    const auto cells = static_cast<std::size_t>(board().geometry().cells);
    std::vector<double> owned(cells, 0);
    const tree::Record& record = tree_.root().record;
    const tree::Statistics* statistics = record.statistics.load(std::memory_order_acquire);
    const std::lock_guard held(record.lock);
    const double n = statistics ? load(statistics->playouts) : 0;
    for (std::size_t cell = 0; n > 0 && cell < cells; ++cell)
        owned[cell] = (double{statistics->sums[cell].playouts} -
                       double{statistics->sums[cells + cell].playouts}) /
                      n;
    return owned;
}

void Search::advance(const std::vector<Move>& moves) {
    end();
    tree_.advance(moves);
}

}  // namespace yoddd
