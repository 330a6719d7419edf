// The tree that a search grows: its memory, its nodes, and which part of it is kept when a turn was
// played.
//
// It is a tree by name only: a position that several orders of turns lead to is one node. Edges
// count for themselves how often they were followed; what a position is worth belongs to its node.
// Stones are only added and passes are counted, so no path comes back to a position.
#pragma once

#include <atomic>
#include <vector>

#include "board.hpp"
#include "choose.hpp"
#include "shared.hpp"

namespace yoddd {

struct SearchSettings {
    double exploration = 0.0;  // the constant of UCB1, for results in 0..1
    bool rave = true;          // without it this is plain UCT
    double rave_bias = 1e-4;   // how soon a stone's own visits outweigh its statistics
    u32 rave_playouts = 200;   // a node lends its statistics from so many playouts on
    u32 expand_visits = 4;     // a leaf is expanded at this visit, one with a policy at twice that
    double margin_weight = 0.6;  // how much of a result is its margin instead of the bare win
    u32 leaf_playouts = 0;       // whose mean is the value of a leaf; 0 for the game's own number
    bool bridges = true;         // in Yoin playouts keep them (filling.hpp)
    bool transpositions = true;  // a position that several orders lead to is one node
    // A node with at most so many empty cells is solved once its visits have taken as long as its
    // sweep does.
    int swept_cells = 12;
    // The weights of the learned value (features.hpp); none without it.
    std::vector<float> weights;
    double value_share = 0.5;  // how much of a result is the learned value
    // Half as much in a search of so many visits: of many playouts the mean says more than of few,
    // while the learned value errs as much as before. 0 for the game's own number.
    double value_fade = 0;
    // What the policy of the learned value (successors.hpp) adds to the promise of a half turn, for each
    // unit of the logarithm of its probability; half as much after `prior_fade` visits.
    double prior_weight = 0.007;
    double prior_fade = 100;
    // A half turn whose logarithm is further below the likeliest one's than this, and
    // `widening_rate` more for each e-fold of the node's visits, is not followed; 0 for no limit.
    double widening = 1;
    double widening_rate = 0.5;
    // What is not played: for each player and half turn (stones by number, then the pass, then the
    // swap), in so many turns from the root on; empty if everything may be played.
    std::vector<u32> barred;
    u64 memory = u64{512} << 20;  // bytes for the tree
    int threads = 1;
    bool operator==(const SearchSettings&) const = default;
};

namespace tree {

// In a search of fewer visits there are no sweeps: levels that draw their turns make such searches.
constexpr u32 least_proving = 100;

// From so many results on a float rounds what is added to it, and always the same way where results
// are alike.
constexpr u32 large = u32{1} << 16;

// The position of a node: cache lines from the beginning of the nodes' memory. 0 for none.
using Place = u32;

// A half turn in a node: the number of a stone, colour * cells + cell, or one of these.
enum : u16 { id_end = 0xfffd, id_pass = 0xfffe, id_swap = 0xffff };

// The canonical order of the stones of a turn.
inline bool before(Stone a, Stone b) {
    return a.colour != b.colour ? a.colour < b.colour : a.at < b.at;
}

// Results of all visits of a position.
struct Tally {
    std::atomic<u32> visits{0};
    std::atomic<double> black_wins{0};
    std::atomic<double> value{0};    // sum of results for Black
    std::atomic<double> margin{0};   // sum of margins for Black
    std::atomic<double> squares{0};  // of these margins
};

// The half turns of a node in parallel arrays, so that selection runs over dense memory.
//
// Compilers do not vectorise atomic accesses, so selection reads these arrays plainly, and no write
// may overlap that. Of several threads that search each holds the lock of a shared record while it
// selects or writes; a thread that searches alone is the only writer and needs no lock, but to
// exchange the arrays. Its writes are atomic, so that who holds the lock may read them.
struct Edges {
    u32* taken = nullptr;    // how often each was followed from this node
    u32* visits = nullptr;   // the same, or those of the node below if more paths lead to it
    float* value = nullptr;  // sum of the results of `visits` for the player
};

// For each stone, how the playouts ended that had it on its cell at their end.
//
// The sums are written plainly, and only by a thread that holds the lock of their record. It also
// takes the lock to read them, unless it is the only one that writes to them.
struct alignas(cache_line) Statistics {
    std::atomic<u32> playouts{0};
    StoneSum* sums = nullptr;  // behind the last stone there is an empty one

    double black_value(u16 id, double otherwise) const {
        const auto [n, value] = sums[id];
        return n > 0 ? value / n : otherwise;
    }
    // Halve everything once sums are too large for a float to take more; means stay.
    void keep_small(std::size_t stones);
};

// What visits change.
struct Record {
    Tally tally;
    mutable Spinlock lock;  // of what `edges` and `statistics` point to
    std::atomic<Statistics*> statistics{nullptr};
    Edges edges;
};

// A position, in the middle of a turn or between turns. Its children are first what is no stone,
// then the stones, in the order of their policy if there is one. A node in part has only those that
// are considered in its first visits. What is hardly written lies apart from what every visit writes.
struct alignas(cache_line) Node {
    // A part is followed by how many doublings of the visits it has the children for.
    enum : u8 { leaf, growing, part, grown = 255 };

    u64 key = 0;  // that tells its position from all others
    std::atomic<u16*> ids{nullptr};
    std::atomic<std::atomic<Place>*> below{nullptr};
    std::atomic<std::atomic<signed char>*> child_proven{nullptr};
    std::atomic<u32> count{0};
    Place place = 0;
    Place chain = 0;  // the next node in its bucket
    u8 player = black;
    std::atomic<signed char> proven{none};
    std::atomic<u8> stage{leaf};
    std::atomic<bool> has_proofs{false};  // whether something is proven of a child
    // Of each child, see successors.hpp; null without a learned value.
    std::atomic<float*> policy{nullptr};
    std::atomic<double> learned{-1};  // the learned value here, negative before it is asked for
    alignas(cache_line) Record record;
    // The logit of the half turn whose policy is 0, see `Successors::judge`.
    std::atomic<float> likeliest{0};
    // How many children may be followed, and in the lowest 8 bits one more than the doublings of visits
    // for which that was counted.
    std::atomic<u32> considered{0};
    // Where the policy is one of its own, the logits of the learned value after each child.
    std::atomic<float*> values{nullptr};

    bool is_grown() const { return stage.load(std::memory_order_acquire) >= part; }
    // Add to the half turns that `more` begins with what is known of them here, then take its arrays
    // and the stage `to`, unless another thread has made it whole. Who reads meanwhile reads `count`
    // before the arrays, and `record.edges` under the lock. What is proven or found below meanwhile
    // may be lost, and is noted again at its next visit.
    void take_children(Node& more, u8 to);
    // Become a leaf again, without statistics.
    void drop_children();
    // The arrays of the half turns are about to be moved by so many bytes.
    void shift_children(std::ptrdiff_t bytes);
    bool all_lost() const;
    // The colour that wins here for certain by what is proven below, or none.
    int verdict() const;
    // The best half turn so far, or -1.
    int best_child() const;
};

// Memory for nodes, handed out in order, and the table of all nodes by their keys. Threads are
// numbered from 0.
class Arena {
public:
    // At most `kept` of the bytes survive `compact`.
    Arena(u64 bytes, u64 kept, int threads, std::size_t stones);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // The node of a position, made if there is none yet; null when the memory is used up.
    Node* node(int thread, u64 key, int player);
    // The node of a position, or null.
    Node* find(u64 key) const;
    // The node below a child, or null.
    Node* below(const Node& node, u32 child) const {
        return at(node.below[child].load(std::memory_order_acquire));
    }
    // Room for the half turns of `node`, and for so many floats of each: none, a policy, or a policy of
    // its own with values; false if there is not enough.
    bool make_children(int thread, Node& node, std::size_t count, std::size_t floats);
    Statistics* make_statistics(int thread);
    // Keep what can be reached from `root`, what was visited most first, and return where the root
    // lies then. No other thread may use the memory meanwhile.
    Node* compact(Node& root);
    // Keep nothing.
    void clear();

    u64 nodes() const;
    // Whether more is used than `compact` keeps.
    bool is_half_used() const { return load(used_) > kept_; }
    // Whether something was asked for that no room was left for.
    bool is_full() const { return load(used_) > bytes_; }

private:
    // The part of the memory that a thread has taken and not handed out yet. It holds whole cache
    // lines, so that neighbouring nodes of two threads cause no false sharing.
    struct alignas(cache_line) Chunk {
        char* at = nullptr;
        char* end = nullptr;
        std::atomic<u64> nodes{0};
    };

    Node* at(Place place) const {
        return place ? reinterpret_cast<Node*>(memory_ + place * cache_line) : nullptr;
    }
    std::atomic<Place>& bucket(u64 key) const {
        return reinterpret_cast<std::atomic<Place>*>(memory_)[key & mask_];
    }
    Node* in_chain(Place place, u64 key) const;
    char* take(int thread, std::size_t size);
    bool refill(Chunk& chunk, std::size_t size);
    void restart(u64 size, u64 nodes);
    std::size_t size_of_table() const;
    std::size_t size_of_statistics() const;

    u64 bytes_;
    u64 kept_;
    std::size_t stones_;
    std::size_t piece_;  // that a thread takes at once
    std::size_t mask_;   // of the buckets, whose number is a power of two
    char* block_;
    char* memory_;  // the first whole cache line of the block; the table lies there
    std::vector<Chunk> chunks_;
    u64 touched_ = 0;  // bytes from the beginning that may not be zeros any more
    alignas(cache_line) std::atomic<u64> used_{0};
};

// The position at the root and the nodes of those after it.
class Tree {
public:
    Tree(const Board& board, const SearchSettings& settings);

    const Board& board() const { return board_; }
    const SearchSettings& settings() const { return settings_; }
    // How much of a result is the learned value. It is the same for the whole tree and for the
    // statistics of stones: values that hold different parts of it cannot be compared.
    double value_share() const { return value_share_; }
    // The next visits belong to a search of so many.
    void expect(u64 visits);
    Node& root() const { return *root_; }
    Arena& arena() const { return arena_; }
    std::size_t stones() const { return 2 * static_cast<std::size_t>(board_.geometry().cells); }
    Move move_of(u16 id) const {
        if (id >= id_end)
            return {id == id_end ? Step::end : id == id_pass ? Step::pass : Step::swap, {}};
        const Geometry& g = board_.geometry();
        const bool is_white = id >= g.cells;
        return {Step::stone, {g.index[id - is_white * g.cells], is_white}};
    }
    // Whether the settings bar a half turn of the player on turn.
    bool is_barred(const Board& board, const Move& move) const;
    // The key of the position on `board`, which half turn `id` of `above` has led to.
    u64 key_of(const Board& board, const Node& above, u16 id) const;
    // The colour that wins at a node, the position on `board`, if its visits are worth a sweep by
    // now; else none.
    int sweep(const Board& board, Node& node, u32 visits) const;
    // The node after some half turns, or null.
    Node* find(const std::vector<Move>& moves) const;
    // Half turns were played. The root moves along; where less than half of the memory is left, it is
    // compacted.
    void advance(const std::vector<Move>& moves);

private:
    void plant();

    Board board_;
    SearchSettings settings_;
    double value_share_;
    mutable Arena arena_;  // workers make nodes in the tree that they are given to read
    Node* root_ = nullptr;
};

}  // namespace tree
}  // namespace yoddd
