"""Layer 1: the games, as a plain reference that can be checked against the rules by eye."""

from yoddd.rules.description import DescriptionError
from yoddd.rules.facts import FactError, Facts
from yoddd.rules.game import Game, Option, Rules, RulesError
from yoddd.rules.games import GAMES, add_game, described, find_game, load_game_files, make_rules
from yoddd.rules.position import Position
from yoddd.rules.position_like import (
    CannotUndo,
    GameOver,
    IllegalPosition,
    IllegalTurn,
    PositionLike,
    WrongTotal,
)
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
    "DescriptionError",
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
    "add_game",
    "described",
    "find_game",
    "load_game_files",
    "make_rules",
    "parity_text",
]
