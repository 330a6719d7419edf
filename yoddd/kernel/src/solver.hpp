// Who wins by best play: depth-first proof-number search over half turns, above sweeps.
//
// Positions with few empty cells are solved by sweeps of layers.hpp, to which the threads are given.
// Above large ones a short tree search says which turns are tried first.
//
// Nagai's df-pn with the weak proof numbers of Ueda et al. (the largest child and one for each
// other, since sums count transpositions many times over). Every game ends, so there are no
// cycles. Positions between turns are looked up by a canonical code: the least over the symmetries
// of the board and, where the game allows, over the exchange of colours. On boards of up to 40
// cells the code is the position written in base 3 and a proof rests on no hash; beyond it is a
// random 64-bit weighting.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "board.hpp"
#include "layers.hpp"
#include "legality.hpp"

namespace yoddd {

struct SolveLimits {
    u64 nodes = 0;                               // 0: no limit
    double seconds = 0;                          // 0: no limit
    std::size_t memory = std::size_t{64} << 20;  // bytes, all in all
    int threads = 1;
    // Positions with so few empty cells are solved by sweeps; as many as the other limits allow,
    // since one sweep settles all turns of a position and takes less time than searching it.
    int leaf = automatic;
    static constexpr int automatic = -1;
};

struct Solution {
    int winner = none;  // none: the limits were reached first
    u64 nodes = 0;      // half turns and positions looked into
    u64 sweeps = 0;     // positions solved by a sweep
    double seconds = 0;
    std::vector<Turn> line;  // best play of both sides, as far as it was found, to the end
};

class Solver {
public:
    // `interrupted` is polled every few milliseconds and may end the search or throw. Throws
    // std::bad_alloc where memory lacks.
    Solver(const Board& board, const SolveLimits& limits, std::function<bool()> interrupted = {});

    // Between turns only; throws std::invalid_argument in the middle of one.
    Solution solve();

    // Positions with so many empty cells are solved by sweeps, by these limits; 0 for none.
    static int leaf_cells(const Board& board, const SolveLimits& limits);

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
        bool has(const Key& key) const { return code == key.code && extra == key.extra; }
    };
    struct Child {
        Move move;
        Key key;
        Numbers numbers;  // from the view of the parent's player
        u32 score;        // the greatest is tried first
        bool same_player;
        bool decided;  // numbers are final without a look at the table
    };

    int prove();
    std::vector<Turn> best_line();
    Numbers search(Numbers limit);
    bool is_leaf() const;
    const Layers* sweep();
    void expand();
    void add_child(Move move);
    void drop_duplicates(std::size_t begin);
    void rank(std::size_t begin);
    void refresh(Child& child);
    Numbers combine(std::size_t begin, std::size_t& best, u32& second) const;
    u32& score_of(Stone stone);
    Board::Undo play(Move move);
    void undo(const Board::Undo& undo);
    void add(Stone stone, u64 sign);

    Key key() const;
    Key key_after(Move move);
    bool out_of_budget();
    bool poll();
    double spent() const;
    bool leads_on(Move move);
    bool choose(Move& chosen);
    Entry* places_of(const Key& key);
    const Entry* look_up(const Key& key);
    void store(const Key& key, Numbers numbers, u64 work);

    Board board_;
    const SolveLimits limits_;
    const int leaf_;
    std::function<bool()> interrupted_;
    std::chrono::steady_clock::time_point start_;
    int symmetries_;
    std::vector<u64> weights_;     // [padded index][symmetry]
    std::vector<u64> plain_;       // the code of each image: Black's stones count 1, White's 2
    std::vector<u64> flipped_;     // and the other way round
    std::vector<u32> scores_[2];   // by player: colour * span + index
    std::vector<Child> children_;  // a stack
    std::vector<Entry> table_;
    std::unique_ptr<Layers> last_;  // the last sweep
    u64 nodes_ = 0;
    u64 sweeps_ = 0;
    u64 polls_ = 0;
    bool stopped_ = false;
};

}  // namespace yoddd
