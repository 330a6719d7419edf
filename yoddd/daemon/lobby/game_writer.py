"""Writes one game to the store while it is offered and played."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.store_wait import until_back
from yoddd.notation.records import GameRecord
from yoddd.referee import TurnPlayed
from yoddd.referee.seat import Seat
from yoddd.store.errors import StoreError
from yoddd.store.values import Keys

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.store.values import GameRow

T = TypeVar("T")


class GameWriter:
    """Writes nothing: the writer of a game without a store.

    Attributes:
        number: of the game in the store; None without one.
    """

    number: int | None = None

    async def begin(self, black: str, white: str, keys: Keys) -> str | None:
        """Keep that the game begins; the calendar time of it, None without a store.

        Raises:
            StoreError: the store fails.
        """
        del black, white, keys
        return None

    async def persist_beginning(self, black: str, white: str, keys: Keys) -> str | None:
        """Call `begin`, and repeat it until the store is back."""
        return await self.begin(black, white, keys)

    async def set_key(self, seat: Seat, key: str) -> None:
        """Keep the digest of a seat's new key.

        Raises:
            StoreError: the store fails.
        """

    @property
    def keep(self) -> Callable[[TurnPlayed], Deferred[object]] | None:
        """Keeps a turn; None where none is kept."""
        return None

    async def rewind(self, length: int) -> None:
        """Keep that only the first ``length`` turns count."""

    async def end(self, record: GameRecord, *, rated: bool) -> None:
        """Keep the result."""

    def drop(self) -> Deferred[None] | None:
        """Drop an offer that is withdrawn; None if there is nothing to wait for."""
        return None

    async def row(self) -> GameRow | None:
        """The game as the store has it; None if it is over, or there is no store.

        Raises:
            StoreError: the store fails.
        """
        return None


class StoreWriter(GameWriter):
    """Writes a game to the store.

    No participant loses by a store that is away: the game waits, and its clocks stand still until
    the turn is sent.
    """

    def __init__(self, reactor: Reactor, ledger: Ledger, number: int) -> None:
        """Create the writer of the game with a number."""
        self.number: int = number
        self._reactor = reactor
        self._ledger = ledger

    async def begin(self, black: str, white: str, keys: Keys) -> str | None:
        """Keep that the game begins; the calendar time of it."""
        return await self._ledger.begin(self.number, black, white, keys)

    async def persist_beginning(self, black: str, white: str, keys: Keys) -> str | None:
        """Call `begin`, and repeat it until the store is back."""
        return await until_back(self._reactor, lambda: self.begin(black, white, keys))

    async def set_key(self, seat: Seat, key: str) -> None:
        """Keep the digest of a seat's new key."""
        await self._ledger.set_key(self.number, seat, key)

    @property
    def keep(self) -> Callable[[TurnPlayed], Deferred[object]]:
        """Keeps a turn."""
        return lambda turn: Deferred.fromCoroutine(self._keep(turn))

    async def _keep(self, turn: TurnPlayed) -> None:
        """Keep a turn, whether or not the attempt that seemed to fail has kept it.

        Raises:
            StoreError: it cannot be kept.
        """
        try:
            await until_back(self._reactor, lambda: _awaited(self._ledger.keep(self.number, turn)))
        except StoreError:
            if not await self._ledger.has(self.number, turn):
                raise

    async def rewind(self, length: int) -> None:
        """Keep that only the first ``length`` turns count."""
        await until_back(self._reactor, lambda: self._ledger.rewind(self.number, length))

    async def end(self, record: GameRecord, *, rated: bool) -> None:
        """Keep the result."""
        await until_back(self._reactor, lambda: self._ledger.end(self.number, record, rated=rated))

    def drop(self) -> Deferred[None]:
        """Drop an offer that is withdrawn."""
        return self._ledger.drop(self.number)

    async def row(self) -> GameRow | None:
        """The game as the store has it; None if it is over."""
        return next(iter(await self._ledger.in_play(self.number)), None)


async def _awaited(done: Deferred[T]) -> T:
    return await done
