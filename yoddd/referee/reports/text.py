"""Reports as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import attrs

from yoddd.referee.reports.progress import (
    estimate_values,
    interval_values,
    number,
    spell_error,
    strength_lines,
)
from yoddd.referee.reports.report import RunReport
from yoddd.referee.stats.elo import Interval
from yoddd.referee.tournament.standings import TITLES, Standings


def report_text(report: RunReport) -> str:
    """A report as text."""
    return "\n".join([*_lines(report), ""])


def _lines(report: RunReport) -> Iterator[str]:
    summary = report.summary
    yield f"{report.title}: {report.heading}"
    if summary.voids:
        yield f"void: {summary.voids}"
    yield from (f"not counted: {problem}" for problem in report.problems)
    if summary.games:
        yield from _result_lines(report)
    if report.conditions:
        yield ""
        width = max(len(name) for name, _ in report.conditions)
        yield from (f"{name:<{width}}  {value}" for name, value in report.conditions)


def _result_lines(report: RunReport) -> Iterator[str]:
    summary = report.summary
    yield from _match_lines(report)
    if report.standings is not None:
        yield ""
        yield from standing_lines(report.standings)
    if len(summary.names) > 2:
        yield ""
        yield from rating_lines(report)
        yield ""
        yield from _crosstable_lines(report)
    yield ""
    games, entrants = report.figures
    yield from map(" ".join, [*games, ("",), *entrants])


def standing_lines(standings: Standings) -> Iterator[str]:
    """The table with its tie-breaks, the bracket of a knockout, and the champion."""
    width = max(len(one.name) for one in standings.table)
    titles = [TITLES[name] for name in standings.columns]
    yield "  ".join([f"{'':>4} {'':<{width}}", *titles])
    for entry in standings.table:
        cells = [f"{getattr(entry, name):>{len(TITLES[name])}}" for name in standings.columns]
        yield "  ".join([f"{entry.place:3}. {entry.name:<{width}}", *cells])
    if standings.bracket:
        yield ""
    last = 0
    for encounter in standings.bracket:
        label = f"round {encounter.round}" if encounter.round != last else ""
        last = encounter.round
        (one, other), (won, lost) = encounter.names, encounter.won
        seed = encounter.winner and won == lost
        on = f" -> {encounter.winner}{' (better seed)' if seed else ''}" if encounter.winner else ""
        yield f"{label:<9}{one} {won} - {lost} {other}{on}"
    if standings.champion is not None:
        yield f"champion: {standings.champion}"


def _match_lines(report: RunReport) -> Iterator[str]:
    if report.match is None:
        return
    one, other = report.match
    summary = report.summary
    found = summary.against(one, other)
    won, lost = report.score(one, other)
    yield f"{one} {won} - {lost} {other}"
    if found is not None:
        yield from strength_lines(found)
    counts = summary.pair_counts(one, other)
    yield f"pairs (both lost, one each, both won): {', '.join(map(str, counts))}"
    if report.test is not None:
        yield f"LLR {report.test}: {report.test.decision}"


def rating_lines(report: RunReport) -> Iterator[str]:
    """The entrants by group and rating, with the games that they have won and lost."""
    width = max(map(len, report.summary.names))
    yield from report.remarks
    for group in report.groups:
        place = 0
        if len(report.groups) > 1:
            yield ""
        for found in group:
            if place:
                yield "     lost every game against those above"
            for name in found:
                place += 1
                entrant, rating = report.summary.entrants[name], report.rating(name)
                text = "no rating" if rating is None else spell_error(rating)
                yield f"{place:3}. {name:<{width}}  {text:>20}  {entrant.won:5} - {entrant.lost}"
    if report.first_interval is not None:
        yield f"first-move advantage {spell_error(report.first_interval)} Elo"


def _crosstable_lines(report: RunReport) -> Iterator[str]:
    """The crosstable: games won against each opponent."""
    ranking = report.ranking
    width = max(map(len, ranking))
    yield " " * (width + 5) + " ".join(f"{place:>7}" for place in range(1, len(ranking) + 1))
    for place, name in enumerate(ranking, start=1):
        cells = [_cell(report, name, other) for other in ranking]
        yield f"{place:3}. {name:<{width}}" + " ".join(f"{cell:>7}" for cell in cells)


def _cell(report: RunReport, name: str, other: str) -> str:
    if name == other:
        return "·"
    won, lost = report.score(name, other)
    return f"{won}-{lost}" if won + lost else ""


# -- JSON --------------------------------------------------------------------------------------


def report_json(report: RunReport) -> str:
    """A report as JSON; infinite numbers are null."""
    return json.dumps(report_values(report), indent=1, allow_nan=False) + "\n"


def report_values(report: RunReport) -> dict[str, Any]:
    """A report as plain values."""
    summary = report.summary
    values: dict[str, Any] = {
        "title": report.title,
        "games": summary.games,
        "planned": report.games,
        "void": summary.voids,
        "not_counted": [*report.problems],
        "conditions": dict(report.conditions),
        "endings": dict(summary.reasons),
        "turns": {str(length): count for length, count in sorted(summary.lengths.items())},
        "first_player": estimate_values(summary.first_advantage),
        "swap_rate": interval_values(summary.swap_rate) if summary.swap_rate else None,
        "entrants": [attrs.asdict(summary.entrants[name]) for name in report.ranking],
        "crosstable": {
            name: {other: summary.won_against(name, other) for other in summary.names}
            for name in summary.names
        },
    }
    if report.standings is not None:
        shown = attrs.asdict(report.standings)
        values |= {"standings": shown.pop("table"), "tie_breaks": shown.pop("order"), **shown}
    values |= _match_values(report) | _rating_values(report)
    return values


def _match_values(report: RunReport) -> dict[str, Any]:
    if report.match is None:
        return {}
    one, other = report.match
    values: dict[str, Any] = {
        "match": [one, other],
        "pairs": report.summary.pair_counts(one, other),
        "estimate": estimate_values(report.summary.against(one, other)),
    }
    if report.test is not None:
        sprt = report.test.sprt
        values["sprt"] = {
            "elo0": sprt.elo0,
            "elo1": sprt.elo1,
            "model": sprt.model,
            "bounds": sprt.bounds,
            "llr": number(report.test.llr),
            "decision": report.test.decision,
            "trace": report.test.trace,
        }
    return values


def _rating_values(report: RunReport) -> dict[str, Any]:
    ratings, names = report.ratings, report.summary.names
    if ratings is None or not report.summary.games:
        return {}
    return {
        "ratings": {name: _rating(report.rating(name)) for name in names},
        "groups": report.groups,
        "remarks": report.remarks,
        "first_advantage": _rating(report.first_interval),
        "covariance": {"order": [*names, "first"], "elo": ratings.covariance},
    }


def _rating(found: Interval | None) -> dict[str, float | None]:
    return interval_values(found or Interval(math.nan, math.nan, math.nan))
