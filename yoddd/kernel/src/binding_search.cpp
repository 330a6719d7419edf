// The classes of a search in yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "binding_stop.hpp"
#include "levels.hpp"
#include "played.hpp"
#include "player.hpp"
#include "search.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

// A finished game has no turn to look for.
void refuse_the_end(const Played& played) {
    if (played.board().is_over()) throw std::invalid_argument("the game is over");
}

}  // namespace
}  // namespace yoddd

void bind_search(nb::module_& m) {
    using namespace yoddd;
    nb::class_<SearchSettings>(m, "SearchSettings")
        .def(nb::init<>())
        .def_rw("exploration", &SearchSettings::exploration)
        .def_rw("rave", &SearchSettings::rave)
        .def_rw("rave_bias", &SearchSettings::rave_bias)
        .def_rw("rave_playouts", &SearchSettings::rave_playouts)
        .def_rw("expand_visits", &SearchSettings::expand_visits)
        .def_rw("margin_weight", &SearchSettings::margin_weight)
        .def_rw("bridges", &SearchSettings::bridges)
        .def_rw("transpositions", &SearchSettings::transpositions)
        .def_rw("swept_cells", &SearchSettings::swept_cells)
        .def_rw("weights", &SearchSettings::weights)
        .def_rw("value_share", &SearchSettings::value_share)
        .def_rw("value_fade", &SearchSettings::value_fade)
        .def_rw("prior_weight", &SearchSettings::prior_weight)
        .def_rw("leaf_playouts", &SearchSettings::leaf_playouts)
        .def_rw("prior_fade", &SearchSettings::prior_fade)
        .def_rw("widening", &SearchSettings::widening)
        .def_rw("widening_rate", &SearchSettings::widening_rate)
        .def_rw("barred", &SearchSettings::barred)
        .def_rw("memory", &SearchSettings::memory)
        .def_rw("threads", &SearchSettings::threads);
    nb::class_<Player>(m, "Player")
        .def(nb::init<>())
        .def("bytes_for", &Player::bytes_for, "board"_a, "limit"_a)
        .def_prop_ro("bytes_kept", &Player::bytes_kept)
        .def("drop", &Player::drop)
        .def("drop_sweeps", &Player::drop_sweeps)
        .def(
            "begin",
            [](Player& self, const Played& played, const std::vector<Moves>& turns,
               const SearchSettings& settings, u64 seed, const PlayLimits& limits,
               const nb::callable& stop) {
                refuse_the_end(played);
                const bool has_begun = stoppable(0, stop, [&](const auto& ended) {
                    return self.begin(played, turns, settings, seed, limits, ended);
                });
                if (!has_begun) throw std::bad_alloc();
            },
            "board"_a, "turns"_a, "settings"_a, "seed"_a, "limits"_a, "stop"_a)
        .def(
            "step",
            [](Player& self, const nb::callable& stop) {
                return stoppable(0, stop, [&](const auto& ended) { return self.step(ended); });
            },
            "stop"_a)
        .def("finish", &Player::finish, nb::call_guard<nb::gil_scoped_release>())
        .def("result", &Player::result)
        .def("report", &Player::report);
    m.def(
        "draw_turn",
        [](const Played& played, const std::vector<float>& weights,
           const std::vector<std::pair<int, double>>& lent, double winrate, double spread,
           u64 seed) {
            refuse_the_end(played);
            return draw_turn(played, weights, lent, winrate, spread, seed);
        },
        "board"_a, "weights"_a, "lent"_a, "winrate"_a, "spread"_a, "seed"_a);
    nb::class_<PlayLimits>(m, "PlayLimits")
        .def(nb::init<>())
        .def_rw("playouts", &PlayLimits::playouts)
        .def_rw("visits", &PlayLimits::visits)
        .def_rw("seconds", &PlayLimits::seconds)
        .def_rw("counts", &PlayLimits::counts)
        .def_rw("swept", &PlayLimits::swept)
        .def_rw("resume", &PlayLimits::resume)
        .def_rw("proves", &PlayLimits::proves);
}
