"""The design report as one HTML page. It loads nothing; the same report gives the same page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

import yoddd
from yoddd.design.plan import Plan
from yoddd.design.report import DECIDED, DesignReport, MirrorResult
from yoddd.design.selfplay import RANDOM
from yoddd.kernel import best_position
from yoddd.library.puzzles import Puzzle
from yoddd.pictures import Coordinates, Style, draw
from yoddd.referee.charts import histogram, interval_chart, line_chart
from yoddd.referee.replays import replay_of, replays_html, style_sheet
from yoddd.referee.stats.elo import Interval
from yoddd.rules import Colour, Rules, Turn

_MORE_STYLE: Final = """
.boards{display:flex;flex-wrap:wrap;gap:1rem}.boards figure{flex:1 1 16rem;margin:0}
.boards figure svg{min-width:0}td.name{white-space:normal}
"""

_LOW: Final = (0x4F, 0x7F, 0xC9)
_MIDDLE: Final = (0xF4, 0xEF, 0xE4)
_HIGH: Final = (0xD9, 0x6B, 0x4A)


def design_html(report: DesignReport, puzzles: Sequence[Puzzle]) -> str:
    """The page.

    Args:
        report: of the game.
        puzzles: positions to show.
    """
    rules = report.plan.rules
    title = escape(" ".join([rules.game.title, "on", rules.geometry.name, *_options(rules)]))
    start = best_position()(rules)
    replays = [
        replay_of(name, f"{len(game.turns)} turns, {game.score}", start, game.turns)
        for name, game in report.samples.items()
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}: design report</title><style>{style_sheet()}{_MORE_STYLE}</style></head>"
        f"<body><main><h1>{title}: design report</h1>{''.join(_sections(report, puzzles))}"
        f"</main>{replays_html(replays)}</body></html>\n"
    )


def _options(rules: Rules) -> Iterator[str]:
    for name, text in rules.chosen_options().items():
        yield f"{name}={text}"


def _sections(report: DesignReport, puzzles: Sequence[Puzzle]) -> Iterator[str]:
    plan = report.plan
    yield (
        f"<p>{plan.games} games of the engine against itself with {plan.playouts} playouts a turn, "
        f"and {len(plan.tasks) - plan.games} other games and searches, by yoddd "
        f"{yoddd.__version__}: <code>{escape(_command(plan))}</code>. Intervals are 95 % "
        "intervals.</p>"
    )
    yield _summary(report)
    yield _fairness(report)
    yield _skill(report)
    yield _course(report)
    yield _board(report)
    yield _mirrors(report.mirrors)
    yield _games(report)
    yield _puzzles(puzzles)


def _command(plan: Plan) -> str:
    """The command that makes the same page."""
    rules = plan.rules
    words = ["yoddd", "report", f"{rules.game.name}@{rules.geometry.name}"]
    words += [word for option in _options(rules) for word in ("--option", option)]
    words += ["--games", str(plan.games), "--playouts", str(plan.playouts)]
    return shlex.join([*words, "--seed", str(plan.seed)])


def _summary(report: DesignReport) -> str:
    first = report.first[report.plan.playouts]
    lengths = [turns for turns, games in report.lengths.items() for _ in range(games)]
    cards = {
        "the first player wins": _percent(first),
        "after the best choice of a first turn and a swap": f"{report.pie:.0%}",
        "60 % steps from random play": f"{report.steps:.1f}",
        "turns a game": f"{sum(lengths) / len(lengths):.1f}",
        "legal turns": f"{sum(report.branching) / len(report.branching):.0f}",
        "changes of the lead a game": f"{report.lead_changes:.1f}",
        "drama": f"{report.drama:.2f}",
        "decided after": f"{report.decided:.0%} of the game",
    }
    items = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in cards.items())
    return f"<h2>In short</h2><dl class=cards>{items}</dl>"


def _percent(share: Interval) -> str:
    return f"{share.value:.0%} ({share.low:.0%} to {share.high:.0%})"


def _strength(playouts: int) -> str:
    return "random" if playouts == RANDOM else f"{playouts} playouts"


def _figure(caption: str, picture: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{picture}</figure>"


# -- strength -------------------------------------------------------------------------------


def _fairness(report: DesignReport) -> str:
    shares = {
        _strength(strength): Interval(*(100 * v for v in (one.value, one.low, one.high)))
        for strength, one in report.first.items()
    }
    pie = (
        f"<p>If the participant who begins chooses the most even first turn and the other one may "
        f"then exchange colours, the one who begins wins {report.pie:.0%} by the judgement of the "
        "searches below.</p>"
    )
    caption = "Games won by the participant who begins, in per cent, by strength"
    return f"<h2>Fairness</h2>{_figure(caption, interval_chart(shares, caption))}{pie}"


def _skill(report: DesignReport) -> str:
    ladder = {_strength(strength): one for strength, one in report.ladder.items()}
    caption = "Elo above random play"
    return (
        f"<h2>Skill</h2>{_figure(caption, interval_chart(ladder, caption))}"
        f"<p>{report.steps:.1f} steps lead from random play to the strongest search here, each of "
        "which wins 60 % of its games against the one below.</p>"
    )


# -- the course of a game -------------------------------------------------------------------


def _course(report: DesignReport) -> str:
    lengths = report.lengths
    caption, by_turn = "Games by number of turns", "Legal turns before turn 1, 2, …"
    by_length = _figure(caption, histogram(lengths, caption)) if len(lengths) > 1 else ""
    shortest = "not known" if report.shortest is None else f"{report.shortest} turns"
    rows = {
        "Shortest game that the rules allow": shortest,
        "Shortest and longest game played": f"{min(lengths)} and {max(lengths)} turns",
        "Lead changes, in relation to the turns": f"{report.lead_change_rate:.0%}",
        "Games won from behind in their second half": f"{report.from_behind:.0%}",
        "Drama": f"{report.drama:.2f}",
        "Decided after": f"{report.decided:.0%} of the game",
    }
    table = "".join(
        f"<tr><th class=name>{name}</th><td class=name>{text}</td></tr>"
        for name, text in rows.items()
    )
    return (
        f"<h2>The course of a game</h2>{by_length}"
        f"{_figure(by_turn, line_chart(report.branching, by_turn))}"
        f"<table><tbody>{table}</tbody></table>"
        "<p>The lead is that of the search before each turn. Drama is the mean root of the "
        "winner's deficit over the turns at which the winner was behind (0: never behind, 1: lost "
        "for certain until the end). A game is decided once the winner's chance stays above "
        f"{DECIDED:.0%}.</p>"
    )


def _games(report: DesignReport) -> str:
    rows = "".join(
        f'<tr><td><a href="#viewer" data-game="{place}">{escape(name)}</a></td>'
        f"<td>{len(game.turns)}</td><td>{escape(game.score)}</td></tr>"
        for place, (name, game) in enumerate(report.samples.items())
    )
    return (
        "<h2>Sample games</h2><p>Choose a game; arrow keys step through its turns.</p>"
        '<div id="viewer" hidden></div>'
        "<table><thead><tr><th class=name>game</th><th>turns</th><th>result</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


# -- the board ------------------------------------------------------------------------------


def _board(report: DesignReport) -> str:
    rules = report.plan.rules
    chances = [
        _figure(
            f"First stone {colour.title.lower()}: chance of the one who begins, in per cent",
            _heat(_of_colour(report.first_turns, colour), rules, 0.5),
        )
        for colour in Colour
        if _of_colour(report.first_turns, colour)
    ]
    ends = [
        _figure(
            "Games in which the cell ends black, in per cent",
            _heat(dict(enumerate(report.black)), rules, 0.5),
        ),
        _figure(
            "By how much that is more where Black has won",
            _heat(dict(enumerate(report.winning)), rules, 0.0),
        ),
    ]
    return (
        f"<h2>First turns</h2><div class=boards>{''.join(chances)}</div>"
        f"<h2>Cells</h2><div class=boards>{''.join(ends)}</div>"
    )


def _of_colour(rates: Mapping[Turn, float], colour: Colour) -> dict[int, float]:
    return {
        turn.stones[0].cell: rate for turn, rate in rates.items() if turn.stones[0].colour is colour
    }


def _heat(values: Mapping[int, float], rules: Rules, middle: float) -> str:
    """A board with a number on each cell, coloured by its distance from the middle."""
    reach = max((abs(value - middle) for value in values.values()), default=0.0) or 1.0
    style = Style(
        coordinates=Coordinates.NONE,
        shades={cell: _shade((value - middle) / reach) for cell, value in values.items()},
        marks={cell: f"{100 * value:.0f}" for cell, value in values.items()},
    )
    return draw(best_position()(rules), style=style)


def _shade(value: float) -> str:
    """A colour for a value from -1 (blue) over 0 (pale) to 1 (red)."""
    end = _HIGH if value > 0 else _LOW
    mixed = (round(m + abs(value) * (e - m)) for m, e in zip(_MIDDLE, end, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


# -- mirrors and puzzles --------------------------------------------------------------------


def _mirrors(mirrors: Sequence[MirrorResult]) -> str:
    rows = "".join(
        f"<tr><td class=name>{one.mirror.title}</td><td>{'first' if one.first else 'second'}</td>"
        f"<td>{_percent(one.won)}</td><td>{one.copied:.0%}</td></tr>"
        for one in mirrors
    )
    return (
        "<h2>Mirrors</h2><p>A player who copies the opponent's turn wherever that is legal, and "
        "plays as the engine elsewhere, against the engine.</p><div class=wide><table><thead><tr>"
        "<th class=name>copy</th><th>seat</th><th>won</th><th>copies</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _puzzles(puzzles: Sequence[Puzzle]) -> str:
    if not puzzles:
        return "<h2>Puzzles</h2><p>None was found in the first games.</p>"
    boards = "".join(map(_puzzle, puzzles))
    return f"<h2>Puzzles</h2><div class=boards>{boards}</div>"


def _puzzle(puzzle: Puzzle) -> str:
    position = puzzle.start()
    caption = f"{position.player.title} to win; {puzzle.distance} turns to the end"
    solution = f"<details><summary>Solution</summary>{escape(' or '.join(puzzle.turns))}</details>"
    return f"<figure><figcaption>{caption}</figcaption>{draw(position)}{solution}</figure>"
