#include "successors.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace yoddd {
namespace {

// Which groups are one if some of them are joined (union-find with path halving).
class Joined {
public:
    explicit Joined(int groups) { std::iota(parent_, parent_ + groups, u8{0}); }

    // Whether the two were apart.
    bool join(int a, int b) {
        a = root(a);
        b = root(b);
        parent_[a] = static_cast<u8>(b);
        return a != b;
    }

    // The same group for all that are joined.
    u8 root(int group) {
        while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
        return static_cast<u8>(group);
    }

private:
    u8 parent_[most_groups];
};

bool has(const u8* list, int count, int wanted) {
    bool found = false;
    for (int i = 0; i < count; ++i) found |= list[i] == wanted;
    return found;
}

double sharpness(const Board& board) {
    const double phase = static_cast<double>(board.state().empty) / board.geometry().cells;
    return std::clamp(10 * phase, 1.0, 6.9);
}

}  // namespace

bool Successors::Side::touches(int empty, int group) const {
    return has(near[empty], count[empty], group);
}

// How many of the groups beside one cell another cell touches, too.
int Successors::Side::touched_of(int empty, int of) const {
    int found = 0;
    for (int i = 0; i < count[of]; ++i) found += touches(empty, near[of][i]);
    return found;
}

void Successors::look_at(const Board& board) {
    board_ = &board;
    u16 list[max_cells];
    const int count = board.list_empty(list);
    for (int colour : {black, white}) look_at(colour, list, count);
}

void Successors::look_at(int colour, const u16* empties, int count) {
    const Geometry& g = board_->geometry();
    const Planes& planes = board_->planes();
    const Board::State& state = board_->state();
    Side& side = sides_[static_cast<std::size_t>(colour)];
    side.crowded.clear();
    std::fill_n(side.liberties, most_groups, u16{0});
    i16 number[plane_bytes];  // of a group, by its label
    std::fill_n(number, g.wide ? plane_bytes : 256, i16{none});
    u16 shared[max_cells];  // cells beside several groups
    int open = 0, fringe = 0, joins = 0, several = 0;
    for (int i = 0; i < count; ++i) {
        const int empty = empties[i];
        const Arcs& arcs = g.arcs[planes.mask(colour, empty)];
        Group* near = side.near[empty];
        int beside = 0;
        for (int arc = 0; arc < arcs.count; ++arc) {
            i16& group = number[planes.label(g, colour, empty + arcs.offset[arc])];
            if (group == none) group = static_cast<i16>(std::min(open++, most_groups - 1));
            if (has(near, beside, group)) continue;
            near[beside++] = static_cast<Group>(group);
            ++side.liberties[group];
        }
        side.count[empty] = static_cast<u8>(beside);
        if (beside > 1) shared[several++] = static_cast<u16>(empty);
        if (beside > 2) side.crowded.push_back(static_cast<u16>(empty));
        fringe += beside > 0;
        joins += std::max(0, beside - 1);
    }
    side.groups = std::min(open, most_groups);
    const auto groups = static_cast<std::size_t>(side.groups);
    side.shared.assign(groups * groups, 0);
    side.pairs.clear();
    for (int i = 0; i < several; ++i) {
        const Group* near = side.near[shared[i]];
        for (int one = 1; one < side.count[shared[i]]; ++one)
            for (int other = 0; other < one; ++other) {
                if (side.common(near[one], near[other]) == 0)
                    side.pairs.push_back({near[one], near[other]});
                ++side.shared[near[one] * groups + near[other]];
                ++side.shared[near[other] * groups + near[one]];
            }
    }
    Joined linked(side.groups), linkable(side.groups);
    int links = 0, possible = 0;
    for (const auto [a, b] : side.pairs) {
        possible += linkable.join(a, b);
        if (side.common(a, b) > 1) links += linked.join(a, b);
    }
    side.linked.resize(groups);
    side.linkable.resize(groups);
    for (int a = 0; a < side.groups; ++a) {
        side.linked[static_cast<std::size_t>(a)] = linked.root(a);
        side.linkable[static_cast<std::size_t>(a)] = linkable.root(a);
    }
    side.base = {state.groups[colour],
                 state.groups[colour] - open,
                 state.stones[colour],
                 state.rim[colour],
                 state.pairs[colour],
                 fringe,
                 joins,
                 links,
                 possible};
}

std::array<Features, 2> Successors::after(Stone stone) const {
    std::array<Features, 2> found;
    const auto colour = static_cast<std::size_t>(stone.colour);
    found[colour] = with(stone);
    found[1 - colour] = without_cell(1 - stone.colour, stone.at);
    return found;
}

// The features of the colour that drops the stone.
Features Successors::with(Stone stone) const {
    const Geometry& g = board_->geometry();
    const Side& side = sides_[stone.colour];
    const int at = stone.at;
    const int joined = side.count[at];
    Features found = side.base;
    found[of_groups] += 1 - joined;
    ++found[of_stones];
    found[of_rim] += g.rim[at];
    found[of_pairs] += std::popcount(board_->planes().mask(stone.colour, at));
    found[of_fringe] -= joined > 0;
    found[of_joins] -= std::max(0, joined - 1);
    bool open = false;          // the group that the stone is in
    u16 fresh[max_directions];  // empty cells that come to lie beside it
    int count = 0;
    for (int d = 0; d < g.directions; ++d) {
        const int next = at + g.offset[d];
        if (next < 0 || !board_->is_empty(next)) continue;
        open = true;
        if (side.touched_of(next, at)) continue;
        fresh[count++] = static_cast<u16>(next);
        ++found[side.count[next] ? of_joins : of_fringe];
    }
    for (int i = 0; i < joined; ++i) {
        const int a = side.near[at][i];
        open |= side.liberties[a] > 1;
        // Cells beside two groups that are one now; the cell of the stone has been counted.
        for (int j = 0; j < i; ++j) found[of_joins] -= side.common(a, side.near[at][j]) - 1;
    }
    found[of_closed] += !open;
    if (joined > 2)
        for (const u16 cell : side.crowded) {
            const int t = cell == at ? 0 : side.touched_of(cell, at);
            if (t > 2) found[of_joins] += t * (t - 1) / 2 - (t - 1);
        }
    side.join_parts(at, fresh, count, found);
    return found;
}

// What the stone changes of the parts that groups are in: `fresh` are the empty cells that come to
// lie beside its group.
void Successors::Side::join_parts(int at, const u16* fresh, int fresh_count,
                                  Features& found) const {
    const int joined = count[at];
    Group links[most_groups], possible[most_groups];  // the parts that the stone's group is in
    int link_count = 0, possible_count = 0;
    const auto add = [](Group* parts, int& known, Group part) {
        if (known == most_groups || has(parts, known, part)) return false;
        parts[known++] = part;
        return true;
    };
    for (int i = 0; i < joined; ++i) {
        add(links, link_count, linked[near[at][i]]);
        add(possible, possible_count, linkable[near[at][i]]);
    }
    // What was joined is one group now, whether there was a link between its parts or not.
    if (joined) {
        found[of_linked] += link_count - joined;
        found[of_linkable] += possible_count - joined;
    }
    u8 more[most_groups];  // for each group the fresh cells beside it
    std::fill_n(more, groups, u8{0});
    for (int i = 0; i < fresh_count; ++i)
        for (int j = 0; j < count[fresh[i]]; ++j) {
            const int group = near[fresh[i]][j];
            ++more[group];
            found[of_linkable] += add(possible, possible_count, linkable[group]);
            if (joined < 2 && more[group] + (joined ? common(near[at][0], group) : 0) > 1)
                found[of_linked] += add(links, link_count, linked[group]);
        }
    if (joined < 2) return;
    for (int group = 0; group < groups; ++group) {
        int both = more[group];
        for (int i = 0; i < joined; ++i) both += common(near[at][i], group);
        if (both < 2 || touches(at, group)) continue;
        for (const u16 cell : crowded)
            if (const int t = touched_of(cell, at); t > 1 && touches(cell, group)) both -= t - 1;
        if (both > 1) found[of_linked] += add(links, link_count, linked[group]);
    }
}

// The features of the colour that the cell is lost for.
Features Successors::without_cell(int colour, int at) const {
    const Side& side = sides_[static_cast<std::size_t>(colour)];
    const int beside = side.count[at];
    Features found = side.base;
    found[of_fringe] -= beside > 0;
    found[of_joins] -= std::max(0, beside - 1);
    bool loosened = false;
    for (int i = 0; i < beside; ++i) {
        const int a = side.near[at][i];
        found[of_closed] += side.liberties[a] == 1;
        for (int j = 0; j < i; ++j) loosened |= side.common(a, side.near[at][j]) < 3;
    }
    if (loosened) side.part_without(at, found);
    return found;
}

// The links without those by one cell.
void Successors::Side::part_without(int at, Features& found) const {
    Joined links(groups), possible(groups);
    found[of_linked] = found[of_linkable] = 0;
    for (const auto [a, b] : pairs) {
        const int both = common(a, b) - (touches(at, a) && touches(at, b));
        if (both > 0) found[of_linkable] += possible.join(a, b);
        if (both > 1) found[of_linked] += links.join(a, b);
    }
}

void Successors::judge(const Board& board, const std::vector<float>& weights,
                       const std::vector<Move>& moves, float* out) {
    look_at(board);
    Board reached = board;
    const double sharp = sharpness(board);
    for (std::size_t i = 0; i < moves.size(); ++i) {
        reached.pretend(moves[i]);
        const bool is_stone = moves[i].step == Step::stone;
        const double logit =
            learned_logit(reached.state(), is_stone ? after(moves[i].stone) : now(), weights);
        reached.restore(board.state());
        // A swap gives the player the other colour.
        const bool blacks = (board.player() == black) != (moves[i].step == Step::swap);
        out[i] = static_cast<float>(sharp * (blacks ? logit : -logit));
    }
    if (moves.empty()) return;
    const float most = *std::max_element(out, out + moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) out[i] -= most;
}

}  // namespace yoddd
