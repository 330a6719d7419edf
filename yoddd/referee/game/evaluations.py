"""The rules that end a game by what its engines state about their turns.

No statement is trusted: a game ends by them only under a rule that the organiser has set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import attrs
from attrs import validators

from yoddd.referee.game.effects import TurnPlayed
from yoddd.referee.seat import Seat

_ROUNDING: Final = 1e-9

_LOW: Final = validators.and_(validators.ge(0.0), validators.lt(0.5))


@attrs.frozen(kw_only=True)
class ResignRule:
    """An engine resigns that has rated its chance low for some turns in succession.

    Attributes:
        movecount: turns of its own; one without an evaluation begins the count again.
        score: the winrate that none of them exceeds, below one half.
        twosided: whether the opponent has to agree, by as high a winrate in as many turns.
    """

    movecount: int = attrs.field(default=1, validator=validators.ge(1))
    score: float = attrs.field(default=0.0, validator=_LOW)
    twosided: bool = False


@attrs.frozen(kw_only=True)
class WinRule:
    """A game is won once both engines have rated the same side high for some turns in succession.

    Attributes:
        movecount: turns of the game, so that those of both engines are among them; one without an
            evaluation begins the count again.
        score: the winrate that the winner has at least in all of them.
    """

    movecount: int = attrs.field(default=2, validator=validators.ge(2))
    score: float = attrs.field(
        default=1.0, validator=validators.and_(validators.gt(0.5), validators.le(1.0))
    )


@attrs.frozen
class Verdict:
    """The end of a game by evaluations: who wins, and the rule."""

    winner: Seat
    detail: str


def by_evaluations(
    turns: Sequence[TurnPlayed], resign: ResignRule | None, win: WinRule | None
) -> Verdict | None:
    """The end of a game by one of the rules; None to play on."""
    if resign is not None:
        for loser in Seat:
            if _resigns(turns, loser, resign):
                count = f"{resign.movecount} turn{'s' * (resign.movecount > 1)}"
                sides = "both engines" if resign.twosided else "the loser"
                detail = f"resigned by rule: {count} at {resign.score:g} or below, by {sides}"
                return Verdict(loser.other, detail)
    if win is not None:
        for winner in Seat:
            if _holds(_chances(turns, winner), win.movecount, win.score):
                detail = f"both engines agree for {win.movecount} turns: {win.score:g} or more"
                return Verdict(winner, detail)
    return None


def _resigns(turns: Sequence[TurnPlayed], loser: Seat, rule: ResignRule) -> bool:
    seats = Seat if rule.twosided else (loser,)
    return all(
        _holds(_chances(turns, loser.other, by=seat), rule.movecount, 1 - rule.score)
        for seat in seats
    )


def _chances(
    turns: Sequence[TurnPlayed], winner: Seat, by: Seat | None = None
) -> Iterator[float | None]:
    """The winrates of a seat in the opinion of both engines or of one, the latest first."""
    for turn in reversed(turns):
        if by is None or turn.seat is by:
            rate = turn.evaluation.winrate if turn.evaluation is not None else None
            yield rate if rate is None or turn.seat is winner else 1 - rate


def _holds(chances: Iterator[float | None], count: int, least: float) -> bool:
    """Whether the first so many chances are all stated and high enough."""
    latest = list(islice(chances, count))
    # A score of 0.05 and one of 0.95 are the same; rounding decides nothing.
    high = [chance is not None and chance >= least - _ROUNDING for chance in latest]
    return len(latest) == count and all(high)
