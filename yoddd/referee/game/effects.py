"""The effects of a game: what its caller is to do, in the order of the list."""

from __future__ import annotations

import attrs

from yoddd.notation.evaluations import Evaluation
from yoddd.notation.records import GameRecord
from yoddd.referee.game.terminations import Termination
from yoddd.referee.seat import Seat
from yoddd.rules import Colour


@attrs.frozen
class Ask:
    """Send ``command`` to the engine of ``seat``; its reply is an event."""

    seat: Seat
    command: str


@attrs.frozen
class Prompt:
    """It is the turn of the human of ``seat``: call `Game.prompted` as this is carried out."""

    seat: Seat


@attrs.frozen
class Call:
    """It is the turn of the engine of ``seat``: call `Game.called` as this is carried out.

    Then connect it, and give the event `Game.ready`.
    """

    seat: Seat


@attrs.frozen
class Release:
    """Free the engine of ``seat`` until it is called again."""

    seat: Seat


@attrs.frozen
class WakeAt:
    """Call `Game.wake` at ``when``; this replaces any earlier alarm."""

    when: float


@attrs.frozen
class TurnPlayed:
    """A legal turn was played: for the store, spectators, and the record.

    Attributes:
        seat: the seat that played it.
        number: of the turn, as in positions.
        token: the turn in canonical spelling.
        seconds: the time that it took.
        colour: the colour that the seat had.
        machine: those of the seconds that the machine or the referee took; None if unknown.
        evaluation: the engine's statement about it; None without one.
    """

    seat: Seat
    number: int
    token: str
    seconds: float
    colour: Colour
    machine: float | None = None
    evaluation: Evaluation | None = None


@attrs.frozen
class TurnsTakenBack:
    """The last turns were taken back; for spectators.

    Attributes:
        length: how many turns are left, those of the opening included.
    """

    length: int


@attrs.frozen
class Paused:
    """The clock of the side to move stands still; for the store and spectators.

    Attributes:
        turns: how many turns there are; the pause ends with the next one at the latest.
        used: seconds that the one which is due has taken before.
        seconds: for which the pause lasts.
    """

    turns: int
    used: float
    seconds: float


@attrs.frozen
class Finished:
    """The game is over; no effect follows and all further events are ignored.

    Attributes:
        termination: how and why it ended.
        record: the game, ready for the archive.
        busy: the seats whose engine still owes a reply. The reply may come late, which is no
            fault; such an engine has to be waited for or replaced before it plays again.
    """

    termination: Termination
    record: GameRecord
    busy: tuple[Seat, ...]


Effect = Ask | Prompt | Call | Release | WakeAt | TurnPlayed | TurnsTakenBack | Paused | Finished
