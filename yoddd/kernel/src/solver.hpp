// Who wins by best play: depth-first proof-number search over half turns, above sweeps.
//
// Positions with few empty cells are solved by a sweep of layers.hpp. The groups of all fillings
// are counted once for the position at the root. Threads search the same tree and share the table
// of positions; each counts the nodes that another one is at as harder than they are.
//
// Nagai's df-pn with the weak proof numbers of Ueda et al. (the largest child and one for each
// other, since sums count transpositions many times over). Every game ends, so there are no
// cycles. Positions between turns are looked up by a canonical code: the least over the symmetries
// of the board and, where the game allows, over the exchange of colours. On boards of up to 40
// cells the code is the position written in base 3 and a proof rests on no hash; beyond it is a
// random 64-bit weighting.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "board.hpp"
#include "layers_groups.hpp"
#include "legality.hpp"
#include "threads.hpp"

namespace yoddd {

struct SolveLimits {
    u64 nodes = 0;                               // 0: no limit
    double seconds = 0;                          // 0: no limit
    std::size_t memory = std::size_t{64} << 20;  // bytes, all in all
    int threads = 1;
    int leaf = automatic;  // positions with so few empty cells are solved by sweeps; 0: none are
    static constexpr int automatic = -1;
};

struct Solution {
    int winner = none;  // none: the limits were reached first
    u64 nodes = 0;      // half turns and positions looked into
    u64 sweeps = 0;     // positions solved by a sweep
    double seconds = 0;
    std::vector<Turn> line;  // best play of both sides, as far as it was found, to the end
};

// What the threads of a search share.
class SolverShared;

// One thread's search.
class Solver {
public:
    Solver(const Board& board, SolverShared& shared, std::function<bool()> interrupted);

    // The winner, or none if the search was ended.
    int prove();
    // Best play of both sides from here to the end of the game, as far as it is found.
    std::vector<Turn> best_line();

private:
    struct Key {
        u64 code;
        u32 extra;
        bool operator==(const Key&) const = default;
    };
    // Proof numbers from the view of the player on turn: `win` for proving that they win.
    struct Numbers {
        u32 win;
        u32 loss;
    };
    struct Entry {
        u64 code = 0;
        u32 extra = ~u32{0};
        Numbers numbers{1, 1};
        u32 work = 0;
    };
    struct Child {
        Move move;
        Key key;
        Numbers numbers;  // from the view of the parent's player
        u32 score;        // how often the stone has won for this player
        bool same_player;
        bool decided;  // numbers are final without a look at the table
    };
    friend class SolverShared;

    Numbers search(Numbers limit);
    bool is_leaf() const;
    Numbers sweep();
    void expand();
    void add_child(Move move);
    void drop_duplicates(std::size_t begin);
    void refresh(Child& child) const;
    Numbers combine(std::size_t begin, std::size_t& best, u32& second) const;
    u32& score_of(Stone stone);
    Board::Undo play(Move move);
    void undo(const Board::Undo& undo);
    void add(Stone stone, u64 sign);

    Key key() const;
    Key key_after(Move move);
    bool out_of_budget();
    bool poll();
    void enter(const Child& child);
    void leave();
    bool leads_on(Move move);
    bool choose(Move& chosen);

    Board board_;
    SolverShared& shared_;
    std::function<bool()> interrupted_;
    int symmetries_;
    std::vector<u64> weights_;     // [padded index][symmetry]
    std::vector<u64> plain_;       // the code of each image: Black's stones count 1, White's 2
    std::vector<u64> flipped_;     // and the other way round
    std::vector<u32> scores_[2];   // by player: colour * span + index
    std::vector<Child> children_;  // a stack
    std::vector<Board::Undo> undos_;
    u64 polls_ = 0;
    // By depth, the keys of the nodes that this thread is at, as hashes; others read them.
    std::array<std::atomic<u64>, 128> path_{};
    std::size_t depth_ = 0;
};

class SolverShared {
public:
    // Throws std::bad_alloc where memory lacks.
    SolverShared(const Board& board, const SolveLimits& limits);

    // Between turns only; throws std::invalid_argument in the middle of one. `interrupted` is
    // polled every few milliseconds by the calling thread, and may end the search or throw.
    Solution solve(const std::function<bool()>& interrupted = {});

    // Positions with so many empty cells are solved by sweeps, by these limits; 0 for none.
    static int leaf_cells(const Board& board, const SolveLimits& limits);

private:
    friend class Solver;
    using Key = Solver::Key;
    using Entry = Solver::Entry;
    static constexpr std::size_t stripes = 1024;

    u64 bucket_of(const Key& key) const;
    bool look_up(const Key& key, Entry& found) const;
    void store(const Key& key, Solver::Numbers numbers, u64 work);
    bool is_busy(const Solver& asks, std::size_t depth, u64 key) const;
    double spent() const;
    int prove_together(Solver& first);

    const Board board_;
    const SolveLimits limits_;
    const int leaf_;
    LayerPlanes groups_;
    bool has_groups_ = false;
    std::chrono::steady_clock::time_point start_;
    std::atomic<u64> nodes_{0};
    std::atomic<u64> sweeps_{0};
    std::atomic<bool> stopped_{false};
    std::vector<Solver*> searching_;  // not changed while threads search
    std::vector<Entry> table_;
    mutable std::vector<Mutex> locks_;
};

}  // namespace yoddd
