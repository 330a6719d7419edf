"""Statistics of games without draws: pairs, Elo, sequential tests and joint ratings."""

from yoddd.referee.stats.elo import Estimate, Interval, Sample, estimate, pair_sample
from yoddd.referee.stats.sprt import Decision, Sprt, SprtError, SprtModel, SprtState, follow

__all__ = [
    "Decision",
    "Estimate",
    "Interval",
    "Sample",
    "Sprt",
    "SprtError",
    "SprtModel",
    "SprtState",
    "estimate",
    "follow",
    "pair_sample",
]
