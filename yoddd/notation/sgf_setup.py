"""The board and the start of a game as SGF: ``SZ``, ``AB``, ``AW`` and ``PL``.

They say what any program for SGF understands. ``YBOARD`` and ``YSTART`` say the same and what
these cannot: the shape of the board, passes, and the number of the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from yoddd.board import BoardError
from yoddd.notation.errors import NotationError
from yoddd.notation.positions import parse_position, start_line
from yoddd.notation.records import decode_object
from yoddd.notation.sgf import Node
from yoddd.rules import Colour, IllegalPosition, PositionLike, Rules, RulesError, make_rules

STONES: Final = {"AB": Colour.BLACK, "AW": Colour.WHITE}
SET_UP: Final = (*STONES, "AE", "PL")
"""The properties that SGF sets a position up with."""

_PLAYERS: Final = {"b": Colour.BLACK, "w": Colour.WHITE}


def put_start(root: Node, start: PositionLike) -> None:
    """Write a start into a root, unless it is the empty board with Black to move."""
    line = start_line(start)
    if line is None:
        return
    root.put("YSTART", line)
    if start.passes:
        return  # set-up stones cannot say that
    labels = start.rules.geometry.labels
    for name, colour in STONES.items():
        stones = [labels[cell] for cell, one in enumerate(start.cells) if one is colour]
        if stones:
            root.put(name, *stones)
    root.put("PL", start.player.letter.upper())


def read_rules(root: Node, options: dict[str, str]) -> Rules:
    """Return the rules that a root names.

    Raises:
        NotationError: ``YGAME`` or ``YBOARD`` is missing or unknown, ``YRULES`` describes no such
            game, or ``SZ`` or ``YHASH`` contradicts them.
    """
    game, board, size = (root.text(name) for name in ("YGAME", "YBOARD", "SZ"))
    if game is None:
        raise root.error("no YGAME: which game is it?")
    try:
        description = _read_description(root)
        rules = make_rules(game, board, options, description)
        if size is not None and board is None:
            board = f"{rules.geometry.shape}{size.strip()}"
            rules = make_rules(game, board, options, description)
    except RulesError as error:
        name = "YRULES: " if error.about == "description" else ""
        raise root.error(f"{name}{error}") from None
    if root.text("YHASH") not in (None, rules.facts.hash):
        raise root.error(f"YHASH: {game} here has other rules, {rules.facts.hash}")
    if size is not None and size.strip() != str(rules.geometry.size):
        raise root.error(
            f"SZ[{size}]: {rules.geometry.name} has {rules.geometry.size} cells a side"
        )
    return rules


def _read_description(root: Node) -> dict[str, Any] | None:
    text = root.text("YRULES")
    return None if text is None else decode_object(text)


def read_start(root: Node, rules: Rules, on: type[PositionLike]) -> PositionLike:
    """Return the position that a root sets up.

    Raises:
        NotationError: no game can begin from it, or its properties contradict each other.
    """
    start = _read_line(root, rules, on)
    if not any(name in root.properties for name in SET_UP):
        return on(rules) if start is None else start
    cells, player = _read_cells(root, rules), _read_player(root)
    if start is not None:
        if cells != list(start.cells) or player not in {None, start.player}:
            raise root.error("AB, AW or PL: another position than that of YSTART")
        return start
    mover = _first_player(root) if player is None else player
    try:
        return on.set_up(rules, cells, mover, 0, _turn_after(rules, cells, mover))
    except IllegalPosition as error:
        raise root.error(f"AB, AW or PL: {error}") from None


def _read_line(root: Node, rules: Rules, on: type[PositionLike]) -> PositionLike | None:
    line = root.text("YSTART")
    if line is None:
        return None
    try:
        start = parse_position(line, on, rules.game)
    except NotationError as error:
        raise root.error(f"YSTART: column {error.column}: {error.reason}") from None
    if start.rules != rules:
        raise root.error("YSTART: another game, board or options than the root's")
    return start


def _read_cells(root: Node, rules: Rules) -> list[Colour | None]:
    cells: list[Colour | None] = [None] * rules.geometry.cells
    for name, colour, label in _stones(root):
        try:
            cell = rules.geometry.cell(label)
        except BoardError:
            raise root.error(f"{name}[{label}]: no such cell on {rules.geometry.name}") from None
        if cells[cell] is not None:
            raise root.error(f"{name}[{label}]: the cell has a stone already")
        cells[cell] = colour
    return cells


def _stones(root: Node) -> Iterator[tuple[str, Colour, str]]:
    for name, colour in STONES.items():
        for text in root.texts(name):
            yield name, colour, text.strip().lower()


def _read_player(root: Node) -> Colour | None:
    text = root.text("PL")
    if text is None:
        return None
    player = _PLAYERS.get(text.strip()[:1].lower())
    if player is None:
        raise root.error(f"PL[{text}]: expected B or W")
    return player


def _first_player(root: Node) -> Colour:
    """The player of the first turn of the main line, as programs read it that write no ``PL``."""
    for node in root.main_line():
        for colour in Colour:
            if colour.letter.upper() in node.properties:
                return colour
    return Colour.BLACK


def _turn_after(rules: Rules, cells: Iterable[Colour | None], player: Colour) -> int:
    """The number of the next turn if all turns before had as many stones as they can have.

    Black's turns are odd, so a number that does not fit the player is one too low: players may have
    placed fewer stones.
    """
    stones = sum(cell is not None for cell in cells)
    if not stones:
        return 1
    number = 2 + stones // 2 if rules.two_stones else 1 + stones
    return number if (number % 2 == 1) is (player is Colour.BLACK) else number + 1
