// Sweeps and the solver of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "layers.hpp"
#include "played.hpp"
#include "solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Value = std::tuple<std::vector<int>, bool, int>;

constexpr double poll_interval = 0.005;  // seconds; each poll may have to wait for the GIL

// Ends a computation that does not hold the GIL: asks `stop`, or without it looks for signals.
class Stop {
public:
    Stop(double seconds, const std::optional<nb::callable>& stop)
        : seconds_(seconds), stop_(stop) {}

    bool operator()() {
        const auto now = Clock::now();
        if (seconds_ > 0 && Seconds(now - begun_).count() >= seconds_) return true;
        if (raised_) return true;
        if (Seconds(now - polled_).count() < poll_interval) return false;
        polled_ = now;
        nb::gil_scoped_acquire held;
        try {
            if (stop_) return nb::cast<bool>((*stop_)());
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return false;
        } catch (nb::python_error& error) {
            raised_.emplace(std::move(error));
            return true;
        }
    }

    // With the GIL: raise what was raised meanwhile.
    void raise() {
        if (raised_) throw std::move(*raised_);
    }

private:
    const double seconds_;
    const std::optional<nb::callable>& stop_;
    const Clock::time_point begun_ = Clock::now();
    Clock::time_point polled_ = begun_;
    std::optional<nb::python_error> raised_;
};

// Run a sweep within `seconds` (0: no limit).
bool run(Layers& sweep, double seconds, const std::optional<nb::callable>& stop) {
    Stop ends(seconds, stop);
    bool done = false;
    {
        nb::gil_scoped_release released;
        done = sweep.run([&ends] { return ends(); });
    }
    ends.raise();
    return done;
}

nb::tuple solve(const Played& played, u64 nodes, double seconds, u64 memory, int threads, int leaf,
                const std::optional<nb::callable>& stop) {
    Stop ends(0, stop);
    Solution solution;
    {
        nb::gil_scoped_release released;
        SolverShared search(played.board(), {nodes, seconds, memory, threads, leaf});
        solution = search.solve([&ends] { return ends(); });
    }
    ends.raise();
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
                new (self) Layers(played.board(), {distances, LayerOptions::few, threads});
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
                return Layers::memory(played.board(), empty,
                                      {distances, LayerOptions::few, threads});
            },
            "board"_a, "empty"_a, "distances"_a, "threads"_a);
    m.attr("MOST_SWEPT") = most_swept;
    m.def("solve", &solve, "board"_a, "nodes"_a, "seconds"_a, "memory"_a, "threads"_a, "leaf"_a,
          "stop"_a.none());
    m.def(
        "leaf_cells",
        [](const Played& played, u64 nodes, u64 memory, int threads) {
            const Board& board = played.board();
            return SolverShared::leaf_cells(board, {nodes, 0, memory, threads});
        },
        "board"_a, "nodes"_a, "memory"_a, "threads"_a);
}
