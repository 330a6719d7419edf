#include "sweep.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace yoddd {
namespace {

// Seconds of a filling without distances and with them.
#if defined(__wasm__)
constexpr double filling_seconds[] = {1.1e-9, 5e-9};
#else
constexpr double filling_seconds[] = {0.38e-9, 2.2e-9};
#endif
// The share of the time that games take whose turns always have as many stones.
constexpr double single = 0.3;

// The greatest is the best turn's.
int rank_of(const TurnValue& value) {
    constexpr int worst = 1000;
    return value.wins ? -value.distance : value.distance - worst;
}

}  // namespace

std::vector<TurnValue> best_first(std::vector<TurnValue> values) {
    std::stable_sort(values.begin(), values.end(),
                     [](const auto& a, const auto& b) { return rank_of(a) > rank_of(b); });
    return values;
}

Values numbered(const Played& played, const std::vector<TurnValue>& values) {
    Values list;
    for (const auto& [turn, wins, distance] : values)
        list.emplace_back(played.numbers(turn), wins, distance);
    return list;
}

std::optional<SweepCost> sweep_cost(const Board& board, int empty, const LayerOptions& options) {
    if (empty < 0 || empty > most_swept || !Layers::can_sweep(board.rules())) return {};
    const Geometry& g = board.geometry();
    const bool has_pass = board.rules().has_pass();
    const double fillings = std::pow(3.0, empty);
    double seconds = fillings * filling_seconds[options.distances && has_pass];
    if (!has_pass) seconds *= single;
    if (empty == g.cells) seconds *= 2.0 / static_cast<double>(g.symmetries.size());
    return SweepCost{static_cast<u64>(fillings), Layers::memory(board, empty, options), seconds};
}

std::shared_ptr<Sweep> Sweep::make(const Board& board, const LayerOptions& options,
                                   const Ended& ended) {
    auto sweep = std::make_shared<Sweep>(board, options);
    return sweep->first_->run(ended) ? sweep : nullptr;
}

Sweep::Sweep(const Board& board, const LayerOptions& options)
    : options_(options),
      may_swap_(board.may_swap()),
      first_(std::make_shared<Layers>(board, options)),
      later_(first_) {}

std::vector<TurnValue> Sweep::turns(const Board& board) {
    if (board.is_over()) return {};
    std::vector<TurnValue> values = best_first(this->values(board));
    if (!board.may_swap()) return values;
    // White is on turn again, as the other participant.
    const TurnValue& best = values[0];
    values.push_back({{Step::swap}, !best.wins, best.distance ? best.distance + 1 : 0});
    return best_first(values);
}

std::vector<TurnValue> Sweep::line(Board board) {
    std::vector<TurnValue> line;
    while (!board.is_over()) {
        line.push_back(best_first(values(board))[0]);
        play_turn(board, line.back().turn);
    }
    return line;
}

std::vector<TurnValue> Sweep::values(const Board& board) {
    if (first_->covers(board)) return first_->turns(board);
    std::shared_ptr<Layers> later;
    {
        const std::lock_guard held(mutex_);
        if (!later_->covers(board)) {
            auto made = std::make_shared<Layers>(board, options_);
            made->run([] { return false; });
            later_ = made;
        }
        later = later_;
    }
    return later->turns(board);
}

}  // namespace yoddd
