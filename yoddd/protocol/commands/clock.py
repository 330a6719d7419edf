"""What controllers say of the time: time controls and what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from yoddd.engine import TimeLeft, TimeSettings
from yoddd.protocol.command import ANY, Args, Client, Command, refuse_syntax
from yoddd.protocol.words import parse_number, parse_player, parse_seconds

_LONGEST: Final = 1e9
_MAX_STONES: Final = 10_000


def _seconds(text: str) -> float:
    return parse_seconds("time", text, _LONGEST)


def _stones(text: str) -> int:
    return parse_number("stones", text, 0, _MAX_STONES)


def _overtime(main: float, period: float, stones: int) -> TimeSettings:
    """GTP's settings: a period of no stones is no limit, no period is absolute time."""
    if period and not stones:
        return TimeSettings()
    return TimeSettings(main, 0.0, period, stones if period else 0)


def _fischer(words: Args) -> TimeSettings:
    return TimeSettings(_seconds(words[0]), _seconds(words[1]))


_KINDS: Final[Mapping[str, tuple[int, Callable[[Args], TimeSettings]]]] = {
    "none": (0, lambda _words: TimeSettings()),
    "absolute": (1, lambda words: TimeSettings(_seconds(words[0]))),
    "byoyomi": (
        3,
        lambda words: _overtime(
            _seconds(words[0]), _seconds(words[1]), min(1, parse_number("periods", words[2], 0, 99))
        ),
    ),
    "canadian": (
        3,
        lambda words: _overtime(_seconds(words[0]), _seconds(words[1]), _stones(words[2])),
    ),
    "fischer": (2, _fischer),
    "fischer-capped": (4, _fischer),
}
"""How many numbers follow the kind of a time control, and what they come to.

The periods of ``byoyomi`` behind the first, and the caps of ``fischer-capped``, are not used: a
search that does without them is never late for it.
"""


def _set(client: Client, settings: TimeSettings) -> str:
    client.time = settings
    client.left.clear()
    return ""


def _time_settings(client: Client, args: Args) -> str:
    return _set(client, _overtime(_seconds(args[0]), _seconds(args[1]), _stones(args[2])))


def _kata_time_settings(client: Client, args: Args) -> str:
    kind, *words = args
    found = _KINDS.get(kind.lower())
    if found is None:
        refuse_syntax(f"time control {kind!r}: expected one of {', '.join(_KINDS)}")
    count, read = found
    if len(words) != count:
        refuse_syntax(f"{kind.lower()}: expected {count} numbers")
    return _set(client, read(tuple(words)))


def _time_left(client: Client, args: Args) -> str:
    player = parse_player(args[0])
    client.left[player] = TimeLeft(_seconds(args[1]), _stones(args[2]))
    return ""


COMMANDS: Final = (
    Command(
        "time_settings",
        "engine",
        "MAIN PERIOD STONES",
        "the time control: seconds, seconds of byo-yomi, turns in them",
        _time_settings,
        (3, 3),
    ),
    Command(
        "kata-time_settings",
        "engine",
        "KIND [SECONDS]...",
        "the time control: none, absolute, byoyomi, canadian, fischer or fischer-capped",
        _kata_time_settings,
        (1, ANY),
    ),
    Command(
        "time_left",
        "engine",
        "PLAYER SECONDS STONES",
        "what a player has left",
        _time_left,
        (3, 3),
    ),
)
