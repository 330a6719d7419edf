"""The keys of a tournament's TOML file, which are also those of a run's ``plan.json``.

This module reads no file. `parse_toml` gives the text's values; the daemon fills in what depends on
the machine (the openings of a file, the hashes of programs), a run keeps the result, and
`make_plan` makes the referee's plan of it.
"""

from __future__ import annotations

import enum
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar

import attrs
from cattrs import Converter, ForbiddenExtraKeysError, transform_error
from cattrs.gen import make_dict_structure_fn

from yoddd.defaults import BUILTIN
from yoddd.engine import MOST, STRONGEST
from yoddd.gone import removal, without_gone
from yoddd.kernel.backend import native
from yoddd.notation import NotationError
from yoddd.notation.text import read_pairs, show_value
from yoddd.referee.bounds import bounded
from yoddd.referee.game.adjudication import Adjudication, MatchAdjudication
from yoddd.referee.game.clock import NO_LIMIT, ClockError, TimeControl, parse_live_clock
from yoddd.referee.game.evaluations import ResignRule, WinRule
from yoddd.referee.game.setup import MatchLimits, WaitLimits
from yoddd.referee.stats.sprt import Sprt, SprtError, SprtModel
from yoddd.referee.tournament.openings import Opening
from yoddd.referee.tournament.plan import (
    Adjudicate,
    Format,
    OnCrash,
    Plan,
    PlanError,
    PlanKeys,
    Side,
)
from yoddd.rules import RulesError, make_rules
from yoddd.suggestions import did_you_mean, habit

CONF: Final = "conf:"
"""The prefix of the name of an engine in the engines file, where engines are described."""

_MERGED: Final = ("env", "params")

_REFUSED: Final = "not in a match that a daemon plays"

_TOLD: Final = 8
"""Problems that an error names, and unknown keys of one table."""

_T = TypeVar("_T")
_M = TypeVar("_M", bound="MatchConfig")
_E = TypeVar("_E", bound="MatchEngine")


class ConfigError(ValueError):
    """An invalid configuration; the text names the key."""


class EngineFault(ConfigError):
    """An engine that is started, but cannot play; the text has its command and its fault."""


def _check_params(_instance: object, _field: object, params: Mapping[str, str]) -> None:
    """Refuse parameters that no request line can carry."""
    for name, value in params.items():
        if not name.isprintable() or len(name.split()) != 1 or "#" in name:
            raise ValueError(f"params {name!r}: expected a word")
        if not value.isprintable() or not value.strip() or "#" in value:
            raise ValueError(f"params.{name}: expected a line of text without #")


def _check_name(_config: object, _field: object, name: str) -> None:
    if not name.isprintable():
        raise ValueError(f"{name!r}: expected a line of text without control characters")


def _check_daemon(_config: object, _field: object, address: str | None) -> None:
    if address is not None and not re.fullmatch(r".+:[0-9]{1,5}", address):
        raise ValueError(f"daemon {address!r}: expected HOST:PORT")


@attrs.frozen(kw_only=True)
class MatchEngine:
    """One engine, or in ``[each]`` the defaults of all: what a client of a daemon may set.

    Attributes:
        engine: ``builtin:NAME``, ``tcp:NAME`` for one that attaches, ``conf:NAME`` for one of the
            engines file, or a command line.
        clock: its own time control, where the engines have odds.
        params: its ``set_param`` parameters.
    """

    engine: str = ""
    clock: TimeControl | None = None
    params: dict[str, str] = attrs.field(factory=dict, validator=_check_params)


@attrs.frozen(kw_only=True)
class EngineConfig(MatchEngine):
    """All that can be set of an engine.

    Attributes:
        name: its name in records; by default what it answers to ``name``.
        cwd: its working folder.
        env: environment variables in addition to those of the referee.
        restart: whether every game has a fresh process.
        memory: the limit of its resident memory in MiB, which it is told of.
        cpu: the limit of its CPU time in seconds.
        files: the limit of its open files.
        processes: the limit of its processes.
        network: whether it may use the network.
        hashes: of the files on its command line, by path; filled in when a run begins.
        version: what it answers to ``version``; filled in when a run begins.
    """

    name: str = attrs.field(default="", validator=_check_name)
    cwd: str | None = None
    env: dict[str, str] = attrs.Factory(dict)
    restart: bool = False
    memory: int | None = bounded(None, 1)
    cpu: int | None = bounded(None, 1)
    files: int | None = bounded(None, 1)
    processes: int | None = bounded(None, 1)
    network: bool = True
    hashes: dict[str, str] = attrs.Factory(dict)
    version: str = ""


@attrs.frozen(kw_only=True)
class OpeningsConfig:
    """The source of the openings.

    Attributes:
        file: a ``.sgf``, ``.jsonl`` or line file.
        turns: the number of turns taken of each game in it; all by default.
        shuffle: whether their order is shuffled by the seed.
        generate: openings to generate instead, balanced by the judgement of ``engine``.
        fill: the part of the cells that each of these fills, on random cells.
        engine: the builtin engine that judges.
        playouts: of the search that judges an opening.
        window: the greatest distance of its winrate from one half.
    """

    file: str | None = None
    turns: int | None = bounded(None, 0)
    shuffle: bool = False
    generate: int | None = bounded(None, 1)
    fill: float | None = bounded(None, 0, MOST)
    engine: str = STRONGEST
    playouts: int = bounded(200, 1)
    window: float = bounded(0.05, 0)


@attrs.frozen(kw_only=True)
class MatchConfig:
    """A match: what a client of a daemon that plays it may set.

    Attributes:
        game: the game.
        board: the board; the game's default one if None.
        options: of the game.
        pairs: pairs of games in each encounter.
        games: games in each encounter instead; an odd number leaves the last pair half.
        seed: the seed of all random choices.
        clock: the time control.
        opening: the openings; filled in when a run begins.
        limits: how long participants are waited for while no clock runs.
        adjudication: the conditions of early termination.
        wait: the seconds for which a daemon waits for engines before the first game.
        concurrency: the number of games played at once.
        each: the defaults of all engines.
        engine: the engines, in the order of their seeding.
    """

    game: str = "yodd"
    board: str | None = None
    options: dict[str, str] = attrs.Factory(dict)
    pairs: int = 1
    games: int | None = bounded(None, 1)
    seed: int = 0
    clock: TimeControl = NO_LIMIT
    opening: tuple[Opening, ...] = ()
    limits: MatchLimits = attrs.Factory(MatchLimits)
    adjudication: MatchAdjudication = attrs.Factory(MatchAdjudication)
    wait: float = bounded(0.0, 0)
    concurrency: int = bounded(1, 1)
    each: MatchEngine = attrs.Factory(MatchEngine)
    engine: tuple[MatchEngine, ...] = ()


@attrs.frozen(kw_only=True)
class TournamentConfig(PlanKeys, MatchConfig):
    """A tournament.

    Attributes:
        name: its title; by default the names of the engines.
        openings: the source of the openings.
        book: their source, as text; filled in when a run begins.
        adjudicate: how games are ended early, beyond their adjudication.
        ponder: whether engines ponder; None leaves it to them.
        affinity: whether each of these has CPUs of its own.
        listen: endpoint where ``tcp:NAME`` engines attach.
        daemon: the daemon that plays the games, ``HOST:PORT``, where ``tcp:NAME`` engines are
            attached to one.
        engines: the file that ``conf:NAME`` engines are taken from.
        game_files: descriptions of games, of which `game` may name one.
        description: of the game, if it does not come with the program; filled in when a run begins.
    """

    name: str = attrs.field(default="", validator=_check_name)
    openings: OpeningsConfig = attrs.Factory(OpeningsConfig)
    book: str = ""
    adjudicate: Adjudicate = Adjudicate.NONE
    ponder: bool | None = None
    affinity: bool = False
    listen: str | None = None
    daemon: str | None = attrs.field(default=None, validator=_check_daemon)
    engines: str | None = None
    game_files: tuple[str, ...] = ()
    description: dict[str, Any] | None = None
    each: EngineConfig = attrs.Factory(EngineConfig)
    engine: tuple[EngineConfig, ...] = ()


_WIDER: Final[Mapping[type, type]] = {
    MatchConfig: TournamentConfig,
    MatchEngine: EngineConfig,
    MatchLimits: WaitLimits,
    MatchAdjudication: Adjudication,
}
"""By what a client of a daemon may set: the class that has the keys of other runs too."""

_NOT_AT_DAEMON: Final = (
    *("format", "rounds", "stages", "attempts", "adjudicate", "affinity", "listen"),
    *("limits.launch", "limits.reply", "limits.move", "adjudication.solve"),
)
"""Keys that a client of a daemon may not send, and does not apply by itself."""


def check_at_daemon(config: TournamentConfig) -> None:
    """Refuse settings that a match at a daemon cannot have.

    Raises:
        ConfigError: the refusal.
    """
    if len(config.engine) != 2:
        raise ConfigError(f"daemon: {len(config.engine)} engines, expected two")
    found: list[tuple[str, object, object]]
    found = [(key, config, TournamentConfig()) for key in _NOT_AT_DAEMON]
    own = ("engine.memory", "engine.restart")
    found += [(key, one, EngineConfig()) for one in config.engine for key in own]
    for key, value, blank in found:
        read = attrgetter(key.removeprefix("engine."))
        if read(value) != read(blank):
            raise ConfigError(f"{key}: {_REFUSED}; with --listen the match is played here")


# -- text -----------------------------------------------------------------------------------


def _text(value: Any, _type: Any) -> str:
    """Options and parameters may be written as numbers; booleans are on and off."""
    if isinstance(value, str) and "\0" in value:
        raise ValueError(f"{value!r}: no program takes a NUL character")
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError(f"{show_value(value)}: expected a text or a number")


def _exactly(kind: type, name: str, *also: type) -> Any:
    def structure(value: Any, _type: Any) -> Any:
        if type(value) in (kind, *also):
            return kind(value)
        raise ValueError(f"{show_value(value)}: expected {name}")

    return structure


def _choice(value: Any, kind: type[enum.StrEnum]) -> enum.StrEnum:
    if value not in list(kind):
        raise ValueError(f"{show_value(value)}: expected one of {', '.join(kind)}")
    return kind(value)


def _read_table(text: str) -> dict[str, object]:
    """The values of a table that is written as ``KEY=VALUE,KEY=VALUE``."""
    found: dict[str, object] = {}
    for key, value in _pairs(text.split(",")).items():
        found[key] = read_value(value)
        with suppress(ValueError):
            found[key] = int(value) if value.isdigit() else float(value)
    return found


_SPELLED: Final = {"on": True, "off": False, "true": True, "false": False}


def read_value(text: str) -> bool | int | str:
    """A value as TOML would read it; ``007`` stays a text."""
    number = re.fullmatch(r"0|[1-9][0-9]{0,17}", text)
    return int(text) if number else _SPELLED.get(text, text)


@cache
def _converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, omit_if_default=True)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(int, _exactly(int, "a whole number"))
    converter.register_structure_hook(float, _exactly(float, "a number", int))
    converter.register_structure_hook(bool, _exactly(bool, "true or false"))
    for choices in (Adjudicate, Format, OnCrash, SprtModel):
        converter.register_structure_hook(choices, _choice)
    converter.register_structure_hook(TimeControl, lambda value, _: parse_live_clock(_plain(value)))
    converter.register_unstructure_hook(TimeControl, str)
    for kind, read in (
        *((rule, _read_table) for rule in (Sprt, ResignRule, WinRule)),
        (Opening, lambda text: {"turns": text.split()}),
    ):
        plain = make_dict_structure_fn(kind, converter, _cattrs_forbid_extra_keys=True)
        converter.register_structure_hook(kind, _or_text(read, plain))
    converter.register_unstructure_hook(
        Opening, lambda one: attrs.asdict(one) if one.position else " ".join(one.turns)
    )
    return converter


def _plain(value: object) -> str:
    """A text or a time control as it is spelled, and another value in the words of TOML."""
    return str(value) if isinstance(value, str | TimeControl) else show_value(value)


def _or_text(read: Callable[[str], Mapping[str, Any]], plain: Callable[..., Any]) -> Any:
    """A hook for values that are tables in a file, and a text where there is little room."""
    return lambda value, kind: plain(read(value) if isinstance(value, str) else value, kind)


def parse_toml(text: str) -> TournamentConfig:
    """Read a tournament file.

    Raises:
        ConfigError: not TOML, an unknown key, or a value that does not fit; the text says which.
    """
    return read_config(_read_toml(text))


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {error}") from None
    except RecursionError:
        raise ConfigError("not TOML: nested too deeply") from None


def load_config(text: str) -> TournamentConfig:
    """Read what `dump_config` wrote.

    Raises:
        ConfigError: the text is no such configuration.
    """
    return read_config(read_json(text))


def read_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ConfigError: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"not JSON: {error}") from None


def dump_config(config: TournamentConfig) -> str:
    """The configuration as JSON, without the values that are defaults."""
    return json.dumps(config_values(config), indent=1, sort_keys=True) + "\n"


def config_values(config: MatchConfig) -> dict[str, Any]:
    """The configuration as plain values, without those that are defaults."""
    values: dict[str, Any] = _converter().unstructure(config)
    return values


@attrs.frozen(kw_only=True)
class EnginesFile:
    """A file of engines, which tournaments and matches take by name.

    Attributes:
        engine: each has a name of its own.
    """

    engine: tuple[EngineConfig, ...] = ()


def parse_engines(text: str) -> dict[str, EngineConfig]:
    """Read an engines file; the engines by name.

    Raises:
        ConfigError: not TOML, an unknown key, or names that are missing or repeated.
    """
    engines = structure(_read_toml(text), EnginesFile).engine
    found = {engine.name: engine for engine in engines}
    if "" in found or len(found) < len(engines):
        raise ConfigError("engine: every engine of the file needs a name of its own")
    return found


def take_engine(entry: EngineConfig, known: Mapping[str, EngineConfig]) -> EngineConfig:
    """An engine that ``conf:NAME`` takes from a file of engines; its own keys override those there.

    Raises:
        ConfigError: there is no engine of that name.
    """
    name = entry.engine.removeprefix(CONF)
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"; did you mean {CONF}{near[0]}?" if near else ""
        raise ConfigError(f"{entry.engine}: no engine of that name in the engines file{hint}")
    return apply_each(known[name], attrs.evolve(entry, engine=""))


def read_config(raw: Mapping[str, Any]) -> TournamentConfig:
    """The tournament of plain values, with engines that have the values of ``each``.

    Raises:
        ConfigError: as for `parse_toml`.
    """
    return read_match(without_gone(raw), TournamentConfig)


def read_match(raw: Mapping[str, Any], kind: type[_M]) -> _M:
    """A match or tournament of plain values, with engines that have the values of ``each``.

    Raises:
        ConfigError: as for `structure`.
    """
    if "games" in raw and "pairs" in raw:
        raise ConfigError("games or pairs, not both")
    config = structure(raw, kind)
    engines = tuple(apply_each(config.each, engine) for engine in config.engine)
    return attrs.evolve(config, each=type(config.each)(), engine=engines)


def structure(raw: object, kind: type[_T]) -> _T:
    """The value of a class from plain values, or from a text such as ``elo0=0,elo1=10``.

    Raises:
        ConfigError: an unknown key, or a value that does not fit; the text says which.
    """
    try:
        return _converter().structure(raw, kind)
    except Exception as error:  # noqa: BLE001 — cattrs raises exception groups
        problems = transform_error(error, path="", format_exception=_say)
        raise ConfigError("; ".join(map(_in_order, problems[:_TOLD]))) from None


def _say(problem: BaseException, _type: type | None) -> str:
    if isinstance(problem, ForbiddenExtraKeysError):
        unknown = sorted(problem.extra_fields)
        if "shard" in unknown:
            return removal("tournament --shard").lstrip("-")
        return "; ".join(_say_unknown(name, problem.cl) for name in unknown[:_TOLD])
    if isinstance(problem, KeyError):
        return "missing"
    if isinstance(problem, ValueError):
        return str(problem)
    return "expected something else"


def _say_unknown(name: str, kind: type) -> str:
    wider = next((_WIDER[one] for one in kind.__mro__ if one in _WIDER), kind)
    if name in {field.name for field in attrs.fields(wider)}:
        return f"{name}: {_REFUSED}"
    known = [field.name for field in attrs.fields(kind)]
    return f"unknown key {name}{habit(name) or did_you_mean(name, known)}"


def _in_order(problem: str) -> str:
    """The problem with its key in front."""
    what, _, where = problem.rpartition(" @ ")
    key = where.lstrip(".")
    return what if not key or what.startswith(f"{key}: ") else f"{key}: {what}"


def apply_each(each: _E, engine: _E) -> _E:
    """``engine`` with the values of ``each`` for the keys that it leaves out."""
    blank = type(engine)()
    changes: dict[str, Any] = {}
    for field in attrs.fields(type(engine)):
        common, own = getattr(each, field.name), getattr(engine, field.name)
        if field.name in _MERGED:
            changes[field.name] = {**common, **own}
        elif own == getattr(blank, field.name):
            changes[field.name] = common
    return attrs.evolve(engine, **changes)


# -- plan -----------------------------------------------------------------------------------


def make_plan(config: TournamentConfig) -> Plan:
    """The plan of the tournament.

    Raises:
        ConfigError: the values contradict each other.
        KernelMissing: proofs are asked for, and there is no native kernel.
    """
    games, keys = config.games, [field.name for field in attrs.fields(PlanKeys)]
    if config.adjudication.solve is not None:
        native()
    try:
        return Plan(
            sides=tuple(_side(config, engine) for engine in config.engine),
            rules=make_rules(config.game, config.board, config.options, config.description),
            pairs=config.pairs if games is None else (games + 1) // 2,
            games=games,
            seed=config.seed,
            openings=config.opening,
            **{key: getattr(config, key) for key in keys},
        )
    except (PlanError, RulesError, ClockError, SprtError) as error:
        raise ConfigError(str(error)) from None


def _side(config: TournamentConfig, engine: EngineConfig) -> Side:
    params = dict(engine.params)
    if config.ponder is not None:
        params.setdefault("ponder", "on" if config.ponder else "off")
    is_ours = engine.engine.startswith(BUILTIN)
    return Side(engine.name, engine.clock or config.clock, params, engine.memory, is_ours)


# -- settings on a command line ---------------------------------------------------------------


def engine_settings(settings: Iterable[str]) -> EngineConfig:
    """An engine's keys as ``KEY=VALUE``, see `engine_values`.

    Raises:
        ConfigError: an unknown key, or a value that does not fit.
    """
    return structure(engine_values(settings), EngineConfig)


def engine_values(settings: Iterable[str]) -> dict[str, Any]:
    """The plain values of ``KEY=VALUE``, with ``param.NAME`` and ``env.NAME`` for the tables.

    Raises:
        ConfigError: an unknown key.
    """
    raw: dict[str, Any] = {}
    for key, value in _pairs(settings).items():
        table, dot, name = key.partition(".")
        if dot and table in ("param", "env"):
            raw.setdefault("params" if table == "param" else table, {})[name] = value
        else:
            raw[key] = read_value(value)
    known = {field.name for field in attrs.fields(EngineConfig)}
    for key in raw.keys() - known:
        hint = f"; a parameter of the engine is param.{key}={raw[key]}"
        likely = habit(key) or did_you_mean(key, known, 0.7) or hint
        raise ConfigError(f"unknown key {key}{likely}")
    return raw


def _pairs(words: Iterable[str]) -> dict[str, str]:
    try:
        return read_pairs(words)
    except NotationError as error:
        raise ConfigError(error.reason) from None
