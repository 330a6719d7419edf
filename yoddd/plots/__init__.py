"""Figures by matplotlib (extra ``plot``).

Every function returns a `matplotlib.figure.Figure` and needs no display. The HTML report has its
own charts, which need no extra (`yoddd.referee.reports.html`).
"""

from yoddd.extras import needs_extra

with needs_extra("yoddd.plots", "plot"):
    from yoddd.plots.figures import lengths, overview, ratings, self_play, trace, tuning, winrates

__all__ = ["lengths", "overview", "ratings", "self_play", "trace", "tuning", "winrates"]
