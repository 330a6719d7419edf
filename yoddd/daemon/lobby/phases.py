"""The phases of a game of the lobby and the events that lead from one to the next.

::

                TAKE               BEGIN
    OFFERED ------------> TAKEN -----------------------> PLAYING
        |   <------------   |                               ^  |
        |       REFUSE      |   WAIT             BEGIN      |  |
        |                   +---------> WAITING ------------+  |
        |                   |              |                   |
        +-------------------+--------------+-------------------+---- END ----> OVER

A `LobbyGame` changes its phase in no other way than `TRANSITIONS` says.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final


class GamePhase(enum.Enum):
    """The phases of a game of the lobby.

    OFFERED waits for a human who accepts, or for an engine that is free; only now can the offer be
    withdrawn. TAKEN is reserved while an acceptance is checked and the beginning is kept. WAITING
    has begun, but no clock runs before both participants are present. PLAYING is with the referee.
    OVER changes no more.
    """

    OFFERED = "offered"
    TAKEN = "taken"
    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


class GameEvent(enum.Enum):
    """The events that change the phase; the documentation shows their values."""

    TAKE = "a human accepts it, or its engines are free"
    REFUSE = "the acceptance is refused"
    WAIT = "it begins by an invite, or goes on after a restart"
    BEGIN = "both participants are present"
    END = "it has a result, is withdrawn, or fails"


TRANSITIONS: Final[Mapping[tuple[GamePhase, GameEvent], GamePhase]] = {
    (GamePhase.OFFERED, GameEvent.TAKE): GamePhase.TAKEN,
    (GamePhase.OFFERED, GameEvent.END): GamePhase.OVER,
    (GamePhase.TAKEN, GameEvent.REFUSE): GamePhase.OFFERED,
    (GamePhase.TAKEN, GameEvent.WAIT): GamePhase.WAITING,
    (GamePhase.TAKEN, GameEvent.BEGIN): GamePhase.PLAYING,
    (GamePhase.TAKEN, GameEvent.END): GamePhase.OVER,
    (GamePhase.WAITING, GameEvent.BEGIN): GamePhase.PLAYING,
    (GamePhase.WAITING, GameEvent.END): GamePhase.OVER,
    (GamePhase.PLAYING, GameEvent.END): GamePhase.OVER,
}
"""Every transition; the table in docs/explanation/lobby.md is tested against it."""
