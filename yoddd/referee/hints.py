"""Likely corrections of a text that is no turn."""

from __future__ import annotations

import re
from typing import Final

from yoddd.board import Geometry

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
