#include "table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <thread>

#include "board.hpp"

namespace yoddd {
namespace {

constexpr int max_head_cells = 12;

// A value with its distance, from the view of the player on turn, as one byte of which the larger
// is the better: d turns before a loss it is d, d turns before a win 255 - d. No game of 19 cells
// has more than 40 turns. 0 is none: no turn at all.
constexpr u8 lost_at_once = 1;
constexpr u8 won_at_once = 254;

constexpr bool is_won(u8 value) { return value >= 128; }

// In games whose length is fixed.
constexpr u8 decided(bool won) { return won ? won_at_once : lost_at_once; }

// The value of a turn for the player who has it, from the opponent's value after it.
constexpr u8 after(u8 value) { return static_cast<u8>(is_won(value) ? 256 - value : 254 - value); }

std::vector<std::vector<int>> orbits(const Geometry& g) {
    std::vector<std::vector<int>> found;
    std::vector<bool> seen(static_cast<std::size_t>(g.cells));
    for (int cell = 0; cell < g.cells; ++cell) {
        if (seen[cell]) continue;
        std::vector<int> orbit;
        for (const auto& symmetry : g.symmetries)
            if (!seen[symmetry[cell]]) {
                seen[symmetry[cell]] = true;
                orbit.push_back(symmetry[cell]);
            }
        std::sort(orbit.begin(), orbit.end());
        found.push_back(orbit);
    }
    return found;
}

// Codes of `cells` under the symmetries: where each cell's digit goes.
class Images {
public:
    Images(const TableIndex& index, const std::vector<int>& cells) {
        for (const auto& symmetry : index.geometry.symmetries) {
            auto& row = places_.emplace_back();
            for (const int cell : cells) {
                const auto found = std::find(cells.begin(), cells.end(), symmetry[cell]);
                row.push_back(index.powers[found - cells.begin()]);
            }
        }
    }

    u32 image(u32 code, std::size_t symmetry) const {
        u32 result = 0;
        for (std::size_t i = 0; code; ++i, code /= 3) result += code % 3 * places_[symmetry][i];
        return result;
    }

private:
    std::vector<std::vector<u32>> places_;
};

std::size_t inverse_of(const Geometry& g, std::size_t symmetry) {
    for (std::size_t s = 0; s < g.symmetries.size(); ++s) {
        bool identity = true;
        for (int cell = 0; cell < g.cells && identity; ++cell)
            identity = g.symmetries[s][g.symmetries[symmetry][cell]] == cell;
        if (identity) return s;
    }
    throw std::logic_error("symmetries form no group");
}

int stones_of(u32 code) {
    int stones = 0;
    for (; code; code /= 3) stones += code % 3 != 0;
    return stones;
}

u32 exchange(u32 code) {
    u32 result = 0;
    for (u32 power = 1; code; code /= 3, power *= 3) result += (3 - code % 3) % 3 * power;
    return result;
}

}  // namespace

TableIndex::TableIndex(const Geometry& g) : geometry(g) {
    if (g.cells > max_table_cells)
        throw std::invalid_argument("a table holds boards of at most 19 cells");
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 3;
    for (const auto& orbit : orbits(g)) {
        const bool fits = head_cells.size() + orbit.size() <= max_head_cells;
        auto& cells = fits ? head_cells : tail_cells;
        cells.insert(cells.end(), orbit.begin(), orbit.end());
    }
    tails = powers[tail_cells.size()];
    const Images of_heads(*this, head_cells), of_tails(*this, tail_cells);
    const std::size_t symmetries = g.symmetries.size();
    std::vector<std::size_t> inverse;
    for (std::size_t s = 0; s < symmetries; ++s) inverse.push_back(inverse_of(g, s));

    constexpr u32 unset = (1u << 28) - 1;
    heads.assign(powers[head_cells.size()], Entry{unset, 0});
    for (u32 code = 0; code < heads.size(); ++code) {
        if (heads[code].number != unset) continue;
        const auto number = static_cast<u32>(representatives.size());
        u8 weight = 0;
        for (std::size_t s = 0; s < symmetries; ++s) {
            Entry& entry = heads[of_heads.image(code, s)];
            if (entry.number != unset) continue;
            entry = {number, static_cast<u32>(inverse[s])};
            ++weight;
        }
        representatives.push_back(code);
        weights.push_back(weight);
    }
    for (std::size_t s = 0; s < symmetries; ++s)
        for (u32 code = 0; code < tails; ++code)
            tail_images.push_back(static_cast<u16>(of_tails.image(code, s)));
}

// One class at work: the best gains and seconds of the successors of each of its fillings.
struct Table::Side {
    u32 number = 0;
    u32 head = 0;  // its code
    int head_stones = 0;
    u32 black = 0, white = 0;        // bits of the head's stones
    std::vector<u16> exchanged;      // by tail: where in the other side this filling's exchange is
    std::vector<u8> gains, seconds;  // by tail
};

// A thread's memory.
struct Table::Work {
    Side sides[2];
    std::vector<TableLayer> layers;
};

// How far the sweep is; shared by its threads.
struct Table::Progress {
    const std::function<bool(double)>& callback;
    double total;
    std::atomic<std::size_t> classes{0};
    std::atomic<bool> stopped{false};

    void report() {
        if (!callback(static_cast<double>(classes) / total)) stopped = true;
    }
};

// A filling when all that can follow has been looked at; `other` is it with colours exchanged.
struct Table::Filling {
    std::size_t place;
    int stones;
    u32 black, white;
    u64 weight;
    u8 gain, second, other_gain, other_second;
};

Table::Kind Table::kind_of(const Rules& rules) {
    if (rules.odd_total()) return Kind::parity;
    if (rules.game == Game::odd) return Kind::odd;
    return rules.game == Game::yoin ? Kind::yoin : Kind::product;
}

u64 Table::memory() const {
    const u64 arrays = 2 + static_cast<u64>(planes());
    return arrays * index_.size() + (u64{1} << index_.geometry.cells) +
           index_.heads.size() * sizeof(TableIndex::Entry);
}

Table::Table(const Geometry& g, const Rules& rules)
    : index_(g), rules_(rules), kind_(kind_of(rules)), own_(rules.only_own()) {
    // Bits number the tail first, so that the fillings of a class look at groups close together.
    std::vector<int> cells = index_.tail_cells;
    cells.insert(cells.end(), index_.head_cells.begin(), index_.head_cells.end());
    std::vector<u32> bit(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) bit[cells[i]] = static_cast<u32>(i);
    for (const int cell : cells) {
        u32 mask = 0;
        for (int d = 0; d < g.directions; ++d) {
            const int at = g.index[cell] + g.offset[d];
            if (at >= 0 && g.cell[at] >= 0) mask |= 1u << bit[g.cell[at]];
        }
        adjacent_.push_back(mask);
    }
    levels_.resize(index_.tail_cells.size() + 1);
    for (u32 code = 0; code < index_.tails; ++code) {
        u32 colours[3] = {};
        u32 rest = code;
        for (std::size_t i = 0; rest; ++i, rest /= 3) colours[rest % 3] |= 1u << i;
        tail_black_.push_back(colours[1]);
        tail_white_.push_back(colours[2]);
        exchanged_.push_back(static_cast<u16>(exchange(code)));
        levels_[stones_of(code)].push_back(static_cast<u16>(code));
    }
    layers_.resize(static_cast<std::size_t>(g.cells) + 1);
    classes_.resize(index_.head_cells.size() + 1);
    for (u32 number = 0; number < index_.representatives.size(); ++number)
        classes_[stones_of(index_.representatives[number])].push_back(number);
}

// The group of the lowest bit of `mask`.
u32 Table::group_in(u32 mask) const {
    u32 group = mask & -mask;
    for (u32 fresh = group; fresh;) {
        u32 around = 0;
        for (; fresh; fresh &= fresh - 1) around |= adjacent_[std::countr_zero(fresh)];
        fresh = around & mask & ~group;
        group |= fresh;
    }
    return group;
}

std::vector<int> Table::sizes(u32 mask) const {
    std::vector<int> found;
    while (mask) {
        const u32 group = group_in(mask);
        found.push_back(std::popcount(group));
        mask &= ~group;
    }
    return found;
}

void Table::count_groups() {
    groups_.assign(std::size_t{1} << index_.geometry.cells, 0);
    for (u32 mask = 1; mask < groups_.size(); ++mask)
        groups_[mask] = static_cast<u8>(groups_[mask & ~group_in(mask)] + 1);
}

// Of a full board, in a game without passes.
bool Table::black_wins(u32 black_mask, u32 white_mask) const {
    const std::vector<int> found[2] = {sizes(black_mask), sizes(white_mask)};
    return score_sizes(rules_, found).winner == black;
}

void Table::open(Side& side, u32 number) const {
    side.number = number;
    side.head = index_.representatives[number];
    side.head_stones = stones_of(side.head);
    side.black = side.white = 0;
    u32 rest = side.head;
    for (std::size_t i = index_.tail_cells.size(); rest; ++i, rest /= 3) {
        if (rest % 3 == 1) side.black |= 1u << i;
        if (rest % 3 == 2) side.white |= 1u << i;
    }
    const u32 symmetry = index_.heads[exchange(side.head)].symmetry;
    const u16* const images = &index_.tail_images[std::size_t{symmetry} * index_.tails];
    side.exchanged.resize(index_.tails);
    for (u32 t = 0; t < index_.tails; ++t) side.exchanged[t] = images[exchanged_[t]];
    side.gains.assign(index_.tails, 0);
    side.seconds.assign(index_.tails, 0);
    u32 digits = side.head;
    for (std::size_t i = 0; i < index_.head_cells.size(); ++i, digits /= 3) {
        if (digits % 3) continue;
        gather(side, side.head + index_.powers[i]);
        if (!own_) gather(side, side.head + 2 * index_.powers[i]);
    }
}

// The successors that `head` replaces the head of: one more stone there, the same tail.
void Table::gather(Side& side, u32 head) const {
    const TableIndex::Entry entry = index_.heads[head];
    const u16* const images = &index_.tail_images[std::size_t{entry.symmetry} * index_.tails];
    const u8* const gains = &gains_[std::size_t{entry.number} * index_.tails];
    const u8* const seconds = &seconds_[std::size_t{entry.number} * index_.tails];
    for (u32 t = 0; t < index_.tails; ++t) {
        const u16 at = images[t];
        side.gains[t] = std::max(side.gains[t], gains[at]);
        side.seconds[t] = std::max(side.seconds[t], seconds[at]);
    }
}

// The successors with one more stone in the tail.
void Table::take_tails(Side& side, int stones) const {
    const u8* const gains = &gains_[std::size_t{side.number} * index_.tails];
    const u8* const seconds = &seconds_[std::size_t{side.number} * index_.tails];
    for (const u16 t : levels_[stones]) {
        u32 free = (1u << index_.tail_cells.size()) - 1;
        free &= ~(tail_black_[t] | tail_white_[t]);
        u8 gain = side.gains[t], second = side.seconds[t];
        for (; free; free &= free - 1) {
            const u32 power = index_.powers[std::countr_zero(free)];
            gain = std::max(gain, gains[t + power]);
            second = std::max(second, seconds[t + power]);
            if (own_) continue;
            gain = std::max(gain, gains[t + 2 * power]);
            second = std::max(second, seconds[t + 2 * power]);
        }
        side.gains[t] = gain;
        side.seconds[t] = second;
    }
}

// Yodd and Xodd. The best drop of either player is known; what remains is passing.
template <>
void Table::store<Table::Kind::parity>(const Filling& f, Work& work) {
    const int black_groups = groups_[f.black], white_groups = groups_[f.white];
    const bool odd = (black_groups + white_groups) % 2;
    seconds_[f.place] = f.gain;
    // What ending the game gives to Black, and to White.
    const bool fewer = black_groups < white_groups;
    const u8 end = fewer ? won_at_once : lost_at_once;
    const u8 other_end = fewer ? lost_at_once : won_at_once;
    const u8 drop = std::max(f.gain, f.second);
    const u8 other_drop = std::max(f.other_gain, f.other_second);
    // With `own_colour` a player passes only if there is nothing to drop.
    const auto with_pass = [this](u8 best, u8 pass) {
        return own_ && best ? best : std::max(best, pass);
    };
    const u8 passed = with_pass(drop, end);
    const u8 other_passed = with_pass(other_drop, other_end);
    const u8 value = with_pass(drop, after(other_passed));
    const u8 other_value = with_pass(other_drop, after(passed));
    const bool over = rules_.end_on_full && f.stones == index_.geometry.cells;
    gains_[f.place] = !odd ? u8{0} : over ? end : after(other_value);
    if (!odd) return;
    values_[0][f.place] = over ? u8{0} : value;
    values_[1][f.place] = over ? u8{0} : passed;
    work.layers[f.stones].positions += f.weight;
    work.layers[f.stones].won += is_won(over ? end : value) ? f.weight : 0;
}

// Odd. Gains are "Black wins, White on turn", seconds "White wins, Black on turn": either player
// picks among them. Colours of stones have no owner, so nothing needs to be exchanged.
template <>
void Table::store<Table::Kind::odd>(const Filling& f, Work& work) {
    const bool full = f.stones == index_.geometry.cells;
    const bool ending = full && black_wins(f.black, f.white);
    const bool on_turn[2] = {full ? ending : f.gain != 0, full ? !ending : f.second != 0};
    gains_[f.place] = !on_turn[white];
    seconds_[f.place] = !on_turn[black];
    for (const int player : {black, white}) values_[player][f.place] = decided(on_turn[player]);
    work.layers[f.stones].positions += f.weight;
    work.layers[f.stones].won += on_turn[f.stones % 2] ? f.weight : 0;
}

template <>
void Table::store<Table::Kind::yoin>(const Filling& f, Work& work) {
    const bool full = f.stones == index_.geometry.cells;
    const bool ending = full && black_wins(f.black, f.white);
    const bool value = full ? ending : f.gain != 0;
    gains_[f.place] = full ? ending : f.other_gain == 0;
    values_[0][f.place] = decided(value);
    // In a game from the empty board the player on turn has as many stones or one less.
    const int more = std::popcount(f.white) - std::popcount(f.black);
    if (more != f.stones % 2) return;
    work.layers[f.stones].positions += f.weight;
    work.layers[f.stones].won += value ? f.weight : 0;
}

// Product. Turns of two stones begin and end with an even number of empty cells; with an odd one
// it is turn 1, of one stone.
template <>
void Table::store<Table::Kind::product>(const Filling& f, Work& work) {
    const int empty = index_.geometry.cells - f.stones;
    const bool full = empty == 0;
    const bool ending = full && black_wins(f.black, f.white);
    const bool single = empty % 2;
    const bool value = full ? ending : single ? f.gain != 0 : f.second != 0;
    gains_[f.place] = single ? u8{0} : full ? ending : f.other_second == 0;
    seconds_[f.place] = single ? f.gain : u8{0};
    values_[0][f.place] = decided(value);
    if (single) return;
    work.layers[f.stones].positions += f.weight;
    work.layers[f.stones].won += value ? f.weight : 0;
}

template <Table::Kind kind>
void Table::finish(const Side& side, const Side& other, int stones, Work& work) {
    const std::size_t begin = std::size_t{side.number} * index_.tails;
    for (const u16 t : levels_[stones]) {
        const u16 twin = side.exchanged[t];
        store<kind>({begin + t, side.head_stones + stones, side.black | tail_black_[t],
                     side.white | tail_white_[t], index_.weights[side.number], side.gains[t],
                     side.seconds[t], other.gains[twin], other.seconds[twin]},
                    work);
    }
}

void Table::solve_level(Side& side, Side& other, int stones, Work& work) {
    switch (kind_) {
        case Kind::parity:
            return finish<Kind::parity>(side, other, stones, work);
        case Kind::odd:
            return finish<Kind::odd>(side, other, stones, work);
        case Kind::yoin:
            return finish<Kind::yoin>(side, other, stones, work);
        case Kind::product:
            return finish<Kind::product>(side, other, stones, work);
    }
}

// The class and the one that it becomes when the colours are exchanged, side by side.
void Table::solve(u32 number, Work& work) {
    const u32 twin = index_.heads[exchange(index_.representatives[number])].number;
    if (twin < number) return;  // done with it
    const bool two = twin != number;
    Side &first = work.sides[0], &second = work.sides[two];
    open(first, number);
    if (two) open(second, twin);
    for (int stones = static_cast<int>(levels_.size()) - 1; stones >= 0; --stones) {
        take_tails(first, stones);
        if (two) take_tails(second, stones);
        solve_level(first, second, stones, work);
        if (two) solve_level(second, first, stones, work);
    }
}

// Classes by falling number of stones in the head: each depends on those of one stone more, and
// of the others on its exchange alone.
bool Table::sweep(int threads, const std::function<bool(double)>& progress) {
    if (kind_ == Kind::parity) count_groups();
    for (auto* array : {&gains_, &seconds_}) array->assign(index_.size(), 0);
    for (int plane = 0; plane < planes(); ++plane) values_[plane].assign(index_.size(), 0);
    std::vector<Work> works(static_cast<std::size_t>(std::clamp(threads, 1, 256)));
    for (Work& work : works) work.layers.resize(layers_.size());
    Progress done{progress, static_cast<double>(index_.representatives.size())};
    for (std::size_t stones = classes_.size(); stones-- > 0 && !done.stopped;)
        sweep_layer(classes_[stones], works, done);
    for (const Work& work : works)
        for (std::size_t n = 0; n < layers_.size(); ++n) {
            layers_[n].positions += work.layers[n].positions;
            layers_[n].won += work.layers[n].won;
        }
    for (auto* array : {&gains_, &seconds_}) std::vector<u8>().swap(*array);
    return !done.stopped;
}

void Table::sweep_layer(const std::vector<u32>& layer, std::vector<Work>& works, Progress& done) {
    std::atomic<std::size_t> next{0};
    const auto part = [&](Work& work) {
        constexpr std::size_t batch = 32;
        for (std::size_t begin; !done.stopped && (begin = next.fetch_add(batch)) < layer.size();) {
            const std::size_t end = std::min(begin + batch, layer.size());
            for (std::size_t i = begin; i < end; ++i) solve(layer[i], work);
            done.classes += end - begin;
            if (&work == works.data()) done.report();
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t n = 1; n < works.size(); ++n) helpers.emplace_back(part, std::ref(works[n]));
    part(works[0]);
    for (std::thread& helper : helpers) helper.join();
}

int Table::planes() const { return kind_ == Kind::parity || kind_ == Kind::odd ? 2 : 1; }

// Where there is no position the value before is repeated, since runs compress well.
std::vector<u8> Table::won(int plane) const {
    const auto& values = values_[plane];
    std::vector<u8> bits((values.size() + 7) / 8);
    bool won = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) won = is_won(values[i]);
        bits[i / 8] |= static_cast<u8>(won << i % 8);
    }
    return bits;
}

std::vector<u8> Table::turns(int plane) const {
    std::vector<u8> found = values_[plane];
    u8 turns = 0;
    for (u8& value : found) {
        if (value) turns = is_won(value) ? static_cast<u8>(255 - value) : value;
        value = turns;
    }
    return found;
}

}  // namespace yoddd
