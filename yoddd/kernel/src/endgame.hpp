// Perfect play at the end of a game by sweeps, which are kept until it is over.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "sweep.hpp"

namespace yoddd {

constexpr double without_end = std::numeric_limits<double>::infinity();

inline double seconds_since(std::chrono::steady_clock::time_point moment) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - moment).count();
}

// The limits of a sweep.
struct Reach {
    double fillings = without_end;
    double seconds = without_end;
    u64 memory = 0;
    int threads = 1;
    double quick = 0;  // seconds: what is expected to take no more may have any number of fillings
};

// A full sweep knows how long a win takes. Before the limits allow one, a compact one at least finds a
// turn that wins, if there is one.
class Endgame {
public:
    // The bytes of the sweeps for a position, kept or new; 0 if all would pass the limit.
    u64 bytes_for(const Board& board, u64 limit) const;
    u64 bytes_kept() const { return full_.bytes + compact_.bytes; }
    void drop();

    // The values of the legal turns, best first; none if the limits allow no sweep. Where only a
    // compact one is known, none if no turn wins: it does not say which turn loses last.
    std::vector<TurnValue> look(const Board& board, const Reach& reach, const Ended& ended);
    // Best play after a turn that `look` has found.
    std::vector<Turn> line(Board board, const Turn& first) const;

    // Whether the limits allow compact sweeps of the positions after a few turns: fewer cells are
    // empty there, so that several take less time than one of the position itself.
    bool settles(const Board& board, const Reach& reach) const;
    // Whether the participant who takes a turn wins; empty if the limits allow no sweep.
    std::optional<bool> wins_by(const Turn& turn, Board board, const Reach& reach,
                                const Ended& ended);

private:
    // The latest sweep with distances, or without them.
    struct Kept {
        bool distances;
        std::shared_ptr<Sweep> sweep = nullptr;
        u64 bytes = 0;
        // The time that the last large sweep took, as a multiple of what was expected.
        double pace = 1;

        Sweep* find(const Board& board) const;
        u64 bytes_for(const Board& board, u64 limit) const;
        bool fits(const SweepCost& cost, const Reach& reach) const;
        Sweep* make(const Board& board, const Reach& reach, const Ended& ended);
        void drop();
    };

    Kept full_{true};
    Kept compact_{false};
};

}  // namespace yoddd
