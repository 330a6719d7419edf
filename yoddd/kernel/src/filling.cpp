#include "filling.hpp"

#include <algorithm>
#include <numeric>

#include "loops.hpp"

namespace yoddd {

Fillings::Fillings(const Geometry& geometry) : g_(geometry) {
    const auto cells = static_cast<std::size_t>(g_.cells);
    for (u16 cell = 0; cell < g_.cells; ++cell) {
        const auto at = [&](int offset) {
            const int near = cell_at(g_.index[cell] + offset);
            return near < 0 ? cell : static_cast<u16>(near);
        };
        // On hexhex boards the second is to the left below and to the right above.
        below_.push_back({{at(-g_.stride), at(-g_.stride - 1)}});
        above_.push_back({{at(g_.stride), at(g_.stride + 1)}});
    }
    const bool wide = g_.cells > 255;
    const std::size_t bytes = cells * fill_lanes * (wide ? sizeof(u16) : sizeof(u8));
    for (std::vector<Block>* part : {&colours_, &labels_, &sizes_})
        part->resize((bytes + sizeof(Block) - 1) / sizeof(Block));
    boards_ = {g_.cells,
               static_cast<int>(g_.row_begins.size()) - 1,
               g_.shape == Shape::hex,
               wide,
               g_.row_begins.data(),
               below_.data(),
               above_.data(),
               colours_.front().bytes,
               labels_.front().bytes,
               sizes_.front().bytes};
}

int Fillings::cell_at(int index) const {
    return 0 <= index && index < g_.span ? g_.cell[index] : -1;
}

void Fillings::keep_bridges() {
    // Across each two neighbours that follow one another; the other half is found from the other end.
    for (int cell = 0; cell < g_.cells; ++cell)
        for (int d = 0; d < g_.directions / 2; ++d) {
            const int one = cell_at(g_.index[cell] + g_.offset[d]);
            const int other = cell_at(g_.index[cell] + g_.offset[d + 1]);
            const int to = cell_at(g_.index[cell] + g_.offset[d] + g_.offset[d + 1]);
            if (one >= 0 && other >= 0 && to >= 0) bridges_.push_back({cell, to, one, other});
        }
}

template <class T>
T* Fillings::row(int cell) {
    return reinterpret_cast<T*>(colours_.front().bytes) + cell * fill_lanes;
}

template <class T>
void Fillings::set_row(int cell, int colour) {
    T* const colours = row<T>(cell);
    for (int lane = 0; lane < fill_lanes; ++lane) colours[lane] = static_cast<T>(colour);
}

int Fillings::colour_at(int cell, int lane) const {
    const u8* const bytes = colours_.front().bytes;
    const int at = cell * fill_lanes + lane;
    return boards_.wide ? reinterpret_cast<const u16*>(bytes)[at] : bytes[at];
}

void Fillings::run(const Board& board, int count, const NextDraws& next) {
    Draws draws[fill_lanes];
    std::generate_n(draws, count, std::cref(next));
    count_ = count;
    // Where the first turn is of other colours than later ones all boards have the same one.
    const Rules& rules = board.rules();
    if (board.state().number > 1 || rules.first_own == rules.own) return fill_all(board, draws);
    fill_all(complete_turn(board, draws[0]), draws);
    for (int lane = 0; lane < count; ++lane) results_[lane].stones = board.state().empty;
}

void Fillings::fill_all(const Board& board, Draws* draws) {
    begin(board);
    boards_.wide ? fill<u16>(board, draws) : fill<u8>(board, draws);
    judge(board.rules());
}

void Fillings::begin(const Board& board) {
    empty_ = board.list_empty(list_);
    for (int i = 0; i < empty_; ++i) list_[i] = static_cast<u16>(g_.cell[list_[i]]);
    board.planes().copy_cells(g_, start_);
    boards_.wide ? fill_rest<u16>() : fill_rest<u8>();
}

template <class T>
void Fillings::fill_rest() {
    for (int cell = 0; cell < g_.cells; ++cell)
        if (start_[cell] != none) set_row<T>(cell, start_[cell]);
}

void Fillings::fill_by_number(const Rules& rules, u32 first, int count) {
    count_ = count;
    boards_.wide ? fill_by_number<u16>(first) : fill_by_number<u8>(first);
    judge(rules);
}

template <class T>
void Fillings::fill_by_number(u32 first) {
    for (int i = 0; i < empty_; ++i) {
        T* const colours = row<T>(list_[i]);
        for (u32 lane = 0; lane < fill_lanes; ++lane)
            colours[lane] = static_cast<T>(~(first + lane) >> i & 1);
    }
}

template <class T>
void Fillings::fill(const Board& board, Draws* draws) {
    if (!board.rules().own) return fill_freely<T>(draws);
    fill_alternating<T>(board, draws);
    mend_bridges<T>(board);
}

// Every cell gets either colour, 64 cells a draw.
template <class T>
void Fillings::fill_freely(Draws* draws) {
    constexpr int bits = 64;
    T bytes[bits / 8][fill_lanes] = {};
    for (int i = 0; i < empty_; ++i) {
        if (i % bits == 0)
            for (int lane = 0; lane < count_; ++lane) {
                u64 drawn = draws[lane].next();
                for (auto& byte : bytes) {
                    byte[lane] = static_cast<u8>(drawn);
                    drawn >>= 8;
                }
            }
        const T* const byte = bytes[i % bits / 8];
        const T bit = static_cast<T>(1 << i % 8);
        T* const colours = row<T>(list_[i]);
        for (int lane = 0; lane < fill_lanes; ++lane) colours[lane] = (byte[lane] & bit) != 0;
    }
}

// The stones that the opponent of the player on turn will drop, of own colours.
int Fillings::stones_of_opponent(const Board& board, Draws& draws) const {
    const Rules& rules = board.rules();
    if (rules.most == 1 && !board.may_drop_two()) return empty_ / 2;
    int theirs = 0, before = board.is_pending();
    bool is_mine = true, must = board.must_drop_two(), may = board.may_drop_two();
    for (int left = empty_; left > 0; is_mine = !is_mine, before = 0) {
        const int wanted = must ? 2 : 1 + (may && draws.below(2));
        const int stones = std::clamp(wanted - before, 0, left);
        if (!is_mine) theirs += stones;
        left -= stones;
        must = rules.least == 2;
        may = rules.most == 2;
    }
    return theirs;
}

// Each player gets as many cells as they will drop stones; draw those of the opponent.
template <class T>
void Fillings::fill_alternating(const Board& board, Draws* draws) {
    const int player = board.player();
    for (int i = 0; i < empty_; ++i) set_row<T>(list_[i], player);
    for (int lane = 0; lane < count_; ++lane) {
        Draws mine = draws[lane];  // not in memory, which byte stores might alias
        const int theirs = stones_of_opponent(board, mine);
        u16 cells[max_cells];
        std::copy_n(list_, empty_, cells);
        for (int i = 0; i < theirs; ++i) {
            u16& drawn = cells[i + static_cast<int>(mine.below(static_cast<u64>(empty_ - i)))];
            row<T>(drawn)[lane] = static_cast<T>(1 - player);
            drawn = cells[i];
        }
    }
}

template <class T>
void Fillings::mend_bridges(const Board& board) {
    for (const auto& [from, to, one, other] : bridges_) {
        const int colour = start_[from];
        if (colour == none || start_[to] != colour) continue;
        if (start_[one] != none || start_[other] != none) continue;
        const auto label = [&](int cell) {
            return board.planes().label(g_, colour, g_.index[cell]);
        };
        if (label(from) != label(to)) mend<T>(colour, one, other);
    }
}

// Where neither cell has the colour give it to the first or the second, from board to board in turn.
template <class T>
void Fillings::mend(int colour, int one, int other) {
    T* const first = row<T>(one);
    T* const second = row<T>(other);
    const T mask = colour == white;
    for (int lane = 0; lane < fill_lanes; ++lane) {
        const T lost = ((first[lane] ^ mask) & (second[lane] ^ mask)) & 1;
        const T turn = lane & 1;
        first[lane] ^= lost & turn;
        second[lane] ^= lost & (turn ^ 1);
    }
}

// -- results -----------------------------------------------------------------------------------

void Fillings::judge(const Rules& rules) {
    loops().fill.find_groups(boards_, !rules.has_pass(), count_);
    FillCounts groups;
    loops().fill.count_groups(boards_, 0, groups);
    for (int lane = 0; lane < count_; ++lane)
        results_[lane] = {none, 0, {groups.of[black][lane], groups.of[white][lane]}, empty_};
    if (rules.has_pass()) return;
    FillLargest largest;
    const bool counts = count_all(rules, groups, largest);
    const bool has_stones = rules.count != Count::points && rules.ties[0] == Tie::stones;
    bool open = !counts;
    for (int lane = 0; counts && lane < count_; ++lane) {
        Outcome outcome = compare(rules, counted_[black][lane], counted_[white][lane]);
        if (has_stones && outcome.winner == none)
            outcome = led_by(largest.stones[white][lane] - largest.stones[black][lane]);
        set_outcome(lane, outcome);
        open |= outcome.winner == none;
    }
    if (!open) return;
    if (rules.has_fewest_groups() && rules.ties[0] == Tie::size) break_ties_by_size();
    for (int lane = 0; lane < count_; ++lane) {
        if (results_[lane].winner != none) continue;
        Sizes sizes[2];
        measure(lane, sizes);
        set_outcome(lane, counts ? break_tie(rules, sizes) : yoddd::judge(rules, sizes));
    }
}

// Count for all boards at once; false for what is counted board by board.
bool Fillings::count_all(const Rules& rules, const FillCounts& groups, FillLargest& largest) {
    if (!rules.is_counted_at_once()) return false;
    if (rules.count == Count::points) {
        FillCounts large = groups;
        if (rules.value == Value::large) loops().fill.count_groups(boards_, rules.k - 1, large);
        for (const int colour : {black, white})
            std::copy_n(large.of[colour], fill_lanes, counted_[colour]);
        return true;
    }
    loops().fill.find_largest(boards_, largest);
    const bool is_area = rules.count == Count::area, is_single = rules.count == Count::largest;
    const int lone = is_area ? 0 : rules.lone;
    for (const int colour : {black, white})
        for (int lane = 0; lane < fill_lanes; ++lane) {
            const int first = std::max<int>(largest.first[colour][lane], lone);
            const int second = std::max<int>(largest.second[colour][lane], lone);
            const int factor = is_area ? groups.of[colour][lane] : second;
            counted_[colour][lane] = is_single ? first : first * factor;
        }
    return true;
}

// Of equal numbers of groups, by the least n for which those of groups larger than n differ.
void Fillings::break_ties_by_size() {
    FillCounts groups;
    bool open = true;
    for (int n = 1; open && n <= g_.cells; ++n) {
        open = false;
        for (int lane = 0; lane < count_; ++lane) open |= results_[lane].winner == none;
        if (!open) return;
        loops().fill.count_groups(boards_, n, groups);
        for (int lane = 0; lane < count_; ++lane) {
            const int margin = groups.of[white][lane] - groups.of[black][lane];
            if (results_[lane].winner == none && margin)
                set_outcome(lane, {margin > 0 ? black : white, std::abs(margin)});
        }
    }
}

void Fillings::measure(int lane, Sizes (&sizes)[2]) {
    const auto add_all = [&](const auto* found) {
        for (int cell = 0; cell < g_.cells; ++cell)
            if (const int size = found[cell * fill_lanes + lane])
                sizes[colour_at(cell, lane)].add(size);
    };
    const u8* const bytes = sizes_.front().bytes;
    boards_.wide ? add_all(reinterpret_cast<const u16*>(bytes)) : add_all(bytes);
}

void Fillings::spread(const float* values, StoneSum* sums) const {
    float worth[fill_lanes] = {};
    std::copy_n(values, count_, worth);
    const StoneSum all{static_cast<float>(count_), std::accumulate(worth, worth + count_, 0.0F)};
    StoneSum whites[max_cells];
    loops().fill.add_whites(boards_, list_, empty_, worth, whites, count_);
    for (const int colour : {black, white})
        for (int cell = 0; cell < g_.cells; ++cell)
            sums[colour * g_.cells + cell] = start_[cell] == colour ? all : StoneSum{};
    for (int i = 0; i < empty_; ++i) {
        sums[white * g_.cells + list_[i]] = whites[i];
        sums[black * g_.cells + list_[i]] = all - whites[i];
    }
}

}  // namespace yoddd
