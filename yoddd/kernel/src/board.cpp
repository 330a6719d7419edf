#include "board.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>

#include "rng.hpp"

namespace yoddd {
namespace {

enum HashKey : u64 { player_key = 0x10000, passes_key = 0x20000, number_key = 0x30000 };
constexpr u64 pending_multiplier = 0xd1342543de82ef95ULL;
constexpr u32 first_ordinary_turn = 3;

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
    if (!rules_.odd_total()) return is_full();
    return state_.passes == 2 || (rules_.end_on_full && is_full());
}

int Board::colour_at(int at) const {
    if (is_empty(at)) return none;
    return planes_.has(*geometry_, white, at) ? white : black;
}

int Board::list_empty(u16* list) const {
    int count = 0;
    for (int word = 0; word < plane_bytes / 64; ++word)
        for (u64 bits = empty_[word]; bits; bits &= bits - 1)
            list[count++] = static_cast<u16>(64 * word + std::countr_zero(bits));
    return count;
}

void Board::put(Stone stone, const Touch& touched) {
    ++state_.stones[stone.colour];
    state_.rim[stone.colour] += geometry_->rim[stone.at];
    state_.pairs[stone.colour] +=
        static_cast<i16>(std::popcount(planes_.mask(stone.colour, stone.at)));
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
            if (two_stones() && !is_pending()) {
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

Outcome score_products(const Rules& rules, const Largest& black_has, const Largest& white_has) {
    const auto product = [&](const Largest& has) {
        const int least = rules.one_group;
        return std::max(has.first, least) * std::max(has.second, least);
    };
    int margin = product(black_has) - product(white_has);
    const bool equal = !margin;
    if (equal) margin = white_has.stones - black_has.stones;
    if (equal && rules.tie != Tie::stones)
        return {rules.tie == Tie::black ? black : white, std::abs(margin)};
    return {margin > 0 ? black : white, std::abs(margin)};
}

static Largest largest_of(const std::vector<int>& sizes) {
    Largest has;
    for (const int size : sizes) {
        has.second = std::max(has.second, std::min(size, has.first));
        has.first = std::max(has.first, size);
        has.stones += size;
    }
    return has;
}

Outcome Board::score() const {
    if (rules_.odd_total()) {
        const int margin = state_.groups[white] - state_.groups[black];
        return {margin > 0 ? black : white, std::abs(margin)};
    }
    std::vector<int> sizes[2];
    for (const int colour : {black, white})
        for (const auto& group : groups(colour))
            sizes[colour].push_back(static_cast<int>(group.size()));
    const auto larger = [&](int colour, int n) {
        return static_cast<int>(std::count_if(sizes[colour].begin(), sizes[colour].end(),
                                              [n](int size) { return size > n; }));
    };
    if (rules_.game == Game::product)
        return score_products(rules_, largest_of(sizes[black]), largest_of(sizes[white]));
    if (rules_.game == Game::odd) {
        const int least = rules_.min_group - 1;
        return {(larger(black, least) + larger(white, least)) % 2 ? black : white, 1};
    }
    for (int n = 0; n <= max_cells; ++n) {
        const int margin = larger(white, n) - larger(black, n);
        if (margin) return {margin > 0 ? black : white, std::abs(margin)};
    }
    return {};  // only where both colours have the same sizes, which no full hexhex board can show
}

}  // namespace yoddd
