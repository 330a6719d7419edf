// Complete tables: the value of every filling of a small board, by one sweep from the full board
// down. The format of their files and the meaning of the planes: docs/reference/tables.md.
//
// A filling gives each cell one of three contents: empty, black, white. Cells are split into a
// *head* of at most 12 cells that the symmetries map onto itself, and the *tail* of all others.
// Heads that are images of one another form a class, for which the one of the least code stands.
// The place of a filling is class * (number of tails) + the tail's code, once a symmetry has mapped
// its head to the one that stands for the class.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "geometry.hpp"

namespace yoddd {

constexpr int max_table_cells = 19;

class TableIndex {
public:
    // Throws std::invalid_argument for a board of more than 19 cells.
    explicit TableIndex(const Geometry& geometry);

    // Of a content for each cell: 0 empty, 1 black, 2 white.
    u32 place(const u8* contents) const {
        u32 head = 0, tail = 0;
        for (std::size_t i = 0; i < head_cells.size(); ++i)
            head += contents[head_cells[i]] * powers[i];
        for (std::size_t i = 0; i < tail_cells.size(); ++i)
            tail += contents[tail_cells[i]] * powers[i];
        const Entry found = heads[head];
        return found.number * tails + tail_images[found.symmetry * tails + tail];
    }

    std::size_t size() const { return representatives.size() * tails; }

    // The class of a head and a symmetry that maps it to the one that stands for the class.
    struct Entry {
        u32 number : 28;
        u32 symmetry : 4;
    };

    const Geometry& geometry;
    std::vector<int> head_cells, tail_cells;        // a code's digits, least significant first
    std::array<u32, max_table_cells + 1> powers{};  // of three
    u32 tails = 1;                                  // how many codes a tail has
    std::vector<Entry> heads;                       // by code
    std::vector<u32> representatives;               // the least head code of each class, ascending
    std::vector<u8> weights;                        // how many heads a class has
    std::vector<u16> tail_images;                   // [symmetry][code]
};

// Positions of one number of stones that can stand at the end of a turn, all images counted.
struct TableLayer {
    u64 positions = 0;
    u64 won = 0;  // by the player on turn
};

// The sweep and its result.
class Table {
public:
    Table(const Geometry& geometry, const Rules& rules);

    // The bytes that a sweep takes; known before it begins.
    u64 memory() const;

    // `progress` is called from this thread many times a second with the share done; false from it
    // ends the sweep, and then the result is false and there are no planes.
    bool sweep(int threads, const std::function<bool(double)>& progress);

    const TableIndex& index() const { return index_; }
    const std::vector<TableLayer>& layers() const { return layers_; }
    // Plane 0 has Black on turn. Plane 1 is with a pass before in Yodd and Xodd, with White on turn
    // in Odd; in other games there is none.
    int planes() const;
    // Only with passes games differ in length.
    bool has_distances() const { return kind_ == Kind::parity; }
    // Whether the player on turn wins: bit i % 8 of byte i / 8 is the value at place i.
    std::vector<u8> won(int plane) const;
    // Turns to the end, a byte for each place.
    std::vector<u8> turns(int plane) const;

private:
    enum class Kind : u8 { parity, odd, yoin, product };
    struct Side;
    struct Work;
    struct Filling;
    struct Progress;

    static Kind kind_of(const Rules& rules);
    void count_groups();
    u32 group_in(u32 mask) const;
    std::vector<int> sizes(u32 mask) const;
    bool black_wins(u32 black_mask, u32 white_mask) const;

    void sweep_layer(const std::vector<u32>& layer, std::vector<Work>& works, Progress& done);
    void solve(u32 number, Work& work);
    void open(Side& side, u32 number) const;
    void gather(Side& side, u32 head) const;
    void take_tails(Side& side, int stones) const;
    template <Kind kind>
    void finish(const Side& side, const Side& other, int stones, Work& work);
    template <Kind kind>
    void store(const Filling& filling, Work& work);
    void solve_level(Side& side, Side& other, int stones, Work& work);

    TableIndex index_;
    Rules rules_;
    Kind kind_;
    bool own_;
    std::vector<u32> adjacent_;             // by bit: the bits of the neighbours
    std::vector<u8> groups_;                // by mask: how many groups these cells form
    std::vector<u32> tail_black_;           // by code: the bits of its black stones
    std::vector<u32> tail_white_;           // and of its white ones
    std::vector<u16> exchanged_;            // by code: the tail with its colours exchanged
    std::vector<std::vector<u16>> levels_;  // the tails of each number of stones
    // By place, with Black on turn. The value for the player who ends a turn here, and the best
    // that they can make of it by a second stone; 0 where no such turn is legal.
    std::vector<u8> gains_, seconds_;
    std::vector<u8> values_[2];  // of the planes; 0 where there is no position
    std::vector<TableLayer> layers_;
    std::vector<std::vector<u32>> classes_;  // by the stones of their heads
};

}  // namespace yoddd
