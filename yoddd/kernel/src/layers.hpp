// Who wins every position that can follow from an endgame or from the empty board, layer by layer.
//
// Fix the set of occupied cells. Its fillings are the numbers of as many bits, and an array of bits
// or bytes tells what a turn is worth that ends with each. All turns of one stone and of two follow
// from the arrays of the sets with one cell more, so a layer, that is all sets of a size, is made
// from the layer above it, from the full board down. docs/lab/kernel.md has a picture.
//
// Sets are numbers whose highest bit is the first empty cell. The layers of few stones are small and
// are kept; the others are given back piece by piece while the layer below is made.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "board.hpp"
#include "layers_groups.hpp"
#include "layers_record.hpp"
#include "layers_sets.hpp"
#include "layers_store.hpp"
#include "legality.hpp"

namespace yoddd {

// Values are bytes from the view of a player: 255 - n where that player wins in n turns, n where
// the player loses in n turns, of both sides, the last one included; so the largest is the best
// one. 0 stands for no turn at all.
constexpr bool is_won(u8 value) { return value >= 128; }

struct TurnValue {
    Turn turn;
    bool wins;     // for the player who takes it
    int distance;  // turns to the end of the game by best play, this one included; 0: not known
};

struct LayerOptions {
    bool distances = false;  // only with passes: in other games all lengths are known
    int threads = 1;
};

class Layers {
public:
    // The bytes that the sweep of a board with so many empty cells takes at most.
    static u64 memory(const Board& board, int empty, const LayerOptions& options);

    // Whether there are records for such games: those without passes whose later turns have a
    // fixed number of stones, and those like Yodd, with either kind of colours.
    static bool can_sweep(const Rules& rules);

    // Throws std::invalid_argument for more than `most_swept` empty cells, and for other games. A
    // turn may be in progress.
    Layers(const Board& board, const LayerOptions& options);

    Layers(const Layers&) = delete;
    Layers& operator=(const Layers&) = delete;

    // Throws std::bad_alloc where memory lacks. `interrupted` is polled every few milliseconds by
    // the calling thread. False if it ended the sweep; then there are no values.
    bool run(const std::function<bool()>& interrupted);

    // Whether the player on turn of the position itself wins.
    bool wins() const;
    // Whether it is a sweep of this very position.
    bool begins_at(const Board& board) const;
    // Whether a position has the stones that stood at the beginning. In games whose turns always
    // have as many stones the player on turn is the one that follows.
    bool follows(const Board& board) const;
    // Whether the values of its turns are known: it follows, with few enough stones.
    bool covers(const Board& board) const;
    // Each legal turn but a swap, in canonical order, drops before the pass, by colours. Between
    // turns of a game that is not over.
    std::vector<TurnValue> turns(const Board& board) const;
    // The best turn, or rest of a turn, and its value; 0 where there is none. In a game that is not
    // over.
    std::pair<Turn, u8> best(const Board& board) const;

    // Of a layer that is kept: the values of a set after a turn of `player`, a plane of bits or
    // bytes padded to words. Where White's are left out they are Black's, colours exchanged.
    const u64* values(int stones, u64 rank, int player) const;
    // Who is on turn when so many stones have been dropped, where turns have a fixed number of
    // them.
    int player_after(int stones) const;

private:
    struct Worker;
    struct Progress;

    bool fill_layer(int stones, std::vector<Worker>& workers,
                    const std::function<bool()>& interrupted);
    template <class Ended>
    void fill_chunk(int stones, u64 chunk, Worker& worker, const Ended& ended);
    void fill_record(int stones, u32 set, u64* out, Worker& worker);
    void find_sources(int stones, u32 set, Worker& worker);
    void add_images(u32 set, int stones, Worker& worker);
    bool keep(int stones, const std::function<bool()>& interrupted);

    int rest_of_turn() const;
    bool ends_turn(int stones) const;
    u32 cells_of(const Board& board, int colour) const;
    u8 read(const u64* plane, u64 index) const;
    u8 landing(u32 set, u32 blacks, int player) const;
    u8 value_of(const Board& board) const;
    u8 value_of_step(const Board& board, Step step) const;
    std::vector<std::pair<Turn, u8>> values_of(const Board& board) const;

    Board board_;
    LayerOptions options_;
    int empty_;
    LayerGame game_;
    std::vector<u16> cells_;  // padded indices of the empty cells
    std::vector<u32> bits_;   // padded index -> the cell's bit in a set, or 0
    LayerPlanes planes_;      // groups of all fillings
    std::unique_ptr<LayerSets> sets_;
    LayerStore store_;
    LayerStore::Layer layer_, above_;  // the one that is made, and that of one stone more
    int kept_;
    std::vector<std::vector<u64>> values_;  // of layers that are kept
};

}  // namespace yoddd
