"""Terminations: every way in which a game can end, the winner, and who is to blame."""

from __future__ import annotations

import attrs

from yoddd.notation.reasons import Blame, Reason
from yoddd.notation.records import GameRecord
from yoddd.referee.seat import Seat


@attrs.frozen
class Termination:
    """The end of one game and its reason; built by `won`, `forfeit` or `void`.

    Attributes:
        winner: the seat that won; None for a void game only.
        reason: why the game ended.
        detail: text for the record beyond the reason; may be empty.
    """

    winner: Seat | None
    reason: Reason
    detail: str = ""

    def __attrs_post_init__(self) -> None:
        """Refuse a void game with a winner, and any other game without one."""
        if (self.winner is None) is not (self.reason is Reason.VOID):
            raise ValueError(f"{self.reason} with winner {self.winner}")

    @property
    def blame(self) -> Seat | Blame:
        """The seat at fault; ``NONE`` or ``REFEREE`` if no seat is."""
        blame = self.reason.blame
        if blame is Blame.LOSER and self.winner is not None:
            return self.winner.other
        return blame

    @property
    def blame_key(self) -> str | None:
        """``b``, ``w``, ``referee`` or None, as records spell the blame."""
        blame = self.blame
        if isinstance(blame, Seat):
            return blame.key
        return "referee" if blame is Blame.REFEREE else None


def won(winner: Seat, reason: Reason, detail: str = "") -> Termination:
    """A win without a fault of the loser: by groups, resignation or adjudication.

    Raises:
        ValueError: ``reason`` is a fault.
    """
    return _checked(Termination(winner, reason, detail), Blame.NONE)


def forfeit(loser: Seat, reason: Reason, detail: str = "") -> Termination:
    """A loss by a fault of ``loser``.

    Raises:
        ValueError: ``reason`` is no fault of a participant.
    """
    return _checked(Termination(loser.other, reason, detail), Blame.LOSER)


def void(detail: str) -> Termination:
    """A game without a winner, by the referee's own fault."""
    return Termination(None, Reason.VOID, detail)


def _checked(termination: Termination, blame: Blame) -> Termination:
    actual = termination.reason.blame
    if actual is not blame:
        raise ValueError(f"{termination.reason}: the blame is {actual.value}'s")
    return termination


def describe_result(record: GameRecord) -> str:
    """Return who won and why, such as ``ann wins: bob ran out of time``, without the detail."""
    if record.winner is None:
        return Reason.VOID.value
    names = (record.black, record.white)
    winner, loser = names if record.winner == "b" else names[::-1]
    reason = Reason(record.reason)
    if reason.blame is Blame.LOSER:
        return f"{winner} wins: {loser} {reason.words}"
    score = None if reason is Reason.RESIGN else record.score  # the game had no end
    return " ".join(filter(None, (f"{winner} wins by {reason.words}", score)))
