"""Figures of an archive and of a game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from yoddd.referee.measures import Played
from yoddd.referee.reports.report import RunReport
from yoddd.referee.stats.sprt import Decision

mpl.rcParams["text.parse_math"] = False  # names and titles are no formulas

_WIDTH = 8.0  # inches
_HEIGHT = 3.2
_ROW = 0.35
_PANEL = 2.2
_DPI = 150
_BINS = 40
_BLUE, _RED, _GREY = "#2563b5", "#b53a25", "#777777"


def ratings(report: RunReport) -> Figure:
    """Joint ratings of all entrants in Elo with 95 % intervals, the best on top.

    Raises:
        ValueError: no game has a winner.
    """
    figure = _figure(1.2 + _ROW * max(2, len(report.ranking)))
    _ratings(figure.subplots(), report)
    return figure


def trace(report: RunReport) -> Figure:
    """The log likelihood ratio of a run's sequential test after each pair, and its bounds.

    Raises:
        ValueError: there is no test, or no pair yet.
    """
    figure = _figure()
    _trace(figure.subplots(), report)
    return figure


def lengths(report: RunReport) -> Figure:
    """Histogram of the games' lengths in turns.

    Raises:
        ValueError: no game has a winner.
    """
    figure = _figure()
    _lengths(figure.subplots(), report)
    return figure


def overview(report: RunReport) -> Figure:
    """All of these in one figure, the test only if there is one.

    Raises:
        ValueError: no game has a winner.
    """
    draw: list[Callable[[Axes, RunReport], None]] = [_ratings, _lengths]
    if report.test is not None and report.test.trace:
        draw.insert(1, _trace)
    figure = _figure(_HEIGHT * len(draw))
    for axes, one in zip(np.ravel(figure.subplots(len(draw))), draw, strict=True):
        one(axes, report)
    figure.suptitle(_plain(f"{report.title}: {report.summary.games} games"))
    return figure


def winrates(chances: Sequence[float | None], title: str) -> Figure:
    """The winrate before each turn of a game.

    Args:
        chances: of the participant who began as Black, from 0 to 1, before turn 1, 2, … and, last,
            of the finished game; None where unknown.
        title: the title of the figure.

    Raises:
        ValueError: all are unknown.
    """
    known = [(turn, chance) for turn, chance in enumerate(chances, start=1) if chance is not None]
    if not known:
        raise ValueError("no winrate is known")
    figure = _figure()
    axes = figure.subplots()
    turns, values = zip(*known, strict=True)
    axes.axhline(0.5, color=_GREY, linewidth=0.8)
    axes.fill_between(turns, values, 0.5, alpha=0.15, color=_BLUE)
    axes.plot(turns, values, color=_BLUE, marker="o", markersize=3)
    axes.set(xlabel="turn about to be played", ylabel="Black's chance", ylim=(-0.03, 1.03))
    axes.set_title(_plain(title))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def tuning(names: Sequence[str], path: Sequence[Sequence[float]], title: str) -> Figure:
    """The values of tuned parameters after each pair of games.

    Args:
        names: of the parameters.
        path: the values before the first pair and after each, one for each parameter.
        title: the title of the figure.
    """
    figure = _figure(1 + _PANEL * len(names))
    panels = np.ravel(figure.subplots(len(names), sharex=True))
    games = range(0, 2 * len(path), 2)
    for axes, name, values in zip(panels, names, zip(*path, strict=True), strict=True):
        axes.axhline(values[0], color=_GREY, linewidth=0.8, linestyle="--")
        axes.plot(games, values, color=_BLUE)
        axes.annotate(
            f"{values[-1]:.4g}",
            (games[-1], values[-1]),
            textcoords="offset points",
            xytext=(0, 6),
            ha="right",
        )
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
    panels[-1].set(xlabel="games")
    figure.suptitle(_plain(title))
    return figure


def self_play(games: Mapping[str, Sequence[Played]], title: str) -> Figure:
    """Histograms of a game's lengths, and of how late its lead changes, for each way to play it.

    Args:
        games: of the engine against itself, one or more for each way, such as ``with swap``.
        title: the title of the figure.
    """
    figure = _figure(2 * _HEIGHT)
    lengths, changes = figure.subplots(2)
    ways = [_plain(f"{name}: {len(own)} games") for name, own in games.items()]
    turns = [[one.length for one in own] for own in games.values()]
    colours = [_BLUE, _RED][: len(ways)]
    lengths.hist(turns, bins=_edges([n for own in turns for n in own]), color=colours, label=ways)
    lengths.set(xlabel="turns", ylabel="games")
    changes.hist(
        [[one.last_change for one in own] for own in games.values()],
        bins=list(np.linspace(0, 1, 11)),
        color=colours,
    )
    changes.set(xlabel="part of the game after which the lead changes no more", ylabel="games")
    changes.xaxis.set_major_formatter(PercentFormatter(1.0))
    _count_games(lengths, lengths.xaxis, lengths.yaxis)
    _count_games(changes, changes.yaxis)
    lengths.legend()
    figure.suptitle(_plain(title))
    return figure


def _figure(height: float = _HEIGHT) -> Figure:
    return Figure(figsize=(_WIDTH, height), dpi=_DPI, layout="constrained")


def _plain(text: str) -> str:
    """The text as matplotlib draws it literally, and not as mathematics between two dollars."""
    return text.replace("$", r"\$")


def _ratings(axes: Axes, report: RunReport) -> None:
    if not report.summary.games:
        raise ValueError("no game has a winner")
    classes = [found[::-1] for group in report.groups for found in group][::-1]
    ranking = [name for found in classes for name in found]
    rated = [(row, one) for row, name in enumerate(ranking) if (one := report.rating(name))]
    errors = np.array([[one.value - one.low, one.high - one.value] for _, one in rated])
    values, rows = [one.value for _, one in rated], [row for row, _ in rated]
    axes.errorbar(values, rows, xerr=errors.reshape(-1, 2).T, fmt="o", color=_BLUE, capsize=4)
    for row in list(accumulate(map(len, classes)))[:-1]:
        axes.axhline(row - 0.5, color=_GREY, linewidth=0.8, linestyle="--")
    if len(classes) > 1:
        axes.set_title("no ratings compare the entrants on two sides of a dashed line")
    axes.set_yticks(range(len(ranking)), [*map(_plain, ranking)])
    axes.set(xlabel="Elo, with 95 % intervals", ylim=(-0.6, len(ranking) - 0.4))
    axes.grid(axis="x", alpha=0.3)


def _trace(axes: Axes, report: RunReport) -> None:
    test = report.test
    if test is None or not test.trace:
        raise ValueError("there is no test with a pair")
    axes.plot(range(len(test.trace) + 1), [0.0, *test.trace], color=_BLUE)
    for bound, name in zip(test.sprt.bounds, ("H0", "H1"), strict=True):
        axes.axhline(bound, color=_RED, linestyle="--", linewidth=1)
        axes.annotate(name, (0, bound), textcoords="offset points", xytext=(2, 3), color=_RED)
    is_open = test.decision is Decision.CONTINUE
    verdict = "undecided" if is_open else f"{test.decision} accepted"
    axes.set(xlabel="pairs", ylabel="LLR", title=verdict)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)


def _lengths(axes: Axes, report: RunReport) -> None:
    counts = report.summary.lengths
    if not counts:
        raise ValueError("no game has a winner")
    axes.hist(
        list(counts), weights=list(counts.values()), bins=_edges(counts), color=_BLUE, rwidth=0.9
    )
    axes.set(xlabel="turns", ylabel="games")
    _count_games(axes, axes.xaxis, axes.yaxis)


def _count_games(axes: Axes, *whole: Axis) -> None:
    """Lay lines behind a histogram; these of its axes have whole numbers."""
    for axis in whole:
        axis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def _edges(lengths: Collection[int]) -> list[float]:
    """The edges of a histogram's bars, at most _BINS, around numbers of turns."""
    low, high = min(lengths), max(lengths)
    step = (high - low) // _BINS + 1
    return list(np.arange(low, high + step + 1, step) - 0.5)
