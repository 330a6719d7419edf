"""Searches that report while they run, in KataGo's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from yoddd.engine import Budget, Candidate, StopFlag
from yoddd.protocol.command import ANY, Analysis, Args, Client, Command, Found, refuse_syntax
from yoddd.protocol.commands.engine import played, prepare, time_for
from yoddd.protocol.effects import Say
from yoddd.protocol.parameters import MAX_PLAYOUTS
from yoddd.protocol.words import parse_number, parse_seconds
from yoddd.rules import Turn

_INTERVAL: Final = 50
_MAX_INTERVAL: Final = 100_000
_MAX_MOVES: Final = 10_000
_LONGEST: Final = 1_000_000.0
_NUMBERS: Final = {
    "interval": _MAX_INTERVAL,
    "maxmoves": _MAX_MOVES,
    "minmoves": _MAX_MOVES,
    "maxvisits": MAX_PLAYOUTS,
}


@attrs.frozen
class _Wish:
    """The arguments of an analysis.

    Attributes:
        numbers: ``interval`` in centiseconds, ``maxmoves``, ``maxvisits``, where given.
        seconds: ``maxtime``, where given.
    """

    numbers: dict[str, int]
    seconds: float | None

    @property
    def interval(self) -> float:
        """Seconds between two lines."""
        return self.numbers.get("interval", _INTERVAL) / 100

    @property
    def moves(self) -> int:
        """How many candidates a line has at most."""
        return self.numbers.get("maxmoves", _MAX_MOVES)


def _read(words: list[str]) -> _Wish:
    numbers: dict[str, int] = {}
    seconds = None
    if words and words[0].isdigit():
        numbers["interval"] = parse_number("interval", words.pop(0), 0, _MAX_INTERVAL)
    for key, value in _pairs(words):
        if key == "maxtime":
            seconds = parse_seconds(key, value, _LONGEST)
        elif key in _NUMBERS:
            numbers[key] = parse_number(key, value, 0, _NUMBERS[key])
        else:
            known = ", ".join([*_NUMBERS, "maxtime"])
            refuse_syntax(f"{key!r}: expected one of {known}")
    return _Wish(numbers, seconds)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The settings, whether spelled ``key=value`` or ``key value``."""
    flat = [part for word in words for part in word.split("=", 1)]
    if len(flat) % 2:
        refuse_syntax(f"{flat[-1]!r}: expected a value behind it")
    return ((key.lower(), value) for key, value in zip(flat[::2], flat[1::2], strict=True))


def _analyze(client: Client, args: Args) -> Analysis:
    wish, work = _begin(client, args, Budget(playouts=MAX_PLAYOUTS))
    return Analysis(work, None, wish.interval, wish.seconds)


def _genmove_analyze(client: Client, args: Args) -> Analysis:
    wish, work = _begin(client, args, None)
    seconds = [limit for limit in (wish.seconds, time_for(client)) if limit is not None]
    finish = played(client)
    return Analysis(
        work,
        lambda result: f"play {finish(result)}",
        wish.interval,
        min(seconds) if seconds else None,
    )


def _begin(
    client: Client, args: Args, budget: Budget | None
) -> tuple[_Wish, Callable[[StopFlag, Say], Found]]:
    words = list(args)
    player = words.pop(0) if words and words[0][:1].lower() in ("b", "w") else None
    order = prepare(client, player)
    wish, spell = _read(words), client.speller()
    if "maxvisits" in wish.numbers:
        budget = Budget(playouts=max(1, wish.numbers["maxvisits"]))
    order = attrs.evolve(order, budget=budget or order.budget)

    def work(stop: StopFlag, say: Say) -> Found:
        def report(candidates: Sequence[Candidate]) -> None:
            say(format_report(candidates[: wish.moves], spell))

        return order.run(stop, report)

    return wish, work


def format_report(candidates: Sequence[Candidate], spell: Callable[[Turn], str]) -> str:
    """One line of an analysis."""
    return " ".join(
        f"info move {spell(one.turn)} visits {one.visits} winrate {one.winrate:.6f} "
        f"prior {one.prior:.6f} order {order} pv {' '.join(map(spell, one.line))}"
        for order, one in enumerate(candidates)
    )


_USAGE: Final = "[PLAYER] [INTERVAL] [KEY VALUE]..."
COMMANDS: Final = tuple(
    Command(f"{prefix}{name}", "engine", _USAGE, text, handler, (0, ANY), 8)
    for name, text, handler in (
        ("analyze", "let the engine think aloud until any line comes", _analyze),
        ("genmove_analyze", "let the engine think aloud, then play", _genmove_analyze),
    )
    for prefix in ("", "kata-")
)
