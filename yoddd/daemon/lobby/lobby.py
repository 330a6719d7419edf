"""The lobby: humans offer and accept games, against each other or an attached engine."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from yoddd.daemon.base.clock import wall
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
from yoddd.protocol.arguments import parse_seconds
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import TRUSTED, Origin, fold
from yoddd.referee import ClockError, parse_clock
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Reason, forfeit, won
from yoddd.rules import Rules, RulesError, make_rules
from yoddd.store.values import NewGame, digest

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger

Seated = tuple[LobbyGame, Seat]
"""One seat of one game."""

_SETTINGS: Final = ("game", "board", "seat", "clock", "against", "rated", "accept", "invite")
LONGEST_INVITE: Final = 30 * 86400.0
"""Seconds for which an invite is valid at most."""

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
        invite: seconds for which it can be accepted by those who have its secret; None for an
            offer that is listed.
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
    invite: float | None = None

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

    log = Logger()

    def __init__(
        self,
        games: GameServices,
        limits: CurrentLimits,
        ledger: Ledger | None = None,
        grace: float = GRACE,
    ) -> None:
        """Create an empty lobby.

        Args:
            games: the engines and games of the daemon.
            limits: how many games may be offered or played.
            ledger: keeps the games; None without a store.
            grace: see `Presence`.
        """
        self.in_play = GamesInPlay(games, ledger, self._forget, self._adopt)
        self._games = games
        self._limits = limits
        self._ledger = ledger
        # Reports the seats whose last connection has closed.
        self._presence = Presence(games.reactor, self._absent, self._tell_presence, grace)
        # The seats of challengers who were reported absent once, and lose at the second time.
        self._leaving: set[Seated] = set()
        # By the digest of the secret of each key, its game and seat. A game that is over has none,
        # so this bounds the games.
        self._keys: dict[str, Seated] = {}
        # The calls that withdraw the invites when they expire.
        self._expiries: dict[LobbyGame, IDelayedCall] = {}
        # Those that are lately over, of which a rematch can be played.
        self._over = GamesOver(games.reactor)
        # How many games were offered so far; numbers them where there is no store.
        self._count = 0

    # -- Lobby ------------------------------------------------------------------------------

    def games(self, ids: Sequence[str] = ()) -> Sequence[str]:
        """A line for each game that is offered, in play, or lately over; or of ``ids``."""
        live = self._games.live
        if ids:
            return [live.find(one).describe() for one in ids if live.has(one)]
        return live.describe()

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
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        self._check_room(origin)
        if offer.is_challenge:
            self._games.challenges.check(origin, parse_clock(offer.clock))
            self._games.challenges.count(origin)
        if self._ledger is None:
            return self._offer_unkept(offer, name)
        ledger = self._ledger
        return deferred_reply(lambda: self._offer_checked(ledger, offer, name))

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        """Count the holder of a key as present until a connection is lost."""
        found = self._keys.get(digest(key))
        if found is not None:
            self._presence.hold(found, connection)

    def _check_room(self, origin: Origin) -> None:
        """Refuse another game when there are too many, in all or of this client.

        Raises:
            PeerError: the refusal.
        """
        tables = self._limits.value.tables
        if len(self._games_with_keys()) >= tables:
            raise PeerError(Subcode.FULL, f"{tables} games are offered or played already")
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
            raise PeerError(Subcode.FULL, f"{own} games of yours are offered or played already")

    def _games_with_keys(self) -> list[LobbyGame]:
        """The games that are offered or played, each once."""
        return list({id(game): game for game, _ in self._keys.values()}.values())

    def accept(
        self, origin: Origin, game_id: str, name: str, secret: str | None = None
    ) -> LobbyReply:
        """Take an offer; an invite with its ``secret``.

        Raises:
            PeerError: the game is unknown or not open, or not offered to this participant.
        """
        self._games.start_gate.check()
        live = self._games.live.find(game_id)
        game, seat = self._find_free(live)
        if game.secret is not None and digest(secret or "") != game.secret:
            raise PeerError(Subcode.RESERVED, f"{game_id} is for those who have its link")
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
        dropped = self._withdraw(self._find(key)[0])
        return "" if dropped is None else deferred_reply(lambda: _wait_for(dropped))

    def _withdraw(self, game: LobbyGame) -> Deferred[None] | None:
        if game.runner is not None or game.is_taken:
            raise PeerError(Subcode.BEGUN, "the game has begun")
        game.pair_wait.cancel()
        self._games.live.remove(game.live)
        self._forget(game)
        return self.in_play.withdraw(game)

    def _drop(self, game: LobbyGame) -> None:
        """Withdraw an offer where no client waits for that; a restart drops what a failure leaves.

        Raises:
            PeerError: the game has begun.
        """
        dropped = self._withdraw(game)
        if dropped is not None:
            dropped.addErrback(
                lambda failure: self.log.warn(  # noqa: G010 — Twisted's name
                    "an offer was not dropped: {error}", error=failure.getErrorMessage()
                )
            )

    def put(self, key: str, turn: str, number: int | None = None) -> LobbyReply:
        """Play a turn, as turn ``number`` if given; ``resign`` at any time.

        Raises:
            PeerError: no game has this key, or the turn is refused.
        """
        game, seat = self._find_begun(key)
        if game.returning and turn.lower() == "resign" and game.runner is None:
            ended = game.decide(won(seat.other, Reason.RESIGN))
            return deferred_reply(lambda: _wait_for(ended))
        if game.runner is None:  # the other participant is still waited for
            return deferred_reply(lambda: self._put(game, seat, turn, number))
        done = _submit(game, seat, turn, number)
        return deferred_reply(lambda: _wait_for(done))

    def claim(self, key: str) -> LobbyReply:
        """Win a game whose other participant, a human, has been away for long enough.

        Raises:
            PeerError: no game has this key, or the other participant is here or was lately.
        """
        game, seat = self._find_begun(key)
        name, limit = game.name_of(seat.other), self._limits.value.claim
        away = self._presence.away((game, seat.other))
        if away is None:
            raise PeerError(Subcode.PRESENT, f"{name} is not away")
        if away < limit:
            text = f"{name} has been away for {away:.0f} s, of {limit:g} s"
            raise PeerError(Subcode.PRESENT, text)
        detail = f"away for {away:.0f} s, claimed by {game.name_of(seat)}"
        ended = game.decide(forfeit(seat.other, Reason.DISCONNECT, detail))
        return deferred_reply(lambda: _wait_for(ended))

    def take_back(self, key: str, *, agrees: bool) -> LobbyReply:
        """Ask to take back a turn, or answer the one who asks.

        Raises:
            PeerError: no game has this key, or there is nothing to take back or to answer.
        """
        game, seat = self._find_begun(key)
        done = take_back(game, seat, agrees=agrees)
        return "" if done is None else deferred_reply(lambda: _wait_for(done))

    def rematch(self, origin: Origin, key: str, *, agrees: bool) -> LobbyReply:
        """Offer or accept a rematch of a game that is over, or decline it.

        Raises:
            PeerError: no such game is over, or no further game is allowed.
        """
        found = self._over.find(digest(key))
        if found is None:
            raise PeerError(Subcode.NO_KEY, "no game with this key is over")
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
            raise PeerError(Subcode.NO_REQUEST, "no request to answer")
        self._drop(offered)
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
            offered = self._offer_unkept(offer, name)
        else:
            offered = await self._offer_checked(self._ledger, offer, name)
        _, key = offered.split()
        over.rematch, over.waits = self._find(key)[0], seat
        live.request(seat.key, f"rematch {over.rematch.live.id}")
        return offered

    def resume(
        self, user: str | None, game_id: str | None = None, key: str | None = None
    ) -> LobbyReply:
        """A key for a game that ``user`` plays; without an id, the ids of those games.

        With a key of the game the reply is the key to go on with, and the old one stays valid.

        Raises:
            PeerError: no user has logged in, or plays this game.
        """
        if game_id in self.in_play.suspended:
            raise PeerError(Subcode.STORE, f"{game_id} waits for the store: resume it in a moment")
        if game_id is not None and key is not None:
            return self._resume_with_key(game_id, key)
        if user is None:
            raise PeerError(Subcode.LOG_IN, "log in first")
        mine = {
            game.live.id: (game, seat)
            for game in self.in_play.kept
            # Until its beginning is on the disk, a game can still be dropped.
            if game.started is not None or game.pair_wait.is_waiting
            for seat in Seat
            if game.is_user(seat, user)
        }
        if game_id is None:
            return " ".join(mine)
        if game_id not in mine:
            raise PeerError(Subcode.NO_GAME, f"you play no game {game_id!r}")
        game, seat = mine[game_id]
        return deferred_reply(lambda: self._replace_key(game, seat))

    def _resume_with_key(self, game_id: str, key: str) -> str:
        game, seat = self._find(key)
        if game.live.id != game_id:
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        self._greet(game, seat)
        return key

    async def _replace_key(self, game: LobbyGame, seat: Seat) -> str:
        """Void the key of a seat and make another, which is kept before it is told."""
        key = _new_key()
        if self._ledger is not None and game.number is not None and game.started is not None:
            await self._ledger.set_key(game.number, seat, digest(key))
        self._keys.pop(game.keys[seat] or "", None)
        self._hand_out(key, game, seat)
        self._greet(game, seat)
        return key

    def end_games_of(self, name: str, reason: str) -> None:
        """Withdraw the offers of a participant, and end its games as void."""
        games = {*self._games_with_keys(), *self.in_play.kept}
        for game in [game for game in games if game.has(name)]:
            if game.live.abort is not None:
                game.live.abort(reason)
            elif game.runner is None and not game.is_taken:
                self._drop(game)

    def check_watchable(self, game_id: str) -> None:
        """Refuse an unknown id of a game.

        Raises:
            PeerError: there is no such game.
        """
        self._games.live.find(game_id)

    def observe(
        self, args: tuple[str, ...], say: Say, end: End, origin: Origin = TRUSTED
    ) -> Spectator | KeyHolder[Seated]:
        """Start the streaming job of ``observe``; ``args`` are an id, and a key or nothing.

        Raises:
            PeerError: there is no such game.
        """
        del origin  # any client may
        live = self._games.live.find(args[0])
        key = digest(args[1]) if len(args) > 1 else ""
        found = self._keys.get(key)
        if found is None or found[0].live is not live:
            return live.watch(say, end, is_participant=self._was_played(live, key))
        self._leaving.discard(found)
        spectator = live.watch(say, end, is_participant=True)
        holder = self._presence.add(found, spectator)
        self._greet(*found)
        return holder

    def _was_played(self, live: LiveGame, key: str) -> bool:
        found = self._over.find(key)
        return found is not None and found[0].live is live

    # -- presence ---------------------------------------------------------------------------

    def _greet(self, game: LobbyGame, seat: Seat) -> None:
        """Note that the holder of a seat is back: a game after a restart may go on."""
        self._presence.touch((game, seat))
        game.note_presence(seat, is_here=True)

    def _absent(self, place: Seated) -> None:
        """The last connection of a seat is closed: withdraw its offer, or end its challenge."""
        game, seat = place
        if game.live.is_open and game.secret is not None:
            return  # an invite waits until it expires
        try:
            self._drop(game)
        except PeerError:  # the game has begun
            if place in self._leaving:
                detail = f"left and not back within {self._games.challenges.idle:g} s"
                game.decide(forfeit(seat, Reason.DISCONNECT, detail)).addErrback(lambda _: None)
            elif game.is_challenge:
                self._leaving.add(place)
                self._presence.report_again(place, self._games.challenges.idle)

    def _tell_presence(self, place: Seated) -> None:
        """Tell the spectators that the holder of a seat is away, or back."""
        game, seat = place
        game.note_presence(seat, is_here=self._presence.away(place) is None)
        if game.live.state == "playing":
            game.live.tell(self._describe_presence(game, seat))

    def _attendance(self, game: LobbyGame) -> list[str]:
        """The lines that tell who is away, once the game has begun."""
        away = (seat for seat in Seat if self._presence.away((game, seat)) is not None)
        return [] if game.live.is_open else [self._describe_presence(game, seat) for seat in away]

    def _describe_presence(self, game: LobbyGame, seat: Seat) -> str:
        away = self._presence.away((game, seat))
        if away is None:
            return f"presence {seat.key} here"
        left = max(0.0, self._limits.value.claim - away)
        return f"presence {seat.key} away {away:.0f} {left:.0f}"

    def _find_free(self, live: LiveGame) -> tuple[LobbyGame, Seat]:
        for game, seat in self._keys.values():
            if game.live is live and live.is_open and game.is_free(seat.other):
                return game, seat.other
        raise PeerError(Subcode.TAKEN, f"{live.id} is not open")

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
        seat = _SEATS[wanted] if wanted in _SEATS else random.choice(list(Seat))
        rival = known.get("against")
        if rival is not None and not self._is_here(rival):
            raise PeerError(Subcode.NO_RIVAL, f"no engine {rival!r} is attached")
        is_rated = self._read_rated(known, rules)
        for_users = self._read_acceptance(known)
        challenges, claim, is_challenge = self._games.challenges, None, False
        engine = None if rival is None else self._games.engines.find(rival)
        if engine is not None:
            rival = engine.name  # as its account spells it
            claim = challenges.claim(origin, rival)
            is_challenge = challenges.is_challenge(origin, rival)
        invite = _read_invite(known.get("invite"))
        if invite is not None and rival is not None:
            raise PeerError(
                Code.SYNTAX, "an invite is for all who have its link: leave out against"
            )
        return _Offer(
            rules, clock, seat, rival, is_rated, for_users, origin, claim, is_challenge, invite
        )

    def _read_acceptance(self, known: Mapping[str, str]) -> bool:
        word = known.get("accept", "anyone").lower()
        if word not in {"anyone", "users"}:
            raise PeerError(Code.SYNTAX, f"accept {word!r}: expected anyone or users")
        if word == "users" and self._ledger is None:
            raise PeerError(Subcode.NO_ACCOUNTS, "no users here: the server has no accounts")
        return word == "users"

    def _read_rated(self, known: Mapping[str, str], rules: Rules) -> bool:
        word = known.get("rated", "no").lower()
        if word not in {"yes", "no"}:
            raise PeerError(Code.SYNTAX, f"rated {word!r}: expected yes or no")
        if word == "yes" and self._ledger is None:
            raise PeerError(Subcode.NO_ACCOUNTS, "no rated games here: the server has no accounts")
        if word == "yes" and rules.chosen_options():
            raise PeerError(Code.SYNTAX, "a rated game has the options that its game comes with")
        return word == "yes"

    def _is_here(self, rival: str) -> bool:
        if self._games.engines.find(rival) is not None:
            return True
        return self._ledger is not None and self._ledger.users.is_here(rival)

    def _offer_unkept(self, offer: _Offer, name: str) -> str:
        self._count += 1
        key, secret = _new_key(), secrets.token_urlsafe(16)
        return self._offer(offer, name, key, secret, f"t{self._count}")

    async def _offer_checked(self, ledger: Ledger, offer: _Offer, name: str) -> str:
        user, rival = offer.origin.user, offer.rival
        await ledger.users.check_name(user, name)
        if offer.is_rated and rival is not None:
            if await ledger.users.account(rival) is None:
                raise PeerError(Code.DENIED, f"{rival} has no account")
            if fold(rival) == fold(name):
                raise PeerError(Subcode.SELF, "no rated game against yourself")
        return await self._keep_offer(ledger, offer, user or name)

    async def _keep_offer(self, ledger: Ledger, offer: _Offer, name: str) -> str:
        key, secret = _new_key(), secrets.token_urlsafe(16)
        black, white = offer.names(name)
        kept = NewGame(
            game=offer.rules.game.name,
            board=offer.rules.geometry.name,
            clock=offer.clock,
            black=black,
            white=white,
            offered=wall(),
            engines="" if offer.claim is None else offer.seat.other.key,
            rated=offer.is_rated,
            options=" ".join(f"{one}={text}" for one, text in offer.rules.chosen_options().items()),
            keys=(digest(key), None) if offer.seat is Seat.BLACK else (None, digest(key)),
            invite=None if offer.invite is None else digest(secret),
            expires=None if offer.invite is None else time.time() + offer.invite,
        )
        number = await ledger.offer(kept)
        return self._offer(offer, name, key, secret, f"{kept.prefix}{number}", number)

    def _offer(
        self,
        offer: _Offer,
        name: str,
        key: str,
        secret: str,
        game_id: str,
        number: int | None = None,
    ) -> str:
        expires = None if offer.invite is None else time.time() + offer.invite
        names = offer.names(name)
        live = LiveGame(
            game_id, offer.rules, offer.clock, names, expires=expires, terms=offer.terms
        )
        live = self._games.live.add(live)
        invited = None if offer.claim is not None else offer.rival
        game = LobbyGame(
            live,
            [None, None],
            number=number,
            is_rated=offer.is_rated,
            invited=invited,
            for_users=offer.for_users,
        )
        if offer.is_challenge:
            game.is_challenge, game.limits = True, self._games.challenges.shorten(game.limits)
        self._take_seat(game, offer.seat, name, offer.origin, key)
        self._attend(game)
        if offer.rival is not None and offer.claim is not None:
            engines = self._games.engines
            game.seats[offer.seat.other] = AttachedParticipant(engines, offer.rival, offer.claim)
            self.in_play.start(game)
        if offer.invite is None:
            return f"{live.id} {key}"
        game.secret = digest(secret)
        self._expire(game, offer.invite)
        return f"{live.id} {key} {secret}"

    async def _take_checked(
        self, ledger: Ledger, game: LobbyGame, seat: Seat, origin: Origin, name: str
    ) -> str:
        user = origin.user
        game.is_taken = True  # reserved while the acceptance is checked
        try:
            await ledger.users.check_name(user, name)
            key = self._take_seat(game, seat, user or name, origin, _new_key())
            game.started = await self.in_play.begin(game)
        except BaseException:
            self._free_seat(game, seat)
            raise
        self._start(game)
        return key

    def _take(self, game: LobbyGame, seat: Seat, name: str, origin: Origin) -> str:
        key = self._take_seat(game, seat, name, origin, _new_key())
        self._start(game)
        return key

    def _start(self, game: LobbyGame) -> None:
        if game.secret is None:
            self.in_play.start(game)
            return
        self._end_expiry(game)
        game.secret = game.live.expires = None
        for seat in Seat:  # the owner of an invite may be away
            is_here = self._presence.away((game, seat)) is None
            game.seats[seat] = HumanParticipant(game.name_of(seat), is_available=is_here)
        self.in_play.start_when_here(game)

    def _expire(self, game: LobbyGame, seconds: float) -> None:
        """Withdraw an invite after some time, unless it is accepted."""

        def withdraw() -> None:
            del self._expiries[game]
            with suppress(PeerError):  # it is being accepted
                self._drop(game)

        self._expiries[game] = self._games.reactor.callLater(max(0.0, seconds), withdraw)

    def _end_expiry(self, game: LobbyGame) -> None:
        expiry = self._expiries.pop(game, None)
        if expiry is not None:
            expiry.cancel()

    # -- keys -------------------------------------------------------------------------------

    def _take_seat(self, game: LobbyGame, seat: Seat, name: str, origin: Origin, key: str) -> str:
        game.seats[seat] = HumanParticipant(name)
        if origin.user is not None:
            game.accounts.add(seat)
        game.origins.append(origin)
        return self._hand_out(key, game, seat)

    def _free_seat(self, game: LobbyGame, seat: Seat) -> None:
        """Offer a seat again whose acceptance was refused."""
        game.is_taken = False
        if game.seats[seat] is not None:
            game.seats[seat] = None
            game.accounts.discard(seat)
            game.origins.pop()
            self._keys.pop(game.keys[seat] or "", None)
            game.keys[seat] = None

    def _hand_out(self, key: str, game: LobbyGame, seat: Seat) -> str:
        game.keys[seat] = digest(key)
        self._keys[digest(key)] = game, seat
        return key

    def _attend(self, game: LobbyGame) -> None:
        game.live.attendance = lambda: self._attendance(game)

    def _adopt(self, game: LobbyGame) -> None:
        """Make the keys of a restored game valid again; its humans are away."""
        self._attend(game)
        for seat in Seat:
            stored = game.keys[seat]
            if stored is not None:
                self._keys[stored] = game, seat
            if isinstance(game.seats[seat], HumanParticipant):
                self._presence.miss((game, seat))
        if game.live.expires is not None:
            self._expire(game, game.live.expires - time.time())

    def _find(self, key: str) -> Seated:
        found = self._keys.get(digest(key))
        if found is None:
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        return found

    def _find_begun(self, key: str) -> Seated:
        """The game and seat of a key, whose holder has shown a sign of life.

        Raises:
            PeerError: no game has this key, or it has not begun.
        """
        game, seat = self._find(key)
        if game.begun is None:
            raise PeerError(Subcode.NOT_BEGUN, "the game has not begun")
        self._greet(game, seat)
        return game, seat

    def _forget(self, game: LobbyGame) -> None:
        self._end_expiry(game)
        keys = {key: seat for seat in Seat if (key := game.keys[seat]) is not None}
        if game.live.is_over and game.live.lingers:
            self._over.add(game, keys)
        for key in keys:
            self._keys.pop(key, None)
        for seat in Seat:
            self._presence.forget((game, seat))
            self._leaving.discard((game, seat))

    # -- turns ------------------------------------------------------------------------------

    async def _put(self, game: LobbyGame, seat: Seat, turn: str, number: int | None) -> str:
        """Play a turn as soon as the game has begun."""
        begun: Deferred[None] = Deferred()
        if game.begun is not None:
            game.begun.append(begun)
            await begun
        return await _wait_for(_submit(game, seat, turn, number))


def _new_key() -> str:
    return secrets.token_urlsafe(16)


def _read_invite(text: str | None) -> float | None:
    if text is None:
        return None
    seconds = parse_seconds("invite", text, LONGEST_INVITE)
    if seconds <= 0:
        raise PeerError(Code.SYNTAX, "invite: expected more than 0 seconds")
    return seconds


def _submit(game: LobbyGame, seat: Seat, text: str, number: int | None) -> Deferred[None]:
    """Parse a turn and hand it to the referee; fires once it is played and kept.

    Raises:
        PeerError: the game is over, another turn is next, the text is no turn, or the referee
            refuses it.
    """
    runner = game.runner
    if runner is None or runner.done.called:
        raise PeerError(Subcode.OVER, "the game is over")
    position = runner.game.position
    if number not in (None, position.number):
        raise PeerError(Subcode.NUMBER, f"turn {position.number} is next")
    turn = Spelling(position.rules, in_gogui=False).read_turn(text, position.player)
    return game.submit(runner, seat, turn)


async def _wait_for(done: Deferred[None]) -> str:
    await done
    return ""
