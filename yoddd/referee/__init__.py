"""Floor 5: one game between two engines, its clocks and the law of its ending, and matches."""

from yoddd.referee.clock import NO_LIMIT, Clock, ClockError, TimeControl, parse_clock
from yoddd.referee.effects import Ask, Effect, Finished, TurnPlayed, WakeAt
from yoddd.referee.game import Game, GameError, Stage, UnexpectedEvent
from yoddd.referee.law import LAW, Blame, Clause, Ending, Reason, Seat, forfeit, void, won
from yoddd.referee.match import Match, MatchError, MatchPlan, Pairing
from yoddd.referee.seeds import derive_seed
from yoddd.referee.setup import DEFAULT_LIMITS, Adjudicator, GameSetup, Limits

__all__ = [
    "DEFAULT_LIMITS",
    "LAW",
    "NO_LIMIT",
    "Adjudicator",
    "Ask",
    "Blame",
    "Clause",
    "Clock",
    "ClockError",
    "Effect",
    "Ending",
    "Finished",
    "Game",
    "GameError",
    "GameSetup",
    "Limits",
    "Match",
    "MatchError",
    "MatchPlan",
    "Pairing",
    "Reason",
    "Seat",
    "Stage",
    "TimeControl",
    "TurnPlayed",
    "UnexpectedEvent",
    "WakeAt",
    "derive_seed",
    "forfeit",
    "parse_clock",
    "void",
    "won",
]
