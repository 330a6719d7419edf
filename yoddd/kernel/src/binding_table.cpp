// The class Table of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "binding_stop.hpp"
#include "played.hpp"
#include "table.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace yoddd {
namespace {

bool sweep(Table& table, const nb::callable& stop) {
    return stoppable(0, stop, [&](const auto& ended) { return table.sweep(ended); });
}

nb::bytes bytes_of(const std::vector<u8>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

}  // namespace
}  // namespace yoddd

void bind_table(nb::module_& m) {
    using namespace yoddd;
    nb::class_<Table>(m, "Table")
        .def(
            "__init__",
            [](Table* self, const Played& board, int stones, bool distances, int threads) {
                new (self) Table(board.board(), stones, distances, threads);
            },
            "board"_a, "stones"_a, "distances"_a, "threads"_a)
        .def_prop_ro("memory", &Table::memory)
        .def("sweep", &sweep, "stop"_a)
        .def_prop_ro("done", &Table::done)
        .def_prop_ro("layers",
                     [](const Table& table) {
                         std::vector<std::pair<u64, u64>> layers;
                         for (const LayerCount& layer : table.counts())
                             layers.emplace_back(layer.positions, layer.won);
                         return layers;
                     })
        .def_prop_ro("sets", &Table::sets)
        .def_prop_ro("planes", &Table::planes)
        .def(
            "won", [](const Table& table, int plane) { return bytes_of(table.won(plane)); },
            "plane"_a)
        .def(
            "turns", [](const Table& table, int plane) { return bytes_of(table.turns(plane)); },
            "plane"_a);
}
