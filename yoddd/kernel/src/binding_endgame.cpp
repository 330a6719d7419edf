// Sweeps, the solver and the review of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

#include "binding_stop.hpp"
#include "played.hpp"
#include "review.hpp"
#include "solver.hpp"
#include "square5.hpp"
#include "sweep.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

nb::tuple solve(const Played& played, u64 nodes, double seconds, u64 memory, int threads, int leaf,
                const std::optional<nb::callable>& stop) {
    const Solution solution = stoppable(0, stop, [&](const auto& ended) {
        return Solver(played.board(), {nodes, seconds, memory, threads, leaf}, ended).solve();
    });
    std::vector<std::vector<int>> line;
    for (const Turn& turn : solution.line) line.push_back(played.numbers(turn));
    return nb::make_tuple(solution.winner, solution.nodes, solution.sweeps, solution.seconds, line);
}

// Asks Python for the values of a position. What owns `find` keeps the reference: the table is copied
// while the GIL is released.
Table table_of(nb::handle find) {
    return [find](std::size_t at, const std::vector<Moves>& more) {
        nb::gil_scoped_acquire held;
        return nb::cast<Values>(find(at, more));
    };
}

}  // namespace
}  // namespace yoddd

void bind_endgame(nb::module_& m) {
    using namespace yoddd;
    nb::class_<Sweep>(m, "Sweep")
        .def_static(
            "make",
            [](const Played& played, bool distances, int threads, double seconds,
               const std::optional<nb::callable>& stop) {
                return stoppable(seconds, stop, [&](const auto& ended) {
                    return Sweep::make(played.board(), {distances, threads}, ended);
                });
            },
            "board"_a, "distances"_a, "threads"_a, "seconds"_a, "stop"_a.none())
        .def_prop_ro("wins", &Sweep::wins)
        .def(
            "covers",
            [](const Sweep& self, const Played& played) { return self.covers(played.board()); },
            "board"_a)
        .def(
            "turns",
            [](Sweep& self, const Played& played) {
                nb::gil_scoped_release released;
                return numbered(played, self.turns(played.board()));
            },
            "board"_a)
        .def(
            "line",
            [](Sweep& self, const Played& played) {
                nb::gil_scoped_release released;
                return numbered(played, self.line(played.board()));
            },
            "board"_a);
    nb::class_<Square5>(m, "Square5")
        .def(
            "__init__",
            [](Square5* self, const nb::bytes& data) {
                const auto* const begin = static_cast<const u8*>(data.data());
                new (self) Square5({begin, begin + data.size()});
            },
            "data"_a)
        .def(
            "turns",
            [](const Square5& self, const Played& played) {
                return numbered(played, self.turns(played.board()));
            },
            "board"_a);
    nb::class_<Review>(m, "Review")
        .def(nb::init<const Played&, const std::vector<Moves>&>(), "start"_a, "turns"_a)
        .def(
            "solve",
            [](Review& self, u64 memory, double seconds, u64 nodes, int threads,
               const nb::callable& table, const nb::callable& stop) {
                const ExactLimits limits{memory, memory, seconds, nodes, threads};
                stoppable(0, stop, [&](const auto& ended) {
                    self.solve(limits, table_of(table), ended);
                    return true;
                });
            },
            "memory"_a, "seconds"_a, "nodes"_a, "threads"_a, "table"_a, "stop"_a,
            nb::keep_alive<1, 6>())
        .def(
            "wanted",
            [](Review& self, u64 visits, u64 seed, const nb::callable& stop) {
                return stoppable(
                    0, stop, [&](const auto& ended) { return self.wanted(visits, seed, ended); });
            },
            "visits"_a, "seed"_a, "stop"_a)
        .def_prop_ro("stage", &Review::stage)
        .def("take", &Review::take, "turn"_a, "value"_a, "visits"_a, "lines"_a)
        .def("report", &Review::report, nb::call_guard<nb::gil_scoped_release>());
    m.attr("thresholds") = std::vector<double>(std::begin(thresholds), std::end(thresholds));
    m.def(
        "sweep_cost",
        [](const Played& played, int empty, bool distances, int threads) {
            const auto cost = sweep_cost(played.board(), empty, {distances, threads});
            using Cost = std::tuple<u64, u64, double>;
            return cost ? std::optional(Cost(cost->fillings, cost->memory, cost->seconds))
                        : std::nullopt;
        },
        "board"_a, "empty"_a, "distances"_a, "threads"_a);
    m.def("solve", &solve, "board"_a, "nodes"_a, "seconds"_a, "memory"_a, "threads"_a, "leaf"_a,
          "stop"_a.none());
    m.def(
        "leaf_cells",
        [](const Played& played, u64 nodes, double seconds, u64 memory, int threads) {
            return Solver::leaf_cells(played.board(), {nodes, seconds, memory, threads});
        },
        "board"_a, "nodes"_a, "seconds"_a, "memory"_a, "threads"_a);
}
