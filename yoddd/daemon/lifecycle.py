"""The services that start and stop the parts of a daemon, in the order of the service tree."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.task import deferLater
from twisted.logger import Logger

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import most_memory
from yoddd.daemon.base.process.async_service import AsyncService, RegularService
from yoddd.daemon.base.process.systemd import notify
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.connections.services import Services
from yoddd.daemon.lobby.lobby import DaemonLobby
from yoddd.daemon.net.listeners import ListenError, PortService
from yoddd.daemon.play.game_services import GameServices, StartGate
from yoddd.daemon.runs.control import Commands, ControlPort
from yoddd.notation.text import describe_error
from yoddd.store.errors import StoreError
from yoddd.system import page_size

if TYPE_CHECKING:  # its libraries are an extra, or take long to import
    from yoddd.daemon.base.store.lock_watch import LockWatch
    from yoddd.daemon.lobby.ledger import Ledger
    from yoddd.daemon.pages.monitoring import Health

_REASON: Final = "the server is short of memory"


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * page_size()


@attrs.define(eq=False, slots=False)
class MemoryGuard(RegularService):
    """Compares the resident memory with ``limits.memory`` once a second.

    Above it connections are refused and no game starts; before that, the trees that are kept
    between searches are dropped. The limits of single sessions do not bound their sum: without this
    one the system would kill the process.
    """

    _services: Services
    _start_gate: StartGate

    async def look(self) -> None:
        """Refuse or admit connections and games, by the memory in use."""
        limit = most_memory(self._services.limits)
        admission, gate = self._services.admission, self._start_gate
        is_short = resident() > limit
        if is_short:
            self._services.trees.evict_all()
            is_short = resident() > limit
        if is_short and not admission.is_short_of_memory:
            self.log.warn("above limits.memory: connections are refused")
            if gate.reason is None:
                gate.close(_REASON)
        elif admission.is_short_of_memory and not is_short:
            self.log.info("below limits.memory again")
            if gate.reason == _REASON:
                gate.open()
        admission.is_short_of_memory = is_short


_LOOK: Final = 0.05
"""Seconds between two looks at whether the last game has ended."""

GOES_ON: Final = "the server restarts; your game goes on in a moment"
"""The announcement of a restart to a game that is in the store."""

ENDS: Final = "the server restarts; a game that is over within {seconds:g} s counts"
"""The announcement to a game that ends with the process."""

_YOUNG: Final = (10_000, 20, 20)
"""The thresholds of the garbage collector: a session is some twenty objects that live long."""


@attrs.define(eq=False, slots=False)
class StoreService(AsyncService):
    """The threads of the store; restores the games that the daemon before has left."""

    log = Logger()

    # Of a store that is not open yet.
    _ledger: Ledger
    # Plays its games.
    _lobby: DaemonLobby
    # Is called with the reason once this daemon must not serve the store any more.
    _lost: Callable[[str], None]
    # Reports that the store is not served yet.
    _wait: StoreWait
    # The lock of a store in PostgreSQL; None for SQLite.
    _watch: LockWatch | None = None

    async def start(self) -> None:
        """Open the store, once no other daemon serves it, and restore the games.

        Raises:
            ListenError: the store fails.
        """
        journal, generation = self._ledger.journal, None
        try:
            if self._watch is not None:
                generation = await self._watch.start(self._wait.report, self._lost)
            elif journal.is_large:
                self._wait.report()
            await journal.open(self._lost, generation)
            await self._wait.end()
            notify("STATUS=serving")
            if generation is not None:
                self.log.info("serving the store as generation {number}", number=generation)
            self._lobby.restore(await self._ledger.load())
        except StoreError as error:
            raise ListenError(f"store: {error}") from None

    async def stop(self) -> None:
        """End the threads, and then free the store for another daemon."""
        self._ledger.journal.close()
        if self._watch is not None:
            self._watch.stop()
        await self._wait.end()


@attrs.frozen(eq=False)
class StoreWait:
    """The state of a daemon that waits until it may serve its store, as reported to the outside."""

    log = Logger()

    # A word for systemd and the log.
    _state: str
    # Of the wait, for the log.
    _reason: str
    # Reports the state at the address of the page meanwhile; None without one.
    _port: PortService | None

    def report(self) -> None:
        """Begin to report that the daemon waits."""
        self.log.info("{state}: {reason}", state=self._state, reason=self._reason)
        # systemd would end a start that takes long.
        notify(f"READY=1\nSTATUS={self._state}")
        if self._port is not None:
            self._port.startService()
            self._port.ready.addErrback(
                lambda failure: self.log.error(
                    "{state}: {error}", state=self._state, error=failure.getErrorMessage()
                )
            )

    async def end(self) -> None:
        """Close the port, if the wait was reported."""
        if self._port is not None and self._port.running:
            await self._port.stopService()


@attrs.define(eq=False, slots=False)
class PoolService(AsyncService):
    """The threads of the searches."""

    # It starts its threads when they are needed.
    _pool: SearchPool

    async def stop(self) -> None:
        """Stop the searches and end the threads."""
        self._pool.close()


@attrs.define(eq=False, slots=False)
class AdminService(AsyncService):
    """The UNIX socket of the administrator."""

    _reactor: Reactor
    _path: Path
    # Carried out for users that may open the path.
    _commands: Commands
    # Set while it listens.
    _port: ControlPort | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            ListenError: it cannot listen there.
        """
        try:
            self._port = ControlPort(self._reactor, self._path, self._commands)
        except OSError as error:
            raise ListenError(f"admin: {describe_error(error)}") from None

    async def stop(self) -> None:
        """Stop listening, and remove the socket."""
        if self._port is not None:
            await self._port.close()


@attrs.define(eq=False, slots=False)
class Drain(AsyncService):
    """Stops after the games that end with this process, while the ports still listen.

    A participant whose connection is lost meanwhile can connect again and play on. Games in the
    store go on after the restart and are not waited for.
    """

    log = Logger()

    _services: Services
    _games: GameServices
    # Whether nothing is waited for any more; set by a second signal.
    _is_urgent: bool = False

    def skip(self) -> None:
        """Stop waiting, now or when it stops."""
        self._is_urgent = True

    async def stop(self) -> None:
        """Announce the restart to the games, and wait for those that end with it."""
        seconds = self._services.settings.value.drain
        for one in self._games:
            if one.game.phase.word == "playing":
                one.notice(GOES_ON if one.is_kept else ENDS.format(seconds=seconds))
                one.tell("restart" if one.is_kept else f"restart {seconds:g}")
        if self._is_busy():
            self.log.info("draining: games may last {seconds} s more", seconds=seconds)
            await self.wait(seconds, self._is_busy)

    def _is_busy(self) -> bool:
        if not self._services.connections.by_number:
            return False  # a game without clients has no one to play it
        unkept = [one.game for one in self._games if not one.is_kept]
        is_playing = any(game.phase.word == "playing" for game in unkept)
        return is_playing or self._services.pool.is_needed

    async def wait(self, seconds: float, needed: Callable[[], bool]) -> None:
        """Wait for as long as that is needed, for some seconds at most, and not if it is urgent."""
        reactor = self._services.reactor
        end = reactor.seconds() + seconds
        while needed() and not self._is_urgent and reactor.seconds() < end:
            await deferLater(reactor, _LOOK)


@attrs.define(eq=False, slots=False)
class Closing(AsyncService):
    """Closes all connections when it stops, once no port listens any more."""

    _services: Services
    # Says whether the last output is waited for.
    _drain: Drain

    async def stop(self) -> None:
        """Close every connection, and wait until its last output is sent."""
        connections = self._services.connections
        connections.is_closing = True
        for connection in list(connections.by_number.values()):
            connection.disconnect("going down")
        await self._drain.wait(self._services.limits.close, lambda: bool(connections.by_number))


@attrs.define(eq=False, slots=False)
class ReadyService(AsyncService):
    """The state as reported to the outside: ready from the end of the start to the stop."""

    # Answers ``/readyz``, unless there is no HTTP port.
    _health: Health | None
    _start_gate: StartGate

    async def start(self) -> None:
        """Say that the daemon is ready."""
        _spare_collections()
        if self._health is not None:
            self._health.is_ready = True
        notify("READY=1")

    async def stop(self) -> None:
        """Say that the daemon stops; no further game starts."""
        notify("STOPPING=1")
        if self._health is not None:
            self._health.is_ready = False
        self._start_gate.close("the server is going down")


def _spare_collections() -> None:
    """Leave the objects of the start out of every later garbage collection.

    With a store those are some hundred thousand, and a full collection of them holds up the reactor
    for 60 ms; without them it is 7 ms with a thousand sessions and as many games.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_YOUNG)
