"""Engines that have dialled in."""

from __future__ import annotations

import typing

from yoddd.daemon.connections.engine_link import EngineLink


class Carrier(typing.Protocol):
    """The connection that an engine has dialled in over."""

    def send(self, data: bytes) -> None:
        """Write to the engine."""

    def listen(self, *, wanted: bool) -> None:
        """Read on, or let the engine's bytes wait in the network."""

    def release(self, engine: AttachedEngine) -> None:
        """Part from the engine; its name is free again."""


class AttachedEngine(EngineLink):
    """An engine that dialled in."""

    ended_as = "disconnect"

    def __init__(self, name: str, connection: Carrier) -> None:
        """Its bytes come and go over ``connection``."""
        super().__init__(name)
        self._connection = connection

    def send(self, data: bytes) -> None:
        """Write to the connection."""
        self._connection.send(data)

    def received(self, data: bytes) -> None:
        """Take bytes; one that talks nonsense has to dial in afresh, also between games."""
        super().received(data)
        if self.controller.broken and self.alive:
            self.close()

    def close(self) -> None:
        """Part from it; it may dial in again at once."""
        self.listener = None
        if self.alive:
            self.alive = False
            self._connection.release(self)
