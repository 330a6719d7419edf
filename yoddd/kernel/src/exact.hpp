// The exact values of the positions at the end of a game: by tables, by sweeps, by proof.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "judgement.hpp"
#include "sweep.hpp"

namespace yoddd {

struct ExactLimits {
    u64 memory = 0;        // bytes of a sweep
    u64 proof_memory = 0;  // bytes of the search of a proof
    double seconds = 0;    // the longest expected time of a sweep; 0 for no sweep and no proof
    u64 nodes = 0;         // the most of a proof where no sweep fits; 0 for none
    int threads = 1;
};

// A position of a game: that before turn `at`, or what follows from it by more turns.
struct Place {
    std::size_t at;
    std::vector<Moves> more;
    Board board;
};

using Line = std::vector<Moves>;
// The values of all turns by a table, best first; none without one.
using Table = std::function<Values(std::size_t at, const std::vector<Moves>& more)>;

// The exact value of a position.
struct Known {
    Chance chance;  // of the player on turn
    // Whether only one turn wins, up to symmetry, of enough that are legal.
    bool sole = false;
    // Finds best play of both sides, which takes a while.
    std::function<Line()> line;
};

class ExactValues {
public:
    // `positions` are those before each turn, and the last one.
    ExactValues(const Played& start, const std::vector<Board>& positions, const ExactLimits& limits,
                Table table, const Ended& ended);

    // The first position that is known, as all after it are; their number if none is.
    std::size_t first() const { return first_; }
    const Known& known(std::size_t at) const { return known_.at(at); }
    // The value of a position that was not played; none if it is not found.
    std::optional<Known> find(const Place& place, const Ended& ended) const;

private:
    std::optional<Known> read(const Place& place) const;
    Known valued(const Place& place, const std::vector<TurnValue>& values,
                 std::function<Line()> line) const;
    std::vector<TurnValue> tabled(const Place& place) const;
    std::optional<Known> solve(const Board& board, const Ended& ended) const;
    bool allows(const Board& board, bool distances) const;
    bool is_sole(const Board& board, const std::vector<TurnValue>& values) const;
    Line participants(Board board, int winner, std::vector<Turn> line) const;
    Place place(std::size_t at) const { return {at, {}, positions_[at]}; }
    void extend();
    void add_sweeps(const Ended& ended);
    void add_proofs(const Ended& ended);

    const Played& start_;
    const std::vector<Board>& positions_;
    const ExactLimits limits_;
    const Table table_;
    std::vector<std::shared_ptr<Sweep>> sweeps_;
    std::map<std::size_t, Known> known_;
    std::size_t first_;
};

}  // namespace yoddd
