// The class Sweep of yoddd.kernel._native; _native.pyi documents what is visible.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "dense.hpp"
#include "played.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Value = std::tuple<std::vector<int>, bool, int>;

constexpr double poll_interval = 0.005;  // seconds; each poll may have to wait for the GIL

// Fill a sweep's tables within `seconds` (0: no limit). Without `stop` signals are polled.
bool run(Sweep& sweep, int threads, double seconds, const std::optional<nb::callable>& stop) {
    std::optional<nb::python_error> raised;
    bool done = false;
    {
        nb::gil_scoped_release released;
        const auto begun = Clock::now();
        auto polled = begun;
        done = sweep.run(threads, [&] {
            const auto now = Clock::now();
            if (seconds > 0 && Seconds(now - begun).count() >= seconds) return true;
            if (Seconds(now - polled).count() < poll_interval) return false;
            polled = now;
            nb::gil_scoped_acquire held;
            try {
                if (stop) return nb::cast<bool>((*stop)());
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                return false;
            } catch (nb::python_error& error) {
                raised.emplace(std::move(error));
                return true;
            }
        });
    }
    if (raised) throw std::move(*raised);
    return done;
}

std::vector<Value> turns(const Sweep& sweep, const Played& played) {
    std::vector<Value> list;
    for (const TurnValue& value : sweep.turns(played.board()))
        list.emplace_back(played.numbers(value.turn), value.wins, value.distance);
    return list;
}

// Best play of both sides to the end of the game.
std::vector<Value> line(const Sweep& sweep, Played played) {
    std::vector<Value> list;
    while (!played.board().is_over()) {
        const TurnValue value = sweep.best(played.board());
        const std::vector<int> moves = played.numbers(value.turn);
        list.emplace_back(moves, value.wins, value.distance);
        played.play_turn(moves);
    }
    return list;
}

}  // namespace
}  // namespace yoddd

void bind_dense(nb::module_& m) {
    using namespace yoddd;
    nb::class_<Sweep>(m, "Sweep")
        .def(
            "__init__", [](Sweep* self, const Played& played) { new (self) Sweep(played.board()); },
            "board"_a)
        .def("run", &run, "threads"_a, "seconds"_a, "stop"_a.none())
        .def(
            "covers",
            [](const Sweep& self, const Played& played) { return self.covers(played.board()); },
            "board"_a)
        .def("turns", &turns, "board"_a)
        .def("line", &line, "board"_a);
}
