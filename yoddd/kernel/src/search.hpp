// Monte-Carlo tree search over half turns, in one tree that several threads share.
//
// Selection is GRAVE (T. Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015) with a
// turn of its own: in these games it matters which stones lie on the final board, not who dropped
// them, so a stone's statistics are those of all playouts that ended with it on its cell. Results
// are proven where the tree reaches the end of the game (M. Winands et al., "Monte-Carlo Tree
// Search Solver", CG 2008). Of the two orders of a pair of stones the tree has the canonical one.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "search_worker.hpp"

namespace yoddd {

struct SearchLimits {
    u64 playouts = ~u64{0};
    u64 visits = ~u64{0};  // of the root
    double seconds = 1e9;
    bool grows = false;     // it ends where the tree is full
    int threads = 1 << 16;  // at most, of those that the settings allow
};

// The difference in groups that results have had.
struct Margin {
    double mean = 0;
    double spread = 0;  // standard deviation
};

struct SearchStats {
    u64 playouts = 0;      // that `run` really ran the last time
    u64 visits = 0;        // of the root, those kept from before included
    u64 nodes = 0;         // in memory
    double winrate = 0.5;  // for the side to move, the margin not counted
    Margin margin;         // for the side to move
    int proven = none;     // the colour that wins for certain, or none
};

// A half turn at a node.
struct MoveReport {
    Move move;
    u64 visits = 0;
    double value = 0;   // for the side to move, in 0..1, which are proven
    Margin margin;      // for the side to move
    double lent = 0.5;  // what the lent statistics alone promise
};

class Search {
public:
    Search(const Board& board, const SearchSettings& settings, u64 seed);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    // The position at the root, between turns.
    const Board& board() const { return tree_.board(); }
    const SearchSettings& settings() const { return tree_.settings(); }
    // Say of how many visits the next runs are going to be; few, if it is not said. The learned value
    // counts less in a search of many. Ends a search that runs.
    void expect(u64 visits);
    // Search on until a limit, a proof or `stop`. At least one playout is run or result proven.
    SearchStats run(const SearchLimits& limits);
    // The same in threads of its own, while the caller sleeps: on a crowded machine a thread that
    // slept gets a processor at once, one that computed may wait for tens of milliseconds.
    void begin(const SearchLimits& limits);
    // Sleep for so many seconds, or until the search has ended by itself; true if it has.
    bool wait(double seconds);
    // From any thread: let the search end as soon as it can. Results can be read at once;
    // each thread may still finish one simulation; `begin`, `run` and `advance` wait for that.
    // Until then the last visits of several threads are missing from the tree.
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    // From any thread, also during a search; the figures are then of slightly different moments.
    SearchStats stats() const;
    // The half turns of the best turn so far.
    std::vector<Move> best_turn() const;
    // The most visited half turns after `moves`, so many at most, most visited first.
    std::vector<MoveReport> report(const std::vector<Move>& moves, std::size_t limit) const;
    // The expected line that begins with `moves`, in half turns.
    std::vector<Move> line(const std::vector<Move>& moves, std::size_t length) const;
    // For each cell how often Black held it at the end of the root's playouts, in -1..1.
    std::vector<double> ownership() const;
    // Whether the tree is full in a run that ends there.
    bool is_cut() const { return limits_.grows && tree_.arena().is_full(); }
    // A whole turn was played: keep the subtree of the position after it, free the rest.
    void advance(const std::vector<Move>& moves);

private:
    using Node = tree::Node;
    using Worker = tree::Worker;

    void simulate(Worker& worker);
    bool has_visits() const;
    bool may_play(Worker& worker);
    void work(Worker& worker, std::chrono::steady_clock::time_point until);
    void join();
    void end() {
        stop();
        join();
    }
    u64 playouts() const;
    Margin margin_of(const Node& node, u32 child) const;
    std::vector<double> lent_to(const Node& node) const;

    tree::Tree tree_;
    u64 seed_;
    // One a thread. They outlast `run`, so that it does not matter into how many runs a search is
    // cut.
    std::vector<std::unique_ptr<Worker>> workers_;
    SearchLimits limits_;
    u64 visits_before_ = 0;  // of the root, when the run began
    std::chrono::steady_clock::time_point deadline_;
    std::vector<Thread> threads_;
    Mutex mutex_;
    Condition ended_;
    std::size_t active_ = 0;  // threads that have not ended, under `mutex_`
    // Apart from what all threads read, against false sharing.
    alignas(cache_line) std::atomic<bool> stopped_{false};
    alignas(cache_line) std::atomic<u64> granted_{0};  // playouts of this run
};

}  // namespace yoddd
