// Sweeps and the solver of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "binding_stop.hpp"
#include "layers.hpp"
#include "played.hpp"
#include "solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

using Value = std::tuple<std::vector<int>, bool, int>;

bool run(Layers& sweep, double seconds, const std::optional<nb::callable>& stop) {
    return stoppable(seconds, stop, [&](const auto& ended) { return sweep.run(ended); });
}

nb::tuple solve(const Played& played, u64 nodes, double seconds, u64 memory, int threads, int leaf,
                const std::optional<nb::callable>& stop) {
    const Solution solution = stoppable(0, stop, [&](const auto& ended) {
        return Solver(played.board(), {nodes, seconds, memory, threads, leaf}, ended).solve();
    });
    std::vector<std::vector<int>> line;
    for (const Turn& turn : solution.line) line.push_back(played.numbers(turn));
    return nb::make_tuple(solution.winner, solution.nodes, solution.sweeps, solution.seconds, line);
}

std::vector<Value> turns(const Layers& sweep, const Played& played) {
    std::vector<Value> list;
    for (const TurnValue& value : sweep.turns(played.board()))
        list.emplace_back(played.numbers(value.turn), value.wins, value.distance);
    return list;
}

}  // namespace
}  // namespace yoddd

void bind_endgame(nb::module_& m) {
    using namespace yoddd;
    nb::class_<Layers>(m, "Layers")
        .def(
            "__init__",
            [](Layers* self, const Played& played, bool distances, int threads) {
                new (self) Layers(played.board(), {distances, threads});
            },
            "board"_a, "distances"_a, "threads"_a)
        .def("run", &run, "seconds"_a, "stop"_a.none())
        .def_prop_ro("wins", &Layers::wins)
        .def(
            "follows",
            [](const Layers& self, const Played& played) { return self.follows(played.board()); },
            "board"_a)
        .def(
            "covers",
            [](const Layers& self, const Played& played) { return self.covers(played.board()); },
            "board"_a)
        .def("turns", &turns, "board"_a)
        .def_static(
            "memory",
            [](const Played& played, int empty, bool distances, int threads) {
                return Layers::memory(played.board(), empty, {distances, threads});
            },
            "board"_a, "empty"_a, "distances"_a, "threads"_a);
    m.attr("MOST_SWEPT") = most_swept;
    m.def("solve", &solve, "board"_a, "nodes"_a, "seconds"_a, "memory"_a, "threads"_a, "leaf"_a,
          "stop"_a.none());
    m.def(
        "leaf_cells",
        [](const Played& played, u64 nodes, double seconds, u64 memory, int threads) {
            return Solver::leaf_cells(played.board(), {nodes, seconds, memory, threads});
        },
        "board"_a, "nodes"_a, "seconds"_a, "memory"_a, "threads"_a);
}
