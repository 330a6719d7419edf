"""Conversion of an SGF game tree, ours or another program's, into a record."""

from __future__ import annotations

import re
from typing import Any, Final

from yoddd.notation.errors import NotationError
from yoddd.notation.evaluations import Evaluation, parse_evaluation
from yoddd.notation.imports import conclude
from yoddd.notation.records import GameRecord
from yoddd.notation.sgf import Node, decode_pair
from yoddd.notation.sgf_games import SgfGame, read_sgf_game
from yoddd.rules import Colour, Position, PositionLike

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
