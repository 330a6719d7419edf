"""Waits in a thread for the lock of a PostgreSQL store, and watches it while it is held."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy.engine import URL
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.store.advisory_lock import AdvisoryLock
from yoddd.store.database import migrate
from yoddd.store.errors import StoreAway

LOOK: Final = 1.0
"""Seconds between two attempts to take the lock, and between two checks of the one held."""


class LockWatch:
    """The lock by which one of several daemons serves a PostgreSQL store."""

    log = Logger()

    def __init__(self, reactor: Reactor, url: URL) -> None:
        """Create it; `start` starts the thread.

        Raises:
            ExtraMissing: the driver is not installed.
            StoreMissing: there is no such driver.
        """
        self._reactor = reactor
        self._url = url
        self._lock = AdvisoryLock(url)
        # Set by `stop`; ends the thread.
        self._stopping = threading.Event()
        # Fires with the generation once the lock is held.
        self._held: Deferred[int] = Deferred()
        # Both are set by `start`.
        self._waits: Callable[[], None] = lambda: None
        self._lost: Callable[[str], None] = lambda _text: None

    def start(self, waits: Callable[[], None], lost: Callable[[str], None]) -> Deferred[int]:
        """Take the lock, or wait for it; fires with the generation of this daemon.

        It fails with a `StoreError` if the database fails at once, or cannot be migrated.

        Args:
            waits: is called if another daemon holds the lock.
            lost: is called with the reason if the lock is lost after it was held.
        """
        self._waits, self._lost = waits, lost
        threading.Thread(target=self._run, name="store-lock", daemon=True).start()
        return self._held

    def stop(self) -> None:
        """Free the lock soon, or wait for it no longer."""
        self._stopping.set()

    def _run(self) -> None:
        try:
            if not self._acquired():
                return
            migrate(self._url)  # only now: the daemon before may have an older schema
            self._tell(self._held.callback, self._lock.take_over())
            while not self._stopping.wait(LOOK):
                self._lock.check()
        except Exception as error:  # noqa: BLE001 — the daemon would go on without its lock
            self._tell(self._fail, error)
        finally:
            self._lock.close()

    def _acquired(self) -> bool:
        """Whether the lock is held; False once it is not waited for any more."""
        if self._lock.acquire():
            return True
        self._tell(self._waits)
        while not self._stopping.wait(LOOK):
            try:
                if self._lock.acquire():
                    return True
            except StoreAway as error:
                self.log.warn("standby: {error}", error=str(error))
        return False

    def _fail(self, error: Exception) -> None:
        if self._held.called:
            self._lost(f"the lock of the store is lost: {error}")
        else:
            self._held.errback(error)

    def _tell(self, call: Callable[..., object], *args: Any) -> None:
        self._reactor.callFromThread(call, *args)
