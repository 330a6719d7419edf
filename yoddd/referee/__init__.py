"""Layer 5: one game between two participants, its clocks and its termination, and tournaments."""

from yoddd.referee.clock import NO_LIMIT, Clock, ClockError, TimeControl, parse_clock
from yoddd.referee.effects import (
    Ask,
    Effect,
    Finished,
    Prompt,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
)
from yoddd.referee.game import Game, Stage, UnexpectedEvent
from yoddd.referee.game_history import GameError
from yoddd.referee.game_setup import GameSetup, WaitLimits
from yoddd.referee.seat import Seat
from yoddd.referee.seeds import derive_seed
from yoddd.referee.terminations import (
    TERMINATIONS,
    Reason,
    Termination,
    forfeit,
    void,
    won,
)

__all__ = [
    "NO_LIMIT",
    "TERMINATIONS",
    "Ask",
    "Clock",
    "ClockError",
    "Effect",
    "Finished",
    "Game",
    "GameError",
    "GameSetup",
    "Prompt",
    "Reason",
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
