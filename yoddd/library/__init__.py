"""The library for programs: a board to play on, an action space to learn on, an environment."""

from yoddd.library.actions import ActionSpace
from yoddd.library.board import Board, LegalTurns
from yoddd.library.state import GameType, State, load_game

__all__ = ["ActionSpace", "Board", "GameType", "LegalTurns", "State", "load_game"]
