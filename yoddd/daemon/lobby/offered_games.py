"""The games on offer: made, accepted, withdrawn, and withdrawn when they expire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from yoddd.daemon.base.settings import CurrentSettings
from yoddd.daemon.base.world import World
from yoddd.daemon.lobby.games_in_play import GamesInPlay
from yoddd.daemon.lobby.keys import SECRET
from yoddd.daemon.lobby.lobby_game import PATIENCE, LobbyGame
from yoddd.daemon.lobby.offers import Offer
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.lobby.seats import SeatHolder, Seats
from yoddd.daemon.lobby.table import GameTable
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.protocol.origin import Origin, fold
from yoddd.referee.seat import Seat
from yoddd.store.values import NewGame, digest

if TYPE_CHECKING:  # its libraries are an extra
    from twisted.internet.defer import Deferred

    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

LOOK_AGAIN: Final = 1.0
"""Seconds after which an invite that has expired while it was being accepted is looked at again."""


@attrs.frozen
class _Made:
    """An offer with the values that are computed once for it.

    Attributes:
        offer: its settings.
        name: of the participant who offers the game.
        key: plays the seat of that participant.
        secret: accepts an invite; None for an offer that is listed.
        expires: when an invite does, in seconds since 1970; None for another offer.
        offered: the calendar time of the offer.
    """

    offer: Offer
    name: str
    key: str
    secret: str | None
    expires: float | None
    offered: str

    @property
    def names(self) -> tuple[str | None, str | None]:
        """The names by seat; None for one who is not known yet."""
        return self.offer.names(self.name)

    @property
    def invite(self) -> str | None:
        """The digest of the secret."""
        return None if self.secret is None else digest(self.secret)

    @property
    def kept(self) -> NewGame:
        """The offer as the store keeps it."""
        offer, key = self.offer, digest(self.key)
        options = offer.rules.chosen_options().items()
        black, white = self.names
        return NewGame(
            game=offer.rules.game.name,
            board=offer.rules.geometry.name,
            clock=offer.clock,
            black=black,
            white=white,
            offered=self.offered,
            engines="" if offer.claim is None else offer.seat.other.key,
            rated=offer.is_rated,
            options=" ".join(f"{one}={text}" for one, text in options),
            keys=(key, None) if offer.seat is Seat.BLACK else (None, key),
            invite=self.invite,
            expires=self.expires,
        )


def _make(world: World, offer: Offer, name: str) -> _Made:
    key, secret, expires = world.secret(SECRET), None, None
    if offer.invite is not None:
        secret, expires = world.secret(SECRET), world.calendar().timestamp() + offer.invite
    return _Made(offer, name, key, secret, expires, world.wall())


class OfferedGames:
    """Makes offers, and seats those who accept them."""

    log = Logger()

    def __init__(
        self,
        games: GameServices,
        settings: CurrentSettings,
        ledger: Ledger | None,
        table: GameTable,
        in_play: GamesInPlay,
    ) -> None:
        """Create it without offers.

        Args:
            games: the engines and games of the daemon.
            settings: how many games may be offered or played.
            ledger: keeps the games; None without a store.
            table: receives the games that are offered.
            in_play: plays those that are accepted.
        """
        self._games = games
        self._settings = settings
        self._ledger = ledger
        self._table = table
        self._in_play = in_play
        # How many games were offered so far; numbers them where there is no store.
        self._count = 0
        # The calls that withdraw the invites when they expire, until those are accepted or over.
        self._expiries: dict[LobbyGame, IDelayedCall] = {}

    # -- bounds -----------------------------------------------------------------------------

    def check_room(self, origin: Origin) -> None:
        """Refuse another game when there are too many, in all or of this client.

        Raises:
            PeerError: the refusal.
        """
        tables = self._settings.limits.tables
        if len(self._table.keys.games) >= tables:
            raise PeerError(Subcode.FULL, f"{tables} games are offered or played already")
        self.check_share(origin)

    def check_share(self, origin: Origin) -> None:
        """Refuse another game to a client that has its share of them.

        Raises:
            PeerError: the refusal.
        """
        if origin.is_trusted:
            return
        games = self._table.keys.games
        own = sum(any(one.key == origin.key for one in game.origins) for game in games)
        if own >= self._settings.limits.own_tables:
            raise PeerError(Subcode.FULL, f"{own} games of yours are offered or played already")

    # -- offers -----------------------------------------------------------------------------

    async def offer(self, offer: Offer, name: str) -> str:
        """Offer a game; its id, the key of the seat, and the secret of an invite.

        Raises:
            PeerError: the name or the opponent is refused.
            StoreError: the store fails.
        """
        if self._ledger is None:
            self._count += 1
            made = _make(self._games.world, offer, name)
            game = self._add(made, f"t{self._count}")
        else:
            await self._check_names(self._ledger, offer, name)
            made = _make(self._games.world, offer, offer.origin.user or name)
            kept = made.kept
            number = await self._ledger.offer(kept)
            game = self._add(made, f"{kept.prefix}{number}", number)
        return " ".join(filter(None, [game.live.id, made.key, made.secret]))

    async def _check_names(self, ledger: Ledger, offer: Offer, name: str) -> None:
        await ledger.users.check_name(offer.origin.user, name)
        if offer.is_rated and offer.rival is not None:
            if await ledger.users.account(offer.rival) is None:
                raise PeerError(Code.DENIED, f"{offer.rival} has no account")
            if fold(offer.rival) == fold(name):
                raise PeerError(Subcode.SELF, "no rated game against yourself")

    def _add(self, made: _Made, game_id: str, number: int | None = None) -> LobbyGame:
        offer, terms = made.offer, made.offer.terms(made.invite)
        live = LiveGame(
            game_id,
            offer.rules,
            offer.clock,
            made.names,
            expires=made.expires,
            terms=terms.words,
        )
        limits = self._games.challenges.shorten(PATIENCE) if offer.is_challenge else PATIENCE
        writer = self._in_play.writer(number)
        game = LobbyGame(live, self._seat(made), terms=terms, writer=writer, limits=limits)
        self._games.live.add(live)
        self._table.add(game)
        if game.seats.free is None:
            self._in_play.start(game)
        if offer.invite is not None:
            self._expire(game, offer.invite)
        return game

    def _seat(self, made: _Made) -> Seats:
        """The seats of an offer: of who makes it, and of the engine that it is against."""
        offer = made.offer
        seats = Seats((None, None)).fill(offer.seat, _human(offer.origin, made.name, made.key))
        if offer.claim is None or offer.rival is None:
            return seats
        engine = AttachedParticipant(self._games.engines, offer.rival, offer.claim)
        return seats.fill(offer.seat.other, SeatHolder(engine))

    def restore(self, row: GameRow) -> None:
        """Offer an invite again that a restart has interrupted."""
        game = self._in_play.read(row)
        if game.live.expires is not None:
            left = game.live.expires - self._games.world.calendar().timestamp()
            self._expire(game, left)

    def withdraw(self, game: LobbyGame) -> Deferred[None] | None:
        """Withdraw an offer; see `LobbyGame.withdraw`.

        Raises:
            PeerError: the game has begun.
        """
        dropped = game.withdraw()
        self._games.live.remove(game.live)
        return dropped

    def drop(self, game: LobbyGame) -> None:
        """Withdraw an offer for no client; after a failure the next restart drops it.

        Raises:
            PeerError: the game has begun.
        """
        dropped = self.withdraw(game)
        if dropped is not None:
            dropped.addErrback(
                lambda failure: self.log.warn(
                    "an offer was not dropped: {error}", error=failure.getErrorMessage()
                )
            )

    def _expire(self, game: LobbyGame, seconds: float) -> None:
        """Withdraw an invite after some time, unless it is accepted."""
        reactor = self._games.reactor

        def withdraw() -> None:
            if game.phase is GamePhase.OFFERED:
                self.drop(game)
            elif game.phase is GamePhase.TAKEN:  # the acceptance may be refused
                self._expiries[game] = reactor.callLater(LOOK_AGAIN, withdraw)

        self._expiries[game] = reactor.callLater(max(0.0, seconds), withdraw)
        game.on_over(self._end_expiry)

    def _end_expiry(self, game: LobbyGame) -> None:
        expiry = self._expiries.pop(game, None)
        if expiry is not None and expiry.active():
            expiry.cancel()

    # -- acceptances ------------------------------------------------------------------------

    def find_open(self, game_id: str) -> tuple[LobbyGame, Seat]:
        """The offered game of an id, and its free seat.

        Raises:
            PeerError: there is no such game, or it is not open.
        """
        live = self._games.live.find(game_id)
        for game in self._table.keys.games:
            seat = game.seats.free
            if game.live is live and game.phase is GamePhase.OFFERED and seat is not None:
                return game, seat
        raise PeerError(Subcode.TAKEN, f"{game_id} is not open")

    async def accept(self, game: LobbyGame, seat: Seat, origin: Origin, name: str) -> str:
        """Give the free seat of an offer to the client who accepts it; the key of the seat.

        Raises:
            PeerError: the name is another's.
            StoreError: the store fails.
        """
        key = self._games.world.secret(SECRET)
        game.take(origin)
        try:
            if self._ledger is not None:
                await self._ledger.users.check_name(origin.user, name)
                name = origin.user or name
            _check_namesake(game, origin, name)
            await game.keep_beginning(seat, _human(origin, name, key))
        except BaseException:
            game.refuse()
            raise
        self._table.keys.read(game)
        self._begin(game)
        return key

    def _begin(self, game: LobbyGame) -> None:
        if game.terms.invite is None:
            self._in_play.start(game)
        else:  # its owner may be away
            self._end_expiry(game)
            self._in_play.start_when_here(game)


def _check_namesake(game: LobbyGame, origin: Origin, name: str) -> None:
    """Check that a client without an account has a name of its own; accounts are told apart.

    Raises:
        PeerError: both would have the same name.
    """
    taken = {fold(holder.participant.name) for holder in game.seats.holders}
    if origin.user is None and fold(name) in taken:
        raise PeerError(Subcode.SELF, f"the other participant is {name}, too: choose another name")


def _human(origin: Origin, name: str, key: str) -> SeatHolder:
    return SeatHolder(HumanParticipant(name), digest(key), origin.user is not None, origin)
