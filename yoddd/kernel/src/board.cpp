#include "board.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>

#include "rng.hpp"

namespace yoddd {
namespace {

enum HashKey : u64 { player_key = 0x10000, passes_key = 0x20000, number_key = 0x30000 };
constexpr u64 pending_multiplier = 0xd1342543de82ef95ULL;
constexpr u32 first_ordinary_turn = 3;

struct BitsOfByte {
    u16 place[8];  // of each bit that is 1
    u16 count;
};

constexpr auto bits_of_bytes = [] {
    std::array<BitsOfByte, 256> table{};
    for (u16 byte = 0; byte < 256; ++byte)
        for (u16 bit = 0; bit < 8; ++bit)
            if (byte >> bit & 1) table[byte].place[table[byte].count++] = bit;
    return table;
}();

}  // namespace

Board::Board(const Geometry& geometry, const Rules& rules) : geometry_(&geometry), rules_(rules) {
    planes_.clear(geometry);
    std::fill(std::begin(empty_), std::end(empty_), 0);
    for (int cell = 0; cell < geometry.cells; ++cell) {
        const int at = geometry.index[cell];
        empty_[at >> 6] |= u64{1} << (at & 63);
    }
    state_.empty = static_cast<u16>(geometry.cells);
}

void Board::set_up(const std::vector<int>& cells, int player, int passes, u32 number) {
    if (static_cast<int>(cells.size()) != geometry_->cells)
        throw std::invalid_argument("wrong number of cells");
    *this = Board(*geometry_, rules_);
    for (int cell = 0; cell < geometry_->cells; ++cell) {
        if (cells[cell] == none) continue;
        const Stone stone{geometry_->index[cell], static_cast<u16>(cells[cell])};
        put(stone, touch(*geometry_, planes_, stone));
    }
    state_.player = static_cast<u8>(player);
    state_.passes = static_cast<u8>(passes);
    state_.number = number;
}

bool Board::is_over() const {
    if (is_pending()) return false;
    if (!rules_.has_pass()) return is_full();
    return state_.passes == 2 || (rules_.full_ends && is_full());
}

int Board::colour_at(int at) const {
    if (is_empty(at)) return none;
    return planes_.has(*geometry_, white, at) ? white : black;
}

int Board::list_empty(u16* list) const {
    // By bytes, each of which writes eight numbers, of which the next one leaves as many as it has
    // bits: without a branch for each cell.
    u16 found[max_cells + 8];
    std::size_t count = 0;
    for (std::size_t word = 0; word < std::size(empty_); ++word)
        for (u64 bits = empty_[word], at = 64 * word; bits; bits >>= 8, at += 8) {
            const BitsOfByte& byte = bits_of_bytes[bits & 0xff];
            for (int i = 0; i < 8; ++i) found[count + i] = static_cast<u16>(at + byte.place[i]);
            count += byte.count;
        }
    std::copy_n(found, count, list);
    return static_cast<int>(count);
}

void Board::put(Stone stone, const Touch& touched) {
    ++state_.stones[stone.colour];
    state_.rim[stone.colour] += geometry_->rim[stone.at];
    state_.pairs[stone.colour] +=
        static_cast<i16>(geometry_->arcs[planes_.mask(stone.colour, stone.at)].stones);
    place(*geometry_, planes_, stone, touched);
    empty_[stone.at >> 6] &= ~(u64{1} << (stone.at & 63));
    --state_.empty;
    state_.groups[stone.colour] += static_cast<i16>(1 - touched.joins);
    state_.stones_hash ^= geometry_->zobrist[stone.colour][stone.at];
}

void Board::end_turn() {
    state_.pending = 0;
    state_.player ^= 1;
    ++state_.number;
}

// Everything about a half turn but the stone itself.
void Board::advance(Move move) {
    switch (move.step) {
        case Step::stone:
            state_.passes = 0;
            if (by_halves() && !is_pending()) {
                state_.pending = static_cast<u16>(move.stone.at + 1);
                state_.pending_colour = static_cast<u8>(move.stone.colour);
            } else {
                end_turn();
            }
            break;
        case Step::end:
            state_.passes = 0;
            end_turn();
            break;
        case Step::pass:
            ++state_.passes;
            end_turn();
            break;
        case Step::swap:
            // The players exchange colours and the new White is on turn, again by colour.
            ++state_.number;
            break;
    }
}

Board::Undo Board::drop(Stone stone, const Touch& touched) {
    const Undo undo{state_, {Step::stone, stone}, touched};
    put(stone, touched);
    advance(undo.move);
    return undo;
}

Board::Undo Board::play(Move move) {
    if (move.step == Step::stone) return drop(move.stone, touch(*geometry_, planes_, move.stone));
    const Undo undo{state_, move, {}};
    advance(move);
    return undo;
}

void Board::pretend(Move move) {
    if (move.step == Step::stone) --state_.empty;
    advance(move);
}

void Board::undo(const Undo& undo) {
    state_ = undo.before;
    if (undo.move.step != Step::stone) return;
    const Stone stone = undo.move.stone;
    remove(*geometry_, planes_, stone, &undo.touched);
    empty_[stone.at >> 6] |= u64{1} << (stone.at & 63);
}

u64 Board::hash() const {
    u64 hash = state_.stones_hash;
    if (state_.player == white) hash ^= split_mix(player_key);
    if (state_.passes) hash ^= split_mix(passes_key + state_.passes);
    if (state_.number < first_ordinary_turn) hash ^= split_mix(number_key + state_.number);
    if (is_pending())
        hash ^= split_mix(pending_multiplier *
                          geometry_->zobrist[state_.pending_colour][state_.pending - 1]);
    return hash;
}

std::vector<std::vector<int>> Board::groups(int colour) const {
    std::vector<std::vector<int>> groups;
    std::vector<u16> stack;
    bool seen[plane_bytes] = {};
    for (int cell = 0; cell < geometry_->cells; ++cell) {
        const u16 start = geometry_->index[cell];
        if (seen[start] || colour_at(start) != colour) continue;
        std::vector<int>& group = groups.emplace_back();
        seen[start] = true;
        stack.push_back(start);
        while (!stack.empty()) {
            const u16 at = stack.back();
            stack.pop_back();
            group.push_back(geometry_->cell[at]);
            for (int d = 0; d < geometry_->directions; ++d) {
                const auto next = static_cast<u16>(at + geometry_->offset[d]);
                if ((planes_.mask(colour, at) >> d & 1) && !seen[next]) {
                    seen[next] = true;
                    stack.push_back(next);
                }
            }
        }
        std::sort(group.begin(), group.end());
    }
    return groups;
}

void measure(const Geometry& g, const Planes& planes, Sizes (&sizes)[2]) {
    u16 by_label[2][plane_bytes] = {};
    const auto each_stone = [&](const auto& work) {
        for (int cell = 0; cell < g.cells; ++cell)
            for (const int colour : {black, white})
                if (const int at = g.index[cell]; planes.has(g, colour, at))
                    work(colour, by_label[colour][planes.label(g, colour, at)]);
    };
    each_stone([](int, u16& size) { ++size; });
    each_stone([&](int colour, u16& size) {
        if (size) sizes[colour].add(size);
        size = 0;
    });
}

Outcome Board::score() const { return score_of(rules_, *geometry_, planes_, state_.groups); }

}  // namespace yoddd
