"""Conversion of a finished game from another format into a game record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import attrs

from yoddd.notation.errors import NotationError
from yoddd.notation.evaluations import Evaluation
from yoddd.notation.positions import start_line
from yoddd.notation.records import FORFEITS, MOMENT, GameRecord, checked
from yoddd.notation.turns import format_turn
from yoddd.rules import Outcome, PositionLike

NO_MOMENT: Final = "1970-01-01T00:00:00Z"
"""The time of a game whose file gives none."""


@attrs.frozen(kw_only=True)
class Found:
    """The contents of a file; fields that it may omit are optional.

    Attributes:
        id: the id of the game.
        start: the position before the first turn.
        final: the position after the last turn; its history is the whole game.
        black: the participant who began as Black.
        white: the participant who began as White.
        winner: the winning seat, ``b`` or ``w``; None if unknown or if there is none.
        reason: one of the record's reasons; None derives it from the board.
        detail: more about it.
        score: ``B+n`` by colour; None derives it from the board.
        times: seconds a turn; empty if unknown.
        machine: those that the machine took; empty if unknown.
        evaluations: what the engines stated; empty if there is nothing.
        unread: how many statements were malformed, by seat; empty if none was.
        started: a date and time as ISO 8601 spells them; empty if unknown.
        ended: likewise.
        clock: the time control.
        opening: the number of turns that were given.
        seed: the seed of the match.
    """

    id: str
    start: PositionLike
    final: PositionLike
    black: str = ""
    white: str = ""
    winner: str | None = None
    reason: str | None = None
    detail: str = ""
    score: str | None = None
    times: tuple[float, ...] = ()
    machine: tuple[float, ...] = ()
    evaluations: tuple[Evaluation | None, ...] = ()
    unread: tuple[int, ...] = ()
    started: str = ""
    ended: str = ""
    clock: str = "none"
    opening: int = 0
    seed: int | None = None


def conclude(found: Found) -> GameRecord:
    """The record of a game; an end that the file does not give is derived from the board.

    A game without a decision on the board and without a resignation is ``adjudicated``.

    Raises:
        NotationError: the game has no winner, or the fields contradict each other.
    """
    rules = found.start.rules
    tokens = tuple(format_turn(turn, rules) for turn in found.final.history)
    outcome = found.final.outcome()
    winner = _winner(found, outcome)
    reason = found.reason or (outcome.reason if outcome else "adjudicated")
    score = _score(found.score, outcome) if reason == "groups" else found.score
    return checked(
        GameRecord(
            id=found.id,
            game=rules.game.name,
            board=rules.geometry.name,
            options=rules.options(),
            black=found.black or "?",
            white=found.white or "?",
            turns=tokens,
            times=found.times or (0.0,) * len(tokens),
            machine=found.machine,
            evaluations=found.evaluations,
            unread=found.unread,
            winner=winner,
            reason=reason,
            detail=found.detail,
            blame=_blame(winner, reason),
            score=score,
            started=_moment(found.started),
            ended=_moment(found.ended or found.started),
            clock=found.clock,
            position=start_line(found.start),
            opening=found.opening,
            seed=found.seed,
        )
    )


def _winner(found: Found, outcome: Outcome | None) -> str | None:
    if found.reason == "void":
        return None
    decided = None
    if outcome is not None and found.reason in (None, "groups", "resign"):
        decided = found.final.seat_of(outcome.winner).letter
        if found.winner not in (None, decided):
            raise NotationError(f"{found.winner} is said to have won, but {decided} has")
    winner = found.winner or decided
    if winner is None:
        raise NotationError("the game has no result")
    return winner


def _score(said: str | None, outcome: Outcome | None) -> str:
    if outcome is None or outcome.reason != "groups":
        raise NotationError("the board has not decided the game")
    score = f"{outcome.winner.letter.upper()}+{outcome.score}"
    if said not in (None, score):
        raise NotationError(f"the score is said to be {said}, but it is {score}")
    return score


def _blame(winner: str | None, reason: str) -> str | None:
    if reason == "void":
        return "referee"
    return {"b": "w", "w": "b", None: None}[winner] if reason in FORFEITS else None


def _moment(text: str) -> str:
    """A date, or a date and time, in UTC as records spell it."""
    if not text or MOMENT.fullmatch(text):
        return text or NO_MOMENT
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, OverflowError):  # the latter in the year 1 or 9999, by the zone
        raise NotationError(f"{text!r}: expected a date and time") from None
    return moment.replace(tzinfo=None).isoformat() + "Z"
