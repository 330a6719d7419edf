"""The turns of a game as they were played, and the record that they make."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from yoddd.notation.evaluations import Evaluation
from yoddd.notation.records import GameRecord
from yoddd.referee.game_setup import GameSetup
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, Termination
from yoddd.rules import Colour, PositionLike


@attrs.frozen
class PlayedTurn:
    """One turn of a game.

    Attributes:
        seat: the seat that played it.
        colour: the colour that the seat had.
        token: the turn in canonical spelling.
        seconds: the time that it took.
        machine: those of the seconds that the machine or the referee took; None if unknown.
        evaluation: the engine's statement about it; None without one.
    """

    seat: Seat
    colour: Colour
    token: str
    seconds: float
    machine: float | None = None
    evaluation: Evaluation | None = None


@attrs.frozen(kw_only=True)
class GameLog:
    """A finished game.

    Attributes:
        setup: its settings.
        start: the position line that it began from; None for the empty board.
        turns: all of its turns.
        unread: by seat, how many evaluations were malformed.
        final: the last position.
        termination: how it ended.
        started: when it began.
        ended: when it ended.
    """

    setup: GameSetup
    start: str | None
    turns: Sequence[PlayedTurn]
    unread: tuple[int, int]
    final: PositionLike
    termination: Termination
    started: datetime
    ended: datetime

    def record(self) -> GameRecord:
        """The record for the archive."""
        setup, rules, termination = self.setup, self.setup.rules, self.termination
        return GameRecord(
            id=setup.id,
            game=rules.game.name,
            board=rules.geometry.name,
            options=rules.options(),
            black=setup.names[Seat.BLACK],
            white=setup.names[Seat.WHITE],
            turns=tuple(turn.token for turn in self.turns),
            times=tuple(turn.seconds for turn in self.turns),
            machine=self._machine(),
            evaluations=self._evaluations(),
            unread=self.unread if any(self.unread) else (),
            winner=None if termination.winner is None else termination.winner.key,
            reason=str(termination.reason),
            detail=termination.detail,
            blame=termination.blame_key,
            score=self._score() if termination.reason is Reason.GROUPS else None,
            started=_iso(self.started),
            ended=_iso(self.ended),
            clock=setup.clock_text,
            position=self.start,
            opening=len(setup.opening),
            seed=setup.seed,
            pair=setup.pair,
            leg=setup.leg,
            attempt=setup.attempt,
        )

    def _machine(self) -> tuple[float, ...]:
        """The seconds by turn, 0 where they are not known; empty where none are."""
        found = [turn.machine for turn in self.turns]
        if all(seconds is None for seconds in found):
            return ()
        return tuple(seconds or 0.0 for seconds in found)

    def _evaluations(self) -> tuple[Evaluation | None, ...]:
        found = tuple(turn.evaluation for turn in self.turns)
        return found if any(found) else ()

    def _score(self) -> str | None:
        outcome = self.final.outcome()
        return f"{outcome.winner.letter.upper()}+{outcome.score}" if outcome else None


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
