"""The periodic deletion of old games without an account and of expired log-ins."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.async_service import AsyncService
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.base.settings import CurrentSettings
from yoddd.store.errors import StoreError
from yoddd.store.pruning import BATCH, prune_games, prune_sessions

_PERIOD: Final = 60.0
"""Seconds between two looks."""


class Pruning(AsyncService):
    """Deletes old games without an account, and log-ins that have expired."""

    log = Logger()

    def __init__(self, journal: Journal, settings: CurrentSettings) -> None:
        """Create it; it looks from `start` to `stop`."""
        super().__init__()
        self._journal = journal
        self._settings = settings
        self._looks = LoopingCall(lambda: Deferred.fromCoroutine(self._look()))
        self._looks.clock = journal.world.reactor

    async def start(self) -> None:
        """Look every `_PERIOD` seconds from now on."""
        done = self._looks.start(_PERIOD)
        done.addErrback(lambda failure: self.log.failure("the store is not pruned", failure))

    async def stop(self) -> None:
        """Look no more."""
        if self._looks.running:
            self._looks.stop()

    async def _look(self) -> None:
        world = self._journal.world
        try:
            await self._journal.do(prune_sessions, world.wall())
            count = BATCH
            while count == BATCH and self._looks.running:
                limits = self._settings.limits
                before = world.wall(-timedelta(days=limits.old_games))
                count = await self._journal.do(prune_games, before, limits.most_games)
        except StoreError as error:  # the next look tries again
            self.log.debug("the store is not pruned: {error}", error=str(error))
