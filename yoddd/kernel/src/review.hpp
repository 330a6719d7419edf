// The review of a game: every turn judged against the best one.
//
// The end of the game is solved here. The searches of other positions are the caller's, who asks what
// is wanted, and gives what each search has found, in that order, until nothing is wanted. The same
// searches make the same review.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "exact.hpp"
#include "judgement.hpp"

namespace yoddd {

// A search: of the position before turn `at`, or of that after another turn there, which has no moves
// otherwise; its visits, and its seed.
using Wanted = std::tuple<std::size_t, Moves, u64, u64>;
// As Chance.
using ChanceReport = std::tuple<double, u64, bool, int>;
// Of a turn: the chances of its participant after the best turn and after the one that was played, the
// loss, the accuracy, the grade; the better turn and the line that follows, the opponent's best reply
// to an error and the line that follows; whether it was the only turn that wins, and whether the error
// made the other participant the one who is more likely to win; the participant by the colour that
// they began with.
using TurnReport =
    std::tuple<ChanceReport, ChanceReport, double, double, int, Line, Line, bool, bool, int>;
// Of a participant: turns, the accuracy and the mean loss, 0 without a turn, and the number of turns
// of each grade but the first.
using PlayerReport = std::tuple<int, double, double, std::vector<int>>;
// The turns; the chances of the participant who began as Black, before the first turn and after every
// turn; the number of turns after which the positions are solved, -1 if none is; Black and White.
using ReviewReport =
    std::tuple<std::vector<TurnReport>, std::vector<double>, int, std::vector<PlayerReport>>;

class Review {
public:
    // `turns` are legal one after the other.
    Review(const Played& start, const std::vector<Moves>& turns);
    Review(const Review&) = delete;  // what is solved refers to these positions
    Review& operator=(const Review&) = delete;

    // Solve the end of the game as far as the limits allow, from the beginning.
    void solve(const ExactLimits& limits, Table table, const Ended& ended);
    // The searches of the present stage that have not been given; none behind the last stage, 4.
    // Searches that decide on an error have more visits than the others.
    std::vector<Wanted> wanted(u64 visits, u64 seed, const Ended& ended);
    int stage() const { return stage_; }
    // What a search has found: its turn, the chance of the player, visits, and the lines that it
    // considers, best first.
    void take(const Moves& turn, double value, u64 visits, const std::vector<Line>& lines);
    ReviewReport report() const;

private:
    struct Found {
        Chance chance;
        std::vector<Line> lines;
        Line line() const { return lines.empty() ? Line{} : lines[0]; }
    };
    // The chances of the player on turn, and the lines.
    struct Judged {
        Chance best;
        Chance played;
        std::function<Line()> better;
        std::function<Line()> reply;
    };

    std::vector<Place> places(const Ended& ended);
    void skip_ends();
    void end_stage();
    Place after(std::size_t at, const Moves& turn) const;
    const Moves& best_turn(std::size_t at) const { return estimates_[at].lines[0][0]; }
    bool is_edge(std::size_t at) const;
    Judged judge(std::size_t at) const;
    TurnReport judged(std::size_t at) const;
    PlayerReport player(const std::vector<TurnReport>& turns, const std::vector<double>& chances,
                        int seat) const;
    const Chance& chance(std::size_t at) const;
    int seat(std::size_t at) const;

    const Played start_;
    std::vector<Moves> turns_;
    std::vector<Board> positions_;
    std::unique_ptr<ExactValues> exact_;
    int stage_ = 0;
    std::vector<Place> places_;  // of the stage
    std::vector<Found> found_;   // of them, so far
    std::vector<Found> estimates_;
    // Where the best turn was not played, and where that looks like an error: after it and after the
    // turn that was played.
    std::map<std::size_t, std::pair<Found, Found>> compared_;
    std::vector<std::size_t> flawed_;
    // Of the last turn before the solved ones: a turn that wins, or else one that may.
    std::optional<std::pair<Moves, Known>> win_;
    std::optional<std::pair<Moves, Found>> better_;
};

}  // namespace yoddd
