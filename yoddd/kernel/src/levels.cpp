#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "successors.hpp"

namespace yoddd {
namespace {

constexpr u64 salt = 0x5eed;
// The nats that stand for a difference of 1 between values where none was learned.
constexpr double nats = 40;

// Begins the Mersenne Twister as Python's `random.Random` does, which the levels were measured with.
struct Beginning {
    using result_type = std::uint32_t;
    u64 seed;

    template <class Word>
    void generate(Word* begin, Word* end) const {
        const u32 key[] = {static_cast<u32>(seed), static_cast<u32>(seed >> 32)};
        const u32 length = key[1] ? 2 : 1;
        const auto size = static_cast<u32>(end - begin);
        const auto mixed = [&](u32 at) { return begin[at - 1] ^ begin[at - 1] >> 30; };
        begin[0] = 19650218;
        for (u32 i = 1; i < size; ++i) begin[i] = static_cast<u32>(1812433253 * mixed(i) + i);
        u32 at = 1;
        const auto step = [&] {
            if (++at < size) return;
            begin[0] = begin[size - 1];
            at = 1;
        };
        for (u32 i = 0; i < size; ++i, step())
            begin[at] =
                static_cast<u32>((begin[at] ^ mixed(at) * 1664525) + key[i % length] + i % length);
        for (u32 i = 1; i < size; ++i, step())
            begin[at] = static_cast<u32>((begin[at] ^ mixed(at) * 1566083941) - at);
        begin[0] = 0x80000000;
    }
};

// Logarithms of how likely half turns are.
using Logs = std::vector<std::pair<Move, double>>;

Logs policy_logs(const Board& board, const std::vector<float>& weights) {
    const std::vector<Move> moves = legal_moves(board);
    std::vector<float> found(moves.size());
    Successors around;
    around.look_at(board);
    around.judge(weights, moves, found.data());
    Logs logs;
    for (std::size_t i = 0; i < moves.size(); ++i) logs.emplace_back(moves[i], found[i]);
    return logs;
}

Logs lent_logs(const Played& played, const std::vector<std::pair<int, double>>& lent,
               double winrate) {
    Logs logs;
    if (!played.board().is_pending()) {
        for (const auto& [move, value] : lent) logs.emplace_back(played.move(move), nats * value);
        return logs;
    }
    for (const int move : played.legal_moves()) {
        const auto found = std::find_if(lent.begin(), lent.end(),
                                        [&](const auto& one) { return one.first == move; });
        const double worth = found == lent.end() ? winrate : found->second;
        logs.emplace_back(played.move(move), nats * worth);
    }
    return logs;
}

// 0 to 1, less than 1, with 53 bits.
double fraction(std::mt19937& random) {
    const double high = random() >> 5;
    return (high * 67108864 + (random() >> 6)) / 9007199254740992;
}

}  // namespace

std::vector<int> draw_turn(const Played& start, const std::vector<float>& weights,
                           const std::vector<std::pair<int, double>>& lent, double winrate,
                           double spread, u64 seed) {
    Beginning beginning{seed ^ salt};
    std::mt19937 random(beginning);
    Played played = start;
    // The levels are set by the policy that follows from the value, also where it has another one.
    const std::vector<float> valued = Learned::value_alone(weights, start.board().geometry());
    Turn turn;
    do {
        const Logs logs =
            valued.empty() ? lent_logs(played, lent, winrate) : policy_logs(played.board(), valued);
        double most = logs[0].second, sum = 0;
        for (const auto& one : logs) most = std::max(most, one.second);
        std::vector<double> sums;
        for (const auto& one : logs) sums.push_back(sum += std::exp((one.second - most) / spread));
        const auto found = std::upper_bound(sums.begin(), sums.end() - 1, fraction(random) * sum);
        const Move move = logs[static_cast<std::size_t>(found - sums.begin())].first;
        if (move.step == Step::stone)
            turn.stone[turn.stones++] = move.stone;
        else if (move.step != Step::end)
            turn.kind = move.step;
        played.play(played.number(move));
    } while (played.board().is_pending());
    return played.numbers(turn);
}

}  // namespace yoddd
