"""The watch for tokens that are revoked and accounts that are disabled while they are used."""

from __future__ import annotations

from typing import Final

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from yoddd.daemon.base.async_service import AsyncService
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.lobby.users import Users
from yoddd.store.errors import StoreError

LOOK: Final = 1.0
"""Seconds between two looks into the store, which another process may change."""


class RevocationWatch(AsyncService):
    """Ends the sessions, engines, offers and games of an account whose token is not valid."""

    log = Logger()

    def __init__(self, reactor: Reactor, users: Users, lobby: DaemonLobby) -> None:
        """Create it; it looks from `start` to `stop`."""
        super().__init__()
        self._users = users
        self._lobby = lobby
        self._looks = LoopingCall(self.look)
        self._looks.clock = reactor

    async def start(self) -> None:
        """Look every `LOOK` seconds from now on."""
        done = self._looks.start(LOOK)
        done.addErrback(lambda failure: self.log.failure("the watch has stopped", failure))

    async def stop(self) -> None:
        """Look no more."""
        if self._looks.running:
            self._looks.stop()

    def look(self) -> Deferred[None]:
        """End the sessions of revoked tokens; fires once they have ended."""
        return Deferred.fromCoroutine(self._look())

    async def _look(self) -> None:
        try:
            names = await self._users.end_revoked()
        except StoreError as error:  # the next look tries again
            self.log.debug("no look at the tokens: {error}", error=str(error))
            return
        for name in names:
            self.log.info("the token of {name} is not valid any more", name=name)
            self._lobby.end_games_of(name, f"the account {name} was disabled")
