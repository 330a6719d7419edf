"""Plays the games of the lobby to their records; with a store they are kept turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.store_wait import AGAIN
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.lobby.game_writer import GameWriter, StoreWriter
from yoddd.daemon.lobby.lobby_game import LobbyGame, Past
from yoddd.daemon.lobby.offers import Terms
from yoddd.daemon.lobby.seats import SeatHolder, Seats
from yoddd.daemon.lobby.table import GameTable
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import RATED, LiveGame
from yoddd.daemon.play.participants import AttachedParticipant, Links
from yoddd.notation.records import GameRecord
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.referee.effects import Finished
from yoddd.referee.seat import Seat
from yoddd.referee.terminations import Termination
from yoddd.rules import make_rules
from yoddd.store.errors import StoreError

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow


class GamesInPlay:
    """Plays the games of the lobby.

    Attributes:
        kept: the games in the store whose seats are taken and that are not over.
        suspended: the ids of those that wait for the store and cannot be resumed yet.
    """

    log = Logger()

    def __init__(self, games: GameServices, ledger: Ledger | None, table: GameTable) -> None:
        """Create it without games.

        Args:
            games: the engines and games of the daemon.
            ledger: keeps the games; None without a store.
            table: receives the games that are restored.
        """
        self.kept: list[LobbyGame] = []
        self.suspended: set[str] = set()
        self._games = games
        self._ledger = ledger
        self._table = table

    def start(self, game: LobbyGame) -> Deferred[GameRecord | None]:
        """Play a game whose seats are taken; fires when it is over, with None if it never began."""
        if game.writer.number is not None:
            self.kept.append(game)
            game.on_over(self.kept.remove)
        played = Deferred.fromCoroutine(self._play(game))
        played.addErrback(self._failed, game)
        return played

    def start_when_here(self, game: LobbyGame) -> None:
        """Begin a game that is taken, and play it once both participants are present."""
        game.wait(self._games.reactor)
        self._table.attendance.note(game)
        self.start(game)

    def writer(self, number: int | None) -> GameWriter:
        """The writer of the game with a number in the store; None without a store."""
        if self._ledger is None or number is None:
            return GameWriter()
        return StoreWriter(self._games.reactor, self._ledger, number)

    def read(self, row: GameRow) -> LobbyGame:
        """Restore a game from the store; its humans are away."""
        game = _read_game(row, self._games.engines, self.writer(row.number))
        self._games.live.add(game.live)
        self._table.add(game)
        self._table.attendance.miss(game)
        return game

    def restore(self, row: GameRow) -> None:
        """Continue a game that was interrupted, once its participants are back."""
        game = self.read(row)
        game.take()
        self.start_when_here(game)

    # -- one game ---------------------------------------------------------------------------

    async def _play(self, game: LobbyGame) -> GameRecord | None:
        arrived = await game.arrival()
        if isinstance(arrived, Termination):
            finished = self._not_played(game, arrived)
        else:
            await self._keep_beginning(game, arrived)
            finished = await game.play(self._games.world, arrived)
        await game.writer.end(finished.record, rated=game.terms.is_rated)
        game.finish(finished.record)
        return finished.record

    async def _keep_beginning(self, game: LobbyGame, links: Links) -> None:
        try:
            await game.persist_beginning()
        except StoreError:
            game.seats.release(links)
            raise

    def _not_played(self, game: LobbyGame, termination: Termination) -> Finished:
        refereed, world, now = game.refereed(), self._games.world, self._games.reactor.seconds()
        since = game.since(world.calendar())
        effects = refereed.start(now, game.started or world.wall(), since)
        effects += refereed.terminate(termination, now)  # empty if the last turn had been played
        return next(effect for effect in effects if isinstance(effect, Finished))

    # -- failures ---------------------------------------------------------------------------

    def _failed(self, failure: Failure, game: LobbyGame) -> None:
        """End a game that never began, or could not be kept."""
        error = failure.value
        if isinstance(error, CancelledError):  # it was withdrawn
            return
        if isinstance(error, StoreError) and game.started is not None:
            self.log.warn("{text}", text=str(error))
            self._suspend(game)
        else:
            self.log.failure("game {id} failed", failure, id=game.live.id)
            game.fail(PeerError(Code.INTERNAL))

    def _suspend(self, game: LobbyGame) -> None:
        """End a game until the store is available."""
        self.suspended.add(game.live.id)
        game.suspend(PeerError(Subcode.STORE, f"{game.live.id} waits for the store: resume it"))
        self._games.live.remove(game.live)  # it is restored under the same id
        self._resume_later(game)

    def _resume_later(self, game: LobbyGame) -> None:
        self._games.reactor.callLater(AGAIN, lambda: Deferred.fromCoroutine(self._resume(game)))

    async def _resume(self, game: LobbyGame) -> None:
        """Restore a suspended game; try again if the store is unavailable."""
        try:
            row = await game.writer.row()
        except StoreError:
            self._resume_later(game)
            return
        self.suspended.discard(game.live.id)
        if row is not None:
            self.restore(row)


def _read_game(row: GameRow, engines: EngineRegistry, writer: GameWriter) -> LobbyGame:
    """The game of a row, offered and not listed yet; its humans are away."""
    settled = row.settled
    options = dict(word.split("=", 1) for word in settled.options.split())
    live = LiveGame(
        row.id,
        make_rules(settled.game, settled.board, options),
        settled.clock,
        (settled.black, settled.white),
        expires=settled.expires,
        terms=RATED if settled.rated else (),
    )
    return LobbyGame(
        live,
        Seats((_read_holder(row, Seat.BLACK, engines), _read_holder(row, Seat.WHITE, engines))),
        terms=Terms(is_rated=settled.rated, invite=settled.invite),
        writer=writer,
        past=Past(row.started, tuple((turn.token, turn.seconds) for turn in row.turns)),
    )


def _read_holder(row: GameRow, seat: Seat, engines: EngineRegistry) -> SeatHolder | None:
    settled = row.settled
    name = (settled.black, settled.white)[seat]
    if name is None:
        return None
    if seat.key in settled.engines:
        return SeatHolder(AttachedParticipant(engines, name))
    human = HumanParticipant(name, is_available=False)
    return SeatHolder(human, settled.keys[seat], is_user=seat.key in row.accounts)
