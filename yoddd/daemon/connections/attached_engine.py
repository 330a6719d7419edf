"""Engines that have attached over a connection."""

from __future__ import annotations

import typing

from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_link import EngineLink


class EngineTransport(typing.Protocol):
    """The connection over which an engine has attached."""

    def send(self, data: bytes) -> None:
        """Write to the engine."""

    def read(self, *, wanted: bool) -> None:
        """Read, or stop reading."""

    def release(self, engine: AttachedEngine) -> None:
        """Disconnect the engine; its name is free again."""


class AttachedEngine(EngineLink):
    """An engine that has attached over a connection."""

    ended_as = "disconnect"

    def __init__(self, attachment: Attachment, transport: EngineTransport) -> None:
        """Create the engine of an ``attachment``, connected by ``transport``."""
        super().__init__(attachment.name)
        self.attachment = attachment
        self._transport = transport

    def send(self, data: bytes) -> None:
        """Write to the connection."""
        self._transport.send(data)

    def received(self, data: bytes) -> None:
        """Take bytes from the engine; a protocol error disconnects it, also between games."""
        super().received(data)
        if self.controller.broken and self.alive:
            self.close()

    def replace(self) -> None:
        """Disconnect it because it has attached by a new connection, to which its game goes on."""
        self._transport.release(self)
        self.ended("attached by another connection")

    def close(self) -> None:
        """Disconnect it; it may attach again at once."""
        self.listener = None
        if self.alive:
            self.alive = False
            self._transport.release(self)
