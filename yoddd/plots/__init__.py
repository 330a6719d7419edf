"""Beside the daemon: figures by matplotlib (extra ``plot``).

Every function returns a `matplotlib.figure.Figure`; nothing is drawn on a screen. The HTML report
has charts of its own, which need no extra (`yoddd.referee.charts`).
"""

from yoddd.plots.figures import lengths, overview, ratings, trace, winrates

__all__ = ["lengths", "overview", "ratings", "trace", "winrates"]
