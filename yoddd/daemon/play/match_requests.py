"""Matches that clients have requested: the streaming job of ``match``, and the list of them."""

from __future__ import annotations

from functools import lru_cache

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_command import MatchOrder, format_news, parse_order
from yoddd.daemon.play.match_runner import MatchRunner, Waits
from yoddd.daemon.play.news import News
from yoddd.daemon.play.pair_wait import Absent
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.protocol.origin import Origin
from yoddd.referee import Match

Claims = tuple[Claim, Claim]
"""The rights of a client to the engines of a match, in its order."""


@lru_cache(maxsize=16)
def _read_order(args: tuple[str, ...]) -> MatchOrder:
    return parse_order(args)


class MatchStream:
    """A match that a client has requested; it ends when the client stops it or disconnects.

    Attributes:
        is_over: whether all games are played, or the match was broken off.
    """

    def __init__(
        self, games: GameServices, order: MatchOrder, claims: Claims, say: Say, end: End
    ) -> None:
        """Begin as soon as both engines are available.

        Args:
            games: the engines and games of the daemon.
            order: the match.
            claims: the rights of the client to its engines.
            say: sends a line of the reply.
            end: ends the reply.
        """
        self.is_over = False
        # Called once, when `is_over` becomes true.
        self._ended = end
        # Named in the error if an engine is absent.
        self._engines = games.engines
        black, white = (
            AttachedParticipant(games.engines, name, claim)
            for name, claim in zip(order.plan.names, claims, strict=True)
        )
        report = games.live.reporter(
            order.plan.rules, str(order.plan.clock), self._abort, self._turn_time
        )

        def tell(news: News) -> None:
            report(news)
            say(format_news(news))

        # Holds the score, which changes after each game.
        self._match = Match(order.plan)
        self._runner = MatchRunner(
            games.reactor, self._match, (black, white), tell, order.waits, games.start_gate
        )
        playing = Deferred.fromCoroutine(self._runner.play())
        playing.addCallbacks(self._played, self._broken)

    def stop(self) -> None:
        """End the match; the game that is played becomes void."""
        self._runner.stop()

    def _abort(self, reason: str) -> None:
        self._runner.abort(reason)

    def _turn_time(self) -> tuple[str, float] | None:
        return self._runner.turn_time()

    def describe(self) -> str:
        """The line of ``matches``."""
        plan, wins = self._match.plan, self._match.wins
        played = sum(wins) + len(self._match.given_up)
        words = [plan.id, *plan.names, plan.rules.game.name, plan.rules.geometry.name]
        options = {"clock": plan.clock, **plan.rules.chosen_options()}
        counts = [*wins, played, plan.games]
        return " ".join([*words, *map(str, counts), *(f"{k}={v}" for k, v in options.items())])

    def _end(self, error: str | None) -> None:
        self.is_over = True
        self._ended(error)

    def _played(self, _match: Match) -> None:
        self._end(None)

    def _broken(self, failure: Failure) -> None:
        if failure.check(Absent):
            here = ", ".join(self._engines.names) or "none"
            self._end(f"{failure.getErrorMessage()} (attached: {here})")
        else:
            self._end(f"the match broke off: {failure.getErrorMessage()}")


class MatchRequests:
    """The matches that clients have requested, for ``match`` and ``matches``."""

    def __init__(self, games: GameServices) -> None:
        """Create it; the matches are played by attached engines."""
        self._games = games
        # Those that are not over, in the order of their beginning.
        self._running: list[MatchStream] = []

    def open(self, args: tuple[str, ...], say: Say, end: End, origin: Origin) -> MatchStream:
        """Start the match that ``args`` describe, for a client.

        Raises:
            PeerError: they describe no match, or one that the client may not have.
        """

        def ended(error: str | None) -> None:
            self._running = [one for one in self._running if not one.is_over]
            end(error)

        order = _read_order(args)
        order = attrs.evolve(order, plan=attrs.evolve(order.plan, id=f"m{wall()}"))
        claims = self._claim(order, origin)
        if self._is_challenge(order, origin):
            self._games.challenges.count(origin, order.plan.games)
            order = self._shorten(order)
        stream = MatchStream(self._games, order, claims, say, ended)
        if not stream.is_over:
            self._running.append(stream)
        return stream

    def describe(self) -> list[str]:
        """Return the lines of ``matches``."""
        return [stream.describe() for stream in self._running]

    def read(self, args: tuple[str, ...]) -> None:
        """Refuse arguments that describe no match; safe to call in any thread.

        It plays the openings, which takes up to a second for the longest line. Read again, as by
        `check` and `open`, the same arguments take no time.

        Raises:
            PeerError: the refusal.
        """
        _read_order(args)

    def check(self, args: tuple[str, ...], origin: Origin) -> None:
        """Refuse a match that cannot be read, or that the client may not have.

        Any match is refused while no game may start.

        Raises:
            PeerError: the refusal.
        """
        self._claim(_read_order(args), origin)
        self._games.start_gate.check()

    def _claim(self, order: MatchOrder, origin: Origin) -> Claims:
        challenges, plan = self._games.challenges, order.plan
        first, second = (
            challenges.claim(origin, name, is_owner=bool(params))
            for name, params in zip(plan.names, plan.params, strict=True)
        )
        if self._is_challenge(order, origin):
            for clock in plan.odds or (plan.clock,):
                challenges.check(origin, clock, plan.games)
        return first, second

    def _is_challenge(self, order: MatchOrder, origin: Origin) -> bool:
        return any(self._games.challenges.is_challenge(origin, one) for one in order.plan.names)

    def _shorten(self, order: MatchOrder) -> MatchOrder:
        challenges, waits = self._games.challenges, order.waits
        idle = challenges.idle
        plan = attrs.evolve(order.plan, limits=challenges.shorten(order.plan.limits))
        return MatchOrder(plan, Waits(min(waits.first or 0, idle), min(waits.later or 0, idle)))
