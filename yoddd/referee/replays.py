"""The games that a page lets its reader play over, as data for the script ``replay.js``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import attrs

from yoddd.board import Geometry
from yoddd.notation import format_turn
from yoddd.notation.evaluations import Evaluation, describe_evaluation
from yoddd.notation.records import GameRecord, play_over, rules_of, start_of
from yoddd.pictures.layout import board_values
from yoddd.pictures.scripts import read_resource, script_elements
from yoddd.rules import Colour, PositionLike, Turn

Cells = tuple[Colour | None, ...]

MODULES: Final = ("web/js/svg.js", "referee/replay.js")
"""The modules of the page's script, each behind those that it imports."""


@attrs.frozen
class Replay:
    """A game to be played over.

    Attributes:
        name: of the game.
        players: a line about them.
        geometry: of its board.
        start: the content of each cell at the start.
        turns: the player of each turn, what is written beside it, and the turn.
        seats: the names of the two participants; empty without any.
        statements: what the engine that played each turn stated about it; empty without any.
    """

    name: str
    players: str
    geometry: Geometry
    start: Cells
    turns: tuple[tuple[Colour, str, Turn], ...]
    seats: tuple[str, ...] = ()
    statements: tuple[Evaluation | None, ...] = ()


def replay_of(name: str, players: str, start: PositionLike, turns: Iterable[Turn]) -> Replay:
    """A game from a position that is left as it is."""
    position, played = start.copy(), []
    for turn in turns:
        played.append((position.player, format_turn(turn, start.rules), turn))
        position.play(turn)
    return Replay(name, players, start.rules.geometry, start.cells, tuple(played))


def replay_of_record(record: GameRecord) -> Replay:
    """A game of an archive, with the words of its record."""
    position = start_of(record)
    start = position.cells
    colours = list(play_over(record, position))
    return Replay(
        record.id,
        f"{record.black} (Black) against {record.white} (White)",
        rules_of(record).geometry,
        start,
        tuple(zip(colours, record.turns, position.history, strict=True)),
        (record.black, record.white),
        record.evaluations,
    )


def style_sheet() -> str:
    """The style sheet of a page with tables, charts and games to play over."""
    return read_resource("referee/report.css")


def replays_html(replays: Sequence[Replay]) -> str:
    """The script elements: links with ``data-game="N"`` open game N in the element ``#viewer``."""
    if not replays:
        return ""
    data = {
        "boards": {one.geometry.name: board_values(one.geometry) for one in replays},
        "games": [_values(one) for one in replays],
    }
    return script_elements(data, MODULES)


def _values(one: Replay) -> dict[str, Any]:
    """The stones of the start position, and those that each turn adds."""
    return {
        "id": one.name,
        "board": one.geometry.name,
        "names": one.players,
        "seats": one.seats,
        "start": [[int(c), cell] for cell, c in enumerate(one.start) if c is not None],
        "turns": [
            {
                "by": colour.title,
                "text": text,
                "add": [[int(stone.colour), stone.cell] for stone in turn.stones],
                **said,
            }
            for (colour, text, turn), said in zip(one.turns, _statements(one), strict=True)
        ],
    }


def _statements(one: Replay) -> Iterator[dict[str, Any]]:
    """The engine's statement about each turn, with the chance of Black's seat."""
    first = one.turns[0][0] if one.turns else Colour.BLACK
    for index in range(len(one.turns)):
        seat = (first + index) % 2  # a swap exchanges the colours, and not the seats
        said = one.statements[index] if one.statements else None
        rate = said.winrate if said is not None else None
        yield {
            "seat": seat,
            "chance": rate if rate is None or not seat else round(1 - rate, 6),
            "said": describe_evaluation(said) if said is not None else "",
        }
