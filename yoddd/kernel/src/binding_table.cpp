// The class Table of yoddd.kernel._native; _native.pyi documents what is visible.
#include <cstdio>  // nanobind writes to stderr, which Python's stable ABI does not bring

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

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

u64 place_of(const TableIndex& index, const nb::bytes& contents) {
    const auto* const data = static_cast<const u8*>(contents.data());
    if (contents.size() != static_cast<std::size_t>(index.cells()))
        throw std::invalid_argument("the board has another number of cells");
    for (std::size_t i = 0; i < contents.size(); ++i)
        if (data[i] > 2) throw std::invalid_argument("no such content");
    return index.place(data);
}

}  // namespace
}  // namespace yoddd

void bind_table(nb::module_& m) {
    using namespace yoddd;
    nb::class_<TableIndex>(m, "TableIndex")
        .def(
            "__init__",
            [](TableIndex* self, const Played& board, int stones) {
                // Up to 50 ms, in which no other thread waits for the GIL.
                nb::gil_scoped_release released;
                new (self) TableIndex(board.board().geometry(), stones);
            },
            "board"_a, "stones"_a)
        .def_prop_ro("sets", &TableIndex::sets)
        .def_prop_ro("places", &TableIndex::size)
        .def("place", &place_of, "contents"_a);
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
        .def_prop_ro("planes", &Table::planes)
        .def(
            "won", [](const Table& table, int plane) { return bytes_of(table.won(plane)); },
            "plane"_a)
        .def(
            "turns", [](const Table& table, int plane) { return bytes_of(table.turns(plane)); },
            "plane"_a);
}
