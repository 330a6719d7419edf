"""The terms of an examination, and what is found out about the engine."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from yoddd.board import Shape, geometry
from yoddd.protocol.controller import EngineInfo
from yoddd.rules import GAMES, Rules, make_rules

_SMALL = {Shape.HEX: "hex3", Shape.SQUARE: "square4"}


def _small_games() -> tuple[Rules, ...]:
    """Every game on a small board of the shape that it has by default."""
    shapes = {game.name: geometry(game.default_board).shape for game in GAMES.values()}
    return tuple(make_rules(name, _SMALL[shape]) for name, shape in shapes.items())


@attrs.frozen(kw_only=True)
class Terms:
    """The time limits and the games of an examination.

    Attributes:
        launch: seconds for the first reply of an engine that was just started.
        patience: seconds for any later reply but a turn.
        move: seconds for a turn without a time control.
        leave: seconds to end after ``quit`` and after the end of input.
        games: the games to play.
        seed: of the examiner's turns.
        params: parameters that the engine is given before each game.
        only: the names of the checks that are made in addition to the introduction; None for all.
    """

    launch: float = 60.0
    patience: float = 10.0
    move: float = 30.0
    leave: float = 5.0
    games: tuple[Rules, ...] = attrs.Factory(_small_games)
    seed: int = 0
    params: Mapping[str, str] = attrs.Factory(dict)
    only: frozenset[str] | None = None


@attrs.define
class Knowledge:
    """Findings about the engine under examination.

    Attributes:
        terms: of the examination.
        engine: its replies to the handshake; None before it.
    """

    terms: Terms
    engine: EngineInfo | None = None

    def lists(self, command: str) -> bool:
        """Whether the engine lists ``command``."""
        return self.engine is not None and command in self.engine.commands
