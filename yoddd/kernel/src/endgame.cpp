#include "endgame.hpp"

#include <algorithm>

#include "pages.hpp"

namespace yoddd {
namespace {

// Group tables are made in so many parts that each takes less than a millisecond.
constexpr int part_cells = 12;
constexpr int least_parts = 5;  // as a power of two, for threads
constexpr int most_nodes = 256;

// What decides about groups near the empty cells: nodes are these cells and the groups that touch
// them. Nodes of one label are one group.
struct Graph {
    int cells = 0;
    int nodes = 0;
    std::vector<u8> cell_links[most_swept];      // later cells know the earlier ones
    std::vector<u8> group_links[most_swept][2];  // by colour
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

int cells_before_parts(const Graph& graph) {
    return std::min(graph.cells, std::max(least_parts, graph.cells - part_cells));
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

}  // namespace

std::vector<u16> empty_cells(const Board& board) {
    std::vector<u16> cells(max_cells);
    cells.resize(static_cast<std::size_t>(board.list_empty(cells.data())));
    return cells;
}

bool count_groups(const Board& board, const std::vector<u16>& cells, std::vector<i16> (&groups)[2],
                  int threads, const std::function<bool()>& interrupted) {
    const Graph graph(board, cells);
    const int decided = cells_before_parts(graph);
    for (auto& table : groups) {
        reserve_large(table, u64{1} << graph.cells);
        table.resize(u64{1} << graph.cells);
    }
    return share(threads, u64{2} << decided, interrupted, [&](u64 i) {
        const int colour = static_cast<int>(i & 1);
        const Counting counting{graph, colour, groups[colour]};
        counting.part(decided, static_cast<u32>(i >> 1), board.state().groups[colour]);
    });
}

bool judge_full(const Board& board, const std::vector<u16>& cells, std::vector<u8>& black_wins,
                int threads, const std::function<bool()>& interrupted) {
    const Graph graph(board, cells);
    const int decided = cells_before_parts(graph);
    black_wins.resize(u64{1} << graph.cells);
    const Judging judging{graph, board.rules(), black_wins};
    return share(threads, u64{1} << decided, interrupted,
                 [&](u64 i) { judging.part(decided, static_cast<u32>(i)); });
}

u64 EndgameGroups::memory(const Rules& rules, int empty) {
    return (rules.odd_total() ? 2 * sizeof(i16) : sizeof(u8)) << empty;
}

bool EndgameGroups::count(const Board& board, int threads,
                          const std::function<bool()>& interrupted) {
    cells_ = empty_cells(board);
    return board.rules().odd_total() ? count_groups(board, cells_, groups_, threads, interrupted)
                                     : judge_full(board, cells_, black_wins_, threads, interrupted);
}

// For each set of the later board's empty cells, that of all cells the colour then fills.
std::vector<u32> EndgameGroups::sets(const Board& board, int colour) const {
    std::vector<u32> list{0};
    u32 filled = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        const int content = board.colour_at(cells_[i]);
        if (content == colour) filled |= 1u << i;
        if (content != none) continue;
        const std::size_t count = list.size();
        for (std::size_t k = 0; k < count; ++k) list.push_back(list[k] | 1u << i);
    }
    for (u32& set : list) set |= filled;
    return list;
}

void EndgameGroups::pick(const Board& board, int colour, std::vector<i16>& groups) const {
    groups.clear();
    for (const u32 set : sets(board, colour)) groups.push_back(groups_[colour][set]);
}

void EndgameGroups::pick(const Board& board, std::vector<u8>& black_wins) const {
    black_wins.clear();
    for (const u32 set : sets(board, black)) black_wins.push_back(black_wins_[set]);
}

}  // namespace yoddd
