#include "dense.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

#include "pages.hpp"

namespace yoddd {
namespace {

constexpr u8 win_now = 254;  // with the turn that is looked at
constexpr u8 loss_now = 1;
constexpr u8 least_win = 128;
constexpr int block_digits = 11;  // 177,147 fillings: a block's planes fit into a cache
constexpr int prefix_cells = 5;   // group tables are made in 32 parts
constexpr int most_nodes = 256;

constexpr auto powers = [] {
    std::array<u64, Sweep::most_empty + 1> list{};
    u64 power = 1;
    for (u64& entry : list) {
        entry = power;
        power *= 3;
    }
    return list;
}();

// The value for the player before of what is worth `value` to the one on turn.
constexpr u8 before(u8 value) {
    const auto other = static_cast<u8>(255 - value);
    return static_cast<u8>(other + 1 - 2 * (other >> 7));
}

constexpr bool wins(u8 value) { return value >= least_win; }
constexpr int distance(u8 value) { return wins(value) ? 255 - value : value; }

// Run `task(i)` for all i below `count` on so many threads, the calling one included, which polls
// `interrupted`. False if that ended it.
template <class Task>
bool share(int threads, u64 count, const std::function<bool()>& interrupted, const Task& task) {
    std::atomic<u64> next{0};
    std::atomic<bool> stopped{false};
    const auto work = [&](bool polls) {
        for (u64 i; !stopped && (i = next++) < count;) {
            task(i);
            if (polls && interrupted && interrupted()) stopped = true;
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads && static_cast<u64>(i) < count; ++i)
        others.emplace_back(work, false);
    work(true);
    for (std::thread& other : others) other.join();
    return !stopped;
}

// -- groups ------------------------------------------------------------------------------------

// What decides about groups near the empty cells: nodes are these cells and the groups that touch
// them. Nodes of one label are one group.
struct Graph {
    int cells = 0;
    int nodes = 0;
    std::vector<u8> cell_links[Sweep::most_empty];      // later cells know the earlier ones
    std::vector<u8> group_links[Sweep::most_empty][2];  // by colour
    u16 size[most_nodes] = {};
    u8 colour[most_nodes] = {};
    std::vector<int> apart[2];  // sizes of the groups that touch no empty cell

    Graph(const Board& board, const std::vector<u16>& empty);
};

Graph::Graph(const Board& board, const std::vector<u16>& empty)
    : cells(static_cast<int>(empty.size())), nodes(cells) {
    const Geometry& g = board.geometry();
    std::vector<int> node_at(static_cast<std::size_t>(g.span), none);
    for (int i = 0; i < cells; ++i) {
        node_at[empty[i]] = i;
        size[i] = 1;
    }
    const auto neighbours = [&](int at, auto&& visit) {
        for (int d = 0; d < g.directions; ++d) {
            const int next = at + g.offset[d];
            if (next >= 0 && next < g.span && g.cell[next] >= 0) visit(next);
        }
    };
    for (const int side : {black, white})
        for (const auto& group : board.groups(side)) {
            bool touches = false;
            for (const int cell : group)
                neighbours(g.index[cell], [&](int next) { touches |= board.is_empty(next); });
            if (!touches) {
                apart[side].push_back(static_cast<int>(group.size()));
                continue;
            }
            size[nodes] = static_cast<u16>(group.size());
            colour[nodes] = static_cast<u8>(side);
            for (const int cell : group) node_at[g.index[cell]] = nodes;
            ++nodes;
        }
    for (int i = 0; i < cells; ++i)
        neighbours(empty[i], [&](int next) {
            const int node = node_at[next];
            if (node == none) return;
            if (node >= cells)
                group_links[i][colour[node]].push_back(static_cast<u8>(node));
            else if (node < i)
                cell_links[i].push_back(static_cast<u8>(node));
        });
}

using Labels = std::array<u8, most_nodes>;

// Give the node of cell `i` and the groups that it joins one label; returns how many there were.
// Its colour fills the cells `own`, of which those before `i` count.
int join(const Graph& graph, Labels& labels, int i, int colour, u32 own) {
    u8 joined[max_directions];
    int count = 0;
    const auto meet = [&](u8 node) {
        const u8 label = labels[node];
        if (std::find(joined, joined + count, label) == joined + count) joined[count++] = label;
    };
    for (const u8 cell : graph.cell_links[i])
        if (own >> cell & 1) meet(cell);
    for (const u8 node : graph.group_links[i][colour]) meet(node);
    if (!count) return 0;
    labels[static_cast<std::size_t>(i)] = joined[0];
    for (int k = 1; k < count; ++k)
        for (int node = 0; node < graph.nodes; ++node)
            labels[node] = labels[node] == joined[k] ? joined[0] : labels[node];
    return count;
}

Labels first_labels() {
    Labels labels;
    for (int node = 0; node < most_nodes; ++node) labels[node] = static_cast<u8>(node);
    return labels;
}

// The number of groups of one colour for every set of cells that it fills.
struct Counting {
    const Graph& graph;
    int colour;
    std::vector<i16>& table;

    // The sets that agree with `filled` in the cells before `i`.
    void walk(int i, const Labels& labels, u32 filled, int groups) const {
        if (i == graph.cells) {
            table[filled] = static_cast<i16>(groups);
            return;
        }
        walk(i + 1, labels, filled, groups);
        Labels mine = labels;
        const int joined = join(graph, mine, i, colour, filled);
        walk(i + 1, mine, filled | 1u << i, groups + 1 - joined);
    }

    // The part whose first `decided` cells are filled as `filled` says.
    void part(int decided, u32 filled, int groups) const {
        Labels labels = first_labels();
        for (int i = 0; i < decided; ++i)
            if (filled >> i & 1) groups += 1 - join(graph, labels, i, colour, filled);
        walk(decided, labels, filled, groups);
    }
};

// The winner on every full board, by the sizes of all groups.
struct Judging {
    const Graph& graph;
    const Rules& rules;
    std::vector<u8>& black_wins;

    void walk(int i, const Labels& labels, u32 filled, std::vector<int> (&sizes)[2]) const {
        if (i == graph.cells) {
            black_wins[filled] = winner(labels, filled, sizes) == black;
            return;
        }
        for (const int colour : {white, black}) {
            Labels mine = labels;
            join(graph, mine, i, colour, colour == black ? filled : ~filled);
            walk(i + 1, mine, colour == black ? filled | 1u << i : filled, sizes);
        }
    }

    int winner(const Labels& labels, u32 filled, std::vector<int> (&sizes)[2]) const {
        u16 size[most_nodes] = {};
        u8 colour[most_nodes];
        for (int node = 0; node < graph.nodes; ++node) {
            size[labels[node]] = static_cast<u16>(size[labels[node]] + graph.size[node]);
            colour[labels[node]] = node >= graph.cells    ? graph.colour[node]
                                   : (filled >> node & 1) ? u8{black}
                                                          : u8{white};
        }
        for (const int side : {black, white}) sizes[side].resize(graph.apart[side].size());
        for (int node = 0; node < graph.nodes; ++node)
            if (size[node]) sizes[colour[node]].push_back(size[node]);
        return score_sizes(rules, sizes).winner;
    }

    void part(int decided, u32 filled) const {
        Labels labels = first_labels();
        for (int i = 0; i < decided; ++i) {
            const bool is_black = filled >> i & 1;
            join(graph, labels, i, is_black ? black : white, is_black ? filled : ~filled);
        }
        std::vector<int> sizes[2] = {graph.apart[black], graph.apart[white]};
        walk(decided, labels, filled, sizes);
    }
};

// -- the sweep ---------------------------------------------------------------------------------

struct Tables {
    u8* landing[2];
    u8* best[2];  // landing itself in games of one stone a turn
    const i16* groups[2];
    const u8* black_wins;
    u32 all;  // the set of all cells
    bool end_on_full;
};

void take_larger(u8* __restrict to, const u8* __restrict one, const u8* __restrict two, u64 count) {
    for (u64 i = 0; i < count; ++i) to[i] = std::max(to[i], std::max(one[i], two[i]));
}

void take_larger(u8* __restrict to, const u8* __restrict one, u64 count) {
    for (u64 i = 0; i < count; ++i) to[i] = std::max(to[i], one[i]);
}

// The sweep for a kind of turns: of up to two stones or one; of two exactly; of one's own colour
// only; with an odd number of groups and passing.
//
// Until a filling is reached its bytes collect the best of the fillings with a stone more. `landing`
// so collects what one stone is worth, `best` what one or two are.
template <bool pairs, bool must, bool own, bool passes>
class Filler {
public:
    explicit Filler(const Tables& tables) : t_(tables) {}

    // The fillings whose digits from `digits` on are those of `base`; these digits' stones, as
    // sets of cells, are `blacks` and `whites`.
    void block(int digits, u64 base, u32 blacks, u32 whites) const {
        switch (digits) {
            case 0:
                return small<0>(base, blacks, whites);
            case 1:
                return small<1>(base, blacks, whites);
            case 2:
                return small<2>(base, blacks, whites);
            case 3:
                return small<3>(base, blacks, whites);
            default:
                break;
        }
        const int digit = digits - 1;
        const u64 power = powers[digit];
        block(digit, base + 2 * power, blacks, whites | 1u << digit);
        block(digit, base + power, blacks | 1u << digit, whites);
        collect(base, digit, power);
        block(digit, base, blacks, whites);
    }

    // Collect from the fillings with a stone on the cell of `digit`, for `count` fillings.
    void collect(u64 base, int digit, u64 count) const {
        const u64 one = base + powers[digit];
        const u64 two = one + powers[digit];
        for (const int player : {black, white}) {
            collect(t_.landing[player], player, base, one, two, count);
            if constexpr (pairs) collect(t_.best[player], player, base, one, two, count);
        }
    }

private:
    static void collect(u8* plane, int player, u64 base, u64 one, u64 two, u64 count) {
        if constexpr (own)
            take_larger(plane + base, plane + (player == black ? one : two), count);
        else
            take_larger(plane + base, plane + one, plane + two, count);
    }

    template <int digits>
    [[gnu::always_inline]] void small(u64 base, u32 blacks, u32 whites) const {
        if constexpr (digits == 0) {
            settle(base, blacks, whites);
        } else {
            constexpr int digit = digits - 1;
            constexpr u64 power = powers[digit];
            small<digit>(base + 2 * power, blacks, whites | 1u << digit);
            small<digit>(base + power, blacks | 1u << digit, whites);
            for (u64 i = 0; i < power; ++i) collect_one(base + i, power);
            small<digit>(base, blacks, whites);
        }
    }

    [[gnu::always_inline]] void collect_one(u64 at, u64 power) const {
        for (const int player : {black, white}) {
            collect_one(t_.landing[player], player, at, power);
            if constexpr (pairs) collect_one(t_.best[player], player, at, power);
        }
    }

    [[gnu::always_inline]] static void collect_one(u8* plane, int player, u64 at, u64 power) {
        const u8 one = own && player == white ? u8{0} : plane[at + power];
        const u8 two = own && player == black ? u8{0} : plane[at + 2 * power];
        plane[at] = std::max(plane[at], std::max(one, two));
    }

    // All successors of a filling have been collected: its own values.
    [[gnu::always_inline]] void settle(u64 at, u32 blacks, u32 whites) const {
        const u8 single[2] = {t_.landing[black][at], t_.landing[white][at]};
        u8 drop[2] = {single[black], single[white]};
        if constexpr (pairs) {
            drop[black] = t_.best[black][at];
            drop[white] = t_.best[white][at];
        }
        const bool full = (blacks | whites) == t_.all;
        u8 landing[2];
        if constexpr (passes) {
            const int black_groups = t_.groups[black][blacks];
            const int white_groups = t_.groups[white][whites];
            const bool odd = (black_groups + white_groups) & 1;
            const u8 end_black = black_groups < white_groups ? win_now : loss_now;
            const u8 end[2] = {end_black, static_cast<u8>(255 - end_black)};
            if (full && t_.end_on_full) {
                landing[black] = end[black];
                landing[white] = end[white];
            } else {
                // Of the player on turn after a pass, and without one.
                u8 after[2];
                u8 fresh[2];
                for (const int p : {black, white})
                    after[p] = own ? drop[p] ? drop[p] : end[p] : std::max(drop[p], end[p]);
                for (const int p : {black, white}) {
                    const u8 pass = before(after[1 - p]);
                    fresh[p] = own ? drop[p] ? drop[p] : pass : std::max(drop[p], pass);
                }
                landing[black] = before(fresh[white]);
                landing[white] = before(fresh[black]);
            }
            const u8 legal = odd ? 255 : 0;
            landing[black] &= legal;
            landing[white] &= legal;
        } else if (full) {
            landing[black] = t_.black_wins[blacks] ? win_now : loss_now;
            landing[white] = static_cast<u8>(255 - landing[black]);
        } else {
            landing[black] = before(drop[white]);
            landing[white] = before(drop[black]);
        }
        for (const int p : {black, white}) {
            t_.landing[p][at] = landing[p];
            if constexpr (pairs)
                t_.best[p][at] = must ? single[p] : std::max(single[p], landing[p]);
        }
    }

    const Tables t_;
};

// The blocks by the number of stones that they have in their leading digits, most first. Those of
// as many do not depend on each other.
std::vector<std::vector<u64>> layers(int leading) {
    std::vector<std::vector<u64>> list(static_cast<std::size_t>(leading) + 1);
    for (u64 block = 0; block < powers[leading]; ++block) {
        int stones = 0;
        for (u64 rest = block; rest; rest /= 3) stones += rest % 3 != 0;
        list[static_cast<std::size_t>(leading - stones)].push_back(block);
    }
    return list;
}

template <bool pairs, bool must, bool own, bool passes>
bool fill(const Tables& tables, int cells, int threads, const std::function<bool()>& interrupted) {
    const Filler<pairs, must, own, passes> filler(tables);
    const int digits = std::min(block_digits, std::max(std::min(cells, 6), cells - 5));
    const int leading = cells - digits;
    for (const auto& layer : layers(leading)) {
        const auto task = [&](u64 i) {
            const u64 base = layer[i] * powers[digits];
            u32 stones[2] = {0, 0};
            u64 rest = layer[i];
            for (int digit = digits; digit < cells; ++digit, rest /= 3) {
                if (rest % 3)
                    stones[rest % 3 - 1] |= 1u << digit;
                else
                    filler.collect(base, digit, powers[digits]);
            }
            filler.block(digits, base, stones[black], stones[white]);
        };
        if (!share(threads, layer.size(), interrupted, task)) return false;
    }
    return true;
}

}  // namespace

// -- the tables --------------------------------------------------------------------------------

Sweep::Plane Sweep::plane(u64 bytes) {
    auto* block = static_cast<u8*>(std::calloc(bytes, 1));
    if (!block) throw std::bad_alloc();
    ask_for_huge_pages(block, bytes);
    return Plane(block);
}

Sweep::Sweep(const Board& board) : board_(board), empty_(board.state().empty), fillings_(0) {
    if (board.is_pending()) throw std::invalid_argument("a turn is in progress");
    if (empty_ > most_empty) throw std::invalid_argument("too many empty cells for a sweep");
    fillings_ = powers[empty_];
    cells_.resize(max_cells);
    cells_.resize(static_cast<std::size_t>(board.list_empty(cells_.data())));
    weights_.resize(static_cast<std::size_t>(board.geometry().span));
    for (int i = 0; i < empty_; ++i) weights_[cells_[i]] = powers[i];
    for (const int player : {black, white}) {
        landing_[player] = plane(fillings_);
        if (board.rules().two_stones()) best_[player] = plane(fillings_);
    }
}

bool Sweep::count_groups(int threads, const std::function<bool()>& interrupted) {
    const Graph graph(board_, cells_);
    const int decided = std::min(prefix_cells, empty_);
    for (auto& table : groups_) table.resize(u64{1} << empty_);
    return share(threads, u64{2} << decided, interrupted, [&](u64 i) {
        const int colour = static_cast<int>(i & 1);
        const Counting counting{graph, colour, groups_[colour]};
        counting.part(decided, static_cast<u32>(i >> 1), board_.state().groups[colour]);
    });
}

bool Sweep::judge_full(int threads, const std::function<bool()>& interrupted) {
    const Graph graph(board_, cells_);
    const int decided = std::min(prefix_cells, empty_);
    black_wins_.resize(u64{1} << empty_);
    const Judging judging{graph, board_.rules(), black_wins_};
    return share(threads, u64{1} << decided, interrupted,
                 [&](u64 i) { judging.part(decided, static_cast<u32>(i)); });
}

bool Sweep::run(int threads, const std::function<bool()>& interrupted) {
    const Rules& rules = board_.rules();
    const bool counted = rules.odd_total();
    if (!(counted ? count_groups(threads, interrupted) : judge_full(threads, interrupted)))
        return false;
    const Tables tables{
        {landing_[black].get(), landing_[white].get()}, {best_[black].get(), best_[white].get()},
        {groups_[black].data(), groups_[white].data()}, black_wins_.data(),
        static_cast<u32>((u64{1} << empty_) - 1),       rules.end_on_full};
    const auto chosen =
        counted ? rules.own_colour ? fill<true, false, true, true> : fill<true, false, false, true>
        : rules.must_drop_two() ? fill<true, true, false, false>
        : rules.only_own()      ? fill<false, false, true, false>
                                : fill<false, false, false, false>;
    const bool done = chosen(tables, empty_, threads, interrupted);
    for (const int colour : {black, white}) {
        best_[colour].reset();
        groups_[colour] = {};
    }
    black_wins_ = {};
    return done;
}

// -- values ------------------------------------------------------------------------------------

bool Sweep::covers(const Board& board) const {
    const Geometry& g = board_.geometry();
    if (&board.geometry() != &g || board.is_pending()) return false;
    const Rules& mine = board_.rules();
    const Rules& theirs = board.rules();
    if (mine.game != theirs.game || mine.end_on_full != theirs.end_on_full ||
        mine.own_colour != theirs.own_colour || mine.min_group != theirs.min_group)
        return false;
    for (int cell = 0; cell < g.cells; ++cell) {
        const int at = g.index[cell];
        if (!weights_[at] && board.colour_at(at) != board_.colour_at(at)) return false;
    }
    return true;
}

u64 Sweep::filling(const Board& board) const {
    u64 at = 0;
    for (const u16 cell : cells_)
        at += weights_[cell] * static_cast<u64>(board.colour_at(cell) + 1);
    return at;
}

// The value of a pass for the player on turn.
u8 Sweep::value_of_pass(const Board& board) const {
    const int player = board.player();
    if (board.state().passes) return board.score().winner == player ? win_now : loss_now;
    Board after = board;
    after.play({Step::pass, {}});
    return before([&] {
        u8 most = 0;
        const u64 at = filling(after);
        DropCursor drops(after);
        for (Turn turn; drops.next(turn);) {
            u64 end = at;
            for (int i = 0; i < turn.stones; ++i)
                end += weights_[turn.stone[i].at] * (turn.stone[i].colour + 1u);
            most = std::max(most, landing(end, 1 - player));
        }
        const bool may_pass = !board.rules().own_colour || !most;
        return may_pass ? std::max(most, value_of_pass(after)) : most;
    }());
}

std::vector<TurnValue> Sweep::turns(const Board& board) const {
    std::vector<TurnValue> list;
    const int player = board.player();
    const u64 at = filling(board);
    DropCursor drops(board);
    for (Turn turn; drops.next(turn);) {
        u64 end = at;
        for (int i = 0; i < turn.stones; ++i)
            end += weights_[turn.stone[i].at] * (turn.stone[i].colour + 1u);
        const u8 value = landing(end, player);
        list.push_back({turn, wins(value), distance(value)});
    }
    if (Drops(board).pass_legal()) {
        const u8 value = value_of_pass(board);
        Turn pass;
        pass.kind = Step::pass;
        list.push_back({pass, wins(value), distance(value)});
    }
    return list;
}

TurnValue Sweep::best(const Board& board) const {
    const std::vector<TurnValue> list = turns(board);
    if (list.empty()) throw std::invalid_argument("no legal turn");
    // The fewest turns of those that win; the most of the others.
    return *std::max_element(list.begin(), list.end(), [](const TurnValue& a, const TurnValue& b) {
        const auto rank = [](const TurnValue& v) {
            return v.wins ? 1000 - v.distance : v.distance;
        };
        return rank(a) < rank(b);
    });
}

}  // namespace yoddd
