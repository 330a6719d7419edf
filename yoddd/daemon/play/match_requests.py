"""The ``match`` command: its arguments, and its streaming reply on either side of the wire.

The reply has a line for each piece of news::

    game NUMBER ID BLACK WHITE [TURN...]
    turn NUMBER PERSON TURN SECONDS
    record NUMBER JSON

where PERSON is ``b`` or ``w`` and JSON a game record on one line; see protocol/SPEC.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.play.arrival import Absent
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_runner import GameBegins, GameEnds, News, Series, TurnSeen, Waits
from yoddd.daemon.play.participants import ATTACHED, AttachedParticipant
from yoddd.notation import NotationError
from yoddd.notation.records import dump_record, load_record
from yoddd.protocol.arguments import number_setting, parse_settings
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.referee import (
    DEFAULT_WAIT_LIMITS,
    ClockError,
    Match,
    MatchError,
    MatchPlan,
    parse_clock,
)
from yoddd.referee.adjudication import Adjudication
from yoddd.referee.config import ConfigError, EngineConfig, apply_each, engine_settings
from yoddd.referee.openings import OpeningError, read_openings
from yoddd.rules import Rules, RulesError, make_rules

MAX_GAMES: Final = 1_000_000
MAX_WAIT: Final = 3600
MAX_SEED: Final = 2**31 - 1
MAX_TURNS: Final = 10_000
ABSENCE: Final = 30
"""Seconds that an engine may take to be back between two games, where nobody says otherwise."""

_SETTINGS: Final = (
    *("game", "board", "games", "pairs", "seed", "clock", "openings", "max_turns", "agree"),
    *("wait", "absence", "resume"),
)
_PEOPLE: Final = ("each", "first", "second")
_ELSEWHERE: Final = {
    "solve": "proofs would hold up everybody else",
    "generate": "an engine that judges openings would hold up everybody else",
    "sprt": "whoever asked can end the match by any line",
    "concurrency": "an attached engine plays one game at a time",
    "affinity": "the engines are other people's processes",
    "on_crash": "a crash loses",
    "ponder": "say each.param.ponder=on",
}
"""What `yoddd match` has and a daemon does not, and why."""


@attrs.frozen
class MatchOrder:
    """What a ``match`` request asks for.

    Attributes:
        plan: the match.
        waits: how long engines are waited for, in seconds.
    """

    plan: MatchPlan
    waits: Waits


def parse_order(args: tuple[str, ...], match_id: str = "match") -> MatchOrder:
    """Read the arguments of ``match``.

    Names may be spelled ``tcp:NAME``. Settings that the command does not know itself are options of
    the game.

    Raises:
        PeerError: they make no match.
    """
    first, second, *words = args
    settings = parse_settings(words)
    for name, why in _ELSEWHERE.items():
        if name in settings:
            raise PeerError(Code.SYNTAX, f"{name}: not in a match that a daemon plays: {why}")
    known: dict[str, str] = {name: settings.pop(name) for name in _SETTINGS if name in settings}
    dotted = {name: settings.pop(name) for name in list(settings) if "." in name}
    try:
        people = _people(dotted)
        rules = make_rules(known.get("game", "yodd"), known.get("board"), settings)
        clock = parse_clock(known.get("clock", "none"))
        plan = MatchPlan(
            id=match_id,
            names=(first.removeprefix(ATTACHED), second.removeprefix(ATTACHED)),
            rules=rules,
            games=_games(known),
            seed=number_setting(known, "seed", 0, MAX_SEED),
            clock=clock,
            odds=(people[0].clock or clock, people[1].clock or clock),
            params=(people[0].params, people[1].params),
            openings=_openings(known.get("openings"), rules),
            limits=attrs.evolve(
                DEFAULT_WAIT_LIMITS, resume=float(number_setting(known, "resume", 0, MAX_WAIT))
            ),
            adjudication=Adjudication(
                turns=number_setting(known, "max_turns", 0, MAX_TURNS) or None,
                agree=number_setting(known, "agree", 0, MAX_TURNS) or None,
            ),
        )
        Match(plan)
    except (RulesError, ClockError, MatchError, ConfigError, OpeningError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None
    wait = number_setting(known, "wait", 0, MAX_WAIT)
    return MatchOrder(plan, Waits(wait, number_setting(known, "absence", ABSENCE, MAX_WAIT)))


def _games(known: Mapping[str, str]) -> int:
    if "pairs" not in known:
        return number_setting(known, "games", 1, MAX_GAMES)
    if "games" in known:
        raise PeerError(Code.SYNTAX, "games or pairs, not both")
    return 2 * number_setting(known, "pairs", 1, MAX_GAMES)


def _people(settings: Mapping[str, str]) -> tuple[EngineConfig, EngineConfig]:
    """The settings of each engine, such as ``first.clock`` and ``each.param.playouts``."""
    found: dict[str, list[str]] = {person: [] for person in _PEOPLE}
    for name, value in settings.items():
        person, _, key = name.partition(".")
        if person not in found or not (key == "clock" or key.startswith("param.")):
            raise PeerError(
                Code.SYNTAX,
                f"{name}: expected clock or param.NAME of {', '.join(_PEOPLE)}",
            )
        found[person].append(f"{key}={value}")
    each, first, second = (engine_settings(found[person]) for person in _PEOPLE)
    return apply_each(each, first), apply_each(each, second)


def _openings(text: str | None, rules: Rules) -> tuple[tuple[str, ...], ...]:
    """Openings joined by ``;``, each of turns that are joined by ``/``."""
    if text is None:
        return ()
    lines = text.replace(";", "\n").replace("/", " ")
    return tuple(opening.turns for opening in read_openings(lines, "openings", rules))


def format_order(plan: MatchPlan, waits: Waits) -> str:
    """The request line that asks for ``plan``; what has its default is left out.

    Raises:
        MatchError: it does not fit in a line.
    """
    rules, early = plan.rules, plan.adjudication
    settings: dict[str, object] = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "games": plan.games,
        "seed": plan.seed,
        "clock": plan.clock,
        "wait": waits.first,
        "absence": waits.later,
        "resume": round(plan.limits.resume) or None,
        "max_turns": early.turns,
        "agree": early.agree,
        "openings": ";".join("/".join(turns) for turns in plan.openings) or None,
        **rules.chosen_options(),
    }
    for place, person in enumerate(_PEOPLE[1:]):
        if plan.odds is not None and plan.odds[place] != plan.clock:
            settings[f"{person}.clock"] = plan.odds[place]
        settings |= {f"{person}.param.{name}": value for name, value in plan.params[place].items()}
    words = [f"{name}={value}" for name, value in settings.items() if value is not None]
    line = " ".join(["match", *plan.names, *words])
    if len(line) > LINE_LIMIT:
        raise MatchError(f"{len(line)} bytes are too many for a request: send fewer openings")
    return line


def format_news(news: News) -> str:
    """One line of the streaming reply."""
    match news:
        case GameBegins(number, game_id, black, white, opening):
            return " ".join(["game", str(number), game_id, black, white, *opening])
        case TurnSeen(number, seat, token, seconds):
            return f"turn {number} {seat} {token} {seconds:.6f}"
        case GameEnds(number, record):
            return f"record {number} {dump_record(record)}"


def parse_news(line: str) -> News:
    """Read one line of the streaming reply.

    Raises:
        NotationError: it is none.
    """
    kind, _, rest = line.partition(" ")
    try:
        number, *words = rest.split(" ")
        if kind == "game":
            game_id, black, white, *opening = words
            return GameBegins(int(number), game_id, black, white, tuple(opening))
        if kind == "turn":
            seat, token, seconds = words
            return TurnSeen(int(number), seat, token, float(seconds))
        if kind == "record":
            return GameEnds(int(number), load_record(rest.partition(" ")[2]))
    except NotationError:
        raise
    except ValueError:
        pass
    raise NotationError(f"not a line of a match: {line[:60]!r}")


class MatchStream:
    """A match that a connection has asked for; it ends with the interest in it.

    Attributes:
        is_over: whether nothing more is played.
    """

    def __init__(self, games: GameServices, order: MatchOrder, say: Say, end: End) -> None:
        """Begin as soon as both engines are there."""
        self.is_over = False
        self._end = end
        self._engines = games.engines
        black, white = (AttachedParticipant(games.engines, name) for name in order.plan.names)
        report = games.live.reporter(order.plan.rules, str(order.plan.clock), self._abort)

        def hear(news: News) -> None:
            report(news)
            say(format_news(news))

        self._match = Match(order.plan)
        self._series = Series(
            games.reactor, self._match, (black, white), hear, order.waits, games.start_gate
        )
        playing = Deferred.fromCoroutine(self._series.play())
        playing.addCallbacks(self._played, self._broken)

    def stop(self) -> None:
        """Nobody listens any more."""
        self._series.stop()

    def _abort(self, reason: str) -> None:
        self._series.abort(reason)

    def describe(self) -> str:
        """The line of ``matches``."""
        plan, wins = self._match.plan, self._match.wins
        played = sum(wins) + len(self._match.given_up)
        words = [plan.id, *plan.names, plan.rules.game.name, plan.rules.geometry.name]
        options = {"clock": plan.clock, **plan.rules.chosen_options()}
        counts = [*wins, played, plan.games]
        return " ".join([*words, *map(str, counts), *(f"{k}={v}" for k, v in options.items())])

    def _played(self, _match: Match) -> None:
        self.is_over = True
        self._end(None)

    def _broken(self, failure: Failure) -> None:
        self.is_over = True
        if failure.check(Absent):
            here = ", ".join(self._engines.names) or "nobody"
            self._end(f"{failure.getErrorMessage()} (attached: {here})")
        else:
            self._end(f"the match broke off: {failure.getErrorMessage()}")


class MatchRequests:
    """The matches that clients have asked for: the streaming job of ``match`` and ``matches``."""

    def __init__(self, games: GameServices) -> None:
        """Create it; the matches are played by attached engines."""
        self._games = games
        self._running: list[MatchStream] = []

    def open(self, args: tuple[str, ...], say: Say, end: End) -> MatchStream:
        """Start the match that ``args`` describe.

        Raises:
            PeerError: they make no match.
        """
        stream = MatchStream(self._games, parse_order(args, f"m{wall()}"), say, end)
        self._running.append(stream)
        return stream

    def describe(self) -> list[str]:
        """Return the lines of ``matches``."""
        self._running = [stream for stream in self._running if not stream.is_over]
        return [stream.describe() for stream in self._running]

    def check(self, args: tuple[str, ...]) -> None:
        """Refuse arguments that make no match, and any match while no game may start.

        Raises:
            PeerError: likewise.
        """
        parse_order(args)
        self._games.start_gate.check()
