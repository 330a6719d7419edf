"""Services that start and stop the parts of a daemon; `yoddd.daemon.service` orders them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from twisted.internet.error import CannotListenError
from twisted.internet.task import deferLater
from twisted.logger import Logger

from yoddd.daemon.base.async_service import AsyncService
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.start_gate import StartGate
from yoddd.daemon.base.systemd import notify
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.net.listeners import ListenError
from yoddd.daemon.pages.monitoring import Health
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.runs.control import ControlPort, Orders
from yoddd.store.errors import StoreError

if TYPE_CHECKING:  # its libraries are an extra
    from yoddd.daemon.fleet.node import FleetNode
    from yoddd.daemon.lobby.ledger import Ledger

_POLL: Final = 0.05
"""Seconds between two checks of whether the last game has ended."""

_COLLECTION: Final = (10_000, 20, 20)
"""Thresholds of the garbage collector: a session makes some twenty objects that live long."""


class StoreService(AsyncService):
    """The store: restores rated games where no fleet does, and ends the threads."""

    def __init__(self, ledger: Ledger, lobby: DaemonLobby, *, restore: bool) -> None:
        """Create it for an open ledger; ``restore`` is False in a fleet."""
        super().__init__()
        self._ledger = ledger
        self._lobby = lobby
        self._restore = restore

    async def start(self) -> None:
        """Restore the games that the last stop interrupted.

        Raises:
            ListenError: the store fails, or belongs to a fleet.
        """
        if not self._restore:
            return
        try:
            self._lobby.boards.restore(await self._ledger.load())
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    async def stop(self) -> None:
        """End the threads."""
        self._ledger.journal.close()


class PoolService(AsyncService):
    """The threads of the searches."""

    def __init__(self, pool: SearchPool) -> None:
        """Create it for a pool, which starts its threads with the first search."""
        super().__init__()
        self._pool = pool

    async def stop(self) -> None:
        """Stop the searches and end the threads."""
        self._pool.close()


class NodeService(AsyncService):
    """The membership of this node in its fleet."""

    def __init__(self, node: FleetNode, address: Callable[[], str]) -> None:
        """Create it; ``address`` returns the endpoint string by which other nodes connect."""
        super().__init__()
        self._node = node
        self._address = address

    async def start(self) -> None:
        """Join the fleet.

        Raises:
            ListenError: the store fails, or the address has to be configured.
        """
        try:
            await self._node.join(self._address())
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    async def stop(self) -> None:
        """Leave the fleet."""
        await self._node.leave()


class AdminService(AsyncService):
    """The UNIX socket of the administrator."""

    def __init__(self, reactor: Reactor, path: Path, orders: Orders) -> None:
        """Create it; ``orders`` are carried out for every client of the socket at ``path``."""
        super().__init__()
        self._reactor = reactor
        self._path = path
        self._orders = orders
        # Set while it listens.
        self._port: ControlPort | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            ListenError: it cannot listen there.
        """
        try:
            self._port = ControlPort(self._reactor, self._path, self._orders)
        except (OSError, CannotListenError) as error:
            raise ListenError(f"admin: {error}") from None

    async def stop(self) -> None:
        """Stop listening, and remove the socket."""
        if self._port is not None:
            await self._port.close()


class Drain(AsyncService):
    """Waits on its stop for games and searches to end, then closes all connections.

    Rated games continue after a restart, so it does not wait for them.
    """

    log = Logger()

    def __init__(
        self,
        services: Services,
        games: GameServices,
        lobby: DaemonLobby,
        seconds: Callable[[], float],
    ) -> None:
        """Create it; ``seconds`` returns the longest time to wait for games."""
        super().__init__()
        self._services = services
        self._games = games
        self._lobby = lobby
        self._seconds = seconds
        # Whether it waits for nothing more; set by `skip`, on a second signal.
        self._is_urgent = False

    @property
    def _reactor(self) -> Reactor:
        return self._services.reactor

    def skip(self) -> None:
        """Do not wait for games, or no longer."""
        self._is_urgent = True

    async def stop(self) -> None:
        """Wait for games, then close every connection."""
        seconds, connections = self._seconds(), self._services.connections
        if self._is_busy():
            self.log.info("draining: games may last {seconds} s more", seconds=seconds)
            await self._wait(seconds, self._is_busy)
        connections.is_closing = True
        for connection in list(connections.by_number.values()):
            connection.disconnect("going down")
        await self._wait(self._services.limits.close, lambda: bool(connections.by_number))

    def _is_busy(self) -> bool:
        if not self._services.connections.by_number:
            return False  # a game without clients has no one to play it
        kept = {game.live for game in self._lobby.boards.rated}
        live = self._games.live
        playing = any(game.state == "playing" and game not in kept for game in live)
        return playing or self._services.pool.is_needed

    async def _wait(self, seconds: float, needed: Callable[[], bool]) -> None:
        end = self._reactor.seconds() + seconds
        while needed() and not self._is_urgent and self._reactor.seconds() < end:
            await deferLater(self._reactor, _POLL)


class ReadyService(AsyncService):
    """Reports the readiness of the daemon: to systemd, on ``/readyz`` and to new games."""

    def __init__(self, health: Health, start_gate: StartGate) -> None:
        """Create it; ``health`` answers ``/readyz``."""
        super().__init__()
        self._health = health
        self._start_gate = start_gate

    async def start(self) -> None:
        """Report that the daemon is ready."""
        _freeze_objects()
        self._health.is_ready = True
        notify("READY=1")

    async def stop(self) -> None:
        """Report that the daemon stops, and let no game start."""
        notify("STOPPING=1")
        self._health.is_ready = False
        self._start_gate.close("the server is going down")


def _freeze_objects() -> None:
    """Exclude the objects of the start from garbage collections.

    With a store they are some hundred thousand, and a full collection of them blocks the reactor
    for 60 ms. Without them it takes 7 ms with a thousand sessions and as many games.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTION)
