// The Python module yoddd.kernel._native; _native.pyi documents what is visible.
//
// Moves are integers as in yoddd.engine: colour * cells + cell for a stone, then one each for the
// end of a turn, a pass and a swap.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "board.hpp"
#include "features.hpp"
#include "legality.hpp"
#include "loops.hpp"
#include "played.hpp"
#include "playout.hpp"
#include "successors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {

const char* source_digest();

namespace {

// The legal drops of a position, a block at a time.
class Cursor {
public:
    explicit Cursor(const Played& played) : played_(played), cursor_(played.board()) {}

    std::vector<std::vector<int>> take(int limit) {
        std::vector<std::vector<int>> turns;
        Turn turn;
        while (static_cast<int>(turns.size()) < limit && cursor_.next(turn))
            turns.push_back(played_.numbers(turn));
        return turns;
    }

private:
    const Played played_;
    DropCursor cursor_;
};

std::vector<int> listed(const std::array<Features, 2>& features) {
    std::vector<int> all(features[black].begin(), features[black].end());
    all.insert(all.end(), features[white].begin(), features[white].end());
    return all;
}

std::vector<std::pair<int, float>> policy_of(const Played& played,
                                             const std::vector<float>& weights) {
    if (!Learned::fits(weights.size(), played.board().geometry()))
        throw std::invalid_argument("weights for another board");
    const std::vector<Move> moves = legal_moves(played.board());
    std::vector<float> logs(moves.size());
    Successors around;
    around.look_at(played.board());
    around.judge(weights, moves, logs.data());
    std::vector<std::pair<int, float>> found;
    for (std::size_t i = 0; i < moves.size(); ++i)
        found.emplace_back(played.number(moves[i]), logs[i]);
    return found;
}

std::vector<std::pair<int, std::vector<int>>> factors_after(const Played& played) {
    const std::vector<Move> moves = legal_moves(played.board());
    Successors around;
    around.look_at(played.board());
    const std::vector<std::vector<int>> factors = around.factors_after(moves);
    std::vector<std::pair<int, std::vector<int>>> found;
    for (std::size_t i = 0; i < moves.size(); ++i)
        found.emplace_back(played.number(moves[i]), factors[i]);
    return found;
}

std::pair<u64, u64> playouts_of(const Played& played, u64 count, u64 seed, u64 first) {
    const Board board = played.board();
    nb::gil_scoped_release released;
    const PlayoutSums sums = sum_playouts(board, seed, first, count);
    return {sums.black_wins, sums.stones};
}

nb::tuple playout_of(const Played& played, Pcg32& rng) {
    PlayoutResult result;
    std::vector<int> cells(static_cast<std::size_t>(played.board().geometry().cells));
    const auto take = [&](const PlayoutResult& found, const signed char* contents) {
        result = found;
        std::copy_n(contents, cells.size(), cells.begin());
    };
    play_out(played.board(), 1, [&] { return Draws::from(rng); }, take);
    return nb::make_tuple(result.winner, result.score, result.groups[0], result.groups[1],
                          result.stones, cells);
}

u64 perft_of(const Played& played, int depth) {
    Board board = played.board();
    nb::gil_scoped_release released;
    return perft(board, depth);
}

}  // namespace
}  // namespace yoddd

void bind_endgame(nb::module_& m);
void bind_search(nb::module_& m);

NB_MODULE(_native, m) {
    using namespace yoddd;
    // A reactor's end leaves what the garbage collector has frozen to the end of the process.
    nb::set_leak_warnings(false);
    m.attr("SOURCE_DIGEST") = source_digest();
    m.attr("BOARD_BYTES") = sizeof(Board);
    m.def("instruction_sets", &instruction_sets);
    m.def("instruction_set", [] { return loops().name; });
    m.def("use_instruction_set", [](const std::string& name) {
        if (!use_instruction_set(name.c_str()))
            throw std::invalid_argument("no instruction set " + name);
    });

    nb::class_<Pcg32>(m, "Rng")
        .def(
            "__init__",
            [](Pcg32* self, u64 seed, u64 stream) {
                new (self) Pcg32(Pcg32::stream(seed, stream));
            },
            "seed"_a, "stream"_a = 0)
        .def_rw("state", &Pcg32::state)
        .def("next", &Pcg32::next);

    nb::class_<Cursor>(m, "Cursor").def("take", &Cursor::take, "limit"_a);

    nb::class_<Played>(m, "Board")
        .def(
            "__init__",
            [](Played* self, int shape, int size, const std::vector<int>& facts) {
                Rules rules;
                if (const char* const key = read_rules(facts, rules))
                    throw std::invalid_argument(std::string("the kernel cannot play ") + key);
                new (self) Played(shape, size, rules);
            },
            "shape"_a, "size"_a, "facts"_a)
        .def("copy", [](const Played& self) { return Played(self); })
        .def("set_up", &Played::set_up, "cells"_a, "player"_a, "passes"_a, "number"_a)
        .def_prop_ro("cells", &Played::contents)
        .def_prop_ro("player", [](const Played& self) { return self.board().player(); })
        .def_prop_ro("passes", [](const Played& self) { return self.board().state().passes; })
        .def_prop_ro("number", [](const Played& self) { return self.board().state().number; })
        .def_prop_ro("pending",
                     [](const Played& self) -> std::optional<int> {
                         if (!self.board().is_pending()) return std::nullopt;
                         return self.number(self.board().pending());
                     })
        .def_prop_ro("is_over", [](const Played& self) { return self.board().is_over(); })
        .def_prop_ro("is_full", [](const Played& self) { return self.board().is_full(); })
        .def_prop_ro("hash", [](const Played& self) { return self.board().hash(); })
        .def_prop_ro("count",
                     [](const Played& self) {
                         const auto& groups = self.board().state().groups;
                         return std::make_pair<int, int>(groups[0], groups[1]);
                     })
        .def(
            "groups", [](const Played& self, int colour) { return self.board().groups(colour); },
            "colour"_a)
        .def("score",
             [](const Played& self) {
                 const Outcome outcome = self.board().score();
                 return std::make_pair(outcome.winner, outcome.score);
             })
        .def("play", &Played::play, "move"_a)
        .def("play_turn", &Played::play_turn, "moves"_a)
        .def("undo", &Played::undo)
        .def("undo_turn", &Played::undo_turn)
        .def("legal_moves", &Played::legal_moves)
        .def(
            "is_legal",
            [](const Played& self, const std::vector<int>& moves) {
                return is_legal(self.board(), self.turn(moves));
            },
            "moves"_a)
        .def(
            "completable",
            [](const Played& self, int stone) {
                const Drops drops(self.board());
                const int found = drops.find(self.stone(stone));
                return found >= 0 && drops.completable(found);
            },
            "stone"_a)
        .def(
            "drops", [](const Played& self) { return new Cursor(self); },
            nb::rv_policy::take_ownership)
        .def("count_turns", [](const Played& self) { return Drops(self.board()).count_turns(); })
        .def(
            "features",
            [](const Played& self, std::optional<int> stone) {
                Successors around;
                around.look_at(self.board());
                return listed(stone ? around.after(self.stone(*stone)) : around.now());
            },
            "after"_a = nb::none())
        .def("policy", &policy_of, "weights"_a)
        .def("factors_after", &factors_after)
        .def("perft", &perft_of, "depth"_a)
        .def("playout", &playout_of, "rng"_a)
        .def("playouts", &playouts_of, "count"_a, "seed"_a, "first"_a = 0);
    bind_endgame(m);
    bind_search(m);
}
