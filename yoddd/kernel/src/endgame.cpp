#include "endgame.hpp"

#include <algorithm>
#include <cstdint>

namespace yoddd {
namespace {

using Clock = std::chrono::steady_clock;

// The least and the most expected time of a sweep, as multiples of what its cost says.
constexpr double paces[] = {0.25, 4};
// The size from which on the time of a sweep says something about the next one's: 3^11.
constexpr u64 measured = 177147;
// The sweeps of later positions, at the least, for which there has to be time.
constexpr double settled = 1.5;

// The cost of a compact sweep after the longest turn.
std::optional<SweepCost> later_cost(const Board& board, int threads) {
    const int empty = board.state().empty - (board.may_drop_two() ? 2 : 1);
    return sweep_cost(board, std::max(empty, 0), {false, threads});
}

}  // namespace

Sweep* Endgame::Kept::find(const Board& board) const {
    return sweep && sweep->covers(board) ? sweep.get() : nullptr;
}

u64 Endgame::Kept::bytes_for(const Board& board, u64 limit) const {
    if (find(board)) return bytes;
    const auto cost = sweep_cost(board, board.state().empty, {distances, 1});
    return cost && cost->memory <= limit ? cost->memory : 0;
}

bool Endgame::Kept::fits(const SweepCost& cost, const Reach& reach) const {
    const bool is_cheap =
        static_cast<double>(cost.fillings) <= reach.fillings || cost.seconds <= reach.quick;
    return cost.memory <= reach.memory && is_cheap &&
           pace * cost.seconds / reach.threads <= reach.seconds;
}

Sweep* Endgame::Kept::make(const Board& board, const Reach& reach, const Ended& ended) {
    const LayerOptions options{distances, reach.threads};
    const auto cost = sweep_cost(board, board.state().empty, options);
    if (!cost || !fits(*cost, reach) || cost->memory > SIZE_MAX) return nullptr;
    drop();
    const auto begun = Clock::now();
    const auto is_over = [&] { return seconds_since(begun) >= reach.seconds || ended(); };
    sweep = Sweep::make(board, options, is_over);
    if (sweep) bytes = cost->memory / 8;
    if (cost->fillings >= measured) {
        const double taken = seconds_since(begun) * reach.threads / cost->seconds;
        pace = std::clamp(sweep ? taken : 2 * pace, paces[0], paces[1]);
    }
    return sweep.get();
}

void Endgame::Kept::drop() {
    sweep = nullptr;
    bytes = 0;
}

u64 Endgame::bytes_for(const Board& board, u64 limit) const {
    const auto later = later_cost(board, 1);
    const u64 settling = later && later->memory <= limit ? later->memory : 0;
    return std::max({full_.bytes_for(board, limit), compact_.bytes_for(board, limit), settling});
}

void Endgame::drop() {
    full_.drop();
    compact_.drop();
}

std::vector<TurnValue> Endgame::look(const Board& board, const Reach& reach, const Ended& ended) {
    // White may take over the colour that wins.
    if (board.rules().pie && board.state().number == 1) return {};
    const auto begun = Clock::now();
    Sweep* full = full_.find(board);
    if (!full) full = full_.make(board, reach, ended);
    if (full) {
        compact_.drop();
        return full->turns(board);
    }
    Sweep* compact = compact_.find(board);
    Reach rest = reach;
    rest.seconds -= seconds_since(begun);
    if (!compact && !ended()) compact = compact_.make(board, rest, ended);
    if (!compact) return {};
    std::vector<TurnValue> values = compact->turns(board);
    if (!values[0].wins) return {};
    for (TurnValue& value : values) value.distance = 0;
    return values;
}

std::vector<Turn> Endgame::line(Board board, const Turn& first) const {
    std::vector<Turn> line{first};
    play_turn(board, first);
    Sweep* sweep = full_.find(board);
    if (!sweep) sweep = compact_.find(board);
    if (sweep)
        for (const TurnValue& value : sweep->line(board)) line.push_back(value.turn);
    return line;
}

bool Endgame::settles(const Board& board, const Reach& reach) const {
    const auto later = later_cost(board, reach.threads);
    Reach each = reach;
    each.fillings /= settled;
    each.seconds /= settled;
    each.quick /= settled;
    return later && compact_.fits(*later, each);
}

std::optional<bool> Endgame::wins_by(const Turn& turn, Board board, const Reach& reach,
                                     const Ended& ended) {
    const int player = board.player();
    play_turn(board, turn);
    if (board.is_over()) return board.score().winner == player;
    const Sweep* sweep = ended() ? nullptr : compact_.make(board, reach, ended);
    if (!sweep) return {};
    return !sweep->wins();
}

}  // namespace yoddd
