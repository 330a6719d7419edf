"""Conversion of an SGF game tree, ours or another program's, into a record.

Controllers for Go write games that are no Go in the shape of Go, and such a tree is rewritten
first. A move there is a point of two letters, column and row from the top left corner. A hexhex
board with n cells on a side lies slanted on a square of 2n-1 columns, as `boardsize` says it. A
turn that cannot be one point cannot be written so; nor can a pass, which these programs demand at
the end of a game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters
from typing import Any, Final

from yoddd.notation.errors import NotationError
from yoddd.notation.evaluations import Evaluation, parse_evaluation
from yoddd.notation.imports import conclude
from yoddd.notation.records import GameRecord
from yoddd.notation.sgf import Node, decode_pair, encode_pair
from yoddd.notation.sgf_games import SgfGame, name_game, read_sgf_game
from yoddd.notation.sgf_setup import STONES
from yoddd.rules import Colour, Position, PositionLike, Rules

_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
_WHOLE: Final = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_COUNTS: Final = re.compile(r"[0-9]{1,9}:[0-9]{1,9}", re.ASCII)
_ENDINGS: Final = {"R": "resign", "T": "time"}


def sgf_to_record(
    root: Node, fallback_id: str, on: type[PositionLike] = Position
) -> tuple[GameRecord | None, tuple[NotationError, ...]]:
    """The record of a tree's main line, and the errors of the tree.

    There is no record of a main line with an error or a game without a winner. Comments and
    variations are dropped.

    Args:
        root: the tree.
        fallback_id: names the game where the tree does not (``GN``).
        on: the class of positions that the turns are played on.
    """
    try:
        game = read_sgf_game(root, on)
    except NotationError as error:
        return None, (error,)
    if not game.complete:
        return None, game.errors
    try:
        return _conclude(root, game, fallback_id), game.errors
    except NotationError as error:
        return None, (*game.errors, root.error(error.reason))


def _conclude(root: Node, game: SgfGame, fallback_id: str) -> GameRecord:
    result = game.result or "?"
    winner = result[0].lower() if result[0] in "BW" else None
    reason, detail = _ending(root, result)
    day = root.text("DT") or ""
    return conclude(
        game.start,
        game.final,
        id=root.text("GN") or fallback_id,
        black=game.black,
        white=game.white,
        winner=winner,
        reason=reason,
        detail=detail,
        score=root.text("YSCORE"),
        times=_times(root, len(game.turns), "YTIME"),
        machine=_times(root, len(game.turns), "YMACHINE"),
        evaluations=_evaluations(root, game),
        unread=_unread(root),
        started=root.text("YSTARTED") or day,
        ended=root.text("YENDED") or day,
        clock=root.text("YCLOCK") or "none",
        **_whole_numbers(root),
    )


def _ending(root: Node, result: str) -> tuple[str | None, str]:
    """Reason and detail from ``YEND``, else from ``RE`` as far as it has them."""
    for raw in root.properties.get("YEND", ())[:1]:
        pair = decode_pair(raw)
        if pair is None:
            raise NotationError(f"YEND[{raw}]: expected reason:detail")
        return pair
    if result == "Void":
        return "void", ""
    return _ENDINGS.get(result[2:3]), ""


def _times(root: Node, turns: int, name: str) -> tuple[float, ...]:
    """Seconds per turn; empty unless every turn has them."""
    texts = [text for node in root.main_line() for text in node.texts(name)]
    return tuple(_seconds(name, text) for text in texts) if len(texts) == turns else ()


def _seconds(name: str, text: str) -> float:
    if not _SECONDS.fullmatch(text):
        raise NotationError(f"{name}[{text}]: expected a number")
    return float(text)


def _evaluations(root: Node, game: SgfGame) -> tuple[Evaluation | None, ...]:
    """The engines' statements by turn; empty if there are none."""
    found: list[Evaluation | None] = []
    for node in root.main_line():
        colour = next((one for one in Colour if one.letter.upper() in node.properties), None)
        if colour is not None:
            text = node.text("YINFO")
            found.append(None if text is None else _evaluation(text, game, colour))
    return tuple(found) if any(found) else ()


def _evaluation(text: str, game: SgfGame, player: Colour) -> Evaluation:
    try:
        return parse_evaluation(text, game.rules, player)
    except NotationError as error:
        raise NotationError(f"YINFO[{text[:40]}]: {error.reason}") from None


def _unread(root: Node) -> tuple[int, ...]:
    text = root.text("YUNREAD")
    if text is None:
        return ()
    if not _COUNTS.fullmatch(text):
        raise NotationError(f"YUNREAD[{text}]: expected two counts, black:white")
    black, white = map(int, text.split(":"))
    return black, white


def _whole_numbers(root: Node) -> dict[str, Any]:
    found = {}
    for name, key in (("YOPENING", "opening"), ("YSEED", "seed")):
        text = root.text(name)
        if text is not None:
            if not _WHOLE.fullmatch(text):
                raise NotationError(f"{name}[{text}]: expected a whole number")
            found[key] = int(text)
    return found


_GO: Final = ("1", None)
_PASSES: Final = ("", "tt")
"""The values of a pass; ``tt`` on boards of up to 19 columns, which all of ours are."""


def is_go_shaped(root: Node) -> bool:
    """Whether a tree is in the shape of Go: it says no game, or Go."""
    return "YGAME" not in root.properties and root.text("GM") in _GO


def name_as_ours(root: Node, rules: Rules) -> None:
    """Name the game of a tree that names none; what it says of the board and the options stays."""
    root.put("YGAME", rules.game.name)
    if "YBOARD" not in root.properties:
        where = rules.geometry
        root.put("YBOARD", f"{where.shape}{(root.text('SZ') or str(where.size)).strip()}")
    options = [encode_pair(*option) for option in rules.options().items()]
    if options:
        root.properties.setdefault("YOPTION", options)


def write_as_ours(root: Node, rules: Rules) -> None:
    """Rewrite a tree so that it says which game it is, and the turns of its main line in our way.

    A point that is no cell stays as it is, for its reader to refuse.

    Args:
        root: the tree.
        rules: the rules that it was played by.

    Raises:
        NotationError: a turn of this game can be more than a point, the board has another size, or
            a player passes before the board is full.
    """
    if not rules.only_own or rules.two_stones:
        raise root.error(f"turns of {rules.game.title} are no single points as in Go")
    points = _points(rules)
    side = len(rules.geometry.rows)
    if root.text("SZ") not in (None, str(side)):
        name = rules.geometry.name
        raise root.error(f"SZ[{root.text('SZ')}]: expected {side}, the columns of {name}")
    left = rules.geometry.cells
    for name in STONES:
        texts = [points.get(text.strip(), text) for text in root.texts(name)]
        if texts:
            root.put(name, *texts)
        left -= len(texts)
    for node in root.main_line():
        for name in _moves(node):
            left -= _rewrite(node, name, points, left)
    name_game(root, rules)


def _rewrite(node: Node, name: str, points: Mapping[str, str], left: int) -> int:
    """Rewrite one move, and return how many stones it places."""
    text = node.texts(name)[0].strip()
    if text in _PASSES and text not in points:
        if left:
            raise node.error(f"a pass, with {left} cells empty")
        del node.properties[name]
        return 0
    node.put(name, points.get(text, text))
    return 1


def _moves(node: Node) -> list[str]:
    letters = [colour.letter.upper() for colour in Colour]
    return [letter for letter in letters if len(node.properties.get(letter, ())) == 1]


def _points(rules: Rules) -> dict[str, str]:
    """The label of the cell at each point."""
    axial, labels = rules.geometry.axial, rules.geometry.labels
    left, top = min(q for q, _ in axial), min(r for _, r in axial)
    return {
        ascii_letters[q - left] + ascii_letters[r - top]: label
        for (q, r), label in zip(axial, labels, strict=True)
    }
