"""Reference rules, protocol daemon, engine and match referee for Yodd, Xodd, Odd, Yoin and Product.

What is named here is the library for other programs. It is imported when it is first used, so that
``import yoddd`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from yoddd.board import BoardError, Geometry, Shape, geometry
    from yoddd.client import EngineFailure, EngineRefusal, Limit, SimpleEngine
    from yoddd.library import ActionSpace, Board, GameType, State, load_game
    from yoddd.notation import GameRecord, NotationError
    from yoddd.rules import (
        GAMES,
        PASS,
        RESIGN,
        SWAP,
        CannotUndo,
        Colour,
        Group,
        IllegalPosition,
        IllegalTurn,
        Outcome,
        Rules,
        RulesError,
        Stone,
        Turn,
        TurnKind,
        make_rules,
    )

__version__ = "0.2.0"

_HOMES: Final = {
    "yoddd.board": ("BoardError", "Geometry", "Shape", "geometry"),
    "yoddd.client": ("EngineFailure", "EngineRefusal", "Limit", "SimpleEngine"),
    "yoddd.library": ("ActionSpace", "Board", "GameType", "State", "load_game"),
    "yoddd.notation": ("GameRecord", "NotationError"),
    "yoddd.rules": (
        "GAMES",
        "PASS",
        "RESIGN",
        "SWAP",
        "CannotUndo",
        "Colour",
        "Group",
        "IllegalPosition",
        "IllegalTurn",
        "Outcome",
        "Rules",
        "RulesError",
        "Stone",
        "Turn",
        "TurnKind",
        "make_rules",
    ),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "GAMES",
    "PASS",
    "RESIGN",
    "SWAP",
    "ActionSpace",
    "Board",
    "BoardError",
    "CannotUndo",
    "Colour",
    "EngineFailure",
    "EngineRefusal",
    "GameRecord",
    "GameType",
    "Geometry",
    "Group",
    "IllegalPosition",
    "IllegalTurn",
    "Limit",
    "NotationError",
    "Outcome",
    "Rules",
    "RulesError",
    "Shape",
    "SimpleEngine",
    "State",
    "Stone",
    "Turn",
    "TurnKind",
    "__version__",
    "geometry",
    "load_game",
    "make_rules",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        from yoddd.suggestions import missing

        raise missing("module 'yoddd'", name)
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
