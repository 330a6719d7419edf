"""A store without threads, and connections without sockets, for tests of the lobby."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from twisted.internet.defer import Deferred, execute, succeed

from tests.daemon.fake_time import world_of
from tests.daemon.stores import make_store
from yoddd.store.database import read_url
from yoddd.store.errors import StoreError
from yoddd.store.store import Store
from yoddd.store.values import TurnRow

T = TypeVar("T")


class DirectJournal:
    """A `Journal` of a real store that does everything at once.

    Attributes:
        world: its surroundings.
        is_away: whether every call fails.
        held: whether reads wait for `release`.
    """

    def __init__(self, folder: Path) -> None:
        """Create the store, with the accounts of `make_store`."""
        self.store = Store(read_url(str(make_store(folder / "store"))))
        self.world = world_of()
        self.is_away = False
        self.held = False
        self._waiting: list[Deferred[None]] = []

    def commit(self, turn: TurnRow) -> Deferred[object]:
        (outcome,) = self.store.write([turn])
        return succeed(outcome)

    def do(self, change: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        return self._run(self.store.transact, change, args, words)

    def read(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        if not self.held:
            return self._run(self.store.read, look, args, words)
        start: Deferred[None] = Deferred()
        self._waiting.append(start)
        return start.addCallback(lambda _: self._run(self.store.read, look, args, words))

    read_charged = read

    def browse(self, look: Callable[..., T], *args: Any, **words: Any) -> Deferred[T]:
        return self._run(self.store.browse, look, args, words)

    def release(self) -> int:
        """Make the reads that wait; return how many there were."""
        waiting, self._waiting = self._waiting, []
        for start in waiting:
            start.callback(None)
        return len(waiting)

    def _run(
        self,
        transact: Callable[..., T],
        work: Callable[..., T],
        args: tuple[Any, ...],
        words: dict[str, Any],
    ) -> Deferred[T]:
        def run() -> T:
            if self.is_away:
                raise StoreError("away")
            return transact(lambda connection: work(connection, *args, **words))

        done: Deferred[T] = execute(run)
        return done

    def close(self) -> None:
        self.store.close()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[DirectJournal]:
    """A store for each test that asks for one."""
    journal = DirectJournal(tmp_path)
    yield journal
    journal.close()


class FakeConnection:
    """A `ConnectionHandle`; ``reasons`` are those for which it was closed."""

    def __init__(self, host: str | None = "192.0.2.1") -> None:
        self.host = host
        self.reasons: list[str] = []
        self._calls: list[Callable[[], None]] = []

    def disconnect(self, reason: str) -> None:
        self.reasons.append(reason)
        self.lose()

    def on_disconnect(
        self, call: Callable[[], None], is_needed: Callable[[], bool] = lambda: False
    ) -> None:
        del is_needed
        self._calls.append(call)

    def lose(self) -> None:
        """Be closed by the client."""
        calls, self._calls = self._calls, []
        for call in calls:
            call()
