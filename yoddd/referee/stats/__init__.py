"""Statistics of games without draws: pairs, Elo, sequential tests and joint ratings.

Not imported by the rest of the room, so that a referee of one game does not pay for scipy.
"""

from yoddd.referee.stats.elo import Estimate, Interval, Sample, estimate, pair_sample
from yoddd.referee.stats.ratings import Bout, Ratings, rate_entrants
from yoddd.referee.stats.sprt import Decision, Sprt, SprtError, SprtModel, SprtState, follow

__all__ = [
    "Bout",
    "Decision",
    "Estimate",
    "Interval",
    "Ratings",
    "Sample",
    "Sprt",
    "SprtError",
    "SprtModel",
    "SprtState",
    "estimate",
    "follow",
    "pair_sample",
    "rate_entrants",
]
