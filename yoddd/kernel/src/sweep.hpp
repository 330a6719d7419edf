// The values of all positions that can follow from one, and what it costs to find them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "layers.hpp"
#include "played.hpp"
#include "threads.hpp"

namespace yoddd {

using Moves = std::vector<int>;  // of a turn, as `Played` numbers them

// Turns, whether they win, and the turns to the end of the game.
using Values = std::vector<std::tuple<Moves, bool, int>>;
Values numbered(const Played& played, const std::vector<TurnValue>& values);

// The same, best first, then in the order that they have.
std::vector<TurnValue> best_first(std::vector<TurnValue> values);

// Polled; true ends what is being done.
using Ended = std::function<bool()>;

struct SweepCost {
    u64 fillings;
    u64 memory;      // bytes while it runs; an eighth is kept
    double seconds;  // expected on one thread
};

// The cost of a sweep with so many empty cells; none if there are too many for any. A board without
// stones takes less: only one of its symmetric images is looked at.
std::optional<SweepCost> sweep_cost(const Board& board, int empty, const LayerOptions& options);

// Those of positions with few stones more are kept. Others are found by another sweep when they are
// first asked for, which takes a small part of the first one's time.
class Sweep {
public:
    // None if `ended` says so; throws as Layers do.
    static std::shared_ptr<Sweep> make(const Board& board, const LayerOptions& options,
                                       const Ended& ended);

    Sweep(const Board& board, const LayerOptions& options);

    // Whether the participant on turn of the position itself wins.
    bool wins() const { return may_swap_ || first_->wins(); }
    bool covers(const Board& board) const { return first_->follows(board); }
    // Each legal turn of a position that is covered, best first, then in canonical order. Before
    // Yoin's second turn the values are those of colours.
    std::vector<TurnValue> turns(const Board& board);
    // Best play by colours to the end of the game: no participant swaps.
    std::vector<TurnValue> line(Board board);

private:
    std::vector<TurnValue> values(const Board& board);

    LayerOptions options_;
    bool may_swap_;
    std::shared_ptr<Layers> first_;
    Mutex mutex_;
    std::shared_ptr<Layers> later_;  // of a position with more stones; under `mutex_`
};

}  // namespace yoddd
