"""A report as one page of tables and charts, with links to the files of its games.

Nothing is loaded from anywhere; the page can be mailed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from yoddd.notation.records import GameRecord
from yoddd.pictures.scripts import read_resource
from yoddd.referee.game.terminations import describe_result
from yoddd.referee.reports.charts import histogram, interval_chart, trace_chart
from yoddd.referee.reports.links import game_file, href
from yoddd.referee.reports.progress import spell_error, strength_lines
from yoddd.referee.reports.report import RunReport
from yoddd.referee.tournament.standings import TITLES, Standings

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
        yield _table(report.standings)
    yield from _standing(report)
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


def _standing(report: RunReport) -> Iterator[str]:
    yield from (f"<p>{escape(remark[0].upper() + remark[1:])}.</p>" for remark in report.remarks)
    for group in report.groups:
        for found in group:
            rated = [(name, report.rating(name)) for name in found]
            intervals = {name: rating for name, rating in rated if rating is not None}
            chart = interval_chart(intervals, "Elo ratings")
            if chart:
                yield _figure("Ratings in Elo with 95 % intervals", chart)


def _table(standings: Standings) -> str:
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
