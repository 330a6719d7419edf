"""The ``perft`` directive: the counts of empty boards as a table, from the test vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors" / "engine" / "perft.txt"
DEPTHS = range(1, 6)


def counts() -> dict[str, dict[int, str]]:
    """For each game and board with its options the counts by depth."""
    found: dict[str, dict[int, str]] = {}
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        if " ; " not in line or line.startswith("#"):
            continue
        position, depth, count = line.split(" ; ")
        game, board, placement, player, passes, turn, *options = position.split()
        empty = not set(placement) & set("bw") and (player, passes, turn) == ("b", "0", "1")
        if empty and int(depth) in DEPTHS:
            found.setdefault(" ".join([game, board, *options]), {})[int(depth)] = count
    return found


class PerftDirective(SphinxDirective):
    """One row a board."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        heads = ["empty board", *(f"depth {depth}" for depth in DEPTHS)]
        rows = [
            [name, *(f"{int(by[depth]):,}" if depth in by else "" for depth in DEPTHS)]
            for name, by in counts().items()
        ]
        group = nodes.tgroup(cols=len(heads))
        group += [nodes.colspec(colwidth=1) for _ in heads]
        group += nodes.thead("", self._row(heads))
        group += nodes.tbody("", *map(self._row, rows))
        return [nodes.table("", group)]

    def _row(self, texts: list[str]) -> nodes.row:
        entries = (nodes.entry("", nodes.paragraph(text=text)) for text in texts)
        return nodes.row("", *entries)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directive."""
    app.add_directive("perft", PerftDirective)
    return {"version": "1", "parallel_read_safe": True}
