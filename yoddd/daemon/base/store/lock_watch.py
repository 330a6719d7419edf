"""Waits for the lock of a PostgreSQL store, and watches it while it is held."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.daemon.base.world import World
from yoddd.store.database import migrate
from yoddd.store.errors import StoreAway

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

    from yoddd.store.advisory_lock import AdvisoryLock

LOOK: Final = 1.0
"""Seconds between two attempts to take the lock, and between two checks of the one held."""

PATIENCE: Final = 2.0
"""Seconds in which a database has to free the lock; it does so at the end of the process, too."""


class LockWatch:
    """The lock by which one of several daemons serves a PostgreSQL store."""

    log = Logger()

    def __init__(self, world: World, url: URL, lock: AdvisoryLock) -> None:
        """Create it; `start` asks for the lock."""
        self._reactor = world.reactor
        self._url = url
        self._lock = lock
        # Uses the lock, which a database may take long to answer for.
        self._thread = world.threads("store-lock", 1)
        # The wait for the next look; `stop` cancels it.
        self._pause: Deferred[None] = succeed(None)
        # Whether the lock is neither waited for nor watched any more.
        self._is_stopping = False
        # Fires with the generation once the lock is held.
        self._held: Deferred[int] = Deferred()

    def start(self, waits: Callable[[], None], lost: Callable[[str], None]) -> Deferred[int]:
        """Take the lock, or wait for it; fires with the generation of this daemon.

        It fails with a `StoreError` if the database fails at once, or cannot be migrated.

        Args:
            waits: is called if another daemon holds the lock.
            lost: is called with the reason if the lock is lost after it was held.
        """
        done = Deferred.fromCoroutine(self._serve(waits))
        done.addErrback(self._failed, lost)
        return self._held

    def stop(self) -> None:
        """Free the lock, or wait for it no longer."""
        self._is_stopping = True
        self._pause.cancel()
        self._thread.run(self._lock.close)
        self._thread.close(PATIENCE)

    async def _serve(self, waits: Callable[[], None]) -> None:
        if not await self._acquired(waits):
            return
        # Only now: the daemon before may have an older schema.
        await self._thread.run(partial(migrate, self._url))
        self._held.callback(await self._thread.run(self._lock.take_over))
        while await self._looks_again():
            await self._thread.run(self._lock.check)

    async def _acquired(self, waits: Callable[[], None]) -> bool:
        """Whether the lock is held; False once it is not waited for any more."""
        if await self._thread.run(self._lock.acquire):
            return True
        waits()
        while await self._looks_again():
            try:
                if await self._thread.run(self._lock.acquire):
                    return True
            except StoreAway as error:
                self.log.warn("standby: {error}", error=str(error))
        return False

    async def _looks_again(self) -> bool:
        if not self._is_stopping:
            self._pause = deferLater(self._reactor, LOOK)
            with suppress(CancelledError):
                await self._pause
        return not self._is_stopping

    def _failed(self, failure: Failure, lost: Callable[[str], None]) -> None:
        if self._held.called:
            lost(f"the lock of the store is lost: {failure.getErrorMessage()}")
        else:
            self._held.errback(failure)
