"""The vectors of solved boards: the value of every first turn of every game, by complete tables.

    python -m tests.bench.solved [--tables DIR] > protocol/vectors/engine/solved.txt

Makes 88 tables, one after another, in a few minutes; keeps them in DIR, if that is given.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from yoddd.kernel.table import Table, Value, build, file_name
from yoddd.kernel.table_longest import longest_win
from yoddd.notation import format_position, format_turn
from yoddd.rules import Position, Rules, Turn, make_rules

HEADER = """\
# The solved boards: every game and option on the boards of at most 19 cells.
# empty board ; positions ; won ; winning first turns ; losing first turns ; longest win ; position
# Made by python -m tests.bench.solved
"""
_BOARDS = {
    "yodd": ("hex2", "hex3"),
    "xodd": ("square2", "square3", "square4"),
    "odd": ("hex2", "hex3", "square2", "square3", "square4"),
    "yoin": ("hex2", "hex3"),
    "product": ("hex2", "hex3"),
}


def solved_boards() -> Iterator[Rules]:
    """Every game with its options on each board that has tables, the default options first."""
    for game, boards in _BOARDS.items():
        for board in boards:
            start = make_rules(game, board)
            yield start
            for options in _choices(start):
                rules = make_rules(game, board, options)
                if rules.options() != start.options():
                    yield rules


def _choices(rules: Rules) -> Iterator[dict[str, str]]:
    if rules.game.name == "odd":
        for size in range(1, rules.geometry.cells + 1):
            yield {"min_group": str(size)}
    elif rules.has_pass:
        for own in ("off", "on"):
            for full in ("off", "on"):
                yield {"own_colour": own, "end_on_full": full}
    elif rules.game.name == "product":
        yield from ({"pie": "on"}, {"one_group": "on"}, {"one_group": "on", "pie": "on"})
    elif rules.pie:
        yield {"pie": "off"}


def vector(rules: Rules, table: Table) -> str:
    """The line of a table; ``rules`` have the options on which no value depends."""
    start = Position(rules)
    turns = table.turns(start)
    layers = table.file.header.layers
    fields = [
        format_position(start),
        str(sum(positions for positions, _ in layers)),
        str(sum(won for _, won in layers)),
        *(
            " ".join(sorted(_spell(rules, turn) for turn in turns if turn[1].won is won)) or "-"
            for won in (True, False)
        ),
    ]
    longest = longest_win(table)
    fields += ["-", "-"] if longest is None else [str(longest[0]), format_position(longest[1])]
    return " ; ".join(fields)


def _spell(rules: Rules, turn: tuple[Turn, Value]) -> str:
    return f"{format_turn(turn[0], rules)}={turn[1].turns}"


def _table(rules: Rules, folder: Path | None) -> Table:
    path = folder / file_name(rules) if folder else None
    if path is not None and path.is_file():
        return Table(path.read_bytes())
    parts = b"".join(build(rules, "yoddd", threads=os.cpu_count() or 1))
    if path is not None:
        path.write_bytes(parts)
    return Table(parts)


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, help="folder of tables")
    folder = parser.parse_args().tables
    print(HEADER, end="")
    for rules in solved_boards():
        print(vector(rules, _table(rules, folder)), flush=True)


if __name__ == "__main__":
    main()
