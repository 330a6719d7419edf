// Who wins by best play: depth-first proof-number search over half turns.
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
#include <vector>

#include "board.hpp"
#include "legality.hpp"

namespace yoddd {

struct SolveLimits {
    u64 nodes = 0;                               // 0: no limit
    double seconds = 0;                          // 0: no limit
    std::size_t memory = std::size_t{64} << 20;  // bytes of the transposition table
};

struct Solution {
    int winner = none;  // none: the limits were reached first
    u64 nodes = 0;      // half turns and positions looked into
    double seconds = 0;
    std::vector<Turn> line;  // best play of both sides, as far as it was found, to the end
};

class Solver {
public:
    // `interrupted` is polled every few thousand nodes and may end the search, or throw.
    Solver(const Board& board, const SolveLimits& limits, std::function<bool()> interrupted = {});

    // Between turns only; throws std::invalid_argument in the middle of one.
    Solution solve();

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
        u64 code;
        u32 extra;
        Numbers numbers;
        u32 work;
    };
    struct Child {
        Move move;
        Key key;
        Numbers numbers;  // from the view of the parent's player
        bool same_player;
        bool decided;  // numbers are final without a look at the table
    };

    Numbers search(Numbers limit);
    void expand();
    void add_child(Move move);
    void drop_duplicates(std::size_t begin);
    void refresh(Child& child) const;
    Numbers combine(std::size_t begin, std::size_t& best, u32& second) const;
    Board::Undo play(Move move);
    void undo(const Board::Undo& undo);
    void add(Stone stone, u64 sign);

    Key key() const;
    Key key_after(Move move);
    const Entry* look_up(const Key& key) const;
    void store(const Key& key, Numbers numbers, u64 work);
    bool out_of_budget();
    bool prove(int& winner);
    bool leads_on(Move move);
    bool choose(Move& chosen);
    std::vector<Turn> best_line();

    Board board_;
    SolveLimits limits_;
    std::function<bool()> interrupted_;
    std::chrono::steady_clock::time_point start_;
    u64 nodes_ = 0;
    bool stopped_ = false;
    int symmetries_;
    std::vector<u64> weights_;     // [padded index][symmetry]
    std::vector<u64> plain_;       // the code of each image: Black's stones count 1, White's 2
    std::vector<u64> flipped_;     // and the other way round
    std::vector<Child> children_;  // a stack
    std::vector<Entry> table_;
    u64 table_mask_;
};

}  // namespace yoddd
