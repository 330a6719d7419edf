"""The settings behind ``list_params``, ``get_param`` and ``set_param``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs

from yoddd.engine import Budget
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.coordinates import Coordinates
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.words import parse_number

MAX_SEED: Final = 2**63 - 1
MAX_PLAYOUTS: Final = 10_000_000
DEFAULT: Final = "default"
_GOLDEN_RATIO: Final = 0x9E3779B97F4A7C15


@attrs.define
class Parameters:
    """The values that one client has chosen.

    Attributes:
        engine: the name of the engine behind ``genmove``.
        seed: where the random numbers of searches come from.
        coordinates: one of `Coordinates`.
        playouts: how many playouts a search may run; None for the engine's own number.
    """

    engine: str
    seed: int
    coordinates: str
    playouts: int | None = None

    def spell(self, name: str) -> str:
        """The value of a parameter as the wire spells it."""
        value = getattr(self, name)
        return DEFAULT if value is None else str(value)

    def budget(self) -> Budget:
        """What a search may spend."""
        return Budget(playouts=self.playouts)

    def search_seed(self, turn: int) -> int:
        """The seed of the search for a turn: the same turn is always searched alike."""
        return (self.seed + turn * _GOLDEN_RATIO) & MAX_SEED


@attrs.frozen
class Parameter:
    """One name that ``set_param`` knows.

    Attributes:
        name: as on the wire, and the attribute of `Parameters`.
        help: the values it takes.
        parse: reads a value; raises PeerError.
    """

    name: str
    help: str
    parse: Callable[[str, SessionConfig], str | int | None]


def _engine(text: str, config: SessionConfig) -> str:
    if text.lower() not in config.engines:
        known = ", ".join(config.engines)
        raise PeerError(Code.SYNTAX, f"no engine {text!r}: expected one of {known}")
    return text.lower()


def _playouts(text: str, _config: SessionConfig) -> int | None:
    if text.lower() == DEFAULT:
        return None
    return parse_number("playouts", text, 1, MAX_PLAYOUTS)


def _coordinates(text: str, _config: SessionConfig) -> str:
    try:
        return Coordinates(text.lower()).value
    except ValueError:
        known = " or ".join(Coordinates)
        raise PeerError(Code.SYNTAX, f"coordinates {text!r}: expected {known}") from None


PARAMETERS: Final[Mapping[str, Parameter]] = {
    parameter.name: parameter
    for parameter in (
        Parameter("coordinates", "cell names in play and genmove: rows or gogui", _coordinates),
        Parameter("engine", "the engine behind genmove", _engine),
        Parameter(
            "playouts",
            f"playouts a search may run, 1 to {MAX_PLAYOUTS}, or {DEFAULT}: the engine's own",
            _playouts,
        ),
        Parameter(
            "seed",
            f"seed of the searches, 0 to {MAX_SEED}",
            lambda text, _: parse_number("seed", text, 0, MAX_SEED),
        ),
    )
}
"""Every parameter by name."""
