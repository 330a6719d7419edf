"""The ledger: games in the store, and the leaderboards that are computed from them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from yoddd.daemon.base.journal import Journal
from yoddd.daemon.base.store_wait import until_back
from yoddd.daemon.lobby.users import Users
from yoddd.notation.records import GameRecord
from yoddd.referee import TurnPlayed
from yoddd.referee.ladder import Result, rank
from yoddd.referee.seat import Seat
from yoddd.store import accounts, games, ratings
from yoddd.store.values import Account, GameRow, Keys, NewGame, Standing, Tally, TurnRow


class Ledger:
    """Games in the store; the result of every write fires once it is on the disk.

    Attributes:
        users: the accounts whose owners may play.
        journal: the store.
    """

    log = Logger()

    def __init__(self, journal: Journal, users: Users) -> None:
        """Create a ledger that keeps games in ``journal``."""
        self.users = users
        self.journal = journal
        # Games and boards whose ratings are being computed.
        self._rating: set[tuple[str, str]] = set()
        # Those among them with a result since: they are computed again afterwards.
        self._stale: set[tuple[str, str]] = set()

    def offer(self, offer: NewGame) -> Deferred[int]:
        """Keep an offer; fires with the number of the game."""
        return self.journal.do(games.add_game, offer)

    async def begin(self, number: int, black: str, white: str, keys: Keys = (None, None)) -> str:
        """Keep that the game begins, and return the calendar time of it."""
        now = self.journal.world.wall()
        await self.journal.do(games.begin_game, number, black, white, now, keys)
        return now

    def set_key(self, number: int, seat: Seat, key: str) -> Deferred[None]:
        """Keep the digest of a seat's new key."""
        return self.journal.do(games.set_key, number, seat.key, key)

    def drop(self, number: int) -> Deferred[None]:
        """Drop an offer."""
        return self.journal.do(games.drop_game, number)

    def keep(self, number: int, turn: TurnPlayed) -> Deferred[object]:
        """Keep a turn."""
        return self.journal.turn(TurnRow(number, turn.number, turn.token, turn.seconds))

    async def rewind(self, number: int, length: int) -> None:
        """Keep that only the first ``length`` turns count."""
        await self.journal.do(games.drop_turns, number, length)

    async def has(self, number: int, turn: TurnPlayed) -> bool:
        """Return whether a turn is kept already."""
        rows = await self.journal.read(games.turns_of, number)
        return any((row.number, row.token) == (turn.number, turn.token) for row in rows)

    async def end(self, number: int, record: GameRecord, *, rated: bool = True) -> None:
        """Keep the result, and compute the ratings again soon if it counts."""
        await self.journal.do(games.end_game, number, record)
        if rated and record.winner is not None:
            self._changed(record.game, record.board)

    def in_play(self, number: int) -> Deferred[list[GameRow]]:
        """The game as the store has it; none if it is over."""
        return self.journal.read(games.games_in_play, [number])

    async def load(self) -> Sequence[GameRow]:
        """Drop offers, and return the games that a restart has interrupted, and invites."""
        await self.journal.do(games.drop_offers)
        await self.rate()
        return await self.journal.read(games.games_in_play)

    async def rate(self) -> None:
        """Compute all ratings again."""
        for game, board in await self.journal.read(games.played_boards):
            self._changed(game, board)

    # -- leaderboards -----------------------------------------------------------------------

    def _changed(self, game: str, board: str) -> None:
        """Compute ratings; once more at the end, however many games have ended meanwhile."""
        ladder = game, board
        if ladder in self._rating:
            self._stale.add(ladder)
            return
        self._rating.add(ladder)
        rate, reactor = lambda: self._rate(game, board), self.journal.world.reactor
        done = Deferred.fromCoroutine(until_back(reactor, rate))
        done.addErrback(lambda failure: self.log.failure("ratings were not computed", failure))
        done.addBoth(lambda _: self._rated(ladder))

    def _rated(self, ladder: tuple[str, str]) -> None:
        self._rating.discard(ladder)
        if ladder in self._stale:
            self._stale.discard(ladder)
            self._changed(*ladder)

    async def _rate(self, game: str, board: str) -> None:
        standings = await self.journal.read(compute_standings, game, board)
        now = self.journal.world.wall()
        await self.journal.do(ratings.set_standings, game, board, standings, now)


def read_anchors(connection: Connection) -> dict[str, float]:
    """The given ratings, by the names of their accounts."""
    known: list[Account] = accounts.list_accounts(connection)
    return {one.name: one.anchor for one in known if one.anchor is not None}


def compute_standings(connection: Connection, game: str, board: str) -> list[Standing]:
    """Compute the ratings; slow enough to run in a reader's thread."""
    tallies: list[Tally] = games.tallies(connection, game, board)
    anchors = read_anchors(connection)
    results = [Result(one.black, one.white, one.won, one.lost) for one in tallies]
    return [
        Standing(
            one.name, one.elo, one.error, one.games, one.won, one.is_anchor, one.is_provisional
        )
        for one in rank(results, anchors)
    ]
