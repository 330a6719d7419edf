"""A report as one page of tables and charts, with links to the files of its games.

Nothing is loaded from anywhere; the page can be mailed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from yoddd.notation.records import GameRecord
from yoddd.pictures.scripts import read_resource
from yoddd.referee.game.terminations import describe_result
from yoddd.referee.reports.links import game_file, href
from yoddd.referee.reports.progress import spell_error, strength_lines
from yoddd.referee.reports.report import RunReport
from yoddd.referee.stats.elo import Interval
from yoddd.referee.tournament.standings import TITLES, Standings

_WIDTH: Final = 720
_LEFT: Final = 150
_INDENT: Final = 60
_RIGHT: Final = 20
_ROW: Final = 28
_HEIGHT: Final = 220
_BINS: Final = 40
_POINTS: Final = 2000
_TICKS: Final = 6


def _svg(height: float, parts: Iterable[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


class _Scale:
    """The scale of an axis."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        margin = (high - low) * 0.05 or 1.0
        self.low, self.high = low - margin, high + margin
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        """A few round values."""
        span = self.high - self.low
        step = 10 ** math.floor(math.log10(span / _TICKS))
        step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= _TICKS)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step) + 1)]


def interval_chart(intervals: Mapping[str, Interval], label: str) -> str:
    """A row for each name: its value and its interval, as far as they are finite."""
    shown = {name: one for name, one in intervals.items() if math.isfinite(one.value)}
    ends = [e for one in shown.values() for e in (one.low, one.value, one.high) if math.isfinite(e)]
    if not ends:
        return ""
    scale = _Scale(min(ends), max(ends), _LEFT, _WIDTH - _RIGHT)
    height = _ROW * (len(shown) + 1.5)
    parts = []
    for tick in scale.ticks():
        parts.append(
            _line(scale(tick), 8, scale(tick), height - _ROW, "zero" if not tick else "grid")
        )
        parts.append(_text(scale(tick), height - 10, f"{tick:g}"))
    for row, (name, one) in enumerate(shown.items()):
        y = _ROW * (row + 0.8)
        low, high = max(one.low, scale.low), min(one.high, scale.high)
        title = (
            f"<title>{escape(name)}: {one.value:+.1f} ({one.low:+.1f} to {one.high:+.1f})</title>"
        )
        marks = [_line(scale(low), y, scale(high), y, "whisker")]
        marks.append(f'<circle class="dot" cx="{scale(one.value):.1f}" cy="{y:.1f}" r="5"/>')
        parts.append(f"<g>{title}{''.join(marks)}</g>")
        parts.append(_text(_LEFT - 12, y + 4, _shorten(name), "end"))
    return _svg(height, parts, label)


def trace_chart(trace: Sequence[float], bounds: tuple[float, float], label: str) -> str:
    """A line between two bounds; long traces are thinned out."""
    if not trace:
        return ""
    lower, upper = bounds
    low, high = min(lower, *trace), max(upper, *trace)
    across = _Scale(0, len(trace), _INDENT, _WIDTH - _RIGHT)
    up = _Scale(low, high, _HEIGHT - 30, 10)
    step = max(1, len(trace) // _POINTS)
    points = [(0, 0.0), *((n, trace[n - 1]) for n in range(step, len(trace) + 1, step))]
    if points[-1][0] != len(trace):
        points.append((len(trace), trace[-1]))
    path = " ".join(f"{across(n):.1f},{up(value):.1f}" for n, value in points)
    parts = [
        *_levels(up),
        _line(_INDENT, up(lower), _WIDTH - _RIGHT, up(lower), "bound"),
        _line(_INDENT, up(upper), _WIDTH - _RIGHT, up(upper), "bound"),
        _text(_WIDTH - _RIGHT, up(upper) - 5, "H1", "end"),
        _text(_WIDTH - _RIGHT, up(lower) - 5, "H0", "end"),
        f'<polyline class="trace" points="{path}"/>',
        *(_text(across(t), _HEIGHT - 10, f"{t:g}") for t in across.ticks() if t >= 0),
    ]
    return _svg(_HEIGHT, parts, label)


def _levels(up: _Scale) -> Iterator[str]:
    """The lines across a chart, with their values."""
    for tick in up.ticks():
        yield _line(_INDENT, up(tick), _WIDTH - _RIGHT, up(tick), "grid")
        yield _text(_INDENT - 8, up(tick) + 4, f"{tick:g}", "end")


def histogram(counts: Mapping[int, int], label: str) -> str:
    """The frequency of each whole number; neighbours share a bar where there are many."""
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    width = (high - low) // _BINS + 1
    bins = [0] * ((high - low) // width + 1)
    for value, count in counts.items():
        bins[(value - low) // width] += count
    left, base = float(_INDENT), _HEIGHT - 30.0
    bar = (_WIDTH - _RIGHT - left) / len(bins)
    up = _Scale(0, max(bins), base, 10)
    parts = [
        _line(left, up(tick), _WIDTH - _RIGHT, up(tick), "grid") for tick in up.ticks() if tick >= 0
    ]
    parts += [
        _text(left - 8, up(t) + 4, f"{t:g}", "end") for t in up.ticks() if t >= 0 and t == int(t)
    ]
    every = max(1, len(bins) // 12)
    for place, count in enumerate(bins):
        first, last = low + place * width, low + (place + 1) * width - 1
        span = str(first) if width == 1 else f"{first} to {last}"
        x, y = left + place * bar, up(count)
        parts.append(
            f'<rect class="bar" x="{x + 1:.1f}" y="{y:.1f}" width="{max(1.0, bar - 2):.1f}" '
            f'height="{max(0.0, up(0) - y):.1f}"><title>{span}: {count}</title></rect>'
        )
        if place % every == 0:
            parts.append(_text(x + bar / 2, _HEIGHT - 10, str(first)))
    return _svg(_HEIGHT, parts, label)


def _shorten(name: str, most: int = 18) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


_PERCENT: Final = 100
_LEANING: Final = 0.15
"""The distance from one half at which a cell of the crosstable has its full colour."""


def report_html(report: RunReport) -> str:
    """The page."""
    title = escape(report.title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{read_resource('referee/reports/report.css')}</style></head><body><main>"
        f"<h1>{title}</h1>{''.join(_sections(report))}</main></body></html>\n"
    )


def _sections(report: RunReport) -> Iterator[str]:
    summary = report.summary
    void = f", {summary.voids} void" if summary.voids else ""
    yield f"<p>{report.heading}{void}.</p>"
    yield from (f"<p>Not counted: {escape(problem)}.</p>" for problem in report.problems)
    if summary.games:
        yield from _results(report)
    if report.conditions:
        yield _rows("Conditions", report.conditions)
    if summary.games:
        yield _games(report)


def _results(report: RunReport) -> Iterator[str]:
    summary = report.summary
    yield from _match(report)
    if report.standings is not None:
        yield _standings(report.standings)
    yield from _ratings(report)
    yield _crosstable(report)
    test = report.test
    if test is not None:
        chart = trace_chart(test.trace, test.sprt.bounds, "LLR after each pair")
        if chart:
            yield _figure(f"LLR after each pair: {test}, {test.decision}", chart)
    yield _figure("Turns per game", histogram(summary.lengths, "Games by number of turns"))
    yield _facts(report)


def _figure(caption: str, chart: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{chart}</figure>"


def _match(report: RunReport) -> Iterator[str]:
    if report.match is None:
        return
    one, other = report.match
    summary = report.summary
    found = summary.against(one, other)
    if found is None:
        return
    cards = {
        "score": "{} - {}".format(*report.score(one, other)),
        "strength": "<br>".join(strength_lines(found)).replace("+/-", "±"),
        "pairs lost, split, won": " / ".join(map(str, summary.pair_counts(one, other))),
    }
    items = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in cards.items())
    yield f"<h2>{escape(one)} against {escape(other)}</h2><dl class=cards>{items}</dl>"


def _ratings(report: RunReport) -> Iterator[str]:
    yield from (f"<p>{escape(remark[0].upper() + remark[1:])}.</p>" for remark in report.remarks)
    for group in report.groups:
        for found in group:
            rated = [(name, report.rating(name)) for name in found]
            intervals = {name: rating for name, rating in rated if rating is not None}
            chart = interval_chart(intervals, "Elo ratings")
            if chart:
                yield _figure("Ratings in Elo with 95 % intervals", chart)


def _standings(standings: Standings) -> str:
    heads = "".join(f"<th>{TITLES[name]}</th>" for name in standings.columns)
    rows = "".join(
        f"<tr><th>{one.place}</th><th class=name>{escape(one.name)}</th>"
        + "".join(f"<td>{getattr(one, name)}</td>" for name in standings.columns)
        + "</tr>"
        for one in standings.table
    )
    champion = f"<p>Champion: {escape(standings.champion)}</p>" if standings.champion else ""
    return (
        f"<h2>Standings</h2>{champion}<div class=wide><table><thead><tr><th></th><th></th>"
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"{_bracket(standings)}"
    )


def _bracket(standings: Standings) -> str:
    """The rounds of a knockout side by side."""
    rounds: dict[int, list[str]] = {}
    for encounter in standings.bracket:
        sides = "".join(
            f"<div>{'<b>' if name == encounter.winner else ''}{escape(name)} {won}"
            f"{'</b>' if name == encounter.winner else ''}</div>"
            for name, won in zip(encounter.names, encounter.won, strict=True)
        )
        rounds.setdefault(encounter.round, []).append(f"<div class=meeting>{sides}</div>")
    if not rounds:
        return ""
    columns = "".join(
        f"<div class=round><h3>Round {number}</h3>{''.join(meetings)}</div>"
        for number, meetings in sorted(rounds.items())
    )
    return f"<h2>Bracket</h2><div class='wide bracket'>{columns}</div>"


def _crosstable(report: RunReport) -> str:
    ranking = report.ranking
    numbers = "".join(f"<th>{place}</th>" for place in range(1, len(ranking) + 1))
    head = f"<th>Elo</th>{numbers}"
    rows = []
    for place, name in enumerate(ranking, start=1):
        entrant = report.summary.entrants[name]
        cells = "".join(_cell(report, name, other) for other in ranking)
        rows.append(
            f"<tr><th>{place}</th><th class=name>{escape(name)}</th>"
            f"<td>{entrant.won}</td><td>{entrant.lost}</td>{_elo(report, name)}{cells}</tr>"
        )
    return (
        f"<h2>Crosstable</h2><div class=wide><table><thead><tr><th></th><th></th><th>won</th>"
        f"<th>lost</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _elo(report: RunReport, name: str) -> str:
    rating = report.rating(name)
    return f"<td>{'' if rating is None else spell_error(rating).replace('+/-', '±')}</td>"


def _cell(report: RunReport, name: str, other: str) -> str:
    won, lost = report.score(name, other)
    if name == other or not won + lost:
        return "<td class=empty></td>"
    lean = won / (won + lost) - 0.5
    strength = min(1.0, abs(lean) / _LEANING) * 0.35
    tone = "var(--good)" if lean > 0 else "var(--bad)"
    style = f"background:color-mix(in srgb,{tone} {_PERCENT * strength:.0f}%,transparent)"
    return f'<td style="{style}">{won}-{lost}</td>'


def _facts(report: RunReport) -> str:
    games, entrants = report.figures
    if report.first_interval is not None:
        advantage = spell_error(report.first_interval).replace("+/-", "±")
        games.insert(1, ("first-move advantage", f"{advantage} Elo"))
    rows = [(name[0].upper() + name[1:].rstrip(":"), text) for name, text in games]
    return _rows("Games", [*rows, *((name[:-1], text) for name, text in entrants)])


def _rows(title: str, rows: Iterable[tuple[str, str]]) -> str:
    body = "".join(
        f"<tr><th class=name>{escape(name)}</th><td class=name>{escape(text)}</td></tr>"
        for name, text in rows
    )
    return f"<h2>{title}</h2><table><tbody>{body}</tbody></table>"


def _games(report: RunReport) -> str:
    if not report.recent:
        return ""
    rows = "".join(map(_game_row, report.recent))
    return (
        f"<h2>Last {len(report.recent)} games</h2><p>Each game of the run is an SGF file beside "
        "this page. <code>yoddd review GAME.sgf --out game.html</code> writes a page that plays "
        "it over on a board and judges every turn.</p>"
        "<div class=wide><table><thead><tr><th>game</th><th class=name>Black</th>"
        "<th class=name>White</th><th class=name>result</th><th>turns</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _game_row(record: GameRecord) -> str:
    return (
        f"<tr><td><a {href(game_file(record.id))}>{escape(record.id)}</a></td>"
        f"<td class=name>{escape(record.black)}</td><td class=name>{escape(record.white)}</td>"
        f'<td class=name title="{escape(record.detail)}">{escape(describe_result(record))}</td>'
        f"<td>{len(record.turns)}</td></tr>"
    )
