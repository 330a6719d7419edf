"""Engines that run as child processes."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.processes import Child


class ProcessEngine(EngineLink):
    """An engine in a child process.

    Attributes:
        gone: fires when the process and its pipes are closed.
    """

    def __init__(self, reactor: Reactor, name: str, launch: Launch) -> None:
        """Start the process; see `Child`."""
        super().__init__(name)
        self.gone: Deferred[None] = Deferred()
        # The process; it outlives `close` until it has quit or was killed.
        self._child = Child(
            reactor,
            launch,
            output=self.received,
            ended=self.ended,
        )

    @property
    def leader(self) -> int | None:
        """The id of the process; None before it starts."""
        return self._child.pid

    @property
    def stderr(self) -> str:
        """The tail of its standard error."""
        return self._child.stderr

    def ended(self, detail: str) -> None:
        """Note that the process has ended, or was never started."""
        if not self._child.was_started:
            self.ended_as = "void"
        super().ended(detail)
        self.gone.callback(None)

    def send(self, data: bytes) -> None:
        """Write to its standard input."""
        self._child.write(data)

    def close(self) -> None:
        """Ask it to quit if it owes no reply; a process that does not end is killed."""
        self.listener = None
        if self.idle:
            self.ask("quit")
            self._child.close()
        else:
            self._child.close(patience=0.0)
