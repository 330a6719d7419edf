// The play of the strongest engine: from a position and the limits of a turn to the turn.
//
// If few cells are empty it plays perfectly by a sweep, which it keeps for the rest of the game, or asks
// the solver first. The tree is kept, and used again if the next position follows from the last one by
// turns of the same game.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "endgame.hpp"
#include "search.hpp"

namespace yoddd {

// The limits of a turn; the first that is reached ends it.
struct PlayLimits {
    static constexpr u64 unlimited = ~u64{0};
    u64 playouts = unlimited;
    u64 visits = unlimited;  // of the position, those kept from earlier searches included
    double seconds = without_end;
    // Whether playouts or visits were asked for: without a limit by time, proofs then take a moment, or
    // as long as these; of few, next to nothing, so that a weak engine stays weak.
    bool counts = false;
    u64 swept = 0;        // bytes of a sweep
    bool resume = false;  // others will go on with this search: what was found is valued as before
    bool proves = true;
};

// Moves, visits, win rate and margin of the best turn, and the playouts of the search.
using PlayResult = std::tuple<Moves, u64, double, double, u64>;
// The turn and those expected behind it, its visits, win rate, margin and the margin's spread; whether
// that is proven and the turns to the end, 0 if that is not known; the visits, win rate and margin of
// its first stone, no visits where it has no other.
using Considered =
    std::tuple<std::vector<Moves>, u64, double, double, double, bool, int, u64, double, double>;
// What was considered, best first; visits, win rate, margin and its spread; for each cell what is
// expected there in the end, 1 for the player; the numbers of half turns and what playouts with them
// were worth; the colour that is proven to win, or none.
using PlayReport = std::tuple<std::vector<Considered>, u64, double, double, double,
                              std::vector<double>, std::vector<std::pair<int, double>>, int>;

class Player {
public:
    Player();

    // Bytes of the sweeps for a position, kept or new; 0 if all would pass the limit.
    u64 bytes_for(const Played& played, u64 limit) const;
    u64 bytes_kept() const;
    void drop_sweeps() { endgame_.drop(); }
    void drop();

    // Begin a turn in a game that is not over: plant a tree or find the one that leads here by
    // `turns`, all those of the game, and prove what can be proven. False where memory lacks.
    bool begin(const Played& played, const std::vector<Moves>& turns,
               const SearchSettings& settings, u64 seed, const PlayLimits& limits,
               const Ended& ended);
    // Go on for a slice of time; false at the end. `ended` is asked during sweeps.
    bool step(const Ended& ended);
    // End the search with its best turn so far.
    void finish();
    PlayResult result() const;
    PlayReport report() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Proven {
        TurnValue value;
        std::vector<Turn> line;
    };
    enum class Phase { over, searches, settles };

    bool plant(const Played& played, const std::vector<Turn>& turns, const SearchSettings& settings,
               u64 seed);
    bool follow(const Board& board, const std::vector<Turn>& turns, const SearchSettings& settings);
    u64 forecast() const;
    void prove(const Ended& ended);
    void solve(const Ended& ended);
    bool make_room();
    bool permits(const Turn& turn) const;
    double left() const;
    Reach reach() const;
    bool is_weak() const;
    std::vector<MoveReport> visited(const std::vector<Move>& after, std::size_t most) const;
    std::vector<Considered> considered() const;
    std::vector<Moves> whole_turns(const std::vector<Move>& moves) const;

    Endgame endgame_;
    std::unique_ptr<Search> search_;
    SearchSettings settings_;
    std::vector<Turn> turns_;  // of the game, up to the root of the tree
    double speed_;             // visits a second of one thread times the cells of the board

    // Of the turn:
    std::optional<Played> played_;
    PlayLimits limits_;
    Clock::time_point asked_, begun_;
    std::vector<Proven> proven_;
    bool settles_ = false;
    double searches_ = 0;  // seconds of the search
    u64 before_ = 0;       // playouts until room was made last
    Phase phase_ = Phase::over;
    SearchStats found_;
    Turn turn_;
    std::vector<Turn> ranked_;  // to be settled, the most promising first
    std::size_t lost_ = 0;      // of them
};

}  // namespace yoddd
