"""Conversion of a finished game from another format into a game record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from yoddd.notation.errors import NotationError
from yoddd.notation.positions import start_line
from yoddd.notation.reasons import FORFEITS
from yoddd.notation.records import MOMENT, GameRecord, checked
from yoddd.notation.turns import format_turn
from yoddd.rules import Outcome, PositionLike

NO_MOMENT: Final = "1970-01-01T00:00:00Z"
"""The time of a game whose file gives none."""


def conclude(  # noqa: PLR0913 — what a file says of a game, as keywords
    start: PositionLike,
    final: PositionLike,
    *,
    black: str = "",
    white: str = "",
    winner: str | None = None,
    reason: str | None = None,
    score: str | None = None,
    times: tuple[float, ...] = (),
    started: str = "",
    ended: str = "",
    clock: str = "none",
    **more: Any,
) -> GameRecord:
    """The record of a game; an end that the file does not give is derived from the board.

    A game without a decision on the board and without a resignation is ``adjudicated``.

    Args:
        start: the position before the first turn.
        final: the position after the last turn; its history is the whole game.
        black: the participant who began as Black; empty if unknown, as `white`.
        white: the participant who began as White.
        winner: the winning seat, ``b`` or ``w``; None if unknown or if there is none.
        reason: one of the record's reasons; None derives it from the board.
        score: ``B+n`` by colour; None derives it from the board.
        times: seconds a turn; empty if unknown.
        started: a date and time as ISO 8601 spells them; empty if unknown.
        ended: likewise.
        clock: the time control.
        more: further fields of the record, its id among them.

    Raises:
        NotationError: the game has no winner, or the fields contradict each other.
    """
    rules, outcome = start.rules, final.outcome()
    tokens = tuple(format_turn(turn, rules) for turn in final.history)
    won = _winner(winner, reason, final, outcome)
    why = reason or (outcome.reason if outcome else "adjudicated")
    return checked(
        GameRecord.of(
            rules,
            black=black or "?",
            white=white or "?",
            turns=tokens,
            times=times or (0.0,) * len(tokens),
            winner=won,
            reason=why,
            blame=_blame(won, why),
            score=_score(score, outcome) if why == "groups" else score,
            started=_moment(started),
            ended=_moment(ended or started),
            clock=clock,
            position=start_line(start),
            **more,
        )
    )


def _winner(
    said: str | None, reason: str | None, final: PositionLike, outcome: Outcome | None
) -> str | None:
    if reason == "void":
        return None
    decided = None
    if outcome is not None and reason in (None, "groups", "resign"):
        decided = final.seat_of(outcome.winner).letter
        if said not in (None, decided):
            raise NotationError(f"{said} is said to have won, but {decided} has")
    if said is None and decided is None:
        raise NotationError("the game has no result")
    return said or decided


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
