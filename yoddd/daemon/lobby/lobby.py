"""The lobby: humans offer and accept games, against each other or an attached engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred

from yoddd.daemon.base.deferred_reply import deferred_reply
from yoddd.daemon.base.ports import End, Say
from yoddd.daemon.base.settings import CurrentSettings
from yoddd.daemon.lobby.attendance import Attendance
from yoddd.daemon.lobby.games_in_play import GamesInPlay
from yoddd.daemon.lobby.games_over import GamesOver
from yoddd.daemon.lobby.keys import SECRET, KeyTable, Seated
from yoddd.daemon.lobby.lobby_game import LobbyGame
from yoddd.daemon.lobby.offered_games import OfferedGames
from yoddd.daemon.lobby.offers import OfferReader
from yoddd.daemon.lobby.phases import GamePhase
from yoddd.daemon.lobby.presence import GRACE, KeyHolder
from yoddd.daemon.lobby.rematches import Rematches
from yoddd.daemon.lobby.table import GameTable
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.live_games import LiveGame, Spectator
from yoddd.protocol.effects import ConnectionHandle
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.protocol.lobby import LobbyReply
from yoddd.protocol.origin import TRUSTED, Origin
from yoddd.referee import parse_clock
from yoddd.referee.seat import Seat
from yoddd.store.values import State, digest

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow


class DaemonLobby:
    """The `Lobby` of a daemon: answers requests; the games change by their own methods.

    Attributes:
        in_play: plays the games.
    """

    def __init__(
        self,
        games: GameServices,
        settings: CurrentSettings,
        ledger: Ledger | None = None,
        grace: float = GRACE,
    ) -> None:
        """Create an empty lobby.

        Args:
            games: the engines and games of the daemon.
            settings: how many games may be offered or played.
            ledger: keeps the games; None without a store.
            grace: see `Presence`.
        """
        self._games = games
        self._reader = OfferReader(games, None if ledger is None else ledger.users)
        self._keys = KeyTable()
        self._attendance = Attendance(games.reactor, settings, games.challenges, self._drop, grace)
        self._over = GamesOver(games.reactor)
        table = GameTable(self._keys, self._attendance, self._over)
        self.in_play = GamesInPlay(games, ledger, table)
        self._offered = OfferedGames(games, settings, ledger, table, self.in_play)
        self._rematches = Rematches(self._offered, self._keys)

    def _drop(self, game: LobbyGame) -> None:
        self._offered.drop(game)

    def restore(self, rows: Iterable[GameRow]) -> None:
        """Continue the games that a restart has interrupted, and offer invites again."""
        for row in rows:
            if row.state is State.PLAYING:
                self.in_play.restore(row)
            else:
                self._offered.restore(row)

    # -- offers -----------------------------------------------------------------------------

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
        offer = self._reader.read(settings, origin)
        if offer.is_rated and origin.user is None:
            raise PeerError(Subcode.LOG_IN, "log in for a rated game")
        self._offered.check_room(origin)
        if offer.is_challenge:
            self._games.challenges.check(origin, parse_clock(offer.clock))
            self._games.challenges.count(origin)
        return deferred_reply(lambda: self._offered.offer(offer, name))

    def accept(
        self, origin: Origin, game_id: str, name: str, secret: str | None = None
    ) -> LobbyReply:
        """Take an offer; an invite with its ``secret``.

        Raises:
            PeerError: the game is unknown or not open, or not offered to this participant.
        """
        self._games.start_gate.check()
        game, seat = self._offered.find_open(game_id)
        is_own = game.seats.is_user(seat.other, name)
        game.terms.check(game_id, origin.user, digest(secret or ""), is_own=is_own)
        self._offered.check_share(origin)
        return deferred_reply(lambda: self._offered.accept(game, seat, origin, name))

    def withdraw(self, key: str) -> LobbyReply:
        """Take an offer back.

        Raises:
            PeerError: no game has this key, or the game has begun.
        """
        game, _ = self._keys.find(key)
        return _reply(self._offered.withdraw(game))

    # -- games ------------------------------------------------------------------------------

    def put(self, key: str, turn: str, number: int | None = None) -> LobbyReply:
        """Play a turn, as turn ``number`` if given; ``resign`` at any time.

        Raises:
            PeerError: no game has this key, or the turn is refused.
        """
        game, seat = self._find_full(key)
        return _reply(game.put(seat, turn, number))

    def claim(self, key: str) -> LobbyReply:
        """Win a game whose other participant, a human, has been away for long enough.

        Raises:
            PeerError: no game has this key, or the other participant is here or was lately.
        """
        game, seat = self._find_full(key)
        return _reply(game.decide(self._attendance.claim(game, seat)))

    def take_back(self, key: str, *, agrees: bool, length: int | None = None) -> LobbyReply:
        """Ask to take back a turn, or answer the one who asks; see `GameInPlay.take_back`.

        Raises:
            PeerError: no game has this key, or there is nothing to take back or to answer.
        """
        game, seat = self._find_full(key)
        return _reply(game.take_back(seat, agrees=agrees, length=length))

    def _find_full(self, key: str) -> Seated:
        """The game and seat of a key, whose holder has shown a sign of life.

        Raises:
            PeerError: no game has this key, or a seat of it is still offered.
        """
        game, seat = self._keys.find(key)
        if game.seats.free is not None:
            raise PeerError(Subcode.NOT_BEGUN, "the game has not begun")
        self._attendance.greet((game, seat))
        return game, seat

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
            self._rematches.decline(over, seat)
            return ""
        self._games.start_gate.check()
        return deferred_reply(lambda: self._rematches.agree(over, seat, origin))

    def end_games_of(self, name: str, reason: str) -> None:
        """Withdraw the offers of a participant, and end its games as void."""
        games = {*self._keys.games, *self.in_play.kept}
        for game in [game for game in games if game.seats.has(name)]:
            if game.phase is GamePhase.OFFERED:
                self._offered.drop(game)
            else:
                game.abort(reason)

    # -- keys -------------------------------------------------------------------------------

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
        mine = self._games_of(user)
        if game_id is None:
            return " ".join(mine)
        if game_id not in mine:
            raise PeerError(Subcode.NO_GAME, f"you play no game {game_id!r}")
        game, seat = mine[game_id]
        return deferred_reply(lambda: self._replace_key(game, seat))

    def _games_of(self, user: str) -> dict[str, Seated]:
        """The games in the store that a user plays, by id."""
        return {
            game.live.id: (game, seat)
            for game in self.in_play.kept
            if game.phase is not GamePhase.TAKEN  # it can still fail to begin
            for seat in Seat
            if game.seats.is_user(seat, user)
        }

    def _resume_with_key(self, game_id: str, key: str) -> str:
        game, seat = self._keys.find(key)
        if game.live.id != game_id:
            raise PeerError(Subcode.NO_KEY, "no game has this key")
        self._attendance.greet((game, seat))
        return key

    async def _replace_key(self, game: LobbyGame, seat: Seat) -> str:
        """Void the key of a seat and make another, which is kept before it is told."""
        key = self._games.world.secret(SECRET)
        await game.replace_key(seat, digest(key))
        self._keys.read(game)
        self._attendance.greet((game, seat))
        return key

    def hold(self, key: str, connection: ConnectionHandle) -> None:
        """Count the holder of a key as present until a connection is lost."""
        found = self._keys.get(key)
        if found is not None:
            self._attendance.hold(found, connection)

    # -- spectators -------------------------------------------------------------------------

    def check_watchable(self, game_id: str) -> None:
        """Refuse an unknown id of a game.

        Raises:
            PeerError: there is no such game.
        """
        self._games.live.find(game_id)

    def observe(
        self, args: tuple[str, ...], say: Say, end: End, origin: Origin = TRUSTED
    ) -> Spectator | KeyHolder[Seated]:
        """Start the streaming job of ``observe``; ``args`` are an id, and a key, ``-`` or nothing.

        Raises:
            PeerError: there is no such game.
        """
        del origin  # any client may
        live, key = self._games.live.find(args[0]), "".join(args[1:])
        found = self._keys.get(key)
        if found is None or found[0].live is not live:
            return live.watch(say, end, goes_on=key == "-" or self._was_played(live, key))
        spectator = live.watch(say, end, goes_on=True)
        return self._attendance.observe(found, spectator)

    def _was_played(self, live: LiveGame, key: str) -> bool:
        found = self._over.find(digest(key))
        return found is not None and found[0].live is live


def _reply(done: Deferred[None] | None) -> LobbyReply:
    """An empty reply, once ``done`` has fired."""
    return "" if done is None else deferred_reply(lambda: _wait_for(done))


async def _wait_for(done: Deferred[None]) -> str:
    await done
    return ""
