"""Charts as SVG text, without a library: intervals, a trace between two bounds, a histogram."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from yoddd.referee.stats.elo import Interval

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
