#include "successors.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "portable.hpp"

namespace yoddd {
namespace {

// Which groups are one if some of them are joined (union-find with path halving).
class Joined {
public:
    explicit Joined(int groups) { std::iota(parent_, parent_ + groups, u16{0}); }

    // Whether the two were apart.
    bool join(int a, int b) {
        a = root(a);
        b = root(b);
        parent_[a] = static_cast<u16>(b);
        return a != b;
    }

    // The same group for all that are joined.
    u16 root(int group) {
        while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
        return static_cast<u16>(group);
    }

private:
    u16 parent_[most_groups];
};

bool has(const u16* list, int count, int wanted) {
    bool found = false;
    for (int i = 0; i < count; ++i) found |= list[i] == wanted;
    return found;
}

}  // namespace

void Successors::look_at(const Board& board) {
    board_ = &board;
    count_ = board.list_empty(empties_);
    for (int colour : {black, white}) look_at(colour);
}

void Successors::look_at(int colour) {
    const Geometry& g = board_->geometry();
    const Planes& planes = board_->planes();
    const Board::State& state = board_->state();
    Side& side = sides_[static_cast<std::size_t>(colour)];
    side.crowded.clear();
    std::fill_n(side.count, g.span, u8{0});
    std::fill_n(side.liberties, most_groups, u16{0});
    i16 number[plane_bytes];  // of a group, by its label
    std::fill_n(number, g.wide ? plane_bytes : 256, i16{none});
    u16 shared[max_cells];  // cells beside several groups
    int open = 0, fringe = 0, joins = 0, several = 0;
    for (int i = 0; i < count_; ++i) {
        const int empty = empties_[i];
        const Arcs& arcs = g.arcs[planes.mask(colour, empty)];
        Group* near = side.near[empty];
        int beside = 0;
        for (int arc = 0; arc < arcs.count; ++arc) {
            i16& group = number[planes.label(g, colour, empty + arcs.offset[arc])];
            if (group == none) group = static_cast<i16>(open++);
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
    side.groups = open;
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

template <int Words>
void Successors::Sets<Words>::fill(const Side& side, const u16* empties, int count) {
    for (int i = 0; i < count; ++i) {
        const int at = empties[i];
        GroupSet<Words> groups;
        for (int n = 0; n < side.count[at]; ++n) groups.add(side.near[at][n]);
        beside[at] = groups;
    }
    std::fill_n(once, side.groups, GroupSet<Words>{});
    std::fill_n(twice, side.groups, GroupSet<Words>{});
    for (const auto [a, b] : side.pairs) {
        once[a].add(b);
        once[b].add(a);
        if (side.common(a, b) < 2) continue;
        twice[a].add(b);
        twice[b].add(a);
    }
}

template <class Work>
void Successors::with_sets(const Work& work) {
    const auto fill = [&](auto& sets) {
        for (const int colour : {black, white}) sets[colour].fill(sides_[colour], empties_, count_);
        work(sets);
    };
    if (std::max(sides_[black].groups, sides_[white].groups) <= few_groups) return fill(few_);
    if (!many_) many_ = std::make_unique<SetsOfBoth<most_words>>();
    fill(*many_);
}

void Successors::find_close() {
    const Geometry& g = board_->geometry();
    for (Side& side : sides_) {
        std::copy_n(side.count, g.span, side.close);
        for (int d = 0; d < g.directions; ++d) {
            const int by = g.offset[d], end = std::min(g.span, g.span - by);
            YODDD_INDEPENDENT
            for (int at = std::max(0, -by); at < end; ++at) side.close[at] |= side.count[at + by];
        }
    }
}

std::array<Features, 2> Successors::after(Stone stone) {
    std::array<Features, 2> found = now();
    find_close();
    with_sets([&](const auto& sets) {
        const Features more = more_by(sets[stone.colour], stone);
        const Features less = less_by(sets[1 - stone.colour], stone);
        for (int i = 0; i < feature_count; ++i) {
            found[stone.colour][i] += more[i];
            found[1 - stone.colour][i] += less[i];
        }
    });
    return found;
}

template <int Words>
YODDD_INLINE Features Successors::more_by(const Sets<Words>& sets, Stone stone) const {
    const Geometry& g = board_->geometry();
    const Planes& planes = board_->planes();
    const Side& side = sides_[stone.colour];
    const int at = stone.at, joined = side.count[at];
    const unsigned mask = planes.mask(stone.colour, at);
    const unsigned open = g.around[at] & ~(mask | planes.mask(1 - stone.colour, at));
    Features more{};
    more[of_groups] = 1 - joined;
    more[of_stones] = 1;
    more[of_rim] = g.rim[at];
    if (!side.close[at]) {
        more[of_closed] = !open;
        more[of_fringe] = static_cast<int>(g.arcs[open].stones);
        return more;
    }
    bool is_open = open != 0;
    for (int i = 0; i < joined; ++i) is_open |= side.liberties[side.near[at][i]] > 1;
    more[of_closed] = !is_open;
    more[of_pairs] = static_cast<int>(g.arcs[mask].stones);
    more[of_fringe] = -(joined > 0);
    more[of_joins] = -std::max(0, joined - 1);
    join(side, sets, at, open, more);
    return more;
}

// What becomes of the empty cells beside several groups, and of the parts that groups are in, by a
// stone with empty neighbours in the directions `open`.
template <int Words>
void Successors::join(const Side& side, const Sets<Words>& sets, int at, unsigned open,
                      Features& more) const {
    const Geometry& g = board_->geometry();
    const GroupSet<Words> own = sets.beside[at];
    // The groups with an empty cell that comes to lie beside the stone's group, and with two.
    GroupSet<Words> once, twice;
    for (unsigned left = open; left; left &= left - 1) {
        const int next = at + g.offset[std::countr_zero(left)];
        const GroupSet<Words> beside = sets.beside[next];
        if ((beside & own).any()) continue;
        ++more[side.count[next] ? of_joins : of_fringe];
        twice = twice | (once & beside);
        once = once | beside;
    }
    const int joined = side.count[at];
    GroupSet<Words> mine, others;
    // All groups beside one cell can be linked.
    if (joined) mine.add(side.linkable[side.near[at][0]]);
    once.each([&](int group) { others.add(side.linkable[group]); });
    more[of_linkable] = others.without(mine).count() + (joined ? 1 - joined : 0);

    mine = others = {};
    for (int i = 0; i < joined; ++i) {
        const int group = side.near[at][i];
        mine.add(side.linked[group]);
        twice = twice | sets.twice[group] | (once & sets.once[group]);
        once = once | sets.once[group];
        // Cells beside two groups that are one now; the cell of the stone has been counted.
        for (int j = 0; j < i; ++j) more[of_joins] -= side.common(group, side.near[at][j]) - 1;
    }
    twice = twice.without(own);
    if (joined > 1) {
        // What a cell beside several of the joined groups shares with another counts once.
        GroupSet<Words> doubtful;
        for (const u16 cell : side.crowded) {
            const int t = cell == at ? 0 : (sets.beside[cell] & own).count();
            if (t > 2) more[of_joins] += t * (t - 1) / 2 - (t - 1);
            if (t > 1) doubtful = doubtful | sets.beside[cell].without(own);
        }
        if ((doubtful & twice).any())
            twice = twice.without(not_linked(side, sets, at, open, doubtful));
    }
    twice.each([&](int group) { others.add(side.linked[group]); });
    // What was joined is one group now, whether there was a link between its parts or not.
    more[of_linked] = others.without(mine).count() + (joined ? mine.count() - joined : 0);
}

// Those of some groups with which the stone's group will have fewer than two empty cells in common.
template <int Words>
GroupSet<Words> Successors::not_linked(const Side& side, const Sets<Words>& sets, int at,
                                       unsigned open, const GroupSet<Words>& doubtful) const {
    const Geometry& g = board_->geometry();
    const GroupSet<Words> own = sets.beside[at];
    GroupSet<Words> found;
    doubtful.each([&](int group) {
        GroupSet<Words> wanted;
        wanted.add(group);
        int both = 0;
        for (unsigned left = open; left; left &= left - 1) {
            const GroupSet<Words> beside = sets.beside[at + g.offset[std::countr_zero(left)]];
            both += (beside & wanted).any() && !(beside & own).any();
        }
        for (int i = 0; i < side.count[at]; ++i) both += side.common(side.near[at][i], group);
        for (const u16 cell : side.crowded)
            if ((sets.beside[cell] & wanted).any())
                both -= std::max(0, (sets.beside[cell] & own).count() - 1);
        if (both < 2) found.add(group);
    });
    return found;
}

template <int Words>
YODDD_INLINE Features Successors::less_by(const Sets<Words>& sets, Stone stone) const {
    const Side& side = sides_[1 - stone.colour];
    const int at = stone.at, beside = side.count[at];
    Features less{};
    if (!beside) return less;
    less[of_fringe] = -1;
    less[of_joins] = 1 - beside;
    bool is_loose = false;  // whether parts may fall apart
    for (int i = 0; i < beside; ++i) {
        const int a = side.near[at][i];
        less[of_closed] += side.liberties[a] == 1;
        for (int j = 0; j < i; ++j) {
            const int b = side.near[at][j], both = side.common(a, b);
            if (both > 2) continue;
            // A third group may hold two together.
            const auto& links = both > 1 ? sets.twice : sets.once;
            is_loose |= beside > 2 || !(links[a] & links[b]).any();
        }
    }
    if (is_loose) part_without(side, at, less);
    return less;
}

// The links without those by one cell.
void Successors::part_without(const Side& side, int at, Features& less) {
    Joined links(side.groups), possible(side.groups);
    const Group* const near = side.near[at];
    less[of_linked] = -side.base[of_linked];
    less[of_linkable] = -side.base[of_linkable];
    for (const auto [a, b] : side.pairs) {
        const int beside = side.count[at];
        const int both = side.common(a, b) - (has(near, beside, a) && has(near, beside, b));
        if (both > 0) less[of_linkable] += possible.join(a, b);
        if (both > 1) less[of_linked] += links.join(a, b);
    }
}

double Successors::sharpness(const Geometry& geometry, int empty) {
    const double phase = static_cast<double>(empty) / geometry.cells;
    return std::clamp(10 * phase, 1.0, 6.9);
}

// Black's features less White's.
Features Successors::leads() const {
    Features found = sides_[black].base;
    for (std::size_t i = 0; i < feature_count; ++i) found[i] -= sides_[white].base[i];
    return found;
}

double Successors::logit(const Board::State& state, const std::vector<float>& weights) {
    float found = 0;
    Learned(weights, board_->geometry()).value(state, leads().data(), 1, &found);
    return found;
}

// Write the leads after each half turn, feature by feature.
void Successors::look_after(const std::vector<Move>& moves) {
    find_close();
    const std::size_t count = moves.size();
    leads_.resize(feature_count * count);
    const Features base = leads();
    with_sets([&](const auto& sets) {
        for (std::size_t n = 0; n < count; ++n) {
            Features lead = base;
            if (moves[n].step == Step::stone) {
                const Stone stone = moves[n].stone;
                const Features more = more_by(sets[stone.colour], stone);
                const Features less = less_by(sets[1 - stone.colour], stone);
                const int sign = stone.colour == black ? 1 : -1;
                for (int i = 0; i < feature_count; ++i) lead[i] += sign * (more[i] - less[i]);
            }
            for (int i = 0; i < feature_count; ++i) leads_[i * count + n] = lead[i];
        }
    });
}

std::vector<std::vector<int>> Successors::factors_after(const std::vector<Move>& moves) {
    look_after(moves);
    std::vector<std::vector<int>> found(moves.size());
    for (std::size_t n = 0; n < moves.size(); ++n) {
        for (std::size_t i = n; i < leads_.size(); i += moves.size()) found[n].push_back(leads_[i]);
        Board reached = *board_;
        reached.pretend(moves[n]);
        const int player = reached.player() == black ? 1 : -1;
        found[n].push_back(player);
        found[n].push_back(reached.is_pending() ? player : 0);
    }
    return found;
}

float Successors::judge(const std::vector<float>& weights, const std::vector<Move>& moves,
                        float* out, float* values) {
    const Board& board = *board_;
    const Learned learned(weights, board.geometry());
    look_after(moves);
    const std::size_t count = moves.size();
    logits_.resize(count);
    const auto stone = std::find_if(moves.begin(), moves.end(),
                                    [](const Move& move) { return move.step == Step::stone; });
    Board reached = board;
    if (stone != moves.end()) reached.pretend(*stone);
    // All stones lead to positions of one state.
    learned.policy(reached.state(), leads_.data(), count, logits_.data());
    if (!learned.has_policy()) values = nullptr;
    if (values) learned.value(reached.state(), leads_.data(), count, values);
    const double sharp =
        learned.has_policy() ? 1 : sharpness(board.geometry(), board.state().empty);
    for (std::size_t n = 0; n < count; ++n) {
        float logit = logits_[n];
        // A swap gives the player the other colour.
        bool blacks = board.player() == black;
        if (moves[n].step != Step::stone) {
            Board ended = board;
            ended.pretend(moves[n]);
            learned.policy(ended.state(), leads().data(), 1, &logit);
            if (values) learned.value(ended.state(), leads().data(), 1, values + n);
            blacks ^= moves[n].step == Step::swap;
        }
        out[n] = static_cast<float>(sharp * double{blacks ? logit : -logit});
    }
    if (moves.empty()) return 0;
    const float most = *std::max_element(out, out + count);
    for (std::size_t n = 0; n < count; ++n) out[n] -= most;
    return most;
}

}  // namespace yoddd
