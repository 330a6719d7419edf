"""The server of a store: SQLite, which has sessions and their lock as PostgreSQL has them."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import attrs
from sqlalchemy import event
from sqlalchemy.engine import URL, ExceptionContext

from yoddd.store import advisory_lock
from yoddd.store.advisory_lock import AdvisoryLock

if TYPE_CHECKING:
    from tests.simulation.invariants import Judge
    from tests.simulation.world import Faults, SimulatedWorld, Time

NOTICED: Final = 2.0
"""Seconds on average after which the server notices that a connection is lost."""


@attrs.define(eq=False)
class Server:
    """Serves the sessions of the locks by which one of two daemons serves a store.

    A session is a connection of an `AdvisoryLock`, which can be lost before a statement arrives and
    before its answer does. The server frees the lock once it notices, as it does at once when it
    ends a session by itself.

    Attributes:
        holder: the session that has the lock; None while it is free.
        serving: the world of the daemon that was the last to take over.
        taken: when it did.
    """

    time: Time
    faults: Faults
    judge: Judge
    holder: sqlite3.Connection | None = None
    serving: SimulatedWorld | None = None
    taken: float = 0.0
    # The sessions that go on, each with the daemon that has it.
    _sessions: dict[sqlite3.Connection, SimulatedWorld] = attrs.Factory(dict)

    def lock_of(self, url: URL, world: SimulatedWorld) -> AdvisoryLock:
        """The lock of a daemon."""
        made = AdvisoryLock(url)
        event.listen(made._engine, "connect", partial(self._connected, world))
        event.listen(made._engine, "close", lambda session, _record: self.end(session))
        event.listen(made._engine, "do_execute", self._execute)
        event.listen(made._engine, "handle_error", _is_lost)
        return made

    def holds(self, world: SimulatedWorld) -> bool:
        """Whether a daemon has the lock."""
        return self.holder is not None and self._sessions.get(self.holder) is world

    def end(self, session: sqlite3.Connection | None) -> None:
        """End a session, which frees its lock."""
        if session is not None and self._sessions.pop(session, None) is not None:
            self._free(session)

    def crashed(self, world: SimulatedWorld) -> None:
        """End the sessions of a daemon that has ended, as a system does that closes its sockets."""
        for session in [one for one, owner in self._sessions.items() if owner is world]:
            self.end(session)

    def _free(self, session: sqlite3.Connection) -> None:
        if self.holder is session:
            self.holder = None

    def _connected(self, world: SimulatedWorld, session: Any, _record: object) -> None:
        self._sessions[session] = world
        session.create_function("pg_try_advisory_lock", 1, lambda _: self._try_lock(session))

    def _try_lock(self, session: sqlite3.Connection) -> bool:
        self.holder = self.holder or session
        return self.holder is session

    def _execute(self, cursor: Any, statement: str, parameters: Any, _context: object) -> bool:
        """Execute a statement, unless its session is lost; returns that it has been."""
        if statement.startswith("BEGIN"):  # each statement is a transaction
            return True
        self._lose(cursor, "away")
        cursor.execute(statement, parameters)
        if statement == advisory_lock._RAISE:
            self._taken_over(self._sessions[cursor.connection])
        self._lose(cursor, "unsure")
        return True

    def _lose(self, cursor: sqlite3.Cursor, fault: str) -> None:
        """Perhaps lose the connection of a session, which the server notices later.

        Raises:
            sqlite3.OperationalError: it is lost.
        """
        session = cursor.connection
        if session in self._sessions and self.faults.happens(fault):
            del self._sessions[session]
            delay = self.faults.draw(fault).expovariate(1 / NOTICED)
            self.faults.lasts(delay)
            self.time.callLater(delay, self._free, session)
        if session not in self._sessions:
            cursor.close()  # what it has executed is committed
            raise sqlite3.OperationalError("simulated: the session is lost")

    def _taken_over(self, world: SimulatedWorld) -> None:
        if self.serving is not None:  # from now on this one has the games of the other
            self.serving.reactor.is_superseded = True
            self.judge.after_crash()
        self.serving, self.taken = world, self.time.now


def _is_lost(context: ExceptionContext) -> None:
    """Let SQLAlchemy know, as it knows of PostgreSQL, that the connection is of no more use."""
    context.is_disconnect = True
