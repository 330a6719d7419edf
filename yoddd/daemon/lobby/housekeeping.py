"""Regular work with the store: log-ins that end, old games, and the time of games by the day."""

from __future__ import annotations

from datetime import timedelta

import attrs

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.async_service import RegularService
from yoddd.daemon.base.store.journal import Journal
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.users import Users
from yoddd.store.games import keep_used
from yoddd.store.pruning import BATCH, prune_games, prune_sessions


@attrs.define(eq=False, slots=False)
class RevocationWatch(RegularService):
    """Ends the sessions, engines, offers and games of an account whose token is not valid.

    Another process may change the store.
    """

    _users: Users
    _lobby: DaemonLobby

    async def look(self) -> None:
        """End the sessions of revoked tokens."""
        for name in await self._users.end_revoked():
            self.log.info("the token of {name} is not valid any more", name=name)
            self._lobby.end_games_of(name, f"the account {name} was disabled")


@attrs.define(eq=False, slots=False)
class DayClocks(RegularService):
    """Stores how long the present turns of games by the day have taken, once a minute.

    They count by the daemon's clock, so that neither the time without a daemon is charged nor a
    jump of the calendar; after a crash up to a minute is not.
    """

    period = 60.0

    _journal: Journal
    _lobby: DaemonLobby

    async def look(self) -> None:
        """Store the seconds."""
        waits = tuple(self._lobby.waits)
        if waits:
            await self._journal.do(keep_used, waits)

    async def stop(self) -> None:
        """Store them once more."""
        await super().stop()
        await self._try()


@attrs.define(eq=False, slots=False)
class Pruning(RegularService):
    """Deletes old games without an account, and log-ins that have expired."""

    period = 60.0

    _journal: Journal
    _settings: CurrentSettings

    async def look(self) -> None:
        """Delete what is old by now."""
        world = self._journal.world
        await self._journal.do(prune_sessions, world.wall())
        count = BATCH
        while count == BATCH and self._looks.running:
            limits = self._settings.limits
            before = world.wall(-timedelta(days=limits.old_games))
            count = await self._journal.do(prune_games, before, limits.most_games)
