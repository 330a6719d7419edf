"""Searches that report while they run, in KataGo's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from yoddd.engine import Budget, Candidate, Insight, MctsSearcher, StopFlag
from yoddd.protocol.command import ANY, Analysis, Args, Client, Command, Found, refuse_syntax
from yoddd.protocol.commands.engine import Order, played, prepare
from yoddd.protocol.effects import Say
from yoddd.protocol.grammar import LINE_LIMIT
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
_FLAGS: Final = {"ownership": "ownership", "rootinfo": "rootInfo"}
_TRUTH: Final = {"true": True, "false": False}


@attrs.frozen
class Wish:
    """The arguments of an analysis.

    Attributes:
        numbers: ``interval`` in centiseconds, ``maxmoves``, ``maxvisits``, where given.
        seconds: ``maxtime``, where given.
        flags: ``ownership`` and ``rootInfo``, in lower case, where wished for.
    """

    numbers: dict[str, int]
    seconds: float | None
    flags: frozenset[str]

    @property
    def interval(self) -> float:
        """Seconds between two lines."""
        return self.numbers.get("interval", _INTERVAL) / 100

    @property
    def moves(self) -> int:
        """How many candidates a line has at most."""
        return self.numbers.get("maxmoves", _MAX_MOVES)

    def limit(self, budget: Budget) -> Budget:
        """A budget within what is wished for."""
        seconds = [limit for limit in (self.seconds, budget.seconds) if limit is not None]
        if "maxvisits" in self.numbers:
            budget = attrs.evolve(budget, playouts=max(1, self.numbers["maxvisits"]), visits=None)
        return attrs.evolve(budget, seconds=min(seconds) if seconds else None)


def _read(words: list[str]) -> Wish:
    numbers: dict[str, int] = {}
    seconds = None
    flags = set[str]()
    if words and words[0].isdigit():
        numbers["interval"] = parse_number("interval", words.pop(0), 0, _MAX_INTERVAL)
    for key, value in _pairs(words):
        if key == "maxtime":
            seconds = parse_seconds(key, value, _LONGEST)
        elif key in _NUMBERS:
            numbers[key] = parse_number(key, value, 0, _NUMBERS[key])
        elif key in _FLAGS and value.lower() in _TRUTH:
            (flags.add if _TRUTH[value.lower()] else flags.discard)(key)
        elif key in _FLAGS:
            refuse_syntax(f"{_FLAGS[key]} {value!r}: expected true or false")
        else:
            known = ", ".join([*_NUMBERS, "maxtime", *_FLAGS.values()])
            refuse_syntax(f"{key!r}: expected one of {known}")
    return Wish(numbers, seconds, frozenset(flags))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The settings, whether spelled ``key=value`` or ``key value``."""
    flat = [part for word in words for part in word.split("=", 1)]
    if len(flat) % 2:
        refuse_syntax(f"{flat[-1]!r}: expected a value behind it")
    return ((key.lower(), value) for key, value in zip(flat[::2], flat[1::2], strict=True))


def _analyze(client: Client, args: Args) -> Analysis:
    wish, order = _begin(client, args, playing=False)
    free = attrs.evolve(order.budget, playouts=MAX_PLAYOUTS, visits=None, seconds=None)
    budget = wish.limit(free)
    resumes = budget == free and isinstance(order.searcher, MctsSearcher)
    order = attrs.evolve(order, budget=attrs.evolve(budget, resume=resumes))
    return Analysis(_work(client, wish, order), None, wish.interval, budget.seconds, resumes)


def _genmove_analyze(client: Client, args: Args) -> Analysis:
    wish, order = _begin(client, args, playing=True)
    order = attrs.evolve(order, budget=wish.limit(order.budget))
    finish = played(client, order)
    return Analysis(
        _work(client, wish, order),
        lambda result: f"play {finish(result)}",
        wish.interval,
        order.budget.seconds,
    )


def _begin(client: Client, args: Args, *, playing: bool) -> tuple[Wish, Order]:
    words = list(args)
    player = words.pop(0) if words and words[0][:1].lower() in ("b", "w") else None
    wish = _read(words)
    return wish, prepare(client, player, playing=playing, full=not playing)


def _work(client: Client, wish: Wish, order: Order) -> Callable[[StopFlag, Say], Found]:
    spell = client.speller()

    def work(stop: StopFlag, say: Say) -> Found:
        return order.run(stop, lambda insight: say(format_report(insight, wish, spell)))

    return work


def format_report(insight: Insight, wish: Wish, spell: Callable[[Turn], str]) -> str:
    """One line of an analysis, with as many candidates as fit into it."""
    tail = _tail(insight, wish)
    room = LINE_LIMIT - len(tail)
    words: list[str] = []
    for order, one in enumerate(insight.candidates[: wish.moves]):
        candidate = _format_candidate(order, one, spell)
        room -= len(candidate) + 1
        if room < 0:
            break
        words.append(candidate)
    return " ".join([*words, tail] if tail else words)


def _tail(insight: Insight, wish: Wish) -> str:
    words: list[str] = []
    if "rootinfo" in wish.flags:
        words.append(f"rootInfo visits {insight.visits} winrate {insight.winrate:.6f}")
        words += _lead("scoreLead", insight.margin)
    if "ownership" in wish.flags and insight.ownership:
        words.append("ownership " + " ".join(f"{owned:.3f}" for owned in insight.ownership))
    return " ".join(words)


def _format_candidate(order: int, one: Candidate, spell: Callable[[Turn], str]) -> str:
    words = [f"info move {spell(one.turn)} visits {one.visits} winrate {one.winrate:.6f}"]
    words += _lead("scoreLead", one.margin)
    words.append(f"prior {one.prior:.6f}")
    if one.first is not None:
        words.append(f"firstVisits {one.first.visits} firstWinrate {one.first.winrate:.6f}")
        words += _lead("firstLead", one.first.margin)
    words.append(f"order {order} pv {' '.join(map(spell, one.line))}")
    return " ".join(words)


def _lead(name: str, margin: float | None) -> list[str]:
    return [] if margin is None else [f"{name} {margin:.3f}"]


_USAGE: Final = "[PLAYER] [INTERVAL] [KEY VALUE]..."
COMMANDS: Final = tuple(
    Command(f"{prefix}{name}", "engine", _USAGE, text, handler, (0, ANY), 8)
    for name, text, handler in (
        ("analyze", "let the engine think aloud until any line comes", _analyze),
        ("genmove_analyze", "let the engine think aloud, then play", _genmove_analyze),
    )
    for prefix in ("", "kata-")
)
