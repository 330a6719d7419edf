"""What the lobby keeps of rated games, and the leaderboards that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.resource import Resource

from yoddd.daemon.base.clock import wall
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.lobby.users import Users
from yoddd.daemon.pages.api import resources
from yoddd.notation.records import GameRecord
from yoddd.referee import TurnPlayed
from yoddd.referee.ladder import Result, rank
from yoddd.rules import Rules
from yoddd.store import accounts, fleet, games, ratings
from yoddd.store.errors import StoreError
from yoddd.store.values import Account, GameRow, NewGame, Standing, Tally, TurnRow

LOST: Final = -1
"""The fencing number of a game that is another daemon's: no game has it."""


class Ledger:
    """Rated games in the store; every method's result fires once it is on the disk.

    Attributes:
        users: who may play them.
        journal: the store.
        owner: this daemon's number, if it is one of several that share the store.
        fences: the fencing numbers of its games then; see `yoddd.store.fleet`.
    """

    log = Logger()

    def __init__(self, journal: Journal, users: Users) -> None:
        """Keep games in ``journal``."""
        self.users = users
        self.journal = journal
        self.owner: int | None = None
        self.fences: dict[int, int] = {}
        self._rating: set[tuple[str, str]] = set()
        self._stale: set[tuple[str, str]] = set()

    def offer(
        self, rules: Rules, clock: str, names: tuple[str | None, str | None], engines: str
    ) -> Deferred[int]:
        """Keep an offer; the number of the game. ``engines`` are the seats that engines have."""
        game, board = rules.game.name, rules.geometry.name
        settled = NewGame(game, board, clock, *names, wall(), engines)
        return self.journal.do(games.add_game, settled, self.owner).addCallback(self._offered)

    def _offered(self, number: int) -> int:
        if self.owner is not None:
            self.fences[number] = 1
        return number

    async def begin(self, number: int, black: str, white: str) -> str:
        """Both sit down; when that was."""
        now = wall()
        await self.journal.do(games.begin_game, number, black, white, now, self.fences.get(number))
        return now

    def drop(self, number: int) -> Deferred[None]:
        """An offer is taken back."""
        return self.journal.do(games.drop_game, number)

    def keep(self, number: int, turn: TurnPlayed) -> Deferred[object]:
        """Keep a turn."""
        fence = self.fences.get(number)
        return self.journal.turn(TurnRow(number, turn.number, turn.token, turn.seconds, fence))

    async def end(self, number: int, record: GameRecord) -> None:
        """Keep the result, and rate everybody anew soon."""
        await self.journal.do(games.end_game, number, record, self.fences.get(number))
        self.fences.pop(number, None)
        if record.winner is not None:
            self._changed(record.game, record.board)

    def lose(self, number: int) -> None:
        """A game is another daemon's now: whatever is still written to it here is refused."""
        self.fences[number] = LOST

    def in_play(self, number: int) -> Deferred[list[GameRow]]:
        """A game that goes on by the store; none if it is over, or another daemon's."""
        return self.journal.read(_in_play, number, self.owner, self.fences.get(number))

    async def load(self) -> Sequence[GameRow]:
        """The games that a restart has interrupted; offers are forgotten.

        Raises:
            StoreError: several daemons share the store, and this one is not to be one of them.
        """
        if await self.journal.read(fleet.alive):
            raise StoreError("daemons of a fleet use this store: set fleet.listen, or end them")
        await self.journal.do(games.drop_offers)
        await self.rate()
        return await self.journal.read(games.games_in_play)

    async def rate(self) -> None:
        """Rate everybody anew."""
        for game, board in await self.journal.read(games.played_boards):
            self._changed(game, board)

    def resources(self) -> dict[bytes, Resource]:
        """What there is to be seen over HTTP, by name."""
        return resources(self.journal)

    # -- leaderboards -----------------------------------------------------------------------

    def _changed(self, game: str, board: str) -> None:
        """Rate once more; however many games end meanwhile, that is done once for all of them."""
        here = game, board
        if here in self._rating:
            self._stale.add(here)
            return
        self._rating.add(here)
        done = Deferred.fromCoroutine(self._rate(game, board))
        done.addErrback(lambda failure: self.log.failure("ratings were not computed", failure))
        done.addBoth(lambda _: self._rated(here))

    def _rated(self, here: tuple[str, str]) -> None:
        self._rating.discard(here)
        if here in self._stale:
            self._stale.discard(here)
            self._changed(*here)

    async def _rate(self, game: str, board: str) -> None:
        standings = await self.journal.read(_standings, game, board)
        await self.journal.do(ratings.set_standings, game, board, standings)


def _in_play(
    connection: Connection, number: int, owner: int | None, fence: int | None
) -> list[GameRow]:
    if owner is not None and fleet.fences(connection, owner).get(number) != fence:
        return []
    return games.games_in_play(connection, [number])


def _standings(connection: Connection, game: str, board: str) -> list[Standing]:
    """In a reader's thread: the computation may take its time."""
    tallies: list[Tally] = games.tallies(connection, game, board)
    people: list[Account] = accounts.list_accounts(connection)
    anchors = {one.name: one.anchor for one in people if one.anchor is not None}
    results = [Result(one.black, one.white, one.won, one.lost) for one in tallies]
    return [
        Standing(one.name, one.elo, one.error, one.games, one.won, one.is_anchor)
        for one in rank(results, anchors)
    ]
