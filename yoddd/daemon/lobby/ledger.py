"""The ledger: games in the store, and the leaderboards that are computed from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.base.store.wait import until_back
from yoddd.daemon.lobby.users import Users
from yoddd.referee import Finished, Paused, TurnPlayed, TurnsTakenBack
from yoddd.referee.hosted.events import Beginning, Drop, Keep, NewKey
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.tournament.ladder import Result, rank
from yoddd.rules import GAMES, Game, described
from yoddd.store import accounts, games, ratings
from yoddd.store.errors import StoreAway, StoreError
from yoddd.store.games import keep_descriptions
from yoddd.store.values import Account, AccountRating, GameRow, NewGame, Tally, TurnRow


class Ledger:
    """Games in the store; the result of every write fires once it is on the disk.

    Attributes:
        users: the accounts whose owners may play.
        journal: the store.
        described: the games that do not come with the program, by name; set by `load`.
    """

    log = Logger()

    def __init__(self, journal: Journal, users: Users) -> None:
        """Create a ledger that keeps games in ``journal``."""
        self.users = users
        self.journal = journal
        self.described: Mapping[str, Game] = {}
        # Games and boards whose ratings are being computed.
        self._rating: set[tuple[str, str]] = set()
        # Those with a result since that began.
        self._stale: set[tuple[str, str]] = set()

    def offer(self, offer: NewGame) -> Deferred[int]:
        """Keep an offer; fires with the number of the game."""
        return self.journal.do(games.add_game, offer)

    def keeper(self, number: int) -> Callable[[HostedGame, Keep | NewKey | Drop], Deferred[Any]]:
        """Return the function that keeps what the effects of a game promise."""
        return partial(keep, self.journal, self._changed, number)

    def in_play(self, number: int) -> Deferred[list[GameRow]]:
        """The game as the store has it; none if it is over."""
        return self.journal.read(games.games_in_play, [number])

    async def load(self) -> Sequence[GameRow]:
        """Drop offers, and return the games that a restart has interrupted, and invites.

        Raises:
            StoreError: one in force has other rules than that of the same name in the store.
        """
        offered = [game for game in GAMES.values() if described(game) is not None]
        self.described = await self.journal.do(keep_descriptions, offered)
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
        self._stale.add((game, board))
        if (game, board) not in self._rating:
            self._rating.add((game, board))
            Deferred.fromCoroutine(self._rate_stale(game, board))

    async def _rate_stale(self, game: str, board: str) -> None:
        reactor, rate = self.journal.world.reactor, lambda: self._rate(game, board)
        while (game, board) in self._stale:
            self._stale.discard((game, board))
            try:
                await until_back(reactor, rate)
            except StoreError as error:  # another daemon has the store, and computes them
                self.log.warn("ratings were not computed: {error}", error=str(error))
            except Exception:  # noqa: BLE001 — games go on without ratings
                self.log.failure("ratings were not computed")
        self._rating.discard((game, board))

    async def _rate(self, game: str, board: str) -> None:
        standings = await self.journal.read(compute_standings, game, board)
        now = self.journal.world.wall()
        await self.journal.do(ratings.set_standings, game, board, standings, now)


Rated = Callable[[str, str], None]
"""Is called with a game and a board that have one more result."""


def keep(
    journal: Journal, rated: Rated, number: int, game: HostedGame, what: Keep | NewKey | Drop
) -> Deferred[Any]:
    """Keep what an effect promises; fires for a beginning with its calendar time.

    No participant loses by a store that is away: the game waits, and its clocks stand still until
    the turn is sent. A client that begins a game or makes a key is told.
    """
    do = journal.do
    match what:
        case TurnPlayed(_, turn, token, seconds):
            row = TurnRow(number, turn, token, seconds)
            return journal.commit(row).addErrback(
                lambda failure: Deferred.fromCoroutine(_keep_again(failure, journal, row))
            )
        case Beginning(token=None):
            return _persist(journal, lambda: _begin(journal, number, what))
        case Beginning():
            return _begin(journal, number, what)
        case TurnsTakenBack(length):
            return _persist(journal, lambda: do(games.drop_turns, number, length))
        case Paused():
            return _persist(journal, lambda: do(games.keep_used, [(number, *attrs.astuple(what))]))
        case Finished(_, record):
            ended = _persist(journal, lambda: do(games.end_game, number, record))
            if game.terms.is_rated and record.winner is not None:
                ended.addCallback(lambda _: rated(record.game, record.board))
            return ended
        case NewKey(seat, key):
            return do(games.set_key, number, seat.key, key)
        case Drop():
            return do(games.drop_game, number)


def _begin(journal: Journal, number: int, what: Beginning) -> Deferred[str]:
    (black, white), now = what.seats, journal.world.wall()
    names, keys = (black.name, white.name), (black.key, white.key)
    return journal.do(games.begin_game, number, *names, now, keys).addCallback(lambda _: now)


async def _keep_again(failure: Failure, journal: Journal, row: TurnRow) -> None:
    """Keep a turn, whether or not the attempt that seemed to fail has kept it."""
    try:
        if not isinstance(failure.value, StoreAway):
            failure.raiseException()
        await _persist(journal, lambda: journal.commit(row))
    except StoreError:
        rows = await journal.read(games.turns_of, row.game)
        if not any((one.number, one.token) == (row.number, row.token) for one in rows):
            raise


def _persist(journal: Journal, write: Callable[[], Deferred[Any]]) -> Deferred[Any]:
    """Write, and try again for as long as the store is away."""
    return Deferred.fromCoroutine(until_back(journal.world.reactor, write))


def read_anchors(connection: Connection) -> dict[str, float]:
    """The given ratings, by the names of their accounts."""
    known: list[Account] = accounts.list_accounts(connection)
    return {one.name: one.anchor for one in known if one.anchor is not None}


def compute_standings(connection: Connection, game: str, board: str) -> list[AccountRating]:
    """Compute the ratings; slow enough to run in a reader's thread."""
    tallies: list[Tally] = games.tallies(connection, game, board)
    anchors = read_anchors(connection)
    results = [Result(one.black, one.white, one.won, one.lost) for one in tallies]
    return [
        AccountRating(
            one.name, one.elo, one.error, one.games, one.won, one.is_anchor, one.is_provisional
        )
        for one in rank(results, anchors)
    ]
