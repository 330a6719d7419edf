#include "layers_groups.hpp"

#include <algorithm>
#include <bit>

namespace yoddd {
namespace {

constexpr int vector_cells = 8;  // whose fillings are a vector
constexpr int most_planes = 6;
constexpr u64 polled_sets = u64{1} << 13;  // some 0.1 ms

u64 words_of(int bits) { return bits <= vector_cells ? 4 : u64{1} << (bits - 6); }

}  // namespace

u64 LayerPlanes::memory(int cells) {
    return 2 * most_planes * sizeof(u64) * words_of(cells) + (2 * sizeof(i16) << cells);
}

// Who has fewer and whether the sum is odd is all that matters: Black's numbers are held to those
// just beyond White's, of the same parity.
bool LayerPlanes::make(int count, const std::vector<i16>& black, const std::vector<i16>& white,
                       const std::function<bool()>& interrupted) {
    cells = count;
    const auto [least, most] = std::minmax_element(white.begin(), white.end());
    const int first = *least - 2, last = *most + 2;
    planes = std::bit_width(static_cast<unsigned>(last - first));
    const auto held = [&](int groups) {
        if (groups < first) groups += (first - groups + 1) / 2 * 2;
        if (groups > last) groups -= (groups - last + 1) / 2 * 2;
        return static_cast<u64>(groups - first);
    };
    const u64 stride = words_of(cells), sets = u64{1} << cells;
    words.assign(2 * static_cast<u64>(planes) * stride, 0);
    const auto set = [&](u64 plane, u64 at, u64 groups) {
        for (int i = 0; i < planes; ++i)
            words[(plane + static_cast<u64>(i)) * stride + at / 64] |= (groups >> i & 1) << at % 64;
    };
    for (u64 at = 0; at < sets; ++at) {
        if (at % polled_sets == 0 && interrupted && interrupted()) return false;
        set(0, at, held(black[at]));
        set(static_cast<u64>(planes), at, static_cast<u64>(white[sets - 1 - at] - first));
    }
    return true;
}

bool LayerPlanes::odd(u32 blacks, u32 set) const {
    const u64 all = (u64{1} << cells) - 1;
    const u64 stride = words_of(cells), whites = blacks | (all & ~u64{set});
    const u64 white = words[static_cast<u64>(planes) * stride + whites / 64] >> whites % 64;
    return ((words[blacks / 64] >> blacks % 64) ^ white) & 1;
}

u64 LayerGroupStack::memory(int cells) {
    return 2 * most_planes * sizeof(u64) * 2 * words_of(cells);
}

LayerGroups LayerGroupStack::groups(u32 set, const LayerLoops& loops) {
    const int cells = planes_.cells, planes = planes_.planes;
    if (levels_.empty()) {
        levels_.resize(static_cast<std::size_t>(cells) + 1);
        levels_[0].words = planes_.words.data();
        levels_[0].bits = cells;
    } else {
        const int same = set == set_ ? cells : cells - std::bit_width(set ^ set_);
        depth_ = std::min(depth_, static_cast<std::size_t>(same));
    }
    set_ = set;
    for (; static_cast<int>(depth_) < cells; ++depth_) {
        const Level& from = levels_[depth_];
        if (from.stones == vector_cells) break;
        Level& to = levels_[depth_ + 1];
        const bool inside = set >> (cells - 1 - static_cast<int>(depth_)) & 1;
        to.bits = from.bits - !inside;
        to.stones = from.stones + inside;
        to.words = from.words;
        if (inside) continue;
        const u64 before = words_of(from.bits), after = words_of(to.bits);
        if (const u64 words = 2 * static_cast<u64>(planes) * after; to.own.size() < words)
            to.own.resize(words);
        for (int i = 0; i < 2 * planes; ++i)
            loops.halve(from.words + static_cast<u64>(i) * before,
                        to.own.data() + static_cast<u64>(i) * after, from.bits, from.stones,
                        i >= planes);
        to.words = to.own.data();
    }
    const Level& found = levels_[depth_];
    const int left = cells - static_cast<int>(depth_);
    u64 inside = 0;
    for (int i = 0; i < left; ++i) inside |= u64{set >> (left - 1 - i) & 1} << i;
    const u64 stride = words_of(found.bits);
    LayerGroups groups = fillings(std::popcount(set));
    groups.black = found.words;
    groups.white = found.words + static_cast<u64>(planes) * stride;
    groups.stride = stride;
    groups.planes = planes;
    groups.inside = inside;
    groups.outside = ((u64{1} << left) - 1) & ~inside;
    return groups;
}

LayerGroups LayerGroupStack::fillings(int stones) {
    const int filled = 1 << std::min(stones, vector_cells);
    for (int i = 0; i < 4; ++i) {
        const int left = filled - 64 * i;
        valid_[i] = left >= 64 ? ~u64{0} : left > 0 ? (u64{1} << left) - 1 : 0;
    }
    LayerGroups groups{};
    groups.valid = valid_;
    return groups;
}

}  // namespace yoddd
