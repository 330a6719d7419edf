// One thread's simulations in a tree that several threads share.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "filling.hpp"
#include "loops.hpp"
#include "playout.hpp"
#include "rng.hpp"
#include "search_replica.hpp"
#include "search_tree.hpp"
#include "successors.hpp"

namespace yoddd::tree {

class alignas(cache_line) Worker {
public:
    // Number `thread` of those that search `tree`.
    Worker(const Tree& tree, int thread, u64 seed);

    // One descent, at most one playout, and the update of the path. True if a playout was run.
    bool simulate();
    // Merge this thread's replicas into the tree.
    void share();

    // What the limits of a run need, counted from its beginning; written by this worker's thread.
    std::atomic<u64> simulations{0};
    std::atomic<u64> playouts{0};
    u64 granted = 0;  // playouts that it may still run before it asks again

private:
    struct Visit {
        Node* node;
        u32 child;
    };
    // For Black; means where it is of several playouts.
    struct Result {
        double black_wins = 0;
        double value = 0;    // 0..1, what the search maximises
        double margin = 0;   // groups, or what the game counts
        double squares = 0;  // of margins
    };

    int descend();
    u32 follow(Node& node, Record& record, const Statistics* lent);
    // This thread's own copy of a node, or null.
    Replica* replica_of(const Node& node) { return replicas_ ? replicas_->of(node) : nullptr; }
    // The record of a node that this thread works on.
    Record& record_of(Node& node) {
        Replica* own = replica_of(node);
        return own ? own->record() : node.record;
    }
    // Whether other threads write to the record of a node that this thread works on.
    bool is_shared(const Node& node, const Record& record) const {
        return replicas_ && &record == &node.record;
    }
    // The lock of a record that is shared, to be held while it is written or selected from.
    std::unique_lock<Spinlock> hold(const Node& node, Record& record) const {
        if (!is_shared(node, record)) return {};
        return std::unique_lock(record.lock);
    }
    const Statistics* statistics_of(Node& node, Record& record);
    Node* below(Node& node, u32 child);
    double value_after(const Node& node, u32 child) const;
    bool is_grown(Node& node);
    bool grow(Node& node, int doublings);
    float judge(int doublings);
    double limit_after(int doublings) const;
    u16 id_of(Stone stone) const;
    void list_ids();
    void list_turn();
    bool is_barred(u16 id) const {
        return heeds_bars_ && tree_.is_barred(board_, tree_.move_of(id));
    }
    int joins_here(Stone stone) const;
    // Whether it changes the parity of the number of groups.
    bool flips_here(Stone stone) const { return joins_here(stone) % 2 == 0; }
    void list_stones();
    void list_pass();
    void list_firsts();
    void list_seconds();
    u32 select(Node& node, const Record& record, const Statistics* lent);
    u32 considered(Node& node, const Record& record) const;
    void promise(const Node& node, const Record& record, const Statistics* lent, u32 count);
    static u32 ends_of(const u16* ids, u32 count);
    void explore(const Record& record, u32 count);
    bool roll_out();
    Node* leaf();
    double learned_here();
    int leaf_playouts() const;
    void back_up(Result result, int playouts);
    void count(Record& record, const Result& result, int playouts);
    void prove();
    static void note(Node& node, u32 child, int winner);
    static bool is_swap(const Visit& visit) { return visit.node->ids[visit.child] == id_swap; }
    void learn(const Visit& visit, Edges& edges, const Tally& below);
    // The proven winner after the half turn just made, in the colours of the position after it: a
    // swap exchanges them.
    int seen(int winner) const { return is_swap(path_.back()) ? 1 - winner : winner; }

    const Tree& tree_;
    const SearchSettings& settings_;
    const Chooser& chooser_ = loops().chooser;
    const int thread_;
    Pcg32 rng_;
    std::optional<Replicas> replicas_;  // where several threads search
    std::optional<Fillings> fillings_;  // where playouts are fillings
    Board board_;
    const bool has_policy_;    // of its own
    bool heeds_bars_ = false;  // while half turns are listed
    Successors around_;
    std::vector<Visit> path_;
    std::vector<u16> ids_;
    std::vector<Move> moves_;        // the same
    std::vector<float> logs_;        // their policy
    std::vector<float> values_;      // and where it is one of its own, the learned value's logits
    std::vector<float> value_of_;    // after each stone
    std::vector<u64> order_;         // by it
    std::vector<StoneSum> more_;     // of each stone, by the leaf's playouts
    std::vector<StoneSum> one_;      // of one of them
    std::vector<StoneSum> nothing_;  // of each stone, where no statistics are lent
    std::vector<double> leads_;      // by the margin, for the one who has it, beyond a half
    std::vector<float> promises_;    // of each child of the node looked at
};

}  // namespace yoddd::tree
