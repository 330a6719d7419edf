"""The commands that analyze: searches that report while they run, the policy, reviews of games.

The syntax is that of KataGo or Leela Zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Self

import attrs

from yoddd.engine import (
    Bar,
    Budget,
    Candidate,
    Insight,
    MctsSearcher,
    Restriction,
    StopFlag,
    prior_of,
)
from yoddd.protocol.arguments import parse_number, parse_pairs, parse_player, parse_seconds
from yoddd.protocol.client_state import ClientState
from yoddd.protocol.command import Args, CommandGroup, refuse_illegal, refuse_syntax
from yoddd.protocol.commands.engine import (
    FinishedSearch,
    PreparedSearch,
    play_and_reply,
    prepare_search,
    reply_and_keep,
    reply_without_search,
    tuned_searcher,
)
from yoddd.protocol.config import Dialect
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.effects import Say
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.parameters import MAX_PLAYOUTS
from yoddd.protocol.replies import AnalysisReply
from yoddd.rules import PASS, Colour, Stone

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
_MORE_OUTPUT: Final = ("ownershipstdev", "movesownership", "pvvisits")
"""KataGo's names of more numbers, which controllers ask for without need: none are written."""

_TRUTH: Final = {"true": True, "false": False}
_USAGE: Final = "[PLAYER] [INTERVAL] [KEY VALUE]..."

COMMANDS: Final = CommandGroup("engine")
_Analyze = Callable[[ClientState, Args, Dialect], AnalysisReply]


def _in_dialects(name: str, help_: str) -> Callable[[_Analyze], _Analyze]:
    """Add the decorated handler in the client's dialect, and in each."""

    def add(handler: _Analyze) -> _Analyze:
        for one in (None, *Dialect):

            @COMMANDS.command(name if one is None else f"{one}-{name}", _USAGE, help_, 8)
            def _(client: ClientState, args: Args, one: Dialect | None = one) -> AnalysisReply:
                return handler(client, args, one or Dialect(client.parameters.analysis))

        return handler

    return add


@attrs.frozen
class AnalysisOptions:
    """The arguments of an analysis.

    Attributes:
        numbers: ``interval`` in centiseconds, ``maxmoves``, ``maxvisits``, where given.
        seconds: ``maxtime``, where given.
        flags: ``ownership`` and ``rootinfo``, where true.
        restriction: what ``avoid`` and ``allow`` leave out; None for nothing.
    """

    numbers: dict[str, int]
    seconds: float | None
    flags: frozenset[str]
    restriction: Restriction | None = None

    @property
    def interval(self) -> float:
        """Seconds between two lines."""
        return self.numbers.get("interval", _INTERVAL) / 100

    @property
    def moves(self) -> int:
        """The greatest number of candidates in a line."""
        return self.numbers.get("maxmoves", _MAX_MOVES)

    @property
    def is_endless(self) -> bool:
        """Whether nothing limits the analysis."""
        return self.seconds is None and "maxvisits" not in self.numbers

    def limit(self, budget: Budget) -> Budget:
        """Return ``budget`` within these limits."""
        seconds = [limit for limit in (self.seconds, budget.seconds) if limit is not None]
        if "maxvisits" in self.numbers:
            budget = attrs.evolve(budget, playouts=max(1, self.numbers["maxvisits"]), visits=None)
        return attrs.evolve(
            budget, seconds=min(seconds) if seconds else None, restriction=self.restriction
        )


def _read(words: list[str]) -> AnalysisOptions:
    numbers: dict[str, int] = {}
    seconds = None
    flags = set[str]()
    if words and words[0].isdigit():
        numbers["interval"] = parse_number("interval", words.pop(0), 0, _MAX_INTERVAL)
    for key, value in parse_pairs(words):
        if key == "maxtime":
            seconds = parse_seconds(key, value, _LONGEST)
        elif key in _NUMBERS:
            numbers[key] = parse_number(key, value, 0, _NUMBERS[key])
        elif key in _MORE_OUTPUT and value.lower() in _TRUTH:
            continue
        elif key in _FLAGS and value.lower() in _TRUTH:
            (flags.add if _TRUTH[value.lower()] else flags.discard)(key)
        elif key in _FLAGS:
            refuse_syntax(f"{_FLAGS[key]} {value!r}: expected true or false")
        else:
            known = ", ".join([*_NUMBERS, "maxtime", *_FLAGS.values()])
            refuse_syntax(f"{key!r}: expected one of {known}")
    return AnalysisOptions(numbers, seconds, frozenset(flags))


@_in_dialects("analyze", "report the engine's search until the next line")
def _analyze(client: ClientState, args: Args, dialect: Dialect) -> AnalysisReply:
    player, options = _parse(client, args)
    for_go = client.spelling.in_gogui
    if for_go and client.entry.ends_in_passes:
        return _after_the_end(client, player, options, dialect)
    search = prepare_search(client, player, full=True)
    _check_heeds(search, options)
    free = attrs.evolve(search.budget, playouts=MAX_PLAYOUTS, visits=None, seconds=None)
    budget = options.limit(free)
    resumes = budget == free and isinstance(search.searcher, MctsSearcher)
    search = attrs.evolve(search, budget=attrs.evolve(budget, resume=resumes))
    work = _work(ReportWriter.of(client, options, dialect), search)
    return AnalysisReply(
        work,
        None,
        options.interval,
        budget.seconds,
        resumes,
        repeats=for_go and options.is_endless,
    )


def _after_the_end(
    client: ClientState, player: Colour | None, options: AnalysisOptions, dialect: Dialect
) -> AnalysisReply:
    """Return the analysis of a finished game for a program for Go, which expects passes there."""
    outcome = client.position.outcome()
    won = float(outcome is not None and outcome.winner is (player or client.position.player))
    found = Insight((Candidate(PASS, 1, won, 1.0, (PASS,)),), 1, won)
    line = ReportWriter.of(client, options, dialect).line(found)
    return AnalysisReply(
        lambda _stop, say: say(line),
        None,
        options.interval,
        options.seconds,
        repeats=options.is_endless,
    )


@_in_dialects("genmove_analyze", "report the engine's search, then play its turn")
def _genmove_analyze(client: ClientState, args: Args, dialect: Dialect) -> AnalysisReply:
    player, options = _parse(client, args)
    known = reply_without_search(client, player)
    if known is not None:
        return _known(known, options)
    search = prepare_search(client, player, playing=True)
    search = _limit(search, options)
    finish = play_and_reply(client, search)
    return AnalysisReply(
        _work(ReportWriter.of(client, options, dialect), search),
        lambda result: f"play {finish(result)}",
        options.interval,
        search.budget.seconds,
        search.resumes,
    )


def _limit(search: PreparedSearch, options: AnalysisOptions) -> PreparedSearch:
    _check_heeds(search, options)
    return attrs.evolve(search, budget=options.limit(search.budget))


def _check_heeds(search: PreparedSearch, options: AnalysisOptions) -> None:
    if options.restriction is not None and not isinstance(search.searcher, MctsSearcher):
        refuse_syntax("avoid and allow: only mcts heeds them, at level 10 and for a whole turn")


def _known(token: str, options: AnalysisOptions) -> AnalysisReply:
    """Return the reply of a turn that takes no search."""
    last = f"play {token}"
    return AnalysisReply(lambda _stop, _say: None, lambda _: last, options.interval, None)


@COMMANDS.command(
    "kata-search_analyze_cancellable",
    _USAGE,
    "report the engine's search, then its turn without playing it; any line cancels it",
    8,
)
def _search_analyze(client: ClientState, args: Args) -> AnalysisReply:
    player, options = _parse(client, args)
    if client.entry.ends_in_passes:
        return _known(client.format_turn(PASS), options)
    search = prepare_search(client, player)
    search = _limit(search, options)
    finish = reply_and_keep(client, search)
    return AnalysisReply(
        _work(ReportWriter.of(client, options, Dialect.KATA), search),
        lambda result: f"play {finish(result)}",
        options.interval,
        search.budget.seconds,
        cancelled="play cancelled",
    )


def _parse(client: ClientState, args: Args) -> tuple[Colour | None, AnalysisOptions]:
    words = list(args)
    player = parse_player(words.pop(0)) if words and words[0][:1].lower() in ("b", "w") else None
    restriction = _take_restriction(client, words)
    return player, attrs.evolve(_read(words), restriction=restriction)


def _take_restriction(client: ClientState, words: list[str]) -> Restriction | None:
    """Take ``avoid`` and ``allow``, with the three words after each, out of ``words``."""
    bars: list[Bar] = []
    at = 0
    while at < len(words):
        key = words[at].lower()
        if key not in ("avoid", "allow"):
            at += 1
            continue
        if len(words) < at + 4:
            refuse_syntax(f"{key}: expected PLAYER STONE,... TURNS")
        player, depth = parse_player(words[at + 1]), words[at + 3]
        bars.append(
            Bar(
                player,
                client.spelling.read_half_turns(words[at + 2].split(","), player),
                parse_number(key, depth, 1, _MAX_MOVES),
                allows=key == "allow",
            )
        )
        del words[at : at + 4]
    return Restriction.of(client.rules, bars) if bars else None


def _work(
    writer: ReportWriter, search: PreparedSearch
) -> Callable[[StopFlag, Say], FinishedSearch]:
    return lambda stop, say: search.run(stop, lambda insight: say(writer.line(insight)))


@attrs.frozen
class ReportWriter:
    """Writes the lines of one analysis, in any thread.

    Attributes:
        options: what a line says.
        spelling: how turns are written.
        player: the player to move.
        dialect: whose numbers are written.
    """

    options: AnalysisOptions
    spelling: Spelling
    player: Colour
    dialect: Dialect = Dialect.KATA

    @classmethod
    def of(cls, client: ClientState, options: AnalysisOptions, dialect: Dialect) -> Self:
        """Return the writer of an analysis of the client's position."""
        return cls(options, client.spelling, client.position.player, dialect)

    def line(self, insight: Insight) -> str:
        """Return one line of an analysis, with as many candidates as fit into it."""
        tail = self._tail(insight)
        bytes_left = LINE_LIMIT - len(tail)
        words: list[str] = []
        for order, one in enumerate(insight.candidates[: self.options.moves]):
            candidate = self._candidate(order, one)
            bytes_left -= len(candidate) + 1
            if bytes_left < 0:
                break
            words.append(candidate)
        return " ".join([*words, tail] if tail else words)

    def _candidate(self, order: int, one: Candidate) -> str:
        turn = self.spelling.turn(one.turn, self.player)
        values = _lz_values(one) if self.dialect is Dialect.LZ else _kata_values(one)
        pv = self.spelling.line(one.line, self.player)
        words = [f"info move {turn} visits {one.visits}", *values, f"order {order} pv", *pv]
        return " ".join(words)

    def _tail(self, insight: Insight) -> str:
        if self.dialect is Dialect.LZ:
            return ""
        words: list[str] = []
        if "rootinfo" in self.options.flags:
            words.append(f"rootInfo visits {insight.visits} winrate {insight.winrate:.6f}")
            words += _score(insight.margin, insight.spread)
        if "ownership" in self.options.flags and insight.ownership:
            owned = self.spelling.drawn(insight.ownership, 0.0)
            words.append("ownership " + " ".join(f"{value:.3f}" for value in owned))
        return " ".join(words)


def _lz_values(one: Candidate) -> list[str]:
    return [f"winrate {10_000 * one.winrate:.0f} prior {10_000 * one.prior:.0f}"]


def _kata_values(one: Candidate) -> list[str]:
    # Lizzie reads `scoreMean`, which KataGo writes beside `scoreLead` for it.
    words = [f"winrate {one.winrate:.6f}", *_groups("scoreMean", one.margin)]
    words += _score(one.margin, one.spread)
    words.append(f"prior {one.prior:.6f}")
    if one.first is not None:
        words.append(f"firstVisits {one.first.visits} firstWinrate {one.first.winrate:.6f}")
        words += _groups("firstLead", one.first.margin)
    if one.distance is not None:
        words.append(f"proven {'won' if one.winrate else 'lost'} distance {one.distance}")
    return words


def _score(margin: float | None, spread: float | None) -> list[str]:
    return [*_groups("scoreLead", margin), *_groups("scoreStdev", spread)]


def _groups(name: str, number: float | None) -> list[str]:
    return [] if number is None else [f"{name} {number:.3f}"]


_ENDS: Final = ("end", "pass", "swap")
"""The half turns that are no stones, as the kernel numbers them after those."""


@COMMANDS.command(
    "policy",
    "[STONE]",
    "the probability that the engine's policy gives to each stone that can come next",
    64,
)
def _policy(client: ClientState, args: Args) -> str:
    position, spelling = client.position, client.spelling
    if position.is_over:
        raise PeerError(Subcode.OVER, "the game is over")
    stones = spelling.read_stones(args, position.player) or client.entry.stones
    first = stones[0] if stones else None
    if first is not None and not (position.rules.two_stones and position.completable(first)):
        token = spelling.stone(first, position.player)
        refuse_illegal(f"no legal turn goes on after {token}")
    shares = prior_of(tuned_searcher(client), position).half_turns(first)
    order = sorted(shares, key=lambda move: (-shares[move], move))
    return "\n".join(
        f"{_token(move, spelling, position.player)} {shares[move]:.6f}" for move in order
    )


def _token(move: int, spelling: Spelling, player: Colour) -> str:
    colour, cell = divmod(move, len(spelling.labels))
    if colour > Colour.WHITE:
        return _ENDS[cell]
    return spelling.stone(Stone(Colour(colour), cell), player)


_RANGES: Final = {"visits": (1, 100_000), "seed": (0, (1 << 63) - 1)}
_DEFAULTS: Final = {"visits": 1000, "seed": 0}

_PROGRESS: Final = 0.25
"""Seconds between two lines of progress."""


@COMMANDS.command("review", "[KEY VALUE]...", "judge every turn of the game; a stream", 8)
def _review(client: ClientState, args: Args) -> AnalysisReply:
    numbers = _read_numbers(args)
    start = client.position.copy()
    turns = start.history
    for _ in turns:
        start.undo()
    if not turns:
        raise PeerError(Code.SYNTAX, "the game has no turn yet")
    # Not at import, which would make every session start later.
    from yoddd.protocol.review_work import ReviewWork

    work = ReviewWork(client, start, numbers)
    return AnalysisReply(work.run, None, _PROGRESS, None, resumes=True)


def _read_numbers(args: Args) -> dict[str, int]:
    numbers = dict(_DEFAULTS)
    for key, value in parse_pairs(args):
        if key not in _RANGES:
            refuse_syntax(f"{key!r}: expected one of {', '.join(_RANGES)}")
        numbers[key] = parse_number(key, value, *_RANGES[key])
    return numbers
