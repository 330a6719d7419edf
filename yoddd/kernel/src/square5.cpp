#include "square5.hpp"

#include <algorithm>
#include <bit>

namespace yoddd {
namespace {

struct Plane {
    bool has_pass;       // Xodd, else Odd
    std::size_t stones;  // the most of a position that it holds
    int player;
};

// In the order of the file.
constexpr Plane planes[] = {{true, 7, white}, {false, 6, white}, {false, 6, black}};

std::size_t size_of(u32 set) { return static_cast<std::size_t>(std::popcount(set)); }

}  // namespace

Square5::Square5(const std::vector<u8>& data) : sets_(1), first_{0, 0} {
    const Geometry& g = geometry(Shape::square, 5);
    for (const auto& symmetry : g.symmetries) {
        images_.emplace_back();
        for (const u16 cell : symmetry)
            images_.back().push_back(u32{1} << (symmetry.size() - 1 - cell));
    }
    const auto word = [&](std::size_t at) {
        return u32{data.at(at)} | u32{data.at(at + 1)} << 8 | u32{data.at(at + 2)} << 16 |
               u32{data.at(at + 3)} << 24;
    };
    const std::size_t end = 4 + 4 * std::size_t{word(0)};
    u32 set = 0;
    for (std::size_t at = 4; at < end; at += 4) {
        set += word(at);  // the difference to the set before
        if (size_of(set) >= sets_.size()) sets_.resize(size_of(set) + 1);
        sets_[size_of(set)].push_back(set);
    }
    for (std::size_t size = 1; size < sets_.size(); ++size)
        first_.push_back(first_[size] + (static_cast<u32>(sets_[size].size()) << size));
    auto begin = data.begin() + static_cast<std::ptrdiff_t>(end);
    for (const auto& [has_pass, stones, player] : planes) {
        const auto bytes = static_cast<std::ptrdiff_t>((first_.at(stones + 1) + 7) / 8);
        won_[has_pass][static_cast<std::size_t>(player)] = {begin, begin + bytes};
        begin += bytes;
    }
}

std::vector<TurnValue> Square5::turns(Board board) const {
    // Games with passes end at any time; the others have a fixed length.
    const int left = board.rules().has_pass() ? 0 : board.state().empty;
    std::vector<TurnValue> values;
    DropCursor cursor(board);
    for (Turn turn; cursor.next(turn);) {
        Board after = board;
        play_turn(after, turn);
        values.push_back({turn, !wins(after), left});
    }
    if (Drops(board).pass_legal()) {
        const int player = board.player();
        board.play({Step::pass, {}});
        TurnValue value{{Step::pass}, board.is_over() && board.score().winner == player, 1};
        if (!board.is_over()) {
            const TurnValue best = turns(board)[0];
            value = {{Step::pass}, !best.wins, best.distance ? best.distance + 1 : 0};
        }
        values.push_back(value);
    }
    return best_first(std::move(values));
}

// Whether the player on turn wins, with no pass pending and some stones on the board.
bool Square5::wins(const Board& board) const {
    const auto& by_player = won_[board.rules().has_pass()];
    const auto& own = by_player[static_cast<std::size_t>(board.player())];
    const int counted = own.empty() ? white : black;  // the colour that counts as Black
    u32 least = ~u32{0}, blacks = 0;
    for (const auto& image : images_) {
        u32 set = 0, marked = 0;
        for (std::size_t cell = 0; cell < image.size(); ++cell) {
            const int colour = board.colour_at(board.geometry().index[cell]);
            if (colour != none) set |= image[cell];
            if (colour == counted) marked |= image[cell];
        }
        if (set >= least) continue;
        least = set;
        blacks = marked;
    }
    // Bit j of the index says whether the j-th cell of the set, from the highest bit on, is black.
    u32 index = 0, at = 0;
    for (u32 rest = least; rest; ++at) {
        const u32 bit = std::bit_floor(rest);
        index |= u32{(blacks & bit) != 0} << at;
        rest ^= bit;
    }
    const std::size_t size = size_of(least);
    const auto rank = std::lower_bound(sets_[size].begin(), sets_[size].end(), least);
    const u32 place = first_[size] + (static_cast<u32>(rank - sets_[size].begin()) << size) + index;
    return (own.empty() ? by_player[white] : own)[place >> 3] >> (place & 7) & 1;
}

}  // namespace yoddd
