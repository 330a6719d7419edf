"""Positions as one line, and as diagrams.

A line is ``GAME BOARD PLACEMENT PLAYER PASSES TURN [option=value…]``. A diagram is plain text, for
terminals and ``showboard``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from yoddd.board import Geometry, Shape
from yoddd.board.geometry import MAX_LINES
from yoddd.notation.errors import NotationError
from yoddd.notation.text import read_pairs
from yoddd.rules import (
    Colour,
    IllegalPosition,
    Position,
    PositionLike,
    Rules,
    RulesError,
    Turn,
    find_game,
)
from yoddd.rules.game import Game, rules_of

_COLOURS: Final = {"b": Colour.BLACK, "w": Colour.WHITE}
_FIELDS: Final = ("game", "board", "placement", "player", "passes", "turn")
_ROW: Final = re.compile(r"[1-9][0-9]{0,2}|[bw]", re.ASCII)
_MAX_DIGITS: Final = 9


def format_position(position: PositionLike) -> str:
    """The canonical line; parsing it gives the same position without its history."""
    rules, cells = position.rules, position.cells
    rows = reversed(rules.geometry.rows)
    placement = "/".join(_format_row([cells[cell] for cell in row]) for row in rows)
    fields = [
        rules.game.name,
        rules.geometry.name,
        placement,
        position.player.letter,
        str(position.passes),
        str(position.number),
    ]
    return " ".join(fields + [f"{key}={value}" for key, value in rules.chosen_options().items()])


def start_line(position: PositionLike) -> str | None:
    """The line of a game's start; None for the empty board, as in records and SGF."""
    line = format_position(position)
    return None if line == format_position(Position(position.rules)) else line


def _format_row(contents: list[Colour | None]) -> str:
    parts = []
    for content, run in groupby(contents):
        length = len(list(run))
        parts.append(str(length) if content is None else content.letter * length)
    return "".join(parts)


def parse_position(
    text: str, on: type[PositionLike] = Position, game: Game | None = None
) -> PositionLike:
    """Read a position line, in any case and with any amount of space between fields.

    Args:
        text: the line.
        on: the class of the position: the reference, or a faster one with the same methods.
        game: the game of this name, where it need not be in force; None for those in force.

    Raises:
        NotationError: the line is malformed, or no such position can arise: ``column`` points at
            the field to blame.
    """
    words = [(match[0].lower(), match.start() + 1) for match in re.finditer(r"\S+", text)]
    if len(words) < len(_FIELDS):
        missing = _FIELDS[len(words)]
        raise NotationError(f"{missing} is missing", column=len(text.rstrip()) + 1)
    name, board, placement, player, passes, turn, *options = words
    rules = _parse_rules(name, board, options, game)
    cells = _parse_placement(*placement, rules)
    if player[0] not in _COLOURS:
        raise NotationError(f"player {player[0]!r}: expected b or w", column=player[1])
    try:
        return on.set_up(
            rules,
            cells,
            _COLOURS[player[0]],
            _parse_number("passes", *passes),
            _parse_number("turn", *turn),
        )
    except IllegalPosition as error:
        columns = {"placement": placement[1], "passes": passes[1], "turn": turn[1]}
        raise NotationError(str(error), column=columns[error.about]) from None


def _parse_rules(
    name: tuple[str, int],
    board: tuple[str, int],
    options: list[tuple[str, int]],
    known: Game | None,
) -> Rules:
    try:
        settings = read_pairs((word for word, _ in options), "option=value")
    except NotationError as error:
        raise NotationError(error.reason, column=options[error.column - 1][1]) from None
    columns = {"game": name[1], "board": board[1]}
    columns |= {word.partition("=")[0]: column for word, column in options}
    try:
        game = known if known is not None and known.name == name[0] else find_game(name[0])
        return rules_of(game, board[0], settings)
    except RulesError as error:
        raise NotationError(str(error), column=columns[error.about]) from None


def _parse_placement(text: str, column: int, rules: Rules) -> list[Colour | None]:
    geometry = rules.geometry
    count = text.count("/") + 1
    if count != len(geometry.rows):
        reason = f"{count} rows, {geometry.name} has {len(geometry.rows)}"
        raise NotationError(reason, column=column)
    cells: list[Colour | None] = [None] * geometry.cells
    for row, where in zip(text.split("/"), reversed(geometry.rows), strict=True):
        if len(row) > MAX_LINES:
            # Every character stands for a cell at least; runs of 999 must not fill the memory.
            reason = f"row {row[:MAX_LINES]!r}… has more than {MAX_LINES} cells"
            raise NotationError(reason, column=column)
        contents = _parse_row(row, column)
        if len(contents) != len(where):
            reason = f"row {row!r} has {len(contents)} cells, expected {len(where)}"
            raise NotationError(reason, column=column)
        for cell, content in zip(where, contents, strict=True):
            cells[cell] = content
        column += len(row) + 1
    return cells


def _parse_row(text: str, column: int) -> list[Colour | None]:
    contents: list[Colour | None] = []
    at = 0
    while at < len(text):
        match = _ROW.match(text, at)
        if match is None:
            reason = f"{text[at]!r}: expected b, w or a run of empty cells"
            raise NotationError(reason, column=column + at)
        token = match[0]
        contents += [_COLOURS[token]] if token in _COLOURS else [None] * int(token)
        at = match.end()
    return contents


def _parse_number(name: str, text: str, column: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise NotationError(f"{name} {text!r}: expected a number", column=column)
    return int(text)


_GLYPHS: Final = {Colour.BLACK: "X", Colour.WHITE: "O", None: "."}


def diagram(
    position: PositionLike, last: Turn | None = None, labels: Sequence[str] | None = None
) -> str:
    """The board with coordinates: X black, O white, ``.`` empty; stones of ``last`` in brackets.

    Rows run from top to bottom. A row of a hexhex board stands between what the labels of its cells
    have in common and the rest of the label of its last cell. No line is empty.

    Args:
        position: what to draw.
        last: the turn to mark.
        labels: the label of each cell; those of the board if None.
    """
    geometry = position.rules.geometry
    labels = labels or geometry.labels
    marked = {stone.cell for stone in last.stones} if last else set()
    lines = [
        _margin(geometry, labels, row)
        + _row([_GLYPHS[position.cells[cell]] for cell in row], row, marked)
        + _end(geometry, labels, row)
        for row in reversed(geometry.rows)
    ]
    if geometry.shape is Shape.SQUARE:
        lines.append("   " + " ".join(labels[cell][0] for cell in geometry.rows[0]))
    return "\n".join(lines)


def _margin(geometry: Geometry, labels: Sequence[str], row: tuple[int, ...]) -> str:
    if geometry.shape is Shape.SQUARE:
        return f"{labels[row[0]][1:]:>2}"
    indent = " " * (2 * geometry.size - 1 - len(row))
    return indent + (labels[row[0]][0] if _in_rows(labels, row) else f"{labels[row[0]][1:]:>2}")


def _end(geometry: Geometry, labels: Sequence[str], row: tuple[int, ...]) -> str:
    if geometry.shape is Shape.SQUARE:
        return ""
    last = labels[row[-1]]
    return f" {last[1:] if _in_rows(labels, row) else last[0]}"


def _in_rows(labels: Sequence[str], row: tuple[int, ...]) -> bool:
    """Whether the letter of a label names the row."""
    return labels[row[0]][0] == labels[row[-1]][0]


def _row(glyphs: list[str], row: tuple[int, ...], marked: set[int]) -> str:
    text = ""
    for index, (glyph, cell) in enumerate(zip(glyphs, row, strict=True)):
        closes = index > 0 and row[index - 1] in marked
        text += ("(" if cell in marked else ")" if closes else " ") + glyph
    return text + (")" if row[-1] in marked else "")
