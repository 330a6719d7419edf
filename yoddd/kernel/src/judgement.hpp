// The judgement of one turn, and the accuracy of a player: formulas without a game.
//
// Sources: the curve of a turn's accuracy, the mean over a game and the three thresholds are those of
// Lichess (lila, AccuracyPercent.scala and Advice.scala); the mean loss is KaTrain's mean point loss
// with chances for points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

#include "types.hpp"

namespace yoddd {

constexpr int unknown = -1;  // a distance

// The chance of winning of one participant.
struct Chance {
    double value = 0;
    u64 visits = 0;  // of the search that estimated it; 0 if it is exact
    bool exact = false;
    int distance = unknown;  // turns to the end of the game by best play

    static Chance proven(bool wins, int distance) { return {double(wins), 0, true, distance}; }
    // That of the other participant.
    Chance opponents() const { return {1 - value, visits, exact, distance}; }
    // That of the player whose turn leads here.
    Chance before() const {
        return {1 - value, visits, exact, distance == unknown ? unknown : distance + 1};
    }
};

// The least loss of an inaccuracy, a mistake and a blunder, which are grades 1 to 3.
constexpr double thresholds[] = {0.05, 0.10, 0.15};

// Of so many independent games, and of a search as such.
inline double standard_error(const Chance& chance) {
    constexpr double spread = 0.015;  // of long searches of one position from different seeds
    if (chance.exact || !chance.visits) return 0;
    const double variance = chance.value * (1 - chance.value) / static_cast<double>(chance.visits);
    return std::hypot(std::sqrt(variance), spread);
}

inline double deviation(const double* begin, const double* end) {
    const auto count = static_cast<double>(end - begin);
    const double mean = std::accumulate(begin, end, 0.0) / count;
    const double squares = std::accumulate(
        begin, end, 0.0, [&](double sum, double x) { return sum + (x - mean) * (x - mean); });
    return std::sqrt(squares / count);
}

// The chance that a turn gives away, 0 to 1.
inline double loss_of(const Chance& best, const Chance& played) {
    return std::max(0.0, best.value - played.value);
}

// The grade of that loss: 0 if the estimates may be off by that much.
inline int grade_of(const Chance& best, const Chance& played) {
    constexpr double doubt = 2;  // a loss counts from so many standard errors on
    constexpr double rounding = 1e-9;
    const double loss = loss_of(best, played);
    if (loss <= doubt * std::hypot(standard_error(best), standard_error(played))) return 0;
    return static_cast<int>(std::count_if(std::begin(thresholds), std::end(thresholds),
                                          [&](double from) { return loss >= from - rounding; }));
}

// The accuracy of a turn, 0 to 100.
inline double accuracy_of(double loss) {
    constexpr double height = 103.1668100711649, decay = 0.04354415386753951;  // by percents
    constexpr double offset = 3.166924740191411;
    constexpr double bonus = 1;  // for the uncertainty of the estimates
    if (loss <= 0) return 100;
    return std::clamp(height * std::exp(-decay * 100 * loss) - offset + bonus, 0.0, 100.0);
}

// The accuracy of one player in a game, 0 to 100: the mean of two means, one weighed by how much the
// chances change around the turn, and the harmonic one, in which a bad turn counts more. Takes the
// accuracies of all turns, the chances of one of the players before the first turn and after every
// turn, and the indices of the player's turns, of which there is one at least.
inline double game_accuracy(const std::vector<double>& accuracies,
                            const std::vector<double>& chances,
                            const std::vector<std::size_t>& places) {
    // The fewest and the most positions whose chances weigh a turn, and the bounds of the weights.
    constexpr std::size_t windows[] = {2, 8};
    constexpr double weights[] = {0.5, 12};
    constexpr double least = 1;  // the accuracy of a turn in the harmonic mean
    std::vector<double> percents;
    for (const double chance : chances) percents.push_back(100 * chance);
    const std::size_t size =
        std::min(std::clamp((chances.size() - 1) / 10, windows[0], windows[1]), percents.size());
    double sum = 0, weighed = 0, inverse = 0;
    for (const std::size_t at : places) {
        // The first turns share the first window.
        const std::size_t begin = at < size - windows[0] ? 0 : at - (size - windows[0]);
        const double* const window = percents.data() + begin;
        const double weight = std::clamp(deviation(window, window + size), weights[0], weights[1]);
        sum += weight;
        weighed += weight * accuracies[at];
        inverse += 1 / std::max(least, accuracies[at]);
    }
    return (weighed / sum + static_cast<double>(places.size()) / inverse) / 2;
}

}  // namespace yoddd
