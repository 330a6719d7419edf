"""Games as SGF: the meaning of the properties.

A move is ``B[1d4]`` or ``W[1a1,2g4]``: the property is the colour *to move*, the value a canonical
turn. After a Yoin ``W[swap]`` White moves again, so two ``W`` nodes follow each other. ``PB``,
``PW`` and ``RE`` are by seat, the colour that a participant began with, ``YSCORE`` by colour.

SGF has no number for these games; ``GM[9633]`` keeps Go programs from reading the moves, and
``YGAME`` names the game, ``YHASH`` identifies its rules, and ``YRULES`` describes a game that does
not come with the program.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import Final

import attrs

from yoddd import __version__
from yoddd.notation.errors import NotationError
from yoddd.notation.evaluations import Evaluation, describe_evaluation
from yoddd.notation.reasons import FORFEITS
from yoddd.notation.records import GameRecord, play_over, rules_of, start_of
from yoddd.notation.sgf import Node, decode_pair, encode_pair
from yoddd.notation.sgf_setup import SET_UP, put_start, read_rules, read_start
from yoddd.notation.turns import format_turn, parse_turn
from yoddd.rules import (
    GAMES,
    Colour,
    IllegalTurn,
    LegalTurn,
    Position,
    PositionLike,
    Rules,
    Turn,
    described,
)

GM: Final = "9633"
"""The game number of all our games: YODD on a phone keypad, and not assigned by SGF."""

_RESULT: Final = re.compile(
    r"(?P<who>[BW]\+)(?P<how>[0-9]+(\.[0-9]+)?|R(esign)?|T(ime)?|F(orfeit)?)?|Void|\?", re.ASCII
)
_SPACES: Final = re.compile(r"\s*[,\s]\s*")
_FISCHER: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]+)?)(?:\+([0-9]{1,9}(?:\.[0-9]+)?))?", re.ASCII)


@attrs.frozen
class SgfGame:
    """The main line of one game tree.

    Attributes:
        start: the position before the first turn.
        final: the position at the end of the main line; its history holds the turns.
        result: ``B+3``, ``W+R``, ``B+T``, ``W+F``, ``B+``, ``Void`` or ``?``, by seat: B is the
            one named in PB. None if the file states none.
        black: the name in PB; empty if there is none.
        white: the name in PW.
        complete: whether the main line was read to its end.
        errors: the errors with their places. The main line ends before a turn that has one.
    """

    start: PositionLike
    final: PositionLike
    result: str | None
    black: str
    white: str
    complete: bool
    errors: tuple[NotationError, ...]

    @property
    def rules(self) -> Rules:
        """The game, the board and the options."""
        return self.start.rules

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the main line, all legal one after the other."""
        return self.final.history


def record_to_sgf(record: GameRecord, on: type[PositionLike] = Position) -> Node:
    """The game tree of a record; `write_sgf` makes a text of it.

    Args:
        record: a finished game.
        on: the class of positions that the turns are replayed on.

    Raises:
        NotationError: the turns of the record cannot be replayed.
    """
    position = start_of(record, on)
    root = node = _record_root(record, position)
    seat = position.player
    left = _time_left(record, seat)
    for index, colour in enumerate(play_over(record, position)):
        name = colour.letter.upper()
        child = Node()
        child.put(name, record.turns[index])
        if left:
            child.put(f"{name}L", _decimal(left[index]))
        child.put("YTIME", _decimal(record.times[index]))
        if record.machine:
            child.put("YMACHINE", _decimal(record.machine[index]))
        if record.evaluations and (evaluation := record.evaluations[index]) is not None:
            _put_evaluation(child, evaluation, seat)
        # A swap is a turn of one seat, and the next is the other's.
        seat = seat.opponent
        node.children.append(child)
        node = child
    return root


def _put_evaluation(node: Node, evaluation: Evaluation, seat: Colour) -> None:
    """Write the statement of the engine that made a turn; ``V`` and ``SBKV`` are by seat."""
    rate = evaluation.winrate
    if rate is not None:
        chance = 100 * (rate if seat is Colour.BLACK else 1 - rate)
        node.put("V", _decimal(round(2 * chance - 100, 2)))
        node.put("SBKV", _decimal(round(chance, 2)))
        node.put("YEVAL", _decimal(rate))
    node.put("YINFO", str(evaluation))
    node.put("C", describe_evaluation(evaluation))


def position_to_sgf(position: PositionLike) -> Node:
    """The game tree of a game in progress: its start and its turns."""
    start = position.copy()
    for _ in position.history:
        start.undo()
    root = node = _game_root(start.rules)
    put_start(root, start)
    outcome = position.outcome()
    if outcome is not None:
        seat = position.seat_of(outcome.winner)
        how = "R" if outcome.reason == "resign" else str(outcome.score)
        root.put("RE", f"{seat.letter.upper()}+{how}")
    for turn in position.history:
        child = Node()
        child.put(start.player.letter.upper(), format_turn(turn, start.rules))
        start.play(turn)
        node.children.append(child)
        node = child
    return root


def _game_root(rules: Rules) -> Node:
    """A root with the game, the board and the options."""
    root = Node()
    root.put("FF", "4")
    root.put("GM", GM)
    root.put("CA", "UTF-8")
    name_game(root, rules)
    return root


def name_game(root: Node, rules: Rules) -> None:
    """Write into a root which game it is, on which board and with which options."""
    root.put("GM", GM)
    root.put("YGAME", rules.game.name)
    root.put("YBOARD", rules.geometry.name)
    root.put("SZ", str(rules.geometry.size))
    root.put("YHASH", rules.facts.hash)
    if (description := described(rules.game)) is not None:
        root.put("YRULES", json.dumps(description))
    options = [encode_pair(*option) for option in rules.options().items()]
    if options:
        root.properties["YOPTION"] = options


def _record_root(record: GameRecord, start: PositionLike) -> Node:
    root = _game_root(rules_of(record))
    put_start(root, start)
    root.properties["AP"] = [encode_pair("yoddd", __version__)]
    clock = _FISCHER.fullmatch(record.clock)
    texts = {
        "GN": record.id,
        "PB": record.black,
        "PW": record.white,
        "DT": record.started[:10],
        "RE": _result(record),
        "TM": clock[1] if clock else None,
        "YCLOCK": record.clock,
        "YSCORE": record.score,
        "YOPENING": str(record.opening) if record.opening else None,
        "YSEED": None if record.seed is None else str(record.seed),
        "YUNREAD": ":".join(map(str, record.unread)) or None,
        "YSTARTED": record.started,
        "YENDED": record.ended,
    }
    for name, text in texts.items():
        if text is not None:
            root.put(name, text)
    root.properties["YEND"] = [encode_pair(record.reason, record.detail)]
    return root


def _result(record: GameRecord) -> str:
    if record.winner is None:
        return "Void"
    winner = f"{record.winner.upper()}+"
    if record.score:
        return winner + record.score[2:]
    if record.reason in FORFEITS:
        return winner + ("T" if record.reason == "time" else "F")
    return winner + ("R" if record.reason == "resign" else "")


def _time_left(record: GameRecord, first: Colour) -> list[float]:
    """For each turn the seconds left to its seat; empty for other clocks than ``60`` or ``60+1``.

    Seats alternate without exception: a swap is a turn of one, and the next is the other's.
    """
    clock = _FISCHER.fullmatch(record.clock)
    if clock is None:
        return []
    main, increment = float(clock[1]), float(clock[2] or 0)
    purses = {Colour.BLACK: main, Colour.WHITE: main}
    left = []
    seat = first
    for index, used in enumerate(record.times):
        if index >= record.opening:
            purses[seat] = max(0.0, purses[seat] - used) + increment
        left.append(purses[seat])
        seat = seat.opponent
    return left


def _decimal(value: float) -> str:
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return text or "0"


# -- reading --------------------------------------------------------------------------------


def read_sgf_game(root: Node, on: type[PositionLike] = Position) -> SgfGame:
    """Interpret the main line of a game tree; errors are collected in the result.

    Args:
        root: the tree.
        on: the class of positions that the turns are played on.

    Raises:
        NotationError: the game (``YGAME``), the board, the options or the start are missing or
            unknown; the place is the root's.
    """
    if is_unnamed(root):
        return _read_unnamed(root, on)
    errors: list[NotationError] = []
    if root.text("GM") not in (GM, None):
        errors.append(root.error(f"GM[{root.text('GM')}]: expected {GM}"))
    start = _read_start(root, on)
    position = start.copy()
    complete = True
    try:
        for node in root.main_line():
            turn = _read_turn(node, root, position)
            if turn is not None:
                position.play(turn)
    except NotationError as error:
        complete = False
        errors.append(error)
    try:
        result = _read_result(root)
    except NotationError as error:
        errors.append(error)
        result = None
    return SgfGame(
        start=start,
        final=position,
        result=result,
        black=root.text("PB") or "",
        white=root.text("PW") or "",
        complete=complete,
        errors=tuple(errors),
    )


def is_unnamed(root: Node) -> bool:
    """Whether a tree is one of our games, without its name."""
    return "YGAME" not in root.properties and root.text("GM") == GM


def _read_unnamed(root: Node, on: type[PositionLike]) -> SgfGame:
    """Interpret a tree as the one game that its turns and its result fit.

    Raises:
        NotationError: none does, or more than one.
    """
    fits = []
    for name in GAMES:
        named = Node({**root.properties, "YGAME": [name]}, root.children, root.line, root.column)
        with contextlib.suppress(NotationError):
            game = read_sgf_game(named, on)
            if game.complete and _has_that_result(game):
                fits.append(game)
    if len(fits) == 1:
        return fits[0]
    names = " or ".join(game.rules.game.name for game in fits) or "none of our games"
    raise root.error(f"no YGAME: which game is it? its turns are those of {names}")


def _has_that_result(game: SgfGame) -> bool:
    """Whether the board says the same as the result, if either gives a score."""
    outcome = game.final.outcome()
    if outcome is None or outcome.reason == "resign":
        return not (game.result or "")[2:].isdigit()
    seat = game.final.seat_of(outcome.winner).letter.upper()
    return game.result in (None, f"{seat}+{outcome.score}")


def _read_start(root: Node, on: type[PositionLike]) -> PositionLike:
    options = {}
    for raw in root.properties.get("YOPTION", ()):
        pair = decode_pair(raw)
        if pair is None:
            raise root.error(f"YOPTION[{raw}]: expected name:value")
        options[pair[0]] = pair[1]
    return read_start(root, read_rules(root, options), on)


def _read_turn(node: Node, root: Node, position: PositionLike) -> LegalTurn | None:
    """The turn in a node; None if it has none.

    Raises:
        NotationError: the node has several turns, or sets a position up without being the root, or
            its turn is malformed, illegal or another player's.
    """
    for name in SET_UP:
        if name in node.properties and node is not root:
            raise node.error(f"{name}: a position is set up in the root only")
    found = [colour for colour in Colour if colour.letter.upper() in node.properties]
    if not found:
        return None
    if len(found) > 1 or found[0] is not position.player:
        names = " and ".join(colour.letter.upper() for colour in found)
        raise node.error(
            f"turn {position.number}: {names} where {position.player.title} is to move"
        )
    text, *more = node.texts(found[0].letter.upper()) or [""]
    if more:
        raise node.error(f"turn {position.number}: {len(more) + 1} values where a turn is one")
    token = _SPACES.sub(",", text.strip()) or "pass"
    try:
        return position.judge(parse_turn(token, position.rules, position.player))
    except (IllegalTurn, NotationError) as error:
        raise node.error(f"turn {position.number}, {token}: {error.reason}") from None


def _read_result(root: Node) -> str | None:
    text = root.text("RE")
    if text is None:
        return None
    match = _RESULT.fullmatch(text.strip())
    if match is None:
        raise root.error(f"RE[{text}]: not a result of a game without draws")
    if match["who"] is None:
        return match[0]
    how = match["how"] or ""
    return match["who"] + (how if how[:1].isdigit() else how[:1])
