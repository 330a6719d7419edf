// Complete tables: the values of a small board's positions as the sections of a file. The format
// and the meaning of the planes: docs/reference/tables.md.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "layers.hpp"

namespace yoddd {

// The sweeps and their result.
class Table {
public:
    // Of positions with so many stones at most.
    Table(const Board& empty, int stones, bool distances, int threads);
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    // The bytes that making it takes, known beforehand.
    u64 memory() const;

    // False if `interrupted` ended it; then there are no planes.
    bool sweep(const std::function<bool()>& interrupted);
    // The share of the sweeps that has been made.
    double done() const;

    // Sets of occupied cells by size, those that stand for their images ascending. Each has places
    // for all of its fillings, one set after the other.
    std::vector<u32> sets() const;
    // By the number of stones; all, not only those that are held.
    std::vector<LayerCount> counts() const { return runs_[0]->counts(); }
    // Plane 0 has White on turn. In Odd, whose stones have no owners, plane 1 has Black; in other
    // games Black's values are White's with the colours exchanged.
    int planes() const { return static_cast<int>(runs_.size()); }
    // Whether the player on turn wins: bit i % 8 of byte i / 8 is the value at place i.
    std::vector<u8> won(int plane) const;
    // Turns to the end, a byte for each place.
    std::vector<u8> turns(int plane) const;

private:
    template <class Visit>
    void visit(int plane, const Visit& visit) const;

    Board board_;
    int stones_;
    LayerOptions options_;
    std::vector<std::unique_ptr<Layers>> runs_;  // by who begins
};

}  // namespace yoddd
