"""Matches that clients have requested: the streaming job of ``match``, and the list of them."""

from __future__ import annotations

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.replies import End, Say
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.play.executor import LocalExecutor, StopReason
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.match_command import MatchRequest, format_news, parse_request
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
        self, games: GameServices, request: MatchRequest, claims: Claims, say: Say, end: End
    ) -> None:
        """Begin as soon as both engines are available.

        Args:
            games: the engines and games of the daemon.
            request: the match.
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
            for name, claim in zip(request.names, claims, strict=True)
        ]
        self._request = request
        # Names the match, and with the key of its pair and its leg each game.
        self._id = f"m{games.world.wall()}"
        plan = attrs.evolve(request.plan, prefix=f"{self._id}-")
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
            first=request.wait,
            concurrency=request.concurrency,
            is_free=lambda: all(map(games.engines.is_free, request.names, claims)),
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
        tournament, clock = self._executor.tournament, self._request.clock
        rules = tournament.plan.rules
        words = [self._id, *self._request.names, rules.game.name, rules.geometry.name]
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
                for claim, name in zip(self._claims, self._request.names, strict=True):
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
        # In the order of their beginning, until they are over.
        self._streams: list[MatchStream] = []

    def open(self, request: MatchRequest, say: Say, end: End, origin: Origin) -> MatchStream:
        """Start a match for a client.

        Raises:
            PeerError: the client may not have it.
        """
        claims = self._claim(request, origin)
        if self._is_challenge(request, origin):
            self._games.count_challenge(origin, request.length)
            request = self._shorten(request)

        def over(error: str | None) -> None:
            self._streams = [one for one in self._streams if not one.is_over]
            end(error)

        stream = MatchStream(self._games, request, claims, say, over)
        self._streams += [] if stream.is_over else [stream]
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
        request = parse_request(args)
        if request.opening:
            return TaskReply(request.with_openings, lambda played: self._begin(played, origin))
        return self._begin(request, origin)

    def _begin(self, request: MatchRequest, origin: Origin) -> StreamReply:
        self._claim(request, origin)
        self._games.start_gate.check()
        return StreamReply("match", request, origin)

    def _claim(self, request: MatchRequest, origin: Origin) -> Claims:
        games, plan = self._games, request.plan
        first, second = (
            games.claim(origin, side.name, (plan.rules, side.clock), is_owner=bool(engine.params))
            for side, engine in zip(plan.sides, request.engine, strict=True)
        )
        if self._is_challenge(request, origin):
            for side in plan.sides:
                games.check_challenge(origin, side.clock, request.length)
        return first, second

    def _is_challenge(self, request: MatchRequest, origin: Origin) -> bool:
        return any(self._games.is_challenge(origin, name) for name in request.names)

    def _shorten(self, request: MatchRequest) -> MatchRequest:
        limits, idle = self._games.shorten(request.plan.limits), self._games.challenge_idle
        limits = attrs.evolve(limits, absence=min(limits.absence, idle))
        return attrs.evolve(request, limits=limits, wait=min(request.wait, idle))
