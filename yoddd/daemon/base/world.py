"""Time, chance, secrets, threads and the store's lock, which a daemon does not compute.

Nothing below the composition root asks the system for these, so that a simulation can give it
others and decide them all by one seed.
"""

from __future__ import annotations

import base64
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from yoddd.daemon.base.clock import Reactor, iso

if TYPE_CHECKING:  # its libraries are an extra
    from sqlalchemy.engine import URL

    from yoddd.store.advisory_lock import AdvisoryLock

T = TypeVar("T")


class _DaemonThread(Thread):
    """A thread that does not keep the process alive."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(daemon=True, **settings)


class _DaemonThreadPool(ThreadPool):
    threadFactory: type[Thread] = _DaemonThread


class Threads:
    """Threads for one kind of work, which start when they are needed."""

    def __init__(self, reactor: Reactor, name: str, most: int) -> None:
        """Create at most ``most`` threads, whose names contain ``name``."""
        self._reactor = reactor
        self._pool = _DaemonThreadPool(minthreads=0, maxthreads=most, name=name)
        self._pool.start()

    def run(
        self, work: Callable[[], T], spent: Callable[[float], None] | None = None
    ) -> Deferred[T]:
        """Call ``work`` in a thread; fires in the reactor's with its result.

        Args:
            work: is called in the order of the calls.
            spent: receives the seconds of the processor that the work took, in the reactor's thread
                and before the result fires.
        """
        seconds: list[float] = []

        def measured() -> T:
            clock = processor_clock()
            try:
                return work()
            finally:
                seconds.append(clock())

        def charge(result: T) -> T:
            if spent is not None:
                spent(sum(seconds))
            return result

        done: Deferred[T] = deferToThreadPool(self._reactor, self._pool, measured)
        return done.addBoth(charge)

    def resize(self, most: int) -> None:
        """Let there be at most so many."""
        self._pool.adjustPoolsize(maxthreads=most)

    def close(self, patience: float | None = None) -> None:
        """End the threads after the work that they have.

        Args:
            patience: seconds that this takes at most; None for no limit.
        """
        # In a thread of its own, because ThreadPool.stop waits without end.
        ending = Thread(target=self._pool.stop, daemon=True)
        ending.start()
        ending.join(patience)


class World:
    """The surroundings of a daemon.

    Attributes:
        reactor: Twisted's: monotonic time, timers, ports and child processes.
        chance: decides what may be guessed and what may not.
    """

    def __init__(self, reactor: Reactor) -> None:
        """Create the surroundings that the system gives."""
        self.reactor = reactor
        self.chance: random.Random = random.SystemRandom()

    def calendar(self) -> datetime:
        """Return the time in UTC; others may set it at any moment."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds on a clock that never jumps, in any thread."""
        return time.monotonic()

    def wall(self, ahead: timedelta = timedelta()) -> str:
        """Return the time in UTC as records contain it, or a time some way ahead of it."""
        return iso(self.calendar() + ahead)

    def secret(self, size: int) -> str:
        """Return ``size`` random bytes as text that can stand in a line and in an address."""
        return base64.urlsafe_b64encode(self.chance.randbytes(size)).rstrip(b"=").decode()

    def threads(self, name: str, most: int) -> Threads:
        """Return at most ``most`` threads of their own for one kind of work."""
        return Threads(self.reactor, name, most)

    def processor_clock(self) -> Callable[[], float]:
        """Return a clock of the calling thread's processor time, which any thread may read."""
        return processor_clock()

    def lock_of(self, url: URL) -> AdvisoryLock | None:
        """Return the lock by which one of several daemons serves a store; None for a file.

        A file is locked while it is open, see `yoddd.store.lock`.

        Raises:
            ExtraMissing: the driver is not installed.
            StoreMissing: there is no such driver.
        """
        from yoddd.store.advisory_lock import AdvisoryLock
        from yoddd.store.database import is_sqlite

        return None if is_sqlite(url) else AdvisoryLock(url)


def processor_clock() -> Callable[[], float]:
    """Return a clock of this thread's processor time; of all time where no system has one."""
    clock: Callable[[], float] = time.monotonic
    if hasattr(time, "pthread_getcpuclockid"):  # not on macOS and Windows
        clock_id = time.pthread_getcpuclockid(threading.get_ident())
        clock = partial(time.clock_gettime, clock_id)
    begun = clock()
    return lambda: clock() - begun
