"""Reading the arguments of a request: numbers, players, turns, settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from yoddd.notation import NotationError
from yoddd.notation.text import read_pairs
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.rules import Colour, GameOver, IllegalTurn, PositionLike, WrongTotal

PLAYERS: Final = {
    "b": Colour.BLACK,
    "black": Colour.BLACK,
    "w": Colour.WHITE,
    "white": Colour.WHITE,
}
"""The players by the words that name them, in lower case."""

LONGEST_NAME: Final = 32
"""Letters in the name of an engine or an account."""

NAME_FORM: Final = "[A-Za-z0-9][A-Za-z0-9._-]*"
"""The regular expression of such a name, its length apart."""

NAME_RULE: Final = (
    f"expected up to {LONGEST_NAME} ASCII letters, digits, dots, dashes and underscores,"
    " first a letter or digit"
)
_NAME: Final = re.compile(NAME_FORM, re.ASCII)
_MAX_DIGITS: Final = 19
_DECIMAL: Final = re.compile(r"[0-9]{1,10}(\.[0-9]{0,9})?", re.ASCII)


def is_name(text: str) -> bool:
    """Whether ``text`` may name an engine or an account: ASCII, so that no two look alike."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


def parse_number(what: str, text: str, low: int, high: int) -> int:
    """Read a decimal number from ``low`` to ``high``."""
    if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS and low <= int(text) <= high:
        return int(text)
    raise PeerError(Code.SYNTAX, f"{what} {text!r}: expected a number from {low} to {high}")


def parse_decimal(what: str, text: str, low: float, high: float) -> float:
    """Read a decimal number, whole or not, from ``low``, which is not negative, to ``high``."""
    if _DECIMAL.fullmatch(text) and low <= float(text) <= high:
        return float(text)
    raise PeerError(Code.SYNTAX, f"{what} {text!r}: expected a number from {low:g} to {high:g}")


def parse_seconds(what: str, text: str, high: float) -> float:
    """Read a decimal number of seconds, whole or not, from 0 to ``high``."""
    if _DECIMAL.fullmatch(text) and float(text) <= high:
        return float(text)
    raise PeerError(Code.SYNTAX, f"{what} {text!r}: expected seconds")


def parse_player(text: str) -> Colour:
    """Read ``b``, ``black``, ``w`` or ``white`` in any case."""
    player = PLAYERS.get(text.lower())
    if player is None:
        raise PeerError(Code.SYNTAX, f"player {text!r}: expected b or w")
    return player


def check_player(player: Colour, position: PositionLike) -> None:
    """Refuse any player but the one to move."""
    if player is not position.player:
        raise PeerError(Subcode.PLAYER, f"{position.player.title.lower()} to move")


def code_of(error: IllegalTurn) -> Code | Subcode:
    """The code of the refusal of a turn that the rules forbid."""
    if isinstance(error, GameOver):
        return Subcode.OVER
    return Subcode.EVEN if isinstance(error, WrongTotal) else Code.ILLEGAL


def parse_settings(words: Iterable[str], known: Collection[str] | None = None) -> dict[str, str]:
    """Read words of the form ``name=value``: each name once, and one of ``known`` if given."""
    lower = [name.lower() + equals + value for name, equals, value in map(_part, words)]
    try:
        settings = read_pairs(lower, "name=value")
    except NotationError as error:
        raise PeerError(Code.SYNTAX, error.reason) from None
    for name, value in settings.items():
        if not value:
            raise PeerError(Code.SYNTAX, f"{name + '='!r}: expected name=value")
        if known is not None and name not in known:
            raise PeerError(Code.SYNTAX, f"{name!r}: expected one of {', '.join(known)}")
    return settings


def _part(word: str) -> tuple[str, str, str]:
    return word.partition("=")


def number_setting(settings: Mapping[str, str], name: str, default: int, high: int) -> int:
    """Return the number set for ``name``, 0 to ``high``."""
    return parse_number(name, settings[name], 0, high) if name in settings else default


def parse_pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the settings ``key=value`` or ``key value``, with their keys in lower case.

    Raises:
        PeerError: the last one has no value, or a key is given twice.
    """
    flat = [part for word in words for part in word.split("=", 1)]
    if len(flat) % 2:
        raise PeerError(Code.SYNTAX, f"{flat[-1]!r}: expected a value after it")
    keys = [key.lower() for key in flat[::2]]
    for at, key in enumerate(keys):
        if key in keys[:at]:
            raise PeerError(Code.SYNTAX, f"{key} is given twice")
    return zip(keys, flat[1::2], strict=True)
