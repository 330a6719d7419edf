"""The ``match`` command: its arguments, and its streaming reply on either side of the wire.

The reply has a line for each piece of news::

    game NUMBER ID BLACK WHITE
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

from yoddd.daemon.clock import wall
from yoddd.daemon.contestants import ATTACHED, Attached
from yoddd.daemon.hub import Hub
from yoddd.daemon.live import End, Say
from yoddd.daemon.series import GameBegins, GameEnds, News, Series, TurnSeen
from yoddd.notation import NotationError
from yoddd.notation.records import dump_record, load_record
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.words import number_setting, parse_settings
from yoddd.referee import ClockError, Match, MatchError, MatchPlan, parse_clock
from yoddd.rules import RulesError, make_rules

MAX_GAMES: Final = 1_000_000
MAX_WAIT: Final = 3600
MAX_SEED: Final = 2**31 - 1
_SETTINGS: Final = ("game", "board", "games", "seed", "clock", "wait")


@attrs.frozen
class MatchOrder:
    """What a ``match`` request asks for.

    Attributes:
        plan: the match.
        wait: seconds to wait for engines that are not attached yet.
    """

    plan: MatchPlan
    wait: int


def parse_order(args: tuple[str, ...], match_id: str = "match") -> MatchOrder:
    """Read the arguments of ``match``.

    Names may be spelled ``tcp:NAME``. Settings that the command does not know itself are options of
    the game.

    Raises:
        PeerError: they make no match.
    """
    first, second, *words = args
    settings = parse_settings(words)
    known: dict[str, str] = {name: settings.pop(name) for name in _SETTINGS if name in settings}
    try:
        plan = MatchPlan(
            id=match_id,
            names=(first.removeprefix(ATTACHED), second.removeprefix(ATTACHED)),
            rules=make_rules(known.get("game", "yodd"), known.get("board"), settings),
            games=number_setting(known, "games", 1, MAX_GAMES),
            seed=number_setting(known, "seed", 0, MAX_SEED),
            clock=parse_clock(known.get("clock", "none")),
        )
        Match(plan)
    except (RulesError, ClockError, MatchError) as error:
        raise PeerError(Code.SYNTAX, str(error)) from None
    return MatchOrder(plan, number_setting(known, "wait", 0, MAX_WAIT))


def format_order(plan: MatchPlan, wait: int) -> str:
    """The request line that asks for ``plan``."""
    rules = plan.rules
    settings: Mapping[str, object] = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "games": plan.games,
        "seed": plan.seed,
        "clock": plan.clock,
        "wait": wait,
        **rules.chosen_options(),
    }
    words = [f"{name}={value}" for name, value in settings.items()]
    return " ".join(["match", *plan.names, *words])


def format_news(news: News) -> str:
    """One line of the streaming reply."""
    match news:
        case GameBegins(number, game_id, black, white):
            return f"game {number} {game_id} {black} {white}"
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
            game_id, black, white = words
            return GameBegins(int(number), game_id, black, white)
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
    """A match that a connection has asked for; it ends with the interest in it."""

    def __init__(self, hub: Hub, order: MatchOrder, say: Say, end: End) -> None:
        """Begin as soon as both engines are there."""
        self._end = end
        self._registry = hub.registry
        self._names = order.plan.names
        self._late = False
        black, white = (Attached(hub.registry, name) for name in self._names)
        report = hub.live.reporter(order.plan.rules, str(order.plan.clock), self._abort)

        def hear(news: News) -> None:
            report(news)
            say(format_news(news))

        self._series = Series(hub.reactor, Match(order.plan), (black, white), hear, hub.pairing)
        self._timeout = hub.reactor.callLater(order.wait, self._check_begun)
        playing = Deferred.fromCoroutine(self._series.play())
        playing.addCallbacks(self._played, self._broken)

    def stop(self) -> None:
        """Nobody listens any more."""
        self._series.stop()

    def _abort(self, reason: str) -> None:
        self._series.abort(reason)

    def _check_begun(self) -> None:
        if not self._series.begun:
            self._late = True
            self._series.stop()

    def _played(self, _match: Match) -> None:
        self._close(self._absence() if self._late else None)

    def _absence(self) -> str:
        here = self._registry.names
        missing = [name for name in self._names if name not in here]
        if missing:
            return f"not attached: {', '.join(missing)} (attached: {', '.join(here) or 'nobody'})"
        return f"busy with another match: {' or '.join(self._names)}"

    def _broken(self, failure: Failure) -> None:
        self._close(f"the match broke off: {failure.getErrorMessage()}")

    def _close(self, error: str | None) -> None:
        if self._timeout.active():
            self._timeout.cancel()
        self._end(error)


def offer(hub: Hub) -> None:
    """Let the connections of ``hub`` ask for matches."""

    def open_match(args: tuple[str, ...], say: Say, end: End) -> MatchStream:
        return MatchStream(hub, parse_order(args, f"m{wall()}"), say, end)

    def check(args: tuple[str, ...]) -> None:
        parse_order(args)
        hub.pairing.check()

    hub.streams["match"] = open_match
    hub.config = attrs.evolve(hub.config, match=check)
