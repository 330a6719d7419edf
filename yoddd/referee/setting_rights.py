"""The table of who may set what in a match that a daemon plays.

It has every key of a tournament, see `yoddd.referee.config`. What a peer may set are words of the
``match`` request; what the program that asks for the match may set, it applies itself. Everything
else is for runs, which play in their own process.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from yoddd.referee.config import ConfigError, EngineConfig, TournamentConfig


class Setter(enum.Enum):
    """The parties that may set a key in a match that a daemon plays."""

    PEER = enum.auto()
    CLIENT = enum.auto()
    RUN = enum.auto()


@attrs.frozen
class Right:
    """The right to set a key, and the reason for its limit.

    Attributes:
        setter: who may.
        why: the reason for which a peer may not; empty where one may.
    """

    setter: Setter
    why: str = ""


_PEER: Final = Right(Setter.PEER)


def _client(why: str) -> Right:
    return Right(Setter.CLIENT, why)


def _run(why: str) -> Right:
    return Right(Setter.RUN, why)


_JUDGE: Final = _client("an engine that judges openings would delay all other clients")
_FILES: Final = _client("openings are sent turn by turn")
_PATIENCE: Final = _run("how long a daemon waits for a reply is its own to say")
_STARTED: Final = _client("a daemon starts no engine")
_PAIR: Final = _run("the entrants of a match are two")

RIGHTS: Final[Mapping[str, Right]] = {
    **dict.fromkeys(("game", "board", "options", "pairs", "games", "seed", "clock"), _PEER),
    **dict.fromkeys(("opening", "wait", "limits.resume", "limits.absence"), _PEER),
    **dict.fromkeys(("adjudication.turns", "adjudication.agree"), _PEER),
    **dict.fromkeys(("adjudication.resign", "adjudication.win"), _PEER),
    **dict.fromkeys(("engine.clock", "engine.params"), _PEER),
    "openings.file": _FILES,
    "book": _FILES,
    "openings.turns": _FILES,
    "openings.shuffle": _FILES,
    "openings.generate": _JUDGE,
    "openings.fill": _JUDGE,
    "openings.engine": _JUDGE,
    "openings.playouts": _JUDGE,
    "openings.window": _JUDGE,
    "name": _client("a match at a daemon has no title"),
    "sprt": _client("the client can end the match at any line"),
    "on_crash": _client("a crash loses; the client can ask for the game again"),
    "ponder": _client("say each.param.ponder=on"),
    "engines": _client("the engines file is a file of the client"),
    "daemon": _client("this is the daemon"),
    "engine.engine": _STARTED,
    "engine.name": _STARTED,
    "engine.cwd": _STARTED,
    "engine.env": _STARTED,
    "engine.cpu": _STARTED,
    "engine.files": _STARTED,
    "engine.processes": _STARTED,
    "engine.network": _STARTED,
    "engine.hashes": _STARTED,
    "engine.version": _STARTED,
    "engine.memory": _run("a daemon tells no engine of a limit"),
    "engine.restart": _run("an attached engine stays attached"),
    "adjudicate": _run("perfect play would delay all other clients"),
    "adjudication.solve": _run("proofs would delay all other clients"),
    "concurrency": _run("an attached engine plays one game at a time"),
    "affinity": _run("attached engines are not processes of the daemon"),
    "listen": _run("engines attach to the daemon"),
    "attempts": _run("a daemon plays a void game three times"),
    "limits.launch": _PATIENCE,
    "limits.reply": _PATIENCE,
    "limits.move": _PATIENCE,
    "format": _PAIR,
    "rounds": _PAIR,
    "stages": _PAIR,
}
"""Who may set each key; tables are written with dots, ``engine`` for each of the engines."""

_TABLES: Final = ("openings", "limits", "adjudication")
"""Keys that are tables of a file."""


def leaves(config: TournamentConfig) -> Iterator[tuple[str, object, object]]:
    """Every key of a configuration but those of its engines, with its value and its default."""
    blank = TournamentConfig()
    for field in attrs.fields(TournamentConfig):
        value, default = getattr(config, field.name), getattr(blank, field.name)
        if field.name in _TABLES:
            for key in attrs.fields(type(default)):
                name = f"{field.name}.{key.name}"
                yield name, getattr(value, key.name), getattr(default, key.name)
        elif field.name not in ("each", "engine"):
            yield field.name, value, default


def engine_leaves(engine: EngineConfig) -> Iterator[tuple[str, object, object]]:
    """Every key of an engine, with its value and its default."""
    blank = EngineConfig()
    for field in attrs.fields(EngineConfig):
        yield f"engine.{field.name}", getattr(engine, field.name), getattr(blank, field.name)


def check_at_daemon(config: TournamentConfig) -> None:
    """Refuse settings that a match at a daemon cannot have.

    Raises:
        ConfigError: the refusal, with its reason.
    """
    if len(config.engine) != 2:
        raise ConfigError(f"daemon: {len(config.engine)} engines, expected two")
    found = [*leaves(config), *(one for engine in config.engine for one in engine_leaves(engine))]
    for key, value, default in found:
        right = RIGHTS[key]
        if right.setter is Setter.RUN and value != default:
            raise ConfigError(refusal(key, right))


def refusal(name: str, right: Right) -> str:
    """The text that refuses a setting."""
    return f"{name}: not in a match that a daemon plays: {right.why}"
