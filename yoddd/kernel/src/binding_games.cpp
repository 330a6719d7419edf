// The class Games of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "games.hpp"
#include "played.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

template <class T, int Dimensions>
using Array = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

// The memory of a caller's array, which has to be of this very shape.
template <class AnyArray>
auto* memory(const AnyArray& array, const std::vector<std::size_t>& shape) {
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (array.shape(i) != shape[i]) throw std::invalid_argument("an array has the wrong shape");
    return array.data();
}

std::size_t rows(const Games& games) { return static_cast<std::size_t>(games.count()); }

void step(Games& games, const Array<const std::int64_t, 1>& actions, const Array<float, 2>& rewards,
          const Array<bool, 1>& done) {
    const auto* chosen = memory(actions, {rows(games)});
    float* const paid = memory(rewards, {rows(games), 2});
    auto* const over = reinterpret_cast<std::uint8_t*>(memory(done, {rows(games)}));
    nb::gil_scoped_release released;
    games.step(chosen, paid, over);
}

void reset(Games& games, const std::optional<Array<const bool, 1>>& which) {
    const bool* const chosen = which ? memory(*which, {rows(games)}) : nullptr;
    nb::gil_scoped_release released;
    games.reset(reinterpret_cast<const std::uint8_t*>(chosen));
}

std::vector<Board> boards_of(const std::vector<const Played*>& starts) {
    std::vector<Board> boards;
    for (const Played* start : starts) boards.push_back(start->board());
    return boards;
}

void masks(Games& games, const Array<std::int8_t, 2>& out) {
    auto* const into = memory(out, {rows(games), static_cast<std::size_t>(games.actions())});
    nb::gil_scoped_release released;
    games.masks(into);
}

void choose(Games& games, const Array<const double, 1>& draws, const Array<std::int64_t, 1>& out) {
    const auto* const drawn = memory(draws, {rows(games)});
    auto* const into = memory(out, {rows(games)});
    nb::gil_scoped_release released;
    games.choose(drawn, into);
}

void players(Games& games, const Array<std::int8_t, 1>& out) {
    auto* const into = memory(out, {rows(games)});
    nb::gil_scoped_release released;
    games.players(into);
}

void observe(Games& games, const Array<std::int8_t, 4>& out) {
    const auto side = static_cast<std::size_t>(games.side());
    auto* const into = memory(out, {rows(games), 6, side, side});
    nb::gil_scoped_release released;
    games.observe(into);
}

using SavedTuple = std::tuple<std::vector<int>, int, int, u32, int, bool, bool>;

std::vector<SavedTuple> save(const Games& games) {
    std::vector<SavedTuple> out;
    for (const Games::Saved& game : games.save())
        out.emplace_back(game.cells, game.player, game.passes, game.number, game.first,
                         game.swapped, game.passed);
    return out;
}

void load(Games& games, const std::vector<SavedTuple>& saved) {
    std::vector<Games::Saved> read;
    for (const SavedTuple& game : saved)
        read.push_back(
            std::apply([](const auto&... parts) { return Games::Saved{parts...}; }, game));
    games.load(read);
}

}  // namespace
}  // namespace yoddd

void bind_games(nb::module_& m) {
    using namespace yoddd;
    nb::class_<Games>(m, "Games")
        .def(
            "__init__",
            [](Games* self, const std::vector<const Played*>& starts, int count,
               std::vector<int> places, int side, int threads, bool restarts) {
                new (self)
                    Games(boards_of(starts), count, std::move(places), side, threads, restarts);
            },
            "starts"_a, "count"_a, "places"_a, "side"_a, "threads"_a = 1, "restarts"_a = true)
        .def(nb::init<const Games&>(), "other"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("reset", &reset, "which"_a = nb::none())
        // A converted array would be a copy, and what is written to it lost.
        .def("step", &step, "actions"_a, "rewards"_a.noconvert(), "done"_a.noconvert())
        .def("masks", &masks, "out"_a.noconvert())
        .def("choose", &choose, "draws"_a, "out"_a.noconvert())
        .def("players", &players, "out"_a.noconvert())
        .def("observe", &observe, "out"_a.noconvert())
        .def("save", &save)
        .def("load", &load, "saved"_a);
}
