"""Reports as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import attrs

from yoddd.referee.progress import (
    estimate_values,
    interval_values,
    number,
    spell_error,
    spell_share,
    strength_lines,
)
from yoddd.referee.report import RunReport
from yoddd.referee.standings import TITLES, Standings
from yoddd.referee.stats.elo import Interval
from yoddd.referee.stats.summary import EntrantSums


def report_text(report: RunReport) -> str:
    """A report as text."""
    return "\n".join([*_lines(report), ""])


def _lines(report: RunReport) -> Iterator[str]:
    summary = report.summary
    planned = f" of {report.games}" if report.games is not None else ""
    yield f"{report.title}: {summary.games}{planned} games"
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
    yield from _game_lines(report)
    yield ""
    yield from _entrant_lines(report)


def standing_lines(standings: Standings) -> Iterator[str]:
    """The table with its tie-breaks, the bracket of a knockout, and the champion."""
    width = max(len(one.name) for one in standings.table)
    titles = "".join(f"  {TITLES[name]:>16}" for name in standings.order)
    yield f"{'':>4} {'':<{width}}  points  games{titles}"
    for entry in standings.table:
        breaks = "".join(f"  {getattr(entry, name):>16}" for name in standings.order)
        yield f"{entry.place:3}. {entry.name:<{width}}  {entry.points:6}  {entry.games:5}{breaks}"
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
    yield f"{one} {summary.won_against(one, other)} - {summary.won_against(other, one)} {other}"
    if found is not None:
        yield from strength_lines(found)
    counts = summary.pair_counts(one, other)
    yield f"pairs (both lost, one each, both won): {', '.join(map(str, counts))}"
    if report.sprt is not None and report.state is not None:
        lower, upper = report.sprt.bounds
        yield f"LLR {report.state.llr:.2f} ({lower:.2f}, {upper:.2f}): {report.state.decision}"


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
    won, lost = report.summary.won_against(name, other), report.summary.won_against(other, name)
    return f"{won}-{lost}" if won + lost else ""


def _game_lines(report: RunReport) -> Iterator[str]:
    summary = report.summary
    first = summary.first_advantage
    if first is not None:
        yield f"black won {spell_share(first.score)}"
    if summary.swap_rate is not None:
        yield f"pie rule: swapped in {spell_share(summary.swap_rate)}"
    turns = sorted(summary.lengths.elements())
    yield f"turns: {turns[0]} to {turns[-1]}, median {turns[len(turns) // 2]}"
    endings = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.most_common())
    yield f"endings: {endings}"


def _entrant_lines(report: RunReport) -> Iterator[str]:
    for name in report.ranking:
        entrant = report.summary.entrants[name]
        mean = entrant.seconds / entrant.turns if entrant.turns else 0.0
        faults = ", ".join(f"{reason} {count}" for reason, count in entrant.forfeits.items())
        yield (
            f"{name}: {mean:.3f} s per turn, slowest {entrant.slowest:.3f} s, "
            f"forfeits: {faults or 'none'}"
        )


# -- JSON -------- ---------------------------------------------------------------------------


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
        "entrants": [_entrant_values(report, name) for name in report.ranking],
        "crosstable": {
            name: {other: summary.won_against(name, other) for other in summary.names}
            for name in summary.names
        },
    }
    if report.standings is not None:
        values["standings"] = [attrs.asdict(one) for one in report.standings.table]
        values["tie_breaks"] = [*report.standings.order]
        values["bracket"] = [attrs.asdict(one) for one in report.standings.bracket]
        values["champion"] = report.standings.champion
    values |= _match_values(report) | _rating_values(report)
    return values


def _entrant_values(report: RunReport, name: str) -> dict[str, Any]:
    entrant: EntrantSums = report.summary.entrants[name]
    return {
        "name": name,
        "won": entrant.won,
        "lost": entrant.lost,
        "forfeits": dict(entrant.forfeits),
        "seconds": entrant.seconds,
        "turns": entrant.turns,
        "slowest": entrant.slowest,
    }


def _match_values(report: RunReport) -> dict[str, Any]:
    if report.match is None:
        return {}
    one, other = report.match
    values: dict[str, Any] = {
        "match": [one, other],
        "pairs": report.summary.pair_counts(one, other),
        "estimate": estimate_values(report.summary.against(one, other)),
    }
    if report.sprt is not None and report.state is not None:
        values["sprt"] = {
            "elo0": report.sprt.elo0,
            "elo1": report.sprt.elo1,
            "model": report.sprt.model,
            "bounds": report.sprt.bounds,
            "llr": number(report.state.llr),
            "decision": report.state.decision,
            "trace": report.state.trace,
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
