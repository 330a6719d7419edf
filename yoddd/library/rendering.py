"""A `State` as text and as pixels, for the render modes of environments (extra ``png``)."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

from yoddd.extras import missing_text
from yoddd.library.state import State
from yoddd.notation import diagram
from yoddd.pictures import draw
from yoddd.rules import Position, PositionLike, Turn, make_rules


def draw_text(state: State) -> str:
    """A diagram of the board, the position below it, and an empty line."""
    return f"{diagram(*_shown(state))}\n{state}\n\n"


def pixels(state: State) -> np.ndarray[Any, Any]:
    """A picture of the board: rows, columns and 3 colours in bytes.

    Raises:
        DependencyNotInstalled: the extra ``png`` is not installed.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise DependencyNotInstalled(missing_text("rgb_array", "png")) from None
    png = bytes(resvg_py.svg_to_bytes(svg_string=draw(*_shown(state))))
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def _shown(state: State) -> tuple[PositionLike, Turn | None]:
    """The stones as a position, and the stone of a turn in progress.

    It is a position of Odd, whose rules accept any stones: within a turn of Yodd the number of
    groups may be even.
    """
    rules = make_rules("odd", state.game.rules.geometry.name)
    player = state.position.player
    position = Position.set_up(rules, state.cells, player, 0, state.position.number)
    first = state.first_stone
    history = state.position.history
    return position, Turn.drop(first) if first else history[-1] if history else None
