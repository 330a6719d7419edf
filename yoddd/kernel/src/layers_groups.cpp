#include "layers_groups.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "filling.hpp"
#include "layers_share.hpp"
#include "loops.hpp"

namespace yoddd {
namespace {

constexpr int vector_cells = 8;  // whose fillings are a vector
constexpr int most_planes = 6;
constexpr u64 most_part = u64{1} << 11;  // fillings between two looks at the clock, some 0.1 ms

}  // namespace

std::vector<u16> empty_cells(const Board& board) {
    std::vector<u16> cells(max_cells);
    cells.resize(static_cast<std::size_t>(board.list_empty(cells.data())));
    return cells;
}

u64 LayerPlanes::memory(const Rules& rules, int cells) {
    const u64 planes = rules.has_pass() ? 2 * most_planes : 1, colours = rules.has_pass() ? 2 : 1;
    return planes * sizeof(u64) * plane_words(cells) + (colours << cells);
}

bool LayerPlanes::make(const Board& board, int threads, const std::function<bool()>& interrupted) {
    const Rules& rules = board.rules();
    const Board::State& now = board.state();
    const int colours = rules.has_pass() ? 2 : 1;
    cells = empty_cells(board);
    const u64 fillings = u64{1} << cells.size(), part = std::min(fillings, most_part);
    // How many groups more than now there are, or whether Black wins. The memory is touched part by
    // part, since the system takes its time to provide it.
    std::unique_ptr<signed char[]> found[2];
    for (int colour = 0; colour < colours; ++colour) found[colour].reset(new signed char[fillings]);
    int low[2] = {0, 0}, high[2] = {1, 0};
    Mutex lock;
    const auto fill = [&](u64 i, int, const auto&) {
        Fillings boards(board.geometry());
        boards.begin(board);
        const u64 begin = i * part, end = begin + part;
        for (u64 at = begin; at < end; at += fill_lanes) {
            const u64 count = std::min<u64>(fill_lanes, end - at);
            boards.fill_by_number(rules, static_cast<u32>(at), static_cast<int>(count));
            for (u64 lane = 0; lane < count; ++lane)
                for (int colour = 0; colour < colours; ++colour) {
                    const PlayoutResult& result = boards.result(static_cast<int>(lane));
                    found[colour][at + lane] = static_cast<signed char>(
                        colours == 1 ? result.winner == black
                                     : result.groups[colour] - now.groups[colour]);
                }
        }
        for (int colour = 0; colour < colours; ++colour) {
            const auto [least, most] =
                std::minmax_element(&found[colour][begin], &found[colour][begin] + part);
            const std::lock_guard held(lock);
            low[colour] = std::min<int>(low[colour], *least);
            high[colour] = std::max<int>(high[colour], *most);
        }
    };
    if (!share(threads, fillings / part, interrupted, fill)) return false;
    // Who has fewer and whether the sum is odd is all that matters: Black's numbers are held to
    // those just beyond White's, of the same parity.
    const int more[2] = {colours == 1 ? 0 : now.groups[black] - now.groups[white], 0};
    int first = low[black] + more[black], last = high[black] + more[black];
    if (colours == 2) {
        first = std::max(std::min(first, low[white]), low[white] - 2);
        last = std::min(std::max(last, high[white]), high[white] + 2);
    }
    planes = std::bit_width(static_cast<unsigned>(last - first));
    const u64 stride = plane_words(static_cast<int>(cells.size()));
    words.assign(static_cast<u64>(colours * planes) * stride, 0);
    const auto write = [&](u64 i, int, const auto&) {
        for (u64 at = i * part; at < (i + 1) * part; ++at)
            for (int colour = 0; colour < colours; ++colour) {
                int groups = found[colour][at] + more[colour];
                if (groups < first) groups += (first - groups + 1) / 2 * 2;
                if (groups > last) groups -= (groups - last + 1) / 2 * 2;
                for (int plane = 0; plane < planes; ++plane)
                    words[static_cast<u64>(colour * planes + plane) * stride + at / 64] |=
                        static_cast<u64>((groups - first) >> plane & 1) << at % 64;
            }
    };
    return share(threads, fillings / part, interrupted, write);
}

u64 LayerGroupStack::memory(int cells) {
    return 2 * most_planes * sizeof(u64) * 2 * plane_words(cells);
}

LayerGroups LayerGroupStack::groups(u32 set) {
    const auto halve = loops().layers.halve;
    const int cells = static_cast<int>(planes_.cells.size()), planes = planes_.planes;
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
        const u64 before = plane_words(from.bits), after = plane_words(to.bits);
        if (const u64 words = 2 * static_cast<u64>(planes) * after; to.own.size() < words)
            to.own.resize(words);
        for (int i = 0; i < 2 * planes; ++i)
            halve(from.words + static_cast<u64>(i) * before,
                  to.own.data() + static_cast<u64>(i) * after, from.bits, from.stones, i >= planes);
        to.words = to.own.data();
    }
    const Level& found = levels_[depth_];
    const int left = cells - static_cast<int>(depth_);
    u64 inside = 0;
    for (int i = 0; i < left; ++i) inside |= u64{set >> (left - 1 - i) & 1} << i;
    const u64 stride = plane_words(found.bits);
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
