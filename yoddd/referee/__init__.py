"""Layer 5: one game between two participants, its clocks and its termination, and tournaments."""

from yoddd.notation.reasons import Reason
from yoddd.referee.game.clock import NO_LIMIT, Clock, ClockError, TimeControl, parse_clock
from yoddd.referee.game.effects import (
    Ask,
    Call,
    Effect,
    Finished,
    Paused,
    Prompt,
    Release,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
)
from yoddd.referee.game.game import Game, Stage, UnexpectedEvent
from yoddd.referee.game.history import GameError
from yoddd.referee.game.setup import GameSetup, WaitLimits
from yoddd.referee.game.terminations import Termination, forfeit, void, won
from yoddd.referee.seat import Seat
from yoddd.referee.seeds import derive_seed

__all__ = [
    "NO_LIMIT",
    "Ask",
    "Call",
    "Clock",
    "ClockError",
    "Effect",
    "Finished",
    "Game",
    "GameError",
    "GameSetup",
    "Paused",
    "Prompt",
    "Reason",
    "Release",
    "Seat",
    "Stage",
    "Termination",
    "TimeControl",
    "TurnPlayed",
    "TurnsTakenBack",
    "UnexpectedEvent",
    "WaitLimits",
    "WakeAt",
    "derive_seed",
    "forfeit",
    "parse_clock",
    "void",
    "won",
]
