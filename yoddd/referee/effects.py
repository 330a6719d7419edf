"""What a game asks its caller to do; carried out in the order of the list."""

from __future__ import annotations

import attrs

from yoddd.notation.records import GameRecord
from yoddd.referee.law import Ending, Seat
from yoddd.rules import Colour


@attrs.frozen
class Ask:
    """Send ``command`` to the engine of ``seat``; its reply is an event."""

    seat: Seat
    command: str


@attrs.frozen
class WakeAt:
    """Call `Game.wake` at ``when``; this replaces whatever was said before."""

    when: float


@attrs.frozen
class TurnPlayed:
    """A legal turn was played, for those who watch.

    Attributes:
        seat: the person who played it.
        colour: the colour that they had; after a ``swap`` they have the other one.
        number: of the turn, as in positions.
        token: the turn in canonical spelling.
        seconds: what it took.
        remaining: main time left after it, the increment included; None without main time.
    """

    seat: Seat
    colour: Colour
    number: int
    token: str
    seconds: float
    remaining: float | None


@attrs.frozen
class Finished:
    """The game is over; no effect follows and all further events are ignored.

    Attributes:
        ending: how.
        record: the game, ready for the archive.
        busy: the seats whose engine still owes a reply. It may come late and is nobody's fault;
            such an engine has to be waited for or replaced before it plays again.
    """

    ending: Ending
    record: GameRecord
    busy: tuple[Seat, ...]


Effect = Ask | WakeAt | TurnPlayed | Finished
