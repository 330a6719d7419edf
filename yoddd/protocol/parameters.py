"""The settings behind ``list_params``, ``get_param`` and ``set_param``."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import attrs

from yoddd.engine import (
    CONSTANTS,
    HIGHEST,
    UNTUNED,
    Budget,
    Constant,
    Tuning,
    Weights,
    parse_weights,
)
from yoddd.notation.text import decode_text, describe_error
from yoddd.protocol.arguments import parse_decimal, parse_number, parse_seconds
from yoddd.protocol.config import Dialect, SessionConfig, SessionDefaults, SessionServices
from yoddd.protocol.coordinates import Coordinates, Turns
from yoddd.protocol.errors import Code, Errors, PeerError

MAX_SEED: Final = 2**63 - 1
MAX_PLAYOUTS: Final = 10_000_000
LONGEST: Final = 1_000_000
DEFAULT: Final = "default"
RANDOM: Final = "random"
NONE: Final = "none"
TUNE: Final = "tune."
"""How the names of the search's constants begin, all of them unstable."""

AUTOMATIC: Final = 2
"""Threads of a search by default; docs/lab/experiments/speed.md has no evidence for more."""

_SWITCH: Final = ("off", "on")
_GOLDEN_RATIO: Final = 0x9E3779B97F4A7C15


@attrs.frozen
class _Learned:
    """A value of the parameter ``weights``: its name, None for the default, and the file's."""

    name: str | None
    weights: Weights | None = None


Value = str | float | _Learned | None
"""The value of a parameter."""


@attrs.frozen
class Parameters:
    """The values of a client's parameters; those at the beginning are shared by many clients.

    Attributes:
        engine: the name of the engine behind ``genmove``.
        seed: the seed of searches; None for a random one for each.
        coordinates: one of `Coordinates`.
        analysis: one of `Dialect`: what ``analyze`` without a prefix writes.
        turns: one of `Turns`: how turns of two stones are entered.
        errors: one of `Errors`: whether errors have subcodes.
        threads: how many threads one search may use; None for one, or up to `AUTOMATIC` free ones.
        memory: MiB that the tree of one search may use.
        playouts: how many playouts a search may run; None for the engine's own number.
        visits: how many visits the root may have when the search ends; None for no limit.
        seconds: how long a search may take; None for no limit.
        level: how well ``genmove`` plays, 1 to `HIGHEST`.
        resign: the winrate below which ``genmove`` resigns, in per cent.
        reuse: ``on`` if the tree is kept from turn to turn, else ``off``.
        ponder: ``on`` if the engine searches on after its turn, else ``off``.
        weights: the file of the learned value, or ``none``; None for what the program has.
        tuning: the constants of the strongest engine, and what ``weights`` holds.
    """

    engine: str
    seed: int | None
    coordinates: str
    analysis: str
    turns: str
    errors: str = Errors.PLAIN.value
    threads: int | None = 1
    memory: int = 256
    playouts: int | None = None
    visits: int | None = None
    seconds: float | None = None
    level: int = HIGHEST
    resign: int = 0
    reuse: str = "on"
    ponder: str = "off"
    weights: str | None = None
    tuning: Tuning = UNTUNED

    @classmethod
    def of(cls, config: SessionConfig) -> Parameters:
        """Return the values at the beginning of a session."""
        limits = config.limits
        threads = limits.threads if config.services.free_threads is None else None
        return _first(config.defaults, threads, limits.memory)

    def format(self, name: str) -> str:
        """Return the value of a parameter as the wire has it."""
        if name.startswith(TUNE):
            return _decimal(getattr(self.tuning.tree, name.removeprefix(TUNE)))
        value = getattr(self, name)
        if value is None:
            return RANDOM if name == "seed" else DEFAULT
        return f"{value:g}" if name == "seconds" else str(value)

    def having(self, name: str, value: Value) -> Parameters:
        """Return these with another value of a parameter, which it has parsed."""
        changes: dict[str, Any] = {name: value}
        if isinstance(value, _Learned):
            tuning = attrs.evolve(self.tuning, learned=value.name != NONE, weights=value.weights)
            changes = {"weights": value.name, "tuning": tuning}
        elif name.startswith(TUNE) and isinstance(value, int | float):
            changes = {"tuning": self.tuning.with_constant(name.removeprefix(TUNE), value)}
        return attrs.evolve(self, **changes)

    def budget(self, seconds: float | None, services: SessionServices) -> Budget:
        """Return what a search may spend; ``seconds`` is what the time control allows.

        Levels, and what does not depend on the time or is to be the same again, have one thread.
        """
        limits = [limit for limit in (seconds, self.seconds) if limit is not None]
        others = (self.playouts, self.visits, self.seed, self.level)
        free = services.free_threads if limits and others == (None, None, None, HIGHEST) else None
        return Budget(
            playouts=self.playouts,
            visits=self.visits,
            seconds=min(limits) if limits else None,
            threads=self.threads or (min(AUTOMATIC, max(1, free())) if free else 1),
            memory=self.memory << 20,
        )

    def search_seed(self, turn: int, services: SessionServices) -> int:
        """Return the seed of the search for a turn: the same turn has the same, unless random."""
        if self.seed is None and services.draw_seed is not None:
            return services.draw_seed() & MAX_SEED
        return ((self.seed or 0) + turn * _GOLDEN_RATIO) & MAX_SEED


@lru_cache
def _first(defaults: SessionDefaults, threads: int | None, memory: int) -> Parameters:
    """The values at the beginning, which take too much memory for each session to have its own."""
    return Parameters(
        defaults.engine,
        defaults.seed,
        defaults.coordinates.value,
        defaults.dialect.value,
        defaults.turns.value,
        threads=threads,
        memory=memory,
        level=defaults.level,
    )


@attrs.frozen
class Parameter:
    """One parameter of ``set_param``.

    Attributes:
        name: as on the wire, and the attribute of `Parameters`.
        type: ``enum``, ``int``, ``float`` or ``text``.
        range: the values it takes, as ``list_params`` prints them.
        help: what it is for.
        parse: reads a value; raises PeerError.
    """

    name: str
    type: str
    range: Callable[[SessionConfig], str]
    help: str
    parse: Callable[[str, SessionConfig], Value]

    def describe(self, value: str, config: SessionConfig) -> str:
        """Return the line of ``list_params``."""
        return f"{self.name} {value} {self.type} {self.range(config)} {self.help}"


def _choice(
    name: str, help_: str, choices: Callable[[SessionConfig], tuple[str, ...]]
) -> Parameter:
    def parse(text: str, config: SessionConfig) -> str:
        known = choices(config)
        if text.lower() not in known:
            raise PeerError(Code.SYNTAX, f"{name} {text!r}: expected one of {', '.join(known)}")
        return text.lower()

    return Parameter(name, "enum", lambda config: "|".join(choices(config)), help_, parse)


def _values(kind: type[enum.StrEnum]) -> Callable[[SessionConfig], tuple[str, ...]]:
    return lambda _config: tuple(one.value for one in kind)


def _number(
    name: str, help_: str, low: int, high: Callable[[SessionConfig], int], *, default: bool = False
) -> Parameter:
    def parse(text: str, config: SessionConfig) -> int | None:
        if default and text.lower() == DEFAULT:
            return None
        return parse_number(name, text, low, high(config))

    def describe(config: SessionConfig) -> str:
        return f"{low}..{high(config)}{'|' + DEFAULT if default else ''}"

    return Parameter(name, "int", describe, help_, parse)


def _seconds(text: str, _config: SessionConfig) -> float | None:
    return None if text.lower() == DEFAULT else parse_seconds("seconds", text, LONGEST)


def _seed(text: str, config: SessionConfig) -> int | None:
    if config.services.draw_seed is not None and text.lower() == RANDOM:
        return None
    return parse_number("seed", text, 0, MAX_SEED)


def _weight_words(config: SessionConfig) -> str:
    words = [DEFAULT, NONE] if config.services.read_file is None else [DEFAULT, NONE, "FILE"]
    return "|".join(words)


def _weights(text: str, config: SessionConfig) -> _Learned:
    if text.lower() in (DEFAULT, NONE):
        return _Learned(None if text.lower() == DEFAULT else NONE)
    read = config.services.read_file
    if read is None:
        raise PeerError(Code.DENIED, "weights: this server opens no files that its clients name")
    try:
        return _Learned(text, parse_weights(decode_text(read(text))))
    except (OSError, ValueError) as error:
        raise PeerError(Code.CANNOT_LOAD, f"weights: {describe_error(error)}") from None


def _decimal(value: float) -> str:
    """A number without an exponent."""
    return str(value) if isinstance(value, int) else f"{value:.9f}".rstrip("0").rstrip(".")


def _constant(constant: Constant) -> Parameter:
    name = TUNE + constant.name

    def parse(text: str, _config: SessionConfig) -> float:
        if constant.is_whole:
            return parse_number(name, text, int(constant.low), int(constant.high))
        return parse_decimal(name, text, constant.low, constant.high)

    low, high, step = map(_decimal, (constant.low, constant.high, constant.step))
    kind = "int" if constant.is_whole else "float"
    help_ = f"unstable, the strongest engine's search: {constant.help}"
    return Parameter(name, kind, lambda _: f"{low}..{high}/{step}", help_, parse)


PARAMETERS: Final[Mapping[str, Parameter]] = {
    parameter.name: parameter
    for parameter in (
        _choice("analysis", "the numbers that analyze and genmove_analyze write", _values(Dialect)),
        _choice("coordinates", "cell names in requests and replies", _values(Coordinates)),
        _choice(
            "engine", "the engine behind genmove", lambda config: tuple(config.services.engines)
        ),
        _choice("errors", "whether errors have subcodes", _values(Errors)),
        _number(
            "level",
            f"how well genmove plays, from nearly random turns to full strength at {HIGHEST}",
            1,
            lambda _: HIGHEST,
        ),
        _number("memory", "MiB for the tree of a search", 1, lambda config: config.limits.memory),
        _number(
            "playouts",
            "playouts that a search may run; default: chosen by the engine",
            1,
            lambda _: MAX_PLAYOUTS,
            default=True,
        ),
        _choice(
            "ponder",
            "whether the engine continues to search in the opponent's time",
            lambda config: _SWITCH if config.limits.ponder else _SWITCH[:1],
        ),
        _number("resign", "the winrate in per cent below which genmove resigns", 0, lambda _: 99),
        _choice("reuse", "whether the tree is kept from turn to turn", lambda _: _SWITCH),
        Parameter(
            "seconds",
            "float",
            lambda _: f"0..{LONGEST}|{DEFAULT}",
            "seconds that a search may take; default: by the time control",
            _seconds,
        ),
        Parameter(
            "seed",
            "int",
            lambda config: f"0..{MAX_SEED}{'|' + RANDOM if config.services.draw_seed else ''}",
            "the source of the random numbers of searches",
            _seed,
        ),
        _number(
            "threads",
            "threads of one search; default: one, or two by time alone where processors are free",
            1,
            lambda config: config.limits.threads,
            default=True,
        ),
        *map(_constant, CONSTANTS.values()),
        _choice("turns", "turns of two stones, whole or stone by stone", _values(Turns)),
        _number(
            "visits",
            "visits of the position, kept ones included, that end a search; default: no limit",
            1,
            lambda _: MAX_PLAYOUTS,
            default=True,
        ),
        Parameter(
            "weights",
            "text",
            _weight_words,
            "the learned value of the strongest engine: the program's own, none, or a file's",
            _weights,
        ),
    )
}
"""Every parameter by name."""
