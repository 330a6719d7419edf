"""Texts of engines: the turn that one spells, or the fault in it and a likely correction."""

from __future__ import annotations

import re
from typing import Final

from yoddd.board import Geometry
from yoddd.notation import NotationError, parse_turn
from yoddd.rules import IllegalTurn, LegalTurn, PositionLike

_SHOWN: Final = 80
"""Characters of an engine's text that a detail quotes."""

_PAIR: Final = 2
_STONE: Final = re.compile(r"[12]?([a-z]+)[0-9]+,?", re.ASCII | re.IGNORECASE)


def turn_hint(text: str, board: Geometry) -> str:
    """Return ``; `` and the likely correction of a text that is no turn, or nothing."""
    words = text.split()
    if len(words) == _PAIR and all(_STONE.fullmatch(word) for word in words):
        return f"; a comma joins two stones: {','.join(word.strip(',') for word in words)}"
    for match in map(_STONE.fullmatch, text.split(",")):
        named = [label for label in board.labels if match and label[0] == match[1].lower()]
        if match and not named:
            return f"; the letters of {board.name} are a to {max(board.labels)[0]}, i included"
        if match and match[0].lower().lstrip("12").rstrip(",") not in named:
            return f"; the cells of {match[1].lower()} are {named[0]} to {named[-1]}"
    return ""


def judge_text(text: str, position: PositionLike) -> LegalTurn | str:
    """The turn that an engine's text spells for the player to move, or why it is no legal one."""
    try:
        return read_turn(text, position)
    except NotationError as error:
        hint = turn_hint(text, position.rules.geometry)
        return f"{shorten(text)}: {shorten(error.reason)}{hint}"
    except IllegalTurn as error:
        return f"{shorten(text)}: {shorten(error.reason)}"


def read_turn(token: str, position: PositionLike) -> LegalTurn:
    """The turn that a token spells for the player to move.

    Raises:
        NotationError: it spells none.
        IllegalTurn: the rules forbid the turn.
    """
    return position.judge(parse_turn(token, position.rules, position.player))


def shorten(text: str) -> str:
    """An engine's text on one printable line of at most `_SHOWN` characters."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(char if char.isprintable() else "?" for char in line)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
