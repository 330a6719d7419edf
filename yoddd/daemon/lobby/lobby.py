"""The lobby: humans offer and accept games, against each other or an attached engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.replies import End, Say, answer_when_done, deferred_reply
from yoddd.daemon.base.store.wait import AGAIN
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.lobby.directory import SECRET, Directory, GameOver, Suspended
from yoddd.daemon.lobby.offers import GamePlaces, Offer, read_game, read_offer, read_terms
from yoddd.daemon.lobby.presence import Presence
from yoddd.daemon.play.game_runner import GameRunner, Spectator
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.lobby import LobbyReply, SeatRequest
from yoddd.protocol.origin import TRUSTED, Origin, fold
from yoddd.protocol.replies import DeferredReply
from yoddd.referee import NO_LIMIT, Seat, parse_clock
from yoddd.referee.hosted.events import (
    Accept,
    Holder,
    Lapse,
    Open,
    Over,
    Propose,
    Rematched,
    Requested,
    SetKey,
    Suspend,
    Terms,
    Withdraw,
)
from yoddd.referee.hosted.game import LASTING, HostedGame
from yoddd.referee.hosted.state import PATIENCE, Phase
from yoddd.store.errors import StoreError
from yoddd.store.values import State, digest

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow


T = TypeVar("T")

WAIT: Final = 2.0
"""Seconds for which a turn waits until its game begins or goes on, and its engine is ready."""


class DaemonLobby:
    """The `Lobby` of a daemon: makes the events of its games of the requests of clients.

    Attributes:
        directory: the keys of the games.
        suspended: by id, those that are in the store only: it was away, or their humans are.
    """

    log = Logger()

    def __init__(self, games: GameServices, ledger: Ledger | None = None) -> None:
        """Create an empty lobby; ``ledger`` keeps its games, or is None without a store."""
        self.directory = Directory(games.reactor)
        self.suspended: dict[str, Suspended] = {}
        self._games = games
        self._ledger = ledger
        self._presence = Presence(games, self._note_presence)
        # The places of other games, and of those by the day.
        self._places = GamePlaces(games, False), GamePlaces(games, True)
        # The numbers in the store of the games by the day that are kept and not over.
        self._by_day: dict[GameRunner, int] = {}
        # How many games were offered so far; numbers them where there is no store.
        self._count = 0

    # -- games from their offer to their end ------------------------------------------------

    def add(
        self,
        game: HostedGame,
        number: int | None,
        claim: Claim | None = None,
    ) -> GameRunner:
        """Add a game; the event `Open` begins it.

        Args:
            game: the state of the game.
            number: of the game in the store; None if it is not kept.
            claim: the right to the engine that it is against.
        """
        engines, ledger = self._games.engines, self._ledger
        black, white = (
            AttachedParticipant(engines, one.name, claim) if one and not one.is_human else None
            for one in game.seats
        )
        store = None if ledger is None or number is None else ledger.keeper(number)
        runner = GameRunner(self._games.world, game, (black, white), store=store)
        runner.done.addCallback(self._remove, runner, number)
        self._games.add(runner)
        self.directory.read(runner)
        if game.by_day and number is not None:
            self._by_day[runner] = number
        if game.keys or game.origins:
            self._places[game.by_day].add(runner, lambda: self._make_room(runner, number))
        return runner

    def _note_presence(self, runner: GameRunner) -> None:
        game = runner.game
        self._places[game.by_day].places.leave(runner, is_left=game.is_left)

    def _make_room(self, runner: GameRunner, number: int | None) -> bool:
        """Withdraw an offer, or suspend a game whose humans are all away; any other game stays.

        Without a store such a game is void.
        """
        game = runner.game
        if game.phase is Phase.OFFERED:
            runner.handle(Withdraw(None))
        elif not (game.is_running and game.is_left) or runner.is_keeping:
            return False
        elif number is None:
            runner.abort("its place was needed while no one was there")
        else:
            since = self._games.reactor.seconds()
            self.suspended[game.id] = Suspended.of(game, number, since=since)
            runner.handle(Suspend())
        return True

    def _remove(self, over: Over, runner: GameRunner, number: int | None) -> None:
        """Remove a game that is over; one that waits for the store is restored later."""
        if runner.failure is not None:
            self.log.failure("game {id} failed", runner.failure, id=runner.game.id)
        self.directory.remove(runner)
        self._places[runner.game.by_day].places.release(runner)
        self._by_day.pop(runner, None)
        for seat in Seat:
            self._presence.forget((runner, seat))
        if not over.stays:
            self._games.remove(runner)
        if over.error is not None and number is not None and runner.game.id not in self.suspended:
            one = Suspended.of(runner.game, number, returns=True)
            self.suspended[runner.game.id] = one
            Deferred.fromCoroutine(self._resume_later(runner.game.id, one))
        self._end_oldest()

    async def _resume_later(self, game_id: str, one: Suspended) -> None:
        """Restore a game that waits for the store once that is available."""
        while self.suspended.get(game_id) is one:
            await deferLater(self._games.reactor, AGAIN)
            with suppress(StoreError):
                await self._resume(game_id, one)

    async def _resume(self, game_id: str, one: Suspended) -> None:
        """Restore a suspended game, unless another request has.

        Raises:
            StoreError: the store fails.
        """
        assert self._ledger is not None  # noqa: S101 — without one no game is suspended
        rows = await self._ledger.in_play(one.number)
        if self.suspended.get(game_id) is one:
            del self.suspended[game_id]
            self.restore(rows)

    def _end_oldest(self) -> None:
        """End the game that was suspended first as void, after a week or if there are too many."""
        mine = [(key, one) for key, one in self.suspended.items() if not one.returns]
        if mine and (
            len(mine) > self._games.settings.limits.most_games
            or self._games.reactor.seconds() > mine[0][1].since + LASTING
        ):
            self._end(*mine[0], "neither side has returned")

    def _end(self, game_id: str, one: Suspended, reason: str) -> None:
        """End a suspended game as void."""

        async def end() -> None:
            with suppress(StoreError, PeerError):  # the next one tries again; or one has returned
                await self._resume(game_id, one)
                self._games.find(game_id).abort(reason)

        Deferred.fromCoroutine(end())

    def _when_back(self, game_id: str | None, request: Callable[[], LobbyReply]) -> LobbyReply:
        """Return what ``request`` replies, once the game is restored that a human returns to."""
        if game_id is None:
            return request()
        one = self.suspended[game_id]

        async def back(connection: ConnectionHandle) -> object:
            await self._resume(game_id, one)
            reply, done = request(), Deferred[object]()
            if isinstance(reply, str):
                return reply
            reply.start(connection, done.callback)
            return await done

        return DeferredReply(lambda connection, answer: answer_when_done(answer, back(connection)))

    def _suspended_by(self, key: str) -> str | None:
        """The id of the game of a key that waits for its humans; None without one."""
        if self.directory.get(key) is not None:
            return None
        games, found = self.suspended.items(), digest(key)
        return next((one for one, game in games if found in game.keys and not game.returns), None)

    def restore(self, rows: Iterable[GameRow]) -> None:
        """Continue the games that a restart has interrupted, and offer invites again."""
        now = self._games.world.calendar()
        described = {} if self._ledger is None else self._ledger.described
        for row in rows:
            game = read_game(row, described)
            self._places[game.by_day].make()
            runner = self.add(game, row.number)
            expires = runner.game.terms.expires
            for seat in Seat:
                holder = runner.game.seats[seat]
                if holder is not None and holder.is_human:
                    self._presence.miss((runner, seat))
            if row.state is State.PLAYING and row.started is not None:
                since = (now - datetime.fromisoformat(row.started)).total_seconds()
                runner.handle(Open(row.started, max(0.0, since)))
            elif expires is not None:
                runner.handle(Open(patience=max(0.0, expires - now.timestamp())))

    def end_games_of(self, name: str, reason: str) -> None:
        """Withdraw the offers of a participant, and end its games as void."""
        for runner in self._games:
            if not runner.is_kept or not runner.game.has(name):
                continue
            if runner.game.phase is Phase.OFFERED:
                runner.handle(Withdraw(None))
            elif runner.game.phase is not Phase.OVER:
                runner.abort(reason)
        for game_id, one in tuple(self.suspended.items()):
            if one.is_of(name) and not one.returns:
                self._end(game_id, one, reason)

    @property
    def waits(self) -> Iterator[tuple[int, int, float, float]]:
        """Of each kept game by the day the values that `keep_used` stores."""
        for runner, number in self._by_day.items():
            running = runner.turn_time
            if running is not None and not runner.is_keeping:
                yield number, len(runner.game.turns), running[1], runner.pause_left

    def awaited(self, user: str) -> Iterator[tuple[HostedGame, float]]:
        """Yield the games that wait for a turn of a user, each with the seconds charged for it."""
        for runner in self.directory.of_user(user):
            running = runner.turn_time
            if running is not None and not runner.pause_left:
                seat, seconds = running
                if runner.game.on_turn is seat and runner.game.is_user(seat, user):
                    yield runner.game, seconds

    # -- offers -----------------------------------------------------------------------------

    def games(self, ids: Sequence[str] = ()) -> Sequence[str]:
        """A line for each game that is offered, in play, or lately over; or of ``ids``."""
        waiting = [self.suspended[one].line for one in ids if one in self.suspended]
        return [*self._games.describe(ids), *waiting]

    def who(self, origin: Origin, settings: Mapping[str, str]) -> Sequence[str]:
        """A line for each user who has logged in and each attached engine.

        With the settings of an offer, only the engines that play it for the client.

        Raises:
            PeerError: they are no offer's.
        """
        engines = self._games.engines
        if settings:
            return engines.describe(Claim(origin, terms=read_terms(settings)))
        users = () if self._ledger is None else self._ledger.users.names
        return [*(f"{name} human" for name in sorted(users)), *engines.describe()]

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> LobbyReply:
        """Offer a game.

        Raises:
            PeerError: the offer is refused.
        """
        self._games.start_gate.check()
        users = None if self._ledger is None else self._ledger.users
        offer = read_offer(name, settings, origin, self._games, users)
        if offer.terms.is_rated and origin.user is None:
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        self._places[offer.by_day].check(origin)
        if offer.terms.is_challenge:
            clock = NO_LIMIT if offer.by_day else parse_clock(offer.clock)
            self._games.check_challenge(origin, clock)
            self._games.count_challenge(origin)

        async def make() -> str:
            _, words = await self._offer(offer, name)
            return words

        return deferred_reply(make)

    async def _offer(
        self, offer: Offer, name: str, *, is_rematch: bool = False
    ) -> tuple[GameRunner, str]:
        """Offer a game; with its id, the key of a human's seat, and the secret of an invite.

        Raises:
            PeerError: the name or the opponent is refused.
            StoreError: the store fails.
        """
        world, ledger, origin = self._games.world, self._ledger, offer.origin
        if ledger is not None and offer.engine is None:
            await self._check_names(ledger, offer, name, is_rematch=is_rematch)
            name = origin.user or name
        key, secret, terms = world.secret(SECRET), None, offer.terms
        if offer.lasts is not None and offer.claim is None:
            expires = world.calendar().timestamp() + offer.lasts
            terms = attrs.evolve(terms, expires=expires)
        if offer.invite is not None:
            secret = world.secret(SECRET)
            terms = attrs.evolve(terms, invite=digest(secret))
        if offer.engine is None:
            holder = _human(origin, name, key)
        else:
            holder, key = Holder(offer.engine, origin=origin), ""
        if ledger is None:
            self._count += 1
            number, game_id = None, f"t{self._count}"
        else:
            kept = offer.kept(holder, terms, world.wall())
            number = await ledger.offer(kept)
            game_id = f"{kept.prefix}{number}"
        limits = self._games.shorten(PATIENCE) if offer.terms.is_challenge else PATIENCE
        seats = offer.seats(holder)
        game = HostedGame(game_id, offer.rules, offer.clock, seats, terms, limits)
        runner = self.add(game, number, offer.claim)
        waits = terms.expires is None and offer.engine is None
        runner.handle(Open(patience=None if waits else offer.lasts))
        return runner, " ".join(filter(None, [game_id, key, secret]))

    async def _check_names(
        self, ledger: Ledger, offer: Offer, name: str, *, is_rematch: bool
    ) -> None:
        await ledger.users.check_name(offer.origin.user, name)
        rival, is_rated = offer.rival, offer.terms.is_rated
        may_be_away = offer.by_day and offer.claim is None and not is_rematch
        if rival is None or not (is_rated or may_be_away):
            return
        if await ledger.users.account(rival) is None:
            raise PeerError(Code.DENIED, f"{rival} has no account")
        if is_rated and fold(rival) == fold(name):
            raise PeerError(Subcode.SELF, "no rated game against yourself")

    def withdraw(self, key: str) -> LobbyReply:
        """Take an offer back.

        Raises:
            PeerError: no game has this key, or the game has begun.
        """
        runner, _ = self.directory.find(key)
        return _reply(runner.request(Withdraw))

    def accept(
        self, origin: Origin, game_id: str, name: str, secret: str | None = None
    ) -> LobbyReply:
        """Take an offer; an invite with its ``secret``.

        Raises:
            PeerError: the game is unknown or not open, or not offered to this participant.
        """
        self._games.start_gate.check()
        runner = self._games.find(game_id)
        seat = runner.game.free
        if seat is None or not runner.game.is_open:
            raise PeerError(Subcode.TAKEN, f"{game_id} is not open")
        is_own = runner.game.is_user(seat.other, name)
        runner.game.terms.check(game_id, origin.user, digest(secret or ""), is_own=is_own)
        self._places[runner.game.by_day].check_share(origin)
        return deferred_reply(lambda: self._accept(runner, origin, name))

    async def _accept(self, runner: GameRunner, origin: Origin, name: str) -> str:
        """Give the free seat of an offer to the client who accepts it; the key of the seat.

        Raises:
            PeerError: the name is another's, or the seat was taken meanwhile.
            StoreError: the store fails.
        """
        key = self._games.world.secret(SECRET)
        if self._ledger is not None:
            await self._ledger.users.check_name(origin.user, name)
            name = origin.user or name
            # Again: it may have taken other seats meanwhile.
            self._places[runner.game.by_day].check_share(origin)
        if origin.user is None and runner.game.has(name):  # accounts are told apart
            text = f"the other participant is {name}, too: choose another name"
            raise PeerError(Subcode.SELF, text)
        await runner.request(Accept, _human(origin, name, key))
        self.directory.read(runner)
        return key

    # -- games ------------------------------------------------------------------------------

    def play(self, key: str, request: SeatRequest) -> LobbyReply:
        """Carry out the request of the holder of a key, which is a sign of life.

        Raises:
            PeerError: no game has this key, a seat of it is still offered, or it is refused.
        """
        return self._when_back(self._suspended_by(key), lambda: self._play(key, request))

    def _play(self, key: str, request: SeatRequest) -> LobbyReply:
        runner, seat = self.directory.find(key)
        if runner.game.free is not None:
            raise PeerError(Subcode.NOT_BEGUN, "the game has not begun")
        self._presence.touch((runner, seat))
        claim = self._games.settings.limits.claim
        done = runner.request(Requested, seat, request, runner.delay, claim)
        if not done.called and runner.game.holds(done):
            lapse = self._games.reactor.callLater(WAIT, runner.handle, Lapse(done))
            done.addBoth(_cancel, lapse)
        return _reply(done)

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> LobbyReply:
        """Offer or accept a rematch of a game that is over, or decline it.

        Raises:
            PeerError: no such game is over, or no further game is allowed.
        """
        found = self.directory.find_over(key)
        if found is None:
            raise PeerError(Subcode.NO_KEY, "no game with this key is over")
        over, seat = found
        if agrees:
            self._games.start_gate.check()
            return deferred_reply(lambda: self._agree(over, seat, origin))
        offered = over.offered
        if offered is None:
            raise PeerError(Subcode.NO_REQUEST, "no request to answer")
        offered.handle(Withdraw(None))
        over.runner.handle(Propose(seat, None))
        return ""

    async def _agree(self, over: GameOver, seat: Seat, origin: Origin) -> str:
        """Accept the rematch that the other participant offers, or offer it; its id and the key.

        Raises:
            PeerError: it has begun, no further game is allowed, or the name is refused.
            StoreError: the store fails.
        """
        await over.offering.acquire()
        try:
            game = over.runner.game
            if game.rematch is not None:
                raise PeerError(Subcode.BEGUN, "the rematch has begun")
            name, proposal, offered = game.name_of(seat), game.proposal, over.offered
            self._places[game.by_day].check_share(origin)
            if offered is not None and proposal is not None and proposal.seat is seat.other:
                key = await self._accept(offered, origin, name)
                over.runner.handle(Rematched(offered.game.id))
                return f"{offered.game.id} {key}"
            self._places[game.by_day].check(origin)
            rival = game.name_of(seat.other)
            terms = Terms(game.terms.is_rated, invited=rival)
            offer = Offer(game.rules, game.clock, seat.other, origin, terms, rival)
            over.rematch, words = await self._offer(offer, name, is_rematch=True)
            if offer.lasts is not None and over.alarm.active():
                over.alarm.reset(offer.lasts)  # the other can agree as long as it is open
            over.runner.handle(Propose(seat, over.rematch.game.id))
            return words
        finally:
            over.offering.release()

    # -- keys and presence ------------------------------------------------------------------

    def resume(
        self, user: str | None, game_id: str | None = None, key: str | None = None
    ) -> LobbyReply:
        """A key for a game that ``user`` plays; without an id, the ids of those games.

        With a key of the game the reply is the key to go on with, and the old one stays valid.

        Raises:
            PeerError: no user has logged in, or plays this game.
        """
        one = None if game_id is None else self.suspended.get(game_id)
        if one is not None and one.returns:
            raise PeerError(Subcode.STORE, f"{game_id} waits for the store: resume it in a moment")
        is_mine = one is not None and (one.is_of(user) or digest(key or "") in one.keys)
        return self._when_back(game_id if is_mine else None, lambda: self._take(user, game_id, key))

    def _take(self, user: str | None, game_id: str | None, key: str | None) -> LobbyReply:
        if game_id is not None and key is not None:
            found = self.directory.find(key)
            if found[0].game.id != game_id:
                raise PeerError(Subcode.NO_KEY, "no game has this key")
            self._presence.touch(found)
            return key
        if user is None:
            raise PeerError(Subcode.LOG_IN, "log in first")
        mine = {
            one.game.id: (one, seat)
            for one in self._games
            if one.is_kept and one.game.free is None
            # One that is taken can still fail to begin.
            if one.game.phase not in (Phase.TAKEN, Phase.OVER)
            for seat in Seat
            if one.game.is_user(seat, user)
        }
        if game_id is None:
            suspended = (one for one, game in self.suspended.items() if game.is_of(user))
            return " ".join([*mine, *suspended])
        if game_id not in mine:
            raise PeerError(Subcode.NO_GAME, f"you play no game {game_id!r}")
        return deferred_reply(lambda: self._replace_key(*mine[game_id]))

    async def _replace_key(self, runner: GameRunner, seat: Seat) -> str:
        """Void the key of a seat and make another, which is kept before it is told."""
        key = self._games.world.secret(SECRET)
        await runner.request(SetKey, seat, digest(key))
        self.directory.read(runner)
        self._presence.touch((runner, seat))
        return key

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        """Count the holder of a key as present until a connection is lost."""
        found = self.directory.get(key)
        if found is not None:
            self._presence.hold(found, connection)

    # -- spectators -------------------------------------------------------------------------

    def check_watchable(self, game_id: str) -> None:
        """Refuse an unknown id of a game.

        Raises:
            PeerError: there is no such game.
        """
        if game_id not in self.suspended:
            self._games.find(game_id)

    def observe(
        self, args: tuple[str, ...], say: Say, end: End, origin: Origin = TRUSTED
    ) -> Spectator:
        """Start the streaming job of ``observe``; ``args`` are an id, and a key, ``-`` or nothing.

        Raises:
            PeerError: there is no such game.
        """
        del origin  # any client may
        key = "".join(args[1:])
        one = self.suspended.get(args[0])
        if one is not None and digest(key) in one.keys:
            Deferred.fromCoroutine(self._resume(args[0], one)).addErrback(lambda _: None)
            raise PeerError(Subcode.STORE, f"{args[0]} waits for the store: resume it in a moment")
        runner = self._games.find(args[0])
        found, over = self.directory.get(key), self.directory.find_over(key)
        if found is None or found[0] is not runner:
            was_played = over is not None and over[0].runner is runner
            return runner.watch(say, end, goes_on=key == "-" or was_played)
        left = partial(self._presence.remove, found)
        spectator = runner.watch(say, end, goes_on=True, seat=found[1], left=left)
        self._presence.observe(found)
        return spectator


def _human(origin: Origin, name: str, key: str) -> Holder:
    return Holder(name, True, digest(key), origin.user is not None, origin)


def _cancel(result: T, call: IDelayedCall) -> T:
    if call.active():
        call.cancel()
    return result


def _reply(done: Deferred[None]) -> LobbyReply:
    """An empty reply, once ``done`` has fired."""
    if done.called and not isinstance(done.result, Failure):
        return ""
    return deferred_reply(lambda: done.addCallback(lambda _: ""))
