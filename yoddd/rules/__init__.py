"""Layer 1: the games, as a plain reference that can be checked against the rules by eye."""

from yoddd.rules.errors import CannotUndo, GameOver, IllegalPosition, IllegalTurn, WrongTotal
from yoddd.rules.facts import FactError, Facts
from yoddd.rules.game import Game, Option, Rules, RulesError
from yoddd.rules.games import GAMES, make_rules
from yoddd.rules.position import Position
from yoddd.rules.position_like import PositionLike
from yoddd.rules.values import (
    PASS,
    RESIGN,
    SWAP,
    Colour,
    Group,
    LegalTurn,
    Outcome,
    Stone,
    Turn,
    TurnKind,
    parity_text,
)

__all__ = [
    "GAMES",
    "PASS",
    "RESIGN",
    "SWAP",
    "CannotUndo",
    "Colour",
    "FactError",
    "Facts",
    "Game",
    "GameOver",
    "Group",
    "IllegalPosition",
    "IllegalTurn",
    "LegalTurn",
    "Option",
    "Outcome",
    "Position",
    "PositionLike",
    "Rules",
    "RulesError",
    "Stone",
    "Turn",
    "TurnKind",
    "WrongTotal",
    "make_rules",
    "parity_text",
]
