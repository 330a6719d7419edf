"""Asks a store whether it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor

if TYPE_CHECKING:  # its libraries are an extra
    from sqlalchemy import Connection

    from yoddd.daemon.base.store.journal import Journal

PATIENCE: Final = 2.0
"""Seconds after which a store that has not answered counts as away."""


class StoreProbe:
    """Reads a row of the store; all who ask during a read share it."""

    def __init__(self, reactor: Reactor, journal: Journal) -> None:
        """Create it for the store of ``journal``."""
        self._reactor = reactor
        self._journal = journal
        # Those who wait for the read in progress.
        self._waiting: list[Deferred[bool]] = []
        # Whether a read is in progress; a store that hangs must not use up the threads.
        self._is_reading = False

    def ask(self) -> Deferred[bool]:
        """Fire with whether the store answers within `PATIENCE`."""
        answer: Deferred[bool] = Deferred()
        self._waiting.append(answer)
        if not self._is_reading:
            self._is_reading = True
            self._journal.read(_touch).addBoth(self._answered)
        return answer.addTimeout(PATIENCE, self._reactor, lambda *_: False)

    def _answered(self, result: object) -> None:
        self._is_reading = False
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer.callback(not isinstance(result, Failure))


def _touch(connection: Connection) -> object:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA shrink_memory")  # a cached page says nothing of the file
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
