"""The commands for searches that report while they run, in the syntax of KataGo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from yoddd.engine import Budget, Candidate, Insight, MctsSearcher, StopFlag
from yoddd.protocol.arguments import parse_number, parse_seconds
from yoddd.protocol.client_state import ClientState, FinishedSearch
from yoddd.protocol.command import ANY, Args, Command, refuse_syntax
from yoddd.protocol.commands.engine import PreparedSearch, play_and_reply, prepare_search
from yoddd.protocol.effects import Say
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.parameters import MAX_PLAYOUTS
from yoddd.protocol.replies import AnalysisReply
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
class AnalysisOptions:
    """The arguments of an analysis.

    Attributes:
        numbers: ``interval`` in centiseconds, ``maxmoves``, ``maxvisits``, where given.
        seconds: ``maxtime``, where given.
        flags: ``ownership`` and ``rootinfo``, where true.
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
        """The greatest number of candidates in a line."""
        return self.numbers.get("maxmoves", _MAX_MOVES)

    def limit(self, budget: Budget) -> Budget:
        """Return ``budget`` within these limits."""
        seconds = [limit for limit in (self.seconds, budget.seconds) if limit is not None]
        if "maxvisits" in self.numbers:
            budget = attrs.evolve(budget, playouts=max(1, self.numbers["maxvisits"]), visits=None)
        return attrs.evolve(budget, seconds=min(seconds) if seconds else None)


def _read(words: list[str]) -> AnalysisOptions:
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
    return AnalysisOptions(numbers, seconds, frozenset(flags))


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the settings, whether written ``key=value`` or ``key value``."""
    flat = [part for word in words for part in word.split("=", 1)]
    if len(flat) % 2:
        refuse_syntax(f"{flat[-1]!r}: expected a value behind it")
    return ((key.lower(), value) for key, value in zip(flat[::2], flat[1::2], strict=True))


def _analyze(client: ClientState, args: Args) -> AnalysisReply:
    options, search = _begin(client, args, playing=False)
    free = attrs.evolve(search.budget, playouts=MAX_PLAYOUTS, visits=None, seconds=None)
    budget = options.limit(free)
    resumes = budget == free and isinstance(search.searcher, MctsSearcher)
    search = attrs.evolve(search, budget=attrs.evolve(budget, resume=resumes))
    return AnalysisReply(
        _work(client, options, search), None, options.interval, budget.seconds, resumes
    )


def _genmove_analyze(client: ClientState, args: Args) -> AnalysisReply:
    options, search = _begin(client, args, playing=True)
    search = attrs.evolve(search, budget=options.limit(search.budget))
    finish = play_and_reply(client, search)
    return AnalysisReply(
        _work(client, options, search),
        lambda result: f"play {finish(result)}",
        options.interval,
        search.budget.seconds,
    )


def _begin(
    client: ClientState, args: Args, *, playing: bool
) -> tuple[AnalysisOptions, PreparedSearch]:
    words = list(args)
    player = words.pop(0) if words and words[0][:1].lower() in ("b", "w") else None
    options = _read(words)
    return options, prepare_search(client, player, playing=playing, full=not playing)


def _work(
    client: ClientState, options: AnalysisOptions, search: PreparedSearch
) -> Callable[[StopFlag, Say], FinishedSearch]:
    format_turn = client.turn_formatter(client.rules)

    def work(stop: StopFlag, say: Say) -> FinishedSearch:
        return search.run(stop, lambda insight: say(format_report(insight, options, format_turn)))

    return work


def format_report(
    insight: Insight, options: AnalysisOptions, format_turn: Callable[[Turn], str]
) -> str:
    """Return one line of an analysis, with as many candidates as fit into it."""
    tail = _tail(insight, options)
    bytes_left = LINE_LIMIT - len(tail)
    words: list[str] = []
    for order, one in enumerate(insight.candidates[: options.moves]):
        candidate = _format_candidate(order, one, format_turn)
        bytes_left -= len(candidate) + 1
        if bytes_left < 0:
            break
        words.append(candidate)
    return " ".join([*words, tail] if tail else words)


def _tail(insight: Insight, options: AnalysisOptions) -> str:
    words: list[str] = []
    if "rootinfo" in options.flags:
        words.append(f"rootInfo visits {insight.visits} winrate {insight.winrate:.6f}")
        words += _lead("scoreLead", insight.margin)
    if "ownership" in options.flags and insight.ownership:
        words.append("ownership " + " ".join(f"{owned:.3f}" for owned in insight.ownership))
    return " ".join(words)


def _format_candidate(order: int, one: Candidate, format_turn: Callable[[Turn], str]) -> str:
    words = [f"info move {format_turn(one.turn)} visits {one.visits} winrate {one.winrate:.6f}"]
    words += _lead("scoreLead", one.margin)
    words.append(f"prior {one.prior:.6f}")
    if one.first is not None:
        words.append(f"firstVisits {one.first.visits} firstWinrate {one.first.winrate:.6f}")
        words += _lead("firstLead", one.first.margin)
    if one.distance is not None:
        words.append(f"proven {'won' if one.winrate else 'lost'} distance {one.distance}")
    words.append(f"order {order} pv {' '.join(map(format_turn, one.line))}")
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
