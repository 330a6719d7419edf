"""Regular looks into the store: at log-ins that are not valid any more, and at old games."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from yoddd.daemon.base.async_service import RegularService
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.journal import Journal
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.users import Users
from yoddd.store.pruning import BATCH, prune_games, prune_sessions

_PERIOD: Final = 60.0
"""Seconds between two looks for what is old."""


class RevocationWatch(RegularService):
    """Ends the sessions, engines, offers and games of an account whose token is not valid.

    Another process may change the store.
    """

    def __init__(self, reactor: Reactor, users: Users, lobby: DaemonLobby) -> None:
        """Create it for the log-ins and games of a daemon."""
        super().__init__(reactor)
        self._users = users
        self._lobby = lobby

    async def look(self) -> None:
        """End the sessions of revoked tokens."""
        for name in await self._users.end_revoked():
            self.log.info("the token of {name} is not valid any more", name=name)
            self._lobby.end_games_of(name, f"the account {name} was disabled")


class Pruning(RegularService):
    """Deletes old games without an account, and log-ins that have expired."""

    def __init__(self, journal: Journal, settings: CurrentSettings) -> None:
        """Create it for a store."""
        super().__init__(journal.world.reactor, _PERIOD)
        self._journal = journal
        self._settings = settings

    async def look(self) -> None:
        """Delete what is old by now."""
        world = self._journal.world
        await self._journal.do(prune_sessions, world.wall())
        count = BATCH
        while count == BATCH and self._looks.running:
            limits = self._settings.limits
            before = world.wall(-timedelta(days=limits.old_games))
            count = await self._journal.do(prune_games, before, limits.most_games)
