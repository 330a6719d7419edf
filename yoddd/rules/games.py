"""The games that come with the program, and rules by their names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from yoddd.rules.description import read_game
from yoddd.rules.game import Game, Options, Rules, RulesError, rules_of

_NAMES: Final = ("yodd", "xodd", "odd", "yoin", "product")


def _read(name: str) -> Game:
    path = files("yoddd.rules").joinpath("data", f"{name}.toml")
    return read_game(path.read_bytes(), path.name)


GAMES: Final[Mapping[str, Game]] = {name: _read(name) for name in _NAMES}
"""Every game by name, in the order in which everything lists them."""


def make_rules(game: str, board: str | None = None, options: Options | None = None) -> Rules:
    """The rules of ``game`` on ``board`` (its default where None) with ``options``.

    An option's value is its text, such as ``on`` or ``7``, or the bool or number itself.

    Raises:
        RulesError: an unknown game, board or option, a board of the wrong shape, or a combination
            that cannot be played or may end in a draw.
    """
    found = GAMES.get(game.lower())
    if found is None:
        raise RulesError(f"no game {game!r}: expected one of {', '.join(GAMES)}", "game")
    return rules_of(found, board, options or {})
