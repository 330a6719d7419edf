"""News of games as they are played: a game begins, a turn is played, a game ends."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee import GameSetup


@attrs.frozen
class GameBegins:
    """A game is about to be set up.

    Attributes:
        number: of the game in the match, from 1.
        id: the record's id.
        black: the name of the participant in Black's seat.
        white: the name of the participant in White's seat.
        opening: the turns that are given instead of chosen.
        position: the line of the position before them; None for the empty board.
    """

    number: int
    id: str
    black: str
    white: str
    opening: tuple[str, ...] = ()
    position: str | None = None


@attrs.frozen
class TurnSeen:
    """A turn was played.

    Attributes:
        number: of the game in the match.
        seat: ``b`` or ``w``, as in records.
        token: the turn in notation.
        seconds: the time that it took.
    """

    number: int
    seat: str
    token: str
    seconds: float


@attrs.frozen
class GameEnds:
    """A game is over.

    Attributes:
        number: of the game in the match.
        record: the game as it was played.
    """

    number: int
    record: GameRecord


News = GameBegins | TurnSeen | GameEnds
"""What happens in a match."""

Watch = Callable[[News], None]
"""Receives the news of a match, in order."""


def begins(number: int, setup: GameSetup) -> GameBegins:
    """The news that a game is about to be set up."""
    return GameBegins(number, setup.id, *setup.names, setup.opening, setup.position)
