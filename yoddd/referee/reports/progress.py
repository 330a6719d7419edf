"""The progress of a run, as a value and as text."""

from __future__ import annotations

import math
from typing import Any, Final

import attrs

from yoddd.referee.stats.elo import FEW, Estimate, Interval, estimate, pair_sample
from yoddd.referee.stats.sprt import Decision, SprtState
from yoddd.referee.tournament.tournament import Tournament

_BAR: Final = 20
_MINUTE: Final = 60
_HOUR: Final = 3600


@attrs.frozen(kw_only=True)
class Pace:
    """The current speed of a run.

    Attributes:
        running: games being played.
        concurrency: games at once at most.
        paused: whether no further game is begun.
        rate: games a second since the run was started or resumed.
    """

    running: int = 0
    concurrency: int = 1
    paused: bool = False
    rate: float = 0.0


@attrs.frozen(kw_only=True)
class Progress:
    """The progress of a run.

    Attributes:
        names: the entrants.
        points: the games that they won.
        finished: games that have a result or were given up.
        given_up: of these, games that were void at every attempt.
        games: games scheduled so far.
        pairs: of a match of two: pairs lost by the first, one each, won.
        estimate: of a match of two, by whole pairs; None before the first.
        test: of a match that has one.
        pace: its current speed.
    """

    names: tuple[str, ...]
    points: tuple[int, ...]
    finished: int
    given_up: int
    games: int
    pairs: tuple[int, int, int] | None
    estimate: Estimate | None
    test: SprtState | None
    pace: Pace

    @property
    def eta(self) -> float | None:
        """Seconds to the end at the present pace; None while paused or without a rate."""
        left = self.games - self.finished
        return left / self.pace.rate if self.pace.rate and not self.pace.paused else None


def progress_of(tournament: Tournament, pace: Pace) -> Progress:
    """The progress of a tournament."""
    plan = tournament.plan
    of_two = len(plan.sides) == 2
    lost, split, won = tournament.pair_counts
    return Progress(
        names=tuple(side.name for side in plan.sides),
        points=tuple(tournament.points),
        finished=tournament.finished,
        given_up=len(tournament.given_up),
        games=tournament.games,
        pairs=(lost, split, won) if of_two else None,
        estimate=estimate(pair_sample((lost, split, won))) if of_two else None,
        test=tournament.sprt,
        pace=pace,
    )


def number(value: float) -> float | None:
    """A number for JSON, which has no infinite ones: None instead."""
    return value if math.isfinite(value) else None


def interval_values(interval: Interval) -> dict[str, float | None]:
    """An interval for JSON."""
    bounds = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {name: number(bound) for name, bound in bounds.items()}


def estimate_values(found: Estimate | None) -> dict[str, Any] | None:
    """An estimate for JSON."""
    if found is None:
        return None
    elo, nelo = found.elo, found.nelo
    if found.is_one_sided:
        won = found.score.value == 1
        elo = Interval(math.nan, found.bound if won else math.nan, math.nan if won else found.bound)
        nelo = Interval(math.nan, math.nan, math.nan)
    return {
        "score": interval_values(found.score),
        "elo": interval_values(elo),
        "nelo": interval_values(nelo),
        "los": found.los,
    }


def progress_values(progress: Progress) -> dict[str, Any]:
    """The progress of a run, for JSON."""
    return {
        "points": dict(zip(progress.names, progress.points, strict=True)),
        "finished": progress.finished,
        "given_up": progress.given_up,
        "games": progress.games,
        "pairs": progress.pairs,
        "estimate": estimate_values(progress.estimate),
        "sprt": _test_values(progress.test) if progress.test else None,
        "eta": progress.eta,
        **attrs.asdict(progress.pace),
    }


def _test_values(test: SprtState) -> dict[str, Any]:
    lower, upper = test.sprt.bounds
    bounds = {"lower": lower, "upper": upper}
    return {"name": str(test.sprt), "llr": test.llr, **bounds, "decision": test.decision}


def spell_error(interval: Interval) -> str:
    """A value and its error, such as ``+12.3 +/- 4.5``."""
    return f"{round(interval.value, 1) + 0.0:+.1f} +/- {interval.error:.1f}"  # no negative zero


def spell_share(interval: Interval) -> str:
    """A share and its bounds in percent, such as ``75.0 % (30.1 to 95.4)``."""
    value, low, high = (100 * part for part in attrs.astuple(interval))
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"


def spell_elo(found: Estimate) -> str:
    """Elo and its error; a bound where no game was lost, or none won."""
    if not found.is_one_sided:
        return spell_error(found.elo)
    side, how = ("at least", "won") if found.score.value == 1 else ("at most", "lost")
    return f"{side} {found.bound:+.1f} (every game was {how})"


def strength_lines(found: Estimate, colon: str = "") -> list[str]:
    """Elo, normalized Elo and LOS; without them that there are too few pairs."""
    if found.is_few:
        return [f"Elo{colon} too few pairs ({found.size}; at least {FEW})"]
    if found.is_one_sided:
        return [f"Elo{colon} {spell_elo(found)}"]
    return [
        f"Elo{colon} {spell_elo(found)}, nElo{colon} {spell_error(found.nelo)}",
        f"LOS{colon} {100 * found.los:.2f} %",
    ]


def spell_seconds(seconds: float) -> str:
    """A duration, such as ``1h05m``, ``2m03s`` or ``7s``."""
    whole = round(seconds)
    if whole >= _HOUR:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02}m"
    return f"{whole // _MINUTE}m{whole % _MINUTE:02}s" if whole >= _MINUTE else f"{whole}s"


def llr_bar(test: SprtState) -> str:
    """The LLR between its bounds, such as ``[----|##--]``."""
    half = _BAR // 2
    marks = round(min(1.0, abs(test.share)) * half)
    left, right = (0, marks) if test.share >= 0 else (marks, 0)
    return f"[{'-' * (half - left)}{'#' * left}|{'#' * right}{'-' * (half - right)}]"


def status_line(progress: Progress) -> str:
    """One line: games, score, Elo, LLR, time to go."""
    parts = [f"{progress.finished}/{progress.games} games"]
    if progress.pairs is not None:
        (one, other), (first, second) = progress.names, progress.points
        parts.append(f"{one} {first} - {second} {other}")
    else:
        best = max(range(len(progress.names)), key=lambda entrant: progress.points[entrant])
        parts.append(f"{progress.names[best]} leads with {progress.points[best]}")
    if progress.estimate is not None and not progress.estimate.is_few:
        parts.append(f"Elo {spell_elo(progress.estimate)}")
    if progress.test is not None:
        parts.append(f"LLR {progress.test.llr:+.2f} {llr_bar(progress.test)}")
    if progress.pace.paused:
        parts.append("paused")
    elif progress.eta:
        parts.append(f"{spell_seconds(progress.eta)} to go")
    return " | ".join(parts)


def result_block(progress: Progress) -> list[str]:
    """The standing of a match, in the manner of fastchess; there are no draws to show.

    Of a tournament it has the test and the void games only: `standing_lines` has its table.
    """
    lines: list[str] = []
    if progress.pairs is not None:
        lines = [f"Results of {progress.names[0]} vs {progress.names[1]}:"]
        if progress.estimate is not None:
            lines += strength_lines(progress.estimate, ":")
        total = sum(progress.points)
        share = f" ({100 * progress.points[0] / total:.2f} %)" if total else ""
        won, lost = progress.points
        lines += [
            f"Games: {total}, wins: {won}, losses: {lost}{share}",
            f"Pairs (both lost, one each, both won): {list(progress.pairs)}",
        ]
    if progress.test is not None:
        test = progress.test
        verdict = "" if test.decision is Decision.CONTINUE else f": {test.decision} accepted"
        lines.append(f"LLR: {test} {test.sprt}{verdict}")
    if progress.given_up:
        lines.append(f"Given up as void: {progress.given_up}")
    return lines
