"""Matches that clients have requested: the streaming job of ``match``, and the list of them."""

from __future__ import annotations

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.replies import End, Say
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.play.executor import LocalExecutor, StopReason
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_command import MatchOrder, format_news, parse_order
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.daemon.play.slot import Absent, Slot
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import StreamReply, TaskReply
from yoddd.referee.tournament.tournament import Tournament

Claims = tuple[Claim, Claim]
"""The rights of a client to the engines of a match, in its order."""


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
        self._engines, self._claims = games.engines, claims
        participants = [
            AttachedParticipant(games.engines, name, claim)
            for name, claim in zip(order.names, claims, strict=True)
        ]
        self._order = order
        # Names the match, and with the key of its pair and its leg each game.
        self._id = f"m{games.world.wall()}"
        plan = attrs.evolve(order.plan, prefix=f"{self._id}-")
        # Holds the score, which changes after each game.
        self._executor = LocalExecutor(
            games.reactor,
            Tournament(plan),
            None,
            lambda news: say(format_news(news)),
            make_slot=lambda number: Slot(
                games.world,
                number,
                lambda entrant, _slot: participants[entrant],
                gate=games.start_gate,
                transcribes=False,
                show=games.add,
            ),
            first=order.config.wait,
            concurrency=order.config.concurrency,
            is_free=lambda: all(map(games.engines.is_free, order.names, claims)),
        )
        Deferred.fromCoroutine(self._executor.play()).addBoth(self._end)

    @property
    def is_needed(self) -> bool:
        """Whether games are left to play."""
        return not self.is_over

    def stop(self) -> None:
        """End the match; the game that is played becomes void."""
        self._executor.stop(void="the match was stopped")

    def describe(self) -> str:
        """The line of ``matches``."""
        tournament, clock = self._executor.tournament, self._order.config.clock
        rules = tournament.plan.rules
        words = [self._id, *self._order.names, rules.game.name, rules.geometry.name]
        options = {"clock": clock, **rules.chosen_options()}
        counts = [*tournament.points, tournament.finished, tournament.games]
        return " ".join([*words, *map(str, counts), *(f"{k}={v}" for k, v in options.items())])

    def _end(self, result: StopReason | Failure) -> None:
        self.is_over = True
        error = None
        if isinstance(result, Failure):
            error = f"the match broke off: {result.getErrorMessage()}"
            if result.check(Absent):
                here = ", ".join(self._engines.names) or "none"
                error = f"{result.getErrorMessage()} (attached: {here})"
                for claim, name in zip(self._claims, self._order.names, strict=True):
                    error = self._refusal(claim, name) or error
        self._ended(error)

    def _refusal(self, claim: Claim, name: str) -> str | None:
        """Why an engine that has come since the request may not play; None if it may."""
        link = self._engines.find(name)
        try:
            if link is not None:
                claim.check(link.attachment)
        except PeerError as error:
            return error.text
        return None


class MatchRequests:
    """The matches that clients have requested, for ``match`` and ``matches``."""

    def __init__(self, games: GameServices) -> None:
        """Create it; the matches are played by attached engines."""
        self._games = games
        # In the order of their beginning; those that are over are dropped at the next one.
        self._streams: list[MatchStream] = []

    def open(self, order: MatchOrder, say: Say, end: End, origin: Origin) -> MatchStream:
        """Start a match for a client.

        Raises:
            PeerError: the client may not have it.
        """
        claims = self._claim(order, origin)
        if self._is_challenge(order, origin):
            self._games.count_challenge(origin, order.games)
            order = self._shorten(order)
        stream = MatchStream(self._games, order, claims, say, end)
        self._streams = [one for one in (*self._streams, stream) if not one.is_over]
        return stream

    def describe(self) -> list[str]:
        """Return the lines of ``matches``."""
        return [one.describe() for one in self._streams if not one.is_over]

    def request(self, args: tuple[str, ...], origin: Origin) -> TaskReply | StreamReply:
        """Reply to ``match``: with the stream of the match, once its openings were played.

        Raises:
            PeerError: the arguments describe no match, or one that the client may not have, or no
                game may start.
        """
        order = parse_order(args)
        if order.config.opening:
            return TaskReply(order.with_openings, lambda played: self._begin(played, origin))
        return self._begin(order, origin)

    def _begin(self, order: MatchOrder, origin: Origin) -> StreamReply:
        self._claim(order, origin)
        self._games.start_gate.check()
        return StreamReply("match", order, origin)

    def _claim(self, order: MatchOrder, origin: Origin) -> Claims:
        games, plan = self._games, order.plan
        first, second = (
            games.claim(origin, side.name, (plan.rules, side.clock), is_owner=bool(engine.params))
            for side, engine in zip(plan.sides, order.config.engine, strict=True)
        )
        if self._is_challenge(order, origin):
            for side in plan.sides:
                games.check_challenge(origin, side.clock, order.games)
        return first, second

    def _is_challenge(self, order: MatchOrder, origin: Origin) -> bool:
        return any(self._games.is_challenge(origin, name) for name in order.names)

    def _shorten(self, order: MatchOrder) -> MatchOrder:
        config, idle = order.config, self._games.challenge_idle
        limits = self._games.shorten(config.limits)
        config = attrs.evolve(
            config,
            limits=attrs.evolve(limits, absence=min(limits.absence, idle)),
            wait=min(config.wait, idle),
        )
        return attrs.evolve(order, config=config)
