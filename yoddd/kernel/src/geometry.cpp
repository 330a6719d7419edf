#include "geometry.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "rng.hpp"
#include "threads.hpp"

namespace yoddd {
namespace {

constexpr int max_narrow_labels = 256;

struct Point {
    int column;  // q on hexhex, x on square boards
    int row;     // r growing downward on hexhex, y growing upward on square boards
    bool operator==(const Point&) const = default;
};

std::vector<Point> hexhex_points(int n) {
    std::vector<Point> points;
    for (int r = n - 1; r > -n; --r)
        for (int q = std::max(1 - n, 1 - n - r); q <= std::min(n - 1, n - 1 - r); ++q)
            points.push_back({q, r});
    return points;
}

std::vector<Point> square_points(int n) {
    std::vector<Point> points;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) points.push_back({x, y});
    return points;
}

Point rotated(Shape shape, int n, Point p) {
    return shape == Shape::hex ? Point{-p.row, p.column + p.row} : Point{n - 1 - p.row, p.column};
}

Point reflected(Shape shape, int n, Point p) {
    return shape == Shape::hex ? Point{p.row, p.column} : Point{n - 1 - p.column, p.row};
}

void add_symmetries(Geometry& g, const std::vector<Point>& points) {
    const auto number = [&](Point p) {
        return static_cast<u16>(std::find(points.begin(), points.end(), p) - points.begin());
    };
    for (const bool mirror : {false, true}) {
        std::vector<Point> image = points;
        if (mirror)
            for (Point& p : image) p = reflected(g.shape, g.size, p);
        for (int turn = 0; turn < g.directions; ++turn) {
            std::vector<u16> permutation;
            for (Point& p : image) {
                permutation.push_back(number(p));
                p = rotated(g.shape, g.size, p);
            }
            g.symmetries.push_back(std::move(permutation));
        }
    }
}

// Directions run round the cell, so that consecutive neighbours of a hexagon touch.
void set_directions(Geometry& g) {
    const auto s = static_cast<i16>(g.stride);
    const auto one = static_cast<i16>(1);
    if (g.shape == Shape::hex)
        g.offset = {one,
                    static_cast<i16>(s + 1),
                    s,
                    static_cast<i16>(-1),
                    static_cast<i16>(-s - 1),
                    static_cast<i16>(-s)};
    else
        g.offset = {one, s, static_cast<i16>(-1), static_cast<i16>(-s), 0, 0};
    for (int d = 0; d < g.directions; ++d)
        g.opposite[d] = static_cast<u8>((d + g.directions / 2) % g.directions);
}

void set_arcs(Geometry& g) {
    const int full = (1 << g.directions) - 1;
    for (int mask = 0; mask <= full; ++mask) {
        Arcs& arcs = g.arcs[mask];
        arcs = {};
        for (int d = 0; d < g.directions; ++d) {
            const int before = (d + g.directions - 1) % g.directions;
            // Neighbours of a square cell never touch: each is an arc of its own.
            const bool joined = g.shape == Shape::hex && (mask >> before & 1);
            arcs.stones += mask >> d & 1;
            if ((mask >> d & 1) && !joined) arcs.offset[arcs.count++] = g.offset[d];
        }
        if (g.shape == Shape::hex && mask == full) arcs.offset[arcs.count++] = g.offset[0];
        for (int i = arcs.count; i < max_joins; ++i) arcs.offset[i] = arcs.offset[0];
        arcs.any = mask != 0;
        g.hex_arcs[mask] = {{arcs.offset[0], arcs.offset[1]}};
    }
    // The cell above is no mate, and no group without a stone next to it can have its label.
    g.hex_arcs[0] = {{0, static_cast<i16>(g.stride)}};
}

void set_founding(Geometry& g) {
    g.founding.fill(0);
    for (int at = 0; at < plane_bytes; ++at) g.mate[at] = static_cast<u16>(at);
    const bool pairs = !g.wide && g.cells > max_narrow_labels;
    // Padding has label 0, which on hexhex boards is no cell's (see HexArcs).
    u16 label = g.shape == Shape::hex;
    for (int cell = 0; cell < g.cells; ++cell) {
        const u16 at = g.index[cell];
        g.founding[at] = label;
        if (pairs && cell + 1 < g.cells && g.index[cell + 1] == at + 1) {
            g.founding[at + 1] = label;
            g.mate[at] = static_cast<u16>(at + 1);
            g.mate[at + 1] = at;
            ++cell;
        }
        ++label;
    }
    if (!g.wide && label > max_narrow_labels) throw std::logic_error("labels do not fit a byte");
}

void set_around(Geometry& g) {
    g.around.fill(0);
    g.rim.fill(0);
    for (int cell = 0; cell < g.cells; ++cell) {
        const int at = g.index[cell];
        for (int d = 0; d < g.directions; ++d) {
            const int next = at + g.offset[d];
            if (next < 0 || g.cell[next] < 0)
                g.rim[at] = 1;
            else
                g.around[at] |= static_cast<u8>(1 << d);
        }
    }
}

void set_zobrist(Geometry& g) {
    u64 state = split_mix(static_cast<u64>(g.size) * 2 + static_cast<u64>(g.shape));
    for (auto& plane : g.zobrist)
        for (u64& key : plane) key = state = split_mix(state);
}

std::unique_ptr<Geometry> build(Shape shape, int n) {
    auto made = std::make_unique<Geometry>();
    Geometry& g = *made;
    const bool hex = shape == Shape::hex;
    const auto points = hex ? hexhex_points(n) : square_points(n);
    g.shape = shape;
    g.size = n;
    g.cells = static_cast<int>(points.size());
    g.stride = hex ? 2 * n - 1 : n + 1;
    g.directions = hex ? 6 : 4;
    g.cell.fill(-1);
    for (int cell = 0; cell < g.cells; ++cell) {
        const Point p = points[cell];
        const int at =
            hex ? (n - 1 - p.row) * g.stride + p.column + n - 1 : p.row * g.stride + p.column;
        g.index[cell] = static_cast<u16>(at);
        g.cell[at] = static_cast<i16>(cell);
        if (cell == 0 || at != g.index[cell - 1] + 1)
            g.row_begins.push_back(static_cast<u16>(cell));
    }
    g.row_begins.push_back(static_cast<u16>(g.cells));
    g.span = g.index[g.cells - 1] + 1;
    g.wide = !hex && n >= 23;
    set_directions(g);
    set_arcs(g);
    set_founding(g);
    set_around(g);
    set_zobrist(g);
    add_symmetries(g, points);
    return made;
}

}  // namespace

const Geometry& geometry(Shape shape, int size) {
    constexpr int largest[] = {13, 25};
    const int kind = static_cast<int>(shape);
    if (size < 2 || size > largest[kind]) throw std::invalid_argument("no board of this size");
    static Mutex guard;
    static std::unique_ptr<Geometry> made[2][26];
    const std::lock_guard lock(guard);
    auto& slot = made[kind][size];
    if (!slot) slot = build(shape, size);
    return *slot;
}

}  // namespace yoddd
