"""Engines that have attached over a connection."""

from __future__ import annotations

from collections.abc import Callable

from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_link import EngineLink


class AttachedEngine(EngineLink):
    """An engine that has attached over a connection."""

    ended_as = "disconnect"

    def __init__(
        self,
        attachment: Attachment,
        send: Callable[[bytes], None],
        release: Callable[[AttachedEngine], None],
    ) -> None:
        """Create the engine of an ``attachment``.

        Args:
            attachment: its request to attach.
            send: writes to its connection.
            release: disconnects it; its name is free again.
        """
        super().__init__(attachment.name)
        self.attachment = attachment
        self._send = send
        self._release = release

    def send(self, data: bytes) -> None:
        """Write to the connection."""
        self._send(data)

    def received(self, data: bytes) -> None:
        """Take bytes from the engine; a protocol error disconnects it, also between games."""
        super().received(data)
        if self.controller.broken and self.alive:
            self.close()

    def replace(self) -> None:
        """Disconnect the old connection of an engine whose game continues over a new one."""
        self._release(self)
        self.ended("attached by another connection")

    def close(self) -> None:
        """Disconnect it; it may attach again at once."""
        self.listener = None
        if self.alive:
            self.alive = False
            self._release(self)
