"""Programs of engines, which a referee starts in its own process or in one of a worker."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.python.failure import Failure

from tests.simulation.engines import Player
from tests.simulation.outside import KILL
from yoddd.daemon.play.processes import OUTPUT, REPORT

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from tests.simulation.world import Reactor

_PIDS: Final = count(2**30)
"""Numbers that no process has."""


class Program(Player):
    """A process of an engine: the transport of the daemon's protocol."""

    def __init__(
        self, sim: Simulation, chance: random.Random, reactor: Reactor, protocol: Any, name: str
    ) -> None:
        super().__init__(sim, chance, name)
        self.pid = next(_PIDS)
        self.is_running = True
        self._protocol, self._reactor = protocol, reactor
        KILL[self.pid] = self.stop
        protocol.makeConnection(self)
        if chance.random() < 0.05:
            self.sim.judge.deed(name, "void")
            self.sim.time.callLater(0.01, self._refuse)

    def _refuse(self) -> None:
        """Report that the program cannot be started."""
        if self.is_running:
            self._protocol.childDataReceived(REPORT, b"not started")
            self._end(127)

    def send(self, data: bytes) -> None:
        if self.is_running and not self._reactor.is_dead:
            size = self.chance.randint(1, len(data)) if self.chance.random() < 0.1 else len(data)
            self._protocol.childDataReceived(OUTPUT, data[:size])
            if data[size:]:
                self.sim.time.callLater(0.001, self.send, data[size:])

    def leave(self) -> None:
        self.sim.judge.deed(self.name, "crash")
        self.stop(3)

    def stop(self, status: int = 0) -> None:
        """End, as it was told to or by a signal."""
        if self.is_running:
            self.sim.time.callLater(0.001, self._end, status)

    def _end(self, status: int) -> None:
        """End: the pipes can be found to be closed before the process, and after it."""
        if not self.is_running:
            return
        self.is_running = False
        reason = Failure(ProcessTerminated(status) if status else ProcessDone(0))
        calls = [lambda: self._protocol.processExited(reason), self._protocol.outConnectionLost]
        for call in calls if self.chance.random() < 0.5 else calls[::-1]:
            call()
        self.sim.time.callLater(0.002, self.gone, reason)
        del KILL[self.pid]

    def gone(self, reason: Failure) -> None:
        """End for good: its pipes are closed."""
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            protocol.processEnded(reason)

    def abandon(self) -> None:
        """End with the process that has started it, which hears no more of it."""
        self.is_running = False
        KILL.pop(self.pid, None)
        self.gone(Failure(ProcessDone(0)))

    # -- the transport ----------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        if self.is_running:
            self.sim.time.callLater(0.001, self.took, data)

    def closeStdin(self) -> None:
        if self.is_running:
            self.sim.time.callLater(0.05, self._end, 0)

    def loseConnection(self) -> None: ...
