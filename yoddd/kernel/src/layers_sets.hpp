// Sets of cells of one size and their ranks, with the symmetries of an empty board.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "geometry.hpp"
#include "layers_record.hpp"

namespace yoddd {

class LayerSets {
public:
    // A set's place among those that stand for their images, and the symmetry that leads there.
    struct Place {
        u64 rank;
        u32 symmetry;
    };

    // `whole` is the board whose cells are all empty, or null for an endgame.
    LayerSets(int cells, const Geometry* whole);

    static u64 choose(int n, int k) { return table[static_cast<std::size_t>(n)][k]; }

    bool has_images() const { return !images_.empty(); }
    std::size_t symmetries() const { return has_images() ? images_.size() : 1; }
    // Prepare the sets of a size; without symmetries there is nothing to do. False if `interrupted`
    // ended it.
    bool open(int size, const std::function<bool()>& interrupted = {});
    void close(int size);

    u64 count(int size) const;
    u32 set(int size, u64 rank) const;
    // The next one of as many cells.
    static u32 following(u32 set);

    // Of all sets of a size, ascending.
    static u64 rank_of_all(u32 set);
    Place place(int size, u64 rank_of_all) const {
        if (!has_images()) return {rank_of_all, 0};
        const u32 place = layers_[static_cast<std::size_t>(size)].places[rank_of_all];
        return {place >> symmetry_bits, place & ((1u << symmetry_bits) - 1)};
    }
    Place place(u32 set) const;
    // The index of a filling of a set, or of its image.
    u64 index(u32 set, u32 blacks, u32 symmetry) const;
    u32 image(u32 set, u32 symmetry) const {
        const auto& image = images_[symmetry];
        return image[0][set & 0xff] | image[1][set >> 8 & 0xff] | image[2][set >> 16 & 0xff] |
               image[3][set >> 24];
    }

private:
    static constexpr u32 symmetry_bits = 4;  // of a place: 12 symmetries at most
    static const std::array<std::array<u64, most_swept + 2>, most_swept + 2> table;

    struct Layer {
        std::vector<u32> sets;    // those that stand for their images, ascending
        std::vector<u32> places;  // by rank of all: the place of the image, its symmetry
    };

    int cells_;
    std::vector<std::array<std::array<u32, 256>, 4>> images_;  // by symmetry and byte of a set
    std::vector<u32> inverse_;
    std::vector<Layer> layers_;
};

}  // namespace yoddd
