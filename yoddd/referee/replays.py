"""The games that a page lets its reader play over, as data for the script ``replay.js``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from yoddd.board import Geometry
from yoddd.notation.evaluations import Evaluation, describe_evaluation
from yoddd.notation.records import GameRecord, play_over, rules_of, start_of
from yoddd.pictures.layout import board_values
from yoddd.pictures.scripts import read_resource, script_elements
from yoddd.rules import Colour

MODULES: Final = ("web/js/svg.js", "referee/replay.js")
"""The modules of the page's script, each behind those that it imports."""


def style_sheet() -> str:
    """The style sheet of a page with tables, charts and games to play over."""
    return read_resource("referee/report.css")


def replays_html(records: Sequence[GameRecord]) -> str:
    """The script elements: links with ``data-game="N"`` open game N in the element ``#viewer``."""
    if not records:
        return ""
    boards = {geometry.name: geometry for geometry in map(_board_of, records)}
    data = {
        "boards": {name: board_values(geometry) for name, geometry in boards.items()},
        "games": [_values(record) for record in records],
    }
    return script_elements(data, MODULES)


def _board_of(record: GameRecord) -> Geometry:
    return rules_of(record).geometry


def _values(record: GameRecord) -> dict[str, Any]:
    """The stones of the start position, and those that each turn adds."""
    position = start_of(record)
    start = position.cells
    colours = list(play_over(record, position))
    said = _statements(colours, record.evaluations)
    return {
        "id": record.id,
        "board": _board_of(record).name,
        "names": f"{record.black} (Black) against {record.white} (White)",
        "seats": (record.black, record.white),
        "start": [[int(c), cell] for cell, c in enumerate(start) if c is not None],
        "turns": [
            {
                "by": colour.title,
                "text": text,
                "add": [[int(stone.colour), stone.cell] for stone in turn.stones],
                **stated,
            }
            for colour, text, turn, stated in zip(
                colours, record.turns, position.history, said, strict=True
            )
        ],
    }


def _statements(
    colours: Sequence[Colour], evaluations: Sequence[Evaluation | None]
) -> Iterator[dict[str, Any]]:
    """The engine's statement about each turn, with the chance of Black's seat."""
    for index in range(len(colours)):
        seat = (colours[0] + index) % 2  # a swap exchanges the colours, and not the seats
        said = evaluations[index] if evaluations else None
        rate = said.winrate if said is not None else None
        yield {
            "seat": seat,
            "chance": rate if rate is None or not seat else round(1 - rate, 6),
            "said": describe_evaluation(said) if said is not None else "",
        }
