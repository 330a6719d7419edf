"""The lobby: humans offer and accept games, against each other or an attached engine."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.connections.attachment import Claim
from yoddd.daemon.lobby.agreements import GamesOver, Over, take_back
from yoddd.daemon.lobby.games_in_play import GamesInPlay, LobbyGame
from yoddd.daemon.lobby.presence import GRACE, KeyHolder, Presence
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import RATED, LiveGame, Spectator
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import TRUSTED, Origin, fold
from yoddd.referee import ClockError, parse_clock
from yoddd.referee.seat import Seat
from yoddd.rules import Rules, RulesError, make_rules

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger

_SETTINGS: Final = ("game", "board", "seat", "clock", "against", "rated", "accept")
_SEATS: Final = {"b": Seat.BLACK, "w": Seat.WHITE}


@attrs.frozen
class _Offer:
    """The settings of an offer.

    Attributes:
        rules: game, board and options.
        clock: the time control.
        seat: the seat of the participant who offers the game.
        rival: the engine or user to whom alone it is offered; None for anyone.
        is_rated: whether it is kept and rated.
        for_users: whether only users with an account may accept it.
        origin: who offers it.
        claim: the right to the engine that it is against; None if it is against a human.
        is_challenge: whether that engine is another peer's.
    """

    rules: Rules
    clock: str
    seat: Seat
    rival: str | None
    is_rated: bool
    for_users: bool
    origin: Origin
    claim: Claim | None = None
    is_challenge: bool = False

    def names(self, name: str) -> tuple[str | None, str | None]:
        """The names by seat, if ``name`` offers the game."""
        return (name, self.rival) if self.seat is Seat.BLACK else (self.rival, name)

    @property
    def terms(self) -> tuple[str, ...]:
        """The words of ``games`` that say whether it is rated, and who may accept it."""
        words = [*RATED] if self.is_rated else []
        if self.rival is not None and self.claim is None:
            words.append(f"for={self.rival}")
        elif self.for_users:
            words.append("accept=users")
        return tuple(words)


class DaemonLobby:
    """The `Lobby` of a daemon. A key is the secret that plays one seat of one game.

    Attributes:
        in_play: plays the games.
    """

    def __init__(
        self,
        games: GameServices,
        limits: CurrentLimits,
        ledger: Ledger | None = None,
        grace: float = GRACE,
        publish: Callable[[], Coroutine[Deferred[Any], Any, None]] | None = None,
    ) -> None:
        """Create an empty lobby.

        Args:
            games: the engines and games of the daemon.
            limits: how many games may be offered or played.
            ledger: keeps rated games; None where there are none.
            grace: see `Presence`.
            publish: publishes the offers of this node to the others of a fleet; None without.
        """
        self.in_play = GamesInPlay(games, ledger, self._forget)
        self._games = games
        self._limits = limits
        self._ledger = ledger
        self._publish = publish
        # Reports the keys whose last observing connection has closed.
        self._presence = Presence(games.reactor, self._absent, grace)
        # The keys of challengers who were reported absent once, and lose at the second time.
        self._leaving: set[str] = set()
        # The game and seat of each key. A game that is over has none, so this bounds the games.
        self._keys: dict[str, tuple[LobbyGame, Seat]] = {}
        # Those that are lately over, of which a rematch can be played.
        self._over = GamesOver(games.reactor)
        # The number that `join` sets, which begins new ids and keys; 0 for a daemon that is alone.
        self._process = 0
        # How many unrated games were offered so far; numbers their ids.
        self._count = 0

    def join(self, process: int) -> None:
        """Become the lobby of one of several processes: new ids and keys begin with its number."""
        self._process = process

    def lose(self) -> None:
        """Give up all rated games: another process owns them now."""
        for game in list(self.in_play.rated):
            self.in_play.lose(game)
        offered = {game for game, _ in self._keys.values() if game.number is not None}
        for game in offered - set(self.in_play.rated):
            self._games.live.remove(game.live)
            self._forget(game)

    # -- Lobby ------------------------------------------------------------------------------

    def games(self) -> Sequence[str]:
        """A line for each game that is offered, in play, or lately over."""
        return self._games.live.describe()

    def attached(self) -> Sequence[str]:
        """The names of the attached engines."""
        return self._games.engines.names

    def seek(self, origin: Origin, name: str, settings: Mapping[str, str]) -> LobbyReply:
        """Offer a game.

        Raises:
            PeerError: the offer is refused.
        """
        self._games.start_gate.check()
        offer = self._read_offer(settings, origin)
        if offer.is_rated and origin.user is None:
            raise PeerError(Code.DENIED, "log in for a rated game")
        self._check_room(origin)
        if offer.is_challenge:
            self._games.challenges.check(origin, parse_clock(offer.clock))
            self._games.challenges.count(origin)
        if self._ledger is None:
            return self._offer(offer, name)
        ledger = self._ledger
        return deferred_reply(lambda: self._offer_checked(ledger, offer, name))

    def hold(self, offered: str, connection: ConnectionHandle) -> None:
        """Withdraw an offer some time after its last connection is lost, this one or a later."""
        _, key = offered.split()
        if key in self._keys:
            self._presence.hold(key, connection)

    def _check_room(self, origin: Origin) -> None:
        """Refuse another game when there are too many, in all or of this client.

        Raises:
            PeerError: the refusal.
        """
        tables = self._limits.value.tables
        if len(self._games_with_keys()) >= tables:
            raise PeerError(Code.BUSY, f"{tables} games are offered or played already")
        self._check_share(origin)

    def _check_share(self, origin: Origin) -> None:
        """Refuse another game to a client that has its share of them.

        Raises:
            PeerError: the refusal.
        """
        if origin.is_trusted:
            return
        games = self._games_with_keys()
        own = sum(any(one.key == origin.key for one in game.origins) for game in games)
        if own >= self._limits.value.own_tables:
            raise PeerError(Code.BUSY, f"{own} games of yours are offered or played already")

    def _games_with_keys(self) -> list[LobbyGame]:
        """The games that are offered or played, each once."""
        return list({id(game): game for game, _ in self._keys.values()}.values())

    def accept(self, origin: Origin, game_id: str, name: str) -> LobbyReply:
        """Take an offer.

        Raises:
            PeerError: the game is unknown or not open, or not offered to this participant.
        """
        self._games.start_gate.check()
        live = self._games.live.find(game_id)
        game, seat = self._find_free(live)
        game.check_acceptance(origin.user, name)
        self._check_share(origin)
        if self._ledger is None:
            return self._take(game, seat, name, origin)
        ledger = self._ledger
        return deferred_reply(lambda: self._take_checked(ledger, game, seat, origin, name))

    def withdraw(self, key: str) -> LobbyReply:
        """Take an offer back.

        Raises:
            PeerError: no game has this key, or the game has begun.
        """
        game, _ = self._find(key)
        if game.runner is not None or game.is_taken:
            raise PeerError(Code.ILLEGAL, "the game has begun")
        game.pair_wait.cancel()
        self._games.live.remove(game.live)
        self._forget(game)
        return self.in_play.withdraw(game)

    def put(self, key: str, turn: str) -> LobbyReply:
        """Play a turn; ``resign`` at any time.

        Raises:
            PeerError: no game has this key, or the turn is refused.
        """
        game, seat = self._find(key)
        if game.begun is None:
            raise PeerError(Code.ILLEGAL, "the game has not begun")
        if game.runner is None:  # the other participant is still waited for
            return deferred_reply(lambda: self._put(game, seat, turn))
        done = _submit(game, seat, turn)
        return deferred_reply(lambda: _wait_for(done))

    def take_back(self, key: str, *, agrees: bool) -> LobbyReply:
        """Ask to take back a turn, or answer the one who asks.

        Raises:
            PeerError: no game has this key, or there is nothing to take back or to answer.
        """
        game, seat = self._find(key)
        done = take_back(game, seat, agrees=agrees)
        return "" if done is None else deferred_reply(lambda: _wait_for(done))

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> LobbyReply:
        """Offer or accept a rematch of a game that is over, or decline it.

        Raises:
            PeerError: no such game is over, or no further game is allowed.
        """
        found = self._over.find(key)
        if found is None:
            raise PeerError(Code.SYNTAX, "no game with this key is over")
        over, seat = found
        if not agrees:
            self._decline_rematch(over, seat)
            return ""
        self._games.start_gate.check()
        return deferred_reply(lambda: self._rematch(over, seat, origin))

    def _decline_rematch(self, over: Over, seat: Seat) -> None:
        """Withdraw the offer of either side."""
        offered = over.offered
        if offered is None:
            raise PeerError(Code.ILLEGAL, "no request to answer")
        self.withdraw(next(key for key, (game, _) in self._keys.items() if game is offered))
        over.live.refuse(seat.key, "rematch")

    async def _rematch(self, over: Over, seat: Seat, origin: Origin) -> str:
        """Accept the rematch that the other participant offers, or offer it."""
        await over.offering.acquire()
        try:
            name, game = over.names[seat], over.offered_to(seat)
            self._check_share(origin)
            if game is not None:
                return f"{game.live.id} {await self._take_rematch(game, seat.other, origin, name)}"
            return await self._offer_rematch(over, seat, origin)
        finally:
            over.offering.release()

    async def _take_rematch(self, game: LobbyGame, seat: Seat, origin: Origin, name: str) -> str:
        if self._ledger is None:
            return self._take(game, seat, name, origin)
        return await self._take_checked(self._ledger, game, seat, origin, name)

    async def _offer_rematch(self, over: Over, seat: Seat, origin: Origin) -> str:
        self._check_room(origin)
        live, name, rival = over.live, over.names[seat], over.names[seat.other]
        offer = _Offer(
            live.rules, live.clock, seat.other, rival, over.is_rated, for_users=False, origin=origin
        )
        if self._ledger is None:
            offered = self._offer(offer, name)
        else:
            offered = await self._offer_checked(self._ledger, offer, name)
        _, key = offered.split()
        over.rematch, over.waits = self._keys[key][0], seat
        live.request(seat.key, f"rematch {over.rematch.live.id}")
        return offered

    def resume(self, user: str | None, game_id: str | None) -> str:
        """A new key for a game that ``user`` plays; without an id, the ids of those games.

        Raises:
            PeerError: no user has logged in, or plays this game.
        """
        if user is None:
            raise PeerError(Code.DENIED, "log in first")
        mine = {
            game.live.id: (game, seat)
            for game in self.in_play.rated
            # Until its beginning is on the disk, a game can still be dropped.
            if game.started is not None or game.pair_wait.is_waiting
            for seat in Seat
            if game.is_human(seat, user)
        }
        if game_id is None:
            return " ".join(mine)
        if game_id in self.in_play.suspended:
            raise PeerError(Code.BUSY, f"{game_id} waits for the store: resume it in a moment")
        if game_id not in mine:
            raise PeerError(Code.SYNTAX, f"you play no game {game_id!r}")
        game, seat = mine[game_id]
        for key in [key for key, place in self._keys.items() if place == (game, seat)]:
            del self._keys[key]
        human = game.seats[seat]
        if isinstance(human, HumanParticipant):
            human.connect()
        return self._key(game, seat)

    def end_games_of(self, name: str, reason: str) -> None:
        """Withdraw the offers of a participant, and end its games as void."""
        games = {*self._games_with_keys(), *self.in_play.rated}
        for game in [game for game in games if game.has(name)]:
            if game.live.abort is not None:
                game.live.abort(reason)
            elif game.runner is None and not game.is_taken:
                key = next(key for key, (other, _) in self._keys.items() if other is game)
                self.withdraw(key)

    def check_watchable(self, game_id: str) -> None:
        """Refuse an unknown id of a game.

        Raises:
            PeerError: there is no such game.
        """
        self._games.live.find(game_id)

    def observe(
        self, args: tuple[str, ...], say: Say, end: End, origin: Origin = TRUSTED
    ) -> Spectator | KeyHolder:
        """Start the streaming job of ``observe``; ``args`` are an id, and a key or nothing.

        Raises:
            PeerError: there is no such game.
        """
        del origin  # any client may
        live = self._games.live.find(args[0])
        key = args[1] if len(args) > 1 else ""
        known = key in self._keys and self._keys[key][0].live is live
        spectator = live.watch(say, end, is_participant=known or self._was_played(live, key))
        if not known:
            return spectator
        self._leaving.discard(key)
        return self._presence.add(key, spectator)

    def _was_played(self, live: LiveGame, key: str) -> bool:
        found = self._over.find(key)
        return found is not None and found[0].live is live

    def _absent(self, key: str) -> None:
        """The last connection of a key is closed: withdraw its offer, or end its challenge."""
        game, seat = self._keys.get(key, (None, Seat.BLACK))
        if game is None:
            return
        try:
            self.withdraw(key)
        except PeerError:  # the game has begun
            if key in self._leaving:
                game.leave(seat, f"left and not back within {self._games.challenges.idle:g} s")
            elif game.is_challenge:
                self._leaving.add(key)
                self._presence.report_again(key, self._games.challenges.idle)

    def _find_free(self, live: LiveGame) -> tuple[LobbyGame, Seat]:
        for game, seat in self._keys.values():
            if game.live is live and live.is_open and game.is_free(seat.other):
                return game, seat.other
        raise PeerError(Code.ILLEGAL, f"{live.id} is not open")

    # -- offers -----------------------------------------------------------------------------

    def _read_offer(self, settings: Mapping[str, str], origin: Origin) -> _Offer:
        known = {key: settings[key] for key in _SETTINGS if key in settings}
        options = {key: value for key, value in settings.items() if key not in _SETTINGS}
        try:
            rules = make_rules(known.get("game", "yodd"), known.get("board"), options)
            clock = str(parse_clock(known.get("clock", "none")))
        except (RulesError, ClockError) as error:
            raise PeerError(Code.SYNTAX, str(error)) from None
        wanted = known.get("seat", "any").lower()
        if wanted not in {*_SEATS, "any"}:
            raise PeerError(Code.SYNTAX, f"seat {wanted!r}: expected b, w or any")
        seat = _SEATS[wanted] if wanted in _SEATS else random.choice(list(Seat))  # noqa: S311 — no secret
        rival = known.get("against")
        if rival is not None and not self._is_here(rival):
            raise PeerError(Code.SYNTAX, f"no engine {rival!r} is attached")
        is_rated = self._read_rated(known, rules)
        for_users = self._read_acceptance(known)
        challenges, claim, is_challenge = self._games.challenges, None, False
        engine = None if rival is None else self._games.engines.find(rival)
        if engine is not None:
            rival = engine.name  # as its account spells it
            claim = challenges.claim(origin, rival)
            is_challenge = challenges.is_challenge(origin, rival)
        return _Offer(rules, clock, seat, rival, is_rated, for_users, origin, claim, is_challenge)

    def _read_acceptance(self, known: Mapping[str, str]) -> bool:
        word = known.get("accept", "anyone").lower()
        if word not in {"anyone", "users"}:
            raise PeerError(Code.SYNTAX, f"accept {word!r}: expected anyone or users")
        if word == "users" and self._ledger is None:
            raise PeerError(Code.SYNTAX, "no users here: the server has no accounts")
        return word == "users"

    def _read_rated(self, known: Mapping[str, str], rules: Rules) -> bool:
        word = known.get("rated", "no").lower()
        if word not in {"yes", "no"}:
            raise PeerError(Code.SYNTAX, f"rated {word!r}: expected yes or no")
        if word == "yes" and self._ledger is None:
            raise PeerError(Code.SYNTAX, "no rated games here: the server has no accounts")
        if word == "yes" and rules.chosen_options():
            raise PeerError(Code.SYNTAX, "a rated game has the options that its game comes with")
        return word == "yes"

    def _is_here(self, rival: str) -> bool:
        if self._games.engines.find(rival) is not None:
            return True
        return self._ledger is not None and self._ledger.users.is_here(rival)

    async def _offer_checked(self, ledger: Ledger, offer: _Offer, name: str) -> str:
        found = await self._offer_named(ledger, offer, name)
        if self._publish is not None:  # the client may ask another process for the offer
            await self._publish()
        return found

    async def _offer_named(self, ledger: Ledger, offer: _Offer, name: str) -> str:
        user = offer.origin.user
        await ledger.users.check_name(user, name)
        if not offer.is_rated:
            return self._offer(offer, name)
        if offer.rival is not None and await ledger.users.account(offer.rival) is None:
            raise PeerError(Code.DENIED, f"{offer.rival} has no account")
        if offer.rival is not None and fold(offer.rival) == fold(name):
            raise PeerError(Code.DENIED, "no rated game against yourself")
        name = user or name
        engines = "" if offer.claim is None else offer.seat.other.key
        number = await ledger.offer(offer.rules, offer.clock, offer.names(name), engines)
        return self._offer(offer, name, number)

    def _offer(self, offer: _Offer, name: str, number: int | None = None) -> str:
        if number is None:
            self._count += 1
        own = f"t{self._process}-{self._count}" if self._process else f"t{self._count}"
        game_id = own if number is None else f"r{number}"
        live = LiveGame(game_id, offer.rules, offer.clock, offer.names(name), terms=offer.terms)
        self._games.live.add(live)
        invited = None if offer.claim is not None else offer.rival
        game = LobbyGame(
            live, [None, None], number=number, invited=invited, for_users=offer.for_users
        )
        if offer.is_challenge:
            game.is_challenge, game.limits = True, self._games.challenges.shorten(game.limits)
        key = self._take_seat(game, offer.seat, name, offer.origin)
        if offer.rival is not None and offer.claim is not None:
            engines = self._games.engines
            game.seats[offer.seat.other] = AttachedParticipant(engines, offer.rival, offer.claim)
            self.in_play.start(game)
        return f"{live.id} {key}"

    async def _take_checked(
        self, ledger: Ledger, game: LobbyGame, seat: Seat, origin: Origin, name: str
    ) -> str:
        user = origin.user
        game.is_taken = True  # reserved while the acceptance is checked
        try:
            await ledger.users.check_name(user, name)
            if game.number is not None:
                names = [user or name] * 2
                names[seat.other] = game.name_of(seat.other)
                game.started = await ledger.begin(game.number, *names)
        except BaseException:
            game.is_taken = False
            raise
        return self._take(game, seat, user or name, origin)

    def _take(self, game: LobbyGame, seat: Seat, name: str, origin: Origin) -> str:
        key = self._take_seat(game, seat, name, origin)
        self.in_play.start(game)
        return key

    # -- keys -------------------------------------------------------------------------------

    def _take_seat(self, game: LobbyGame, seat: Seat, name: str, origin: Origin) -> str:
        game.seats[seat] = HumanParticipant(name)
        game.origins.append(origin)
        return self._key(game, seat)

    def _key(self, game: LobbyGame, seat: Seat) -> str:
        key = secrets.token_urlsafe(16)
        if self._process:
            key = f"{self._process}.{key}"
        self._keys[key] = game, seat
        return key

    def _find(self, key: str) -> tuple[LobbyGame, Seat]:
        found = self._keys.get(key)
        if found is None:
            raise PeerError(Code.SYNTAX, "no game has this key")
        return found

    def _forget(self, game: LobbyGame) -> None:
        keys = {key: seat for key, (other, seat) in self._keys.items() if other is game}
        if game.live.is_over and game.live.lingers:
            self._over.add(game, keys)
        for key in keys:
            del self._keys[key]
            self._presence.forget(key)
            self._leaving.discard(key)

    # -- turns ------------------------------------------------------------------------------

    async def _put(self, game: LobbyGame, seat: Seat, turn: str) -> str:
        """Play a turn as soon as the game has begun."""
        begun: Deferred[None] = Deferred()
        if game.begun is not None:
            game.begun.append(begun)
            await begun
        return await _wait_for(_submit(game, seat, turn))


def _submit(game: LobbyGame, seat: Seat, text: str) -> Deferred[None]:
    """Parse a turn and hand it to the referee; fires once it is played and kept.

    Raises:
        PeerError: the game is over, the text is no turn, or the referee refuses it.
    """
    runner = game.runner
    if runner is None or runner.done.called:
        raise PeerError(Code.ILLEGAL, "the game is over")
    position = runner.game.position
    turn = Spelling(position.rules, in_gogui=False).read_turn(text, position.player)
    return game.submit(runner, seat, turn)


async def _wait_for(done: Deferred[None]) -> str:
    await done
    return ""
