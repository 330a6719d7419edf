"""Engines that run as child processes of ours."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.play.processes import FREE, Child, Confinement


@attrs.frozen(kw_only=True)
class Launch:
    """How an engine is started.

    Attributes:
        command: the command line.
        cwd: its working folder; None for ours.
        env: environment variables besides our own.
        confinement: what it may use.
    """

    command: str
    cwd: str | None = None
    env: Mapping[str, str] = attrs.Factory(dict)
    confinement: Confinement = FREE


class ProcessEngine(EngineLink):
    """An engine that we started.

    Attributes:
        gone: fires when nothing of it is left.
    """

    def __init__(self, reactor: Reactor, name: str, launch: Launch) -> None:
        """Start it; see `Child`."""
        super().__init__(name)
        self.gone: Deferred[None] = Deferred()
        self._child = Child(
            reactor,
            launch.command,
            output=self.received,
            ended=self.ended,
            cwd=launch.cwd,
            env=launch.env,
            confinement=launch.confinement,
        )

    @property
    def stderr(self) -> str:
        """The tail of what it said on standard error."""
        return self._child.stderr

    def ended(self, detail: str) -> None:
        """Nothing more will come."""
        super().ended(detail)
        self.gone.callback(None)

    def send(self, data: bytes) -> None:
        """Write to its standard input."""
        self._child.write(data)

    def close(self) -> None:
        """Ask it to quit if it listens; it is killed if it will not end."""
        self.listener = None
        if self.idle:
            self.ask("quit")
            self._child.close()
        else:
            self._child.close(patience=0.0)
