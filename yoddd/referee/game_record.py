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


def record_of(  # noqa: PLR0913 — what a game has at its end, as keywords
    setup: GameSetup,
    termination: Termination,
    *,
    start: str | None,
    turns: Sequence[PlayedTurn],
    unread: tuple[int, int],
    final: PositionLike,
    started: datetime,
    ended: datetime,
) -> GameRecord:
    """The record of a finished game for the archive.

    Args:
        setup: its settings.
        termination: how it ended.
        start: the position line that it began from; None for the empty board.
        turns: all of its turns.
        unread: by seat, how many evaluations were malformed.
        final: the last position.
        started: when it began.
        ended: when it ended.
    """
    rules, outcome = setup.rules, final.outcome()
    machine = [turn.machine for turn in turns]
    evaluations = tuple(turn.evaluation for turn in turns)
    score = None
    if termination.reason is Reason.GROUPS and outcome:
        score = f"{outcome.winner.letter.upper()}+{outcome.score}"
    return GameRecord(
        id=setup.id,
        game=rules.game.name,
        board=rules.geometry.name,
        options=rules.options(),
        black=setup.names[Seat.BLACK],
        white=setup.names[Seat.WHITE],
        turns=tuple(turn.token for turn in turns),
        times=tuple(turn.seconds for turn in turns),
        # 0 where they are not known; empty where none are.
        machine=tuple(one or 0.0 for one in machine) if {*machine} - {None} else (),
        evaluations=evaluations if any(evaluations) else (),
        unread=unread if any(unread) else (),
        winner=None if termination.winner is None else termination.winner.key,
        reason=str(termination.reason),
        detail=termination.detail,
        blame=termination.blame_key,
        score=score,
        started=_iso(started),
        ended=_iso(ended),
        clock=setup.clock_text,
        position=start,
        opening=len(setup.opening),
        seed=setup.seed,
        pair=setup.pair,
        leg=setup.leg,
        attempt=setup.attempt,
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
