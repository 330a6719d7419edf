"""The commands that set the time control and the time left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from yoddd.engine import TimeLeft, TimeSettings
from yoddd.protocol.arguments import parse_number, parse_player, parse_seconds
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_syntax

_LONGEST: Final = 1e9
_MAX_STONES: Final = 10_000

COMMANDS: Final = CommandGroup("engine")


def _seconds(text: str) -> float:
    return parse_seconds("time", text, _LONGEST)


def _stones(text: str) -> int:
    return parse_number("stones", text, 0, _MAX_STONES)


def _overtime(main: float, period: float, stones: int) -> TimeSettings:
    """Read GTP's settings: a period without stones is no limit, no period is absolute time."""
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
"""For each kind of time control, how many numbers follow it and how to read them.

The periods of ``byoyomi`` after the first, and the caps of ``fischer-capped``, are ignored: a
search that does not use them is never late for it.
"""


def _set(client: ClientState, settings: TimeSettings) -> str:
    client.time = settings
    client.left.clear()
    return ""


@COMMANDS.command(
    "time_settings",
    "MAIN PERIOD STONES",
    "the time control: seconds, seconds of byo-yomi, turns in them",
)
def _time_settings(client: ClientState, args: Args) -> str:
    return _set(client, _overtime(_seconds(args[0]), _seconds(args[1]), _stones(args[2])))


@COMMANDS.command(
    "kata-time_settings",
    "KIND [SECONDS]...",
    "the time control: none, absolute, byoyomi, canadian, fischer or fischer-capped",
)
def _kata_time_settings(client: ClientState, args: Args) -> str:
    kind, *words = args
    found = _KINDS.get(kind.lower())
    if found is None:
        refuse_syntax(f"time control {kind!r}: expected one of {', '.join(_KINDS)}")
    count, read = found
    if len(words) != count:
        refuse_syntax(f"{kind.lower()}: expected {count} numbers")
    return _set(client, read(tuple(words)))


@COMMANDS.command("time_left", "PLAYER SECONDS STONES", "what a player has left")
def _time_left(client: ClientState, args: Args) -> str:
    player = parse_player(args[0])
    stones = _stones(args[2])
    # In periods of one turn, as byo-yomi has them, the number is that of the periods left.
    stones = min(1, stones) if client.time.stones == 1 else stones
    client.left[player] = TimeLeft(_seconds(args[1]), stones)
    return ""
