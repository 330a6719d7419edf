#include "layers_sets.hpp"

#include <bit>
#include <stdexcept>

namespace yoddd {
namespace {

constexpr u32 unknown = ~u32{0};
constexpr u64 polled_sets = u64{1} << 12;  // some 0.2 ms

constexpr auto binomials = [] {
    std::array<std::array<u64, most_swept + 2>, most_swept + 2> list{};
    for (std::size_t n = 0; n < list.size(); ++n) {
        list[n][0] = 1;
        for (std::size_t k = 1; k <= n; ++k)
            list[n][k] = list[n - 1][k - 1] + (k < n ? list[n - 1][k] : 0);
    }
    return list;
}();

// The largest set of a size is below this rank; found by its highest cells first.
u32 unranked(u64 rank, int size, int cells) {
    u32 set = 0;
    for (int bit = cells - 1; size > 0; --bit) {
        const u64 below = LayerSets::choose(bit, size);
        if (rank < below) continue;
        rank -= below;
        set |= u32{1} << bit;
        --size;
    }
    return set;
}

}  // namespace

const std::array<std::array<u64, most_swept + 2>, most_swept + 2> LayerSets::table = binomials;

LayerSets::LayerSets(int cells, const Geometry* whole)
    : cells_(cells), layers_(static_cast<std::size_t>(cells) + 2) {
    if (!whole) return;
    const auto& symmetries = whole->symmetries;
    for (const auto& symmetry : symmetries) {
        auto& image = images_.emplace_back();
        for (int cell = 0; cell < cells; ++cell) {
            const int bit = cells - 1 - cell, to = cells - 1 - symmetry[cell];
            for (u32 byte = 0; byte < 256; ++byte)
                if (byte >> bit % 8 & 1) image[bit / 8][byte] |= u32{1} << to;
        }
        u32 inverse = 0;
        for (u32 s = 0; s < symmetries.size(); ++s) {
            bool identity = true;
            for (int cell = 0; cell < cells && identity; ++cell)
                identity = symmetries[s][symmetry[cell]] == cell;
            if (identity) inverse = s;
        }
        inverse_.push_back(inverse);
    }
}

u32 LayerSets::following(u32 set) {
    const u32 least = set & -set, carried = set + least;
    if (!least || !carried) return 0;
    return carried | ((set ^ carried) >> (std::countr_zero(least) + 2));
}

u64 LayerSets::rank_of_all(u32 set) {
    u64 rank = 0;
    for (int i = 1; set; ++i, set &= set - 1) rank += choose(std::countr_zero(set), i);
    return rank;
}

bool LayerSets::open(int size, const std::function<bool()>& interrupted) {
    Layer& layer = layers_[static_cast<std::size_t>(size)];
    if (!has_images() || !layer.sets.empty()) return true;
    const u64 count = choose(cells_, size);
    layer.places.assign(count, unknown);
    u32 set = (u32{1} << size) - 1;
    for (u64 rank = 0; rank < count; ++rank, set = following(set)) {
        if (rank % polled_sets == 0 && interrupted && interrupted()) return false;
        if (layer.places[rank] != unknown) continue;
        const auto place = static_cast<u32>(layer.sets.size()) << symmetry_bits;
        for (u32 s = 0; s < images_.size(); ++s) {
            u32& found = layer.places[rank_of_all(image(set, s))];
            if (found == unknown) found = place | inverse_[s];
        }
        layer.sets.push_back(set);
    }
    return true;
}

void LayerSets::close(int size) { layers_[static_cast<std::size_t>(size)] = {}; }

u64 LayerSets::count(int size) const {
    if (!has_images()) return choose(cells_, size);
    return layers_[static_cast<std::size_t>(size)].sets.size();
}

u32 LayerSets::set(int size, u64 rank) const {
    if (!has_images()) return unranked(rank, size, cells_);
    return layers_[static_cast<std::size_t>(size)].sets[rank];
}

u64 LayerSets::index(u32 set, u32 blacks, u32 symmetry) const {
    if (symmetry) {
        set = image(set, symmetry);
        blacks = image(blacks, symmetry);
    }
    u64 index = 0;
    for (int j = 0; set; ++j) {
        const u32 bit = std::bit_floor(set);
        index |= u64{(blacks & bit) != 0} << j;
        set ^= bit;
    }
    return index;
}

LayerSets::Place LayerSets::place(u32 set) const {
    return place(std::popcount(set), rank_of_all(set));
}

}  // namespace yoddd
