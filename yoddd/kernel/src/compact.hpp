// Who wins every position that can follow from an endgame, by a sweep over bits.
//
// The sweep of dense.hpp keeps a byte or two a filling and player; this one keeps bits only, no
// distances. The 27 fillings of the first three empty cells are the bits of one word, so that a few
// instructions settle all of them. The other cells are digits of two numbers in base 3, the halves
// of a word's place. A word depends on those with one stone more in either half. Words with as many
// stones in both halves are a layer; layers are made from the full board down, and where only the
// value of the position itself is wanted, a layer is given back as soon as the next one is made.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "board.hpp"
#include "endgame.hpp"
#include "legality.hpp"

namespace yoddd {

struct TurnOutcome {
    Turn turn;
    bool wins;  // for the player who takes it
};

// The stones of a turn, where they are always as many: one of any colour, of one's own, or two.
enum class Dropped { any, own, two };

class CompactSweep {
public:
    // Bytes that a sweep of so many empty cells takes at most; if its values are `kept`, they can
    // be looked up afterwards.
    static u64 memory(const Rules& rules, int empty, bool kept);

    // Throws std::invalid_argument for more than `most_swept` empty cells. A turn may be in
    // progress. `groups`, which must outlast the sweep, are those of a position before; without
    // them they are counted.
    CompactSweep(const Board& board, bool kept, const EndgameGroups* groups = nullptr);

    CompactSweep(const CompactSweep&) = delete;
    CompactSweep& operator=(const CompactSweep&) = delete;

    // Make the words; throws std::bad_alloc where memory lacks. `interrupted` is polled every few
    // milliseconds by the calling thread. False if it ended the sweep; then there are no values.
    bool run(int threads, const std::function<bool()>& interrupted);

    // Whether the player on turn of the position itself wins.
    bool wins() const;

    // Of a sweep that is kept: whether the values of a position are known. It has the stones that
    // stood at the beginning and, where turns have a fixed number of stones, the player that
    // follows from its own.
    bool covers(const Board& board) const;
    // Each legal turn but a swap, in canonical order, drops before the pass, by colours. Between
    // turns of a game that is not over.
    std::vector<TurnOutcome> turns(const Board& board) const;

private:
    static constexpr int most_near = 8;  // its rows fit into a cache
    // A code of the near half.
    struct Near {
        u16 blacks, whites;      // its stones, as sets of digits
        u16 next[most_near][2];  // by empty digit and colour: the rank with a stone there
    };
    // Half of the digits of a word's place: the numbers with as many stones are ranked.
    struct Half {
        explicit Half(int digits);
        u64 count(int stones) const { return codes[static_cast<std::size_t>(stones)].size(); }
        Near near(u32 code) const;
        int digits;
        std::vector<u32> rank;                 // by code
        std::vector<std::vector<u32>> codes;   // by stones and rank
        std::vector<std::vector<Near>> nears;  // the same, if it can be a near half
    };
    static const Half& half(int digits);
    // What the position itself is worth, by player.
    struct RootValues {
        bool drop[2] = {false, false};    // the player wins by a turn with stones
        bool single[2] = {false, false};  // by a turn of one stone
        bool able[2] = {false, false};    // under `own_colour`: there is a turn with stones
        bool best[2] = {false, false};    // wins if a turn ends here or with one stone more
        bool end[2] = {false, false};     // has won if the game ends here
        bool legal = false;               // a turn may end here
    };
    struct Release {
        void operator()(u8* block) const { std::free(block); }
    };
    using Chunk = std::unique_ptr<u8[], Release>;

    template <int low>
    struct PassingGame;
    template <int low>
    struct OwnPassingGame;
    template <Dropped dropped, int low>
    struct FillingGame;

    template <int low>
    bool fill_by_rules(int threads, const std::function<bool()>& interrupted);
    template <class Kernel>
    bool fill(const Kernel& kernel, int threads, const std::function<bool()>& interrupted);
    template <class Kernel>
    void fill_row(const Kernel& kernel, int far_stones, u64 far_rank, int near_stones);
    bool slice_groups(int threads, const std::function<bool()>& interrupted);
    const u8* row(int far_stones, u64 far_rank, int near_stones) const;
    void allocate(int stones);
    void release(int stones);

    int player_after(int stones) const;
    u64 filling(const Board& board) const;
    bool landing(u64 at, int player) const;
    bool value_of_pass(const Board& board) const;

    Board board_;
    bool kept_;
    int empty_;
    int low_;                   // cells whose fillings share a word: the first ones
    u64 width_;                 // bytes of a word
    std::vector<u16> cells_;    // padded indices of the empty cells; digit i belongs to the i-th
    std::vector<u64> weights_;  // padded index -> 3^i, or 0
    const Half& near_;          // the digits after the low ones
    const Half& far_;           // the last digits
    const EndgameGroups* groups_;
    std::vector<Chunk> chunks_;  // by the stones of the far half, then of the near half
    // By the cells beyond the low ones that a colour fills, a few words of 27 bits: the parity of
    // its groups, then their number in binary, as far as it decides who has fewer.
    std::vector<u32> slices_[2];
    int planes_ = 0;
    std::vector<u8> black_wins_;  // by the cells that Black fills of a full board
    RootValues root_;
};

}  // namespace yoddd
