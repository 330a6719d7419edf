"""The terms of an examination, and what is found out about the engine."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from yoddd.board import Shape, geometry
from yoddd.defaults import LAUNCH, MARGIN
from yoddd.protocol.controller import EngineInfo
from yoddd.referee.conformance.recognition import Judgements
from yoddd.referee.game.engine_range import EVERYTHING, EngineRange
from yoddd.rules import GAMES, Rules, make_rules

_SMALL = {Shape.HEX: "hex3", Shape.SQUARE: "square4"}

_QUICK = 8.0
_SLOWER = 10
"""The launch of an engine whose first start was quick, and how much slower a later one may be."""

DEFAULT_GAME = "yodd"
"""The game of an engine that lists no ``game``, on that game's default board."""


def small_games() -> tuple[Rules, ...]:
    """Every game on a small board of the shape that it has by default."""
    return tuple(small_game(name) for name in GAMES)


def small_game(name: str) -> Rules:
    """A game on a small board of the shape that it has by default.

    Raises:
        RulesError: there is no such game.
    """
    return make_rules(name, _SMALL[geometry(make_rules(name).game.default_board).shape])


@attrs.frozen(kw_only=True)
class Terms:
    """The time limits and the games of an examination.

    Attributes:
        launch: seconds for the first reply of an engine that was just started.
        patience: seconds for any later reply but a turn.
        move: seconds for a turn without a time control.
        leave: seconds to end after ``quit`` and after the end of input.
        margin: seconds by which a turn under a clock may be late.
        games: the games to play; None for what the engine plays, as its handshake implies.
        seed: of the examiner's turns.
        params: parameters that the engine is given before each game.
        only: the names of the checks that are made in addition to the introduction; None for all.
    """

    launch: float = LAUNCH
    patience: float = 5.0
    move: float = 30.0
    leave: float = 2.0
    margin: float = MARGIN
    games: tuple[Rules, ...] | None = None
    seed: int = 0
    params: Mapping[str, str] = attrs.Factory(dict)
    only: frozenset[str] | None = None


@attrs.define
class Knowledge:
    """Findings about the engine under examination.

    Attributes:
        terms: of the examination.
        engine: its replies to the handshake; None before it.
        refused: its answer to ``game`` by the games that it refuses, where none was asked for.
        accepted: the other games; None before it was asked.
        declared: what it plays by its ``attach``; everything if it does not say.
        start: seconds that its first reply has taken at most; None before the first.
        judgements: what it has answered of each game, by name, so that it is asked once.
        causes: the check that failed first by each cause, so that a cause fails one.
        judges: whether it has refused an illegal turn that it was told to play.
        accepted_illegal: the illegal turns that it has played when told to.
    """

    terms: Terms
    engine: EngineInfo | None = None
    refused: dict[str, str] = attrs.Factory(dict)
    accepted: tuple[Rules, ...] | None = None
    declared: EngineRange = EVERYTHING
    start: float | None = None
    judgements: dict[str, Judgements] = attrs.Factory(dict)
    causes: dict[str, str] = attrs.Factory(dict)
    judges: bool = False
    accepted_illegal: int = 0

    @property
    def games(self) -> tuple[Rules, ...]:
        """The games that the engine has to play."""
        if self.terms.games is not None:
            return self.terms.games
        if not self.lists("game"):
            return tuple(map(make_rules, self.declared.games or (DEFAULT_GAME,)))
        return small_games() if self.accepted is None else self.accepted

    @property
    def launch(self) -> float:
        """Seconds for its first reply, which is not waited for as long once it was quick."""
        if self.start is None:
            return self.terms.launch
        return min(self.terms.launch, max(_QUICK, _SLOWER * self.start))

    def lists(self, command: str) -> bool:
        """Whether the engine lists ``command``."""
        return self.engine is not None and command in self.engine.commands
