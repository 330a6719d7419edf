"""The link to an engine: its controller, independent of the transport of its bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from yoddd.daemon.connections.attachment import Attachment
from yoddd.notation.reasons import Reason
from yoddd.protocol.controller import Controller, ControllerFault, EngineInfo, ReplyReceived


class EngineListener(Protocol):
    """Receives the events of an engine."""

    def replied(self, reply: ReplyReceived) -> None:
        """Take a reply."""

    def faulted(self, fault: ControllerFault) -> None:
        """Take a protocol error; nothing more is read from the engine."""

    def gone(self, reason: Reason, detail: str) -> None:
        """Take the end of the engine; ``reason`` is `EngineLink.ended_as`."""


Tap = Callable[[str, bytes], None]
"""Receives the bytes of a link with their direction: ``>`` to the engine, ``<`` from it."""


class EngineLink:
    """An engine with its controller; subclasses carry the bytes.

    Attributes:
        name: the name in records.
        attachment: the owner of an attached engine and what the owner allows.
        alive: whether it can receive requests; False from its end on.
        taken: whether a match uses it; set and cleared by matches and the `EngineRegistry`.
        listener: receives the events of the engine; set for each game, None between games.
        tap: records the bytes; set for each game, None between games.
        controller: matches replies to requests.
        info: its answers to a handshake, if the next game need not ask again.
        ended_as: what its end is, as of `Game.lost`: ``CRASH`` or ``DISCONNECT``, or ``VOID`` if
            it could not be started.
    """

    ended_as = Reason.CRASH

    def __init__(self, name: str) -> None:
        """Create a link without an outstanding request."""
        self.name = name
        self.attachment = Attachment(name)
        self.listener: EngineListener | None = None
        self.alive = True
        self.taken = False
        self.controller = Controller()
        self.info: EngineInfo | None = None
        self.tap: Tap | None = None

    @property
    def idle(self) -> bool:
        """Whether it can receive a request: no reply is outstanding, and it is not broken."""
        return self.alive and not self.controller.broken and self.controller.outstanding is None

    def ask(self, command: str) -> None:
        """Send one request; the listener receives the reply."""
        data = self.controller.request(command)
        if self.tap is not None:
            self.tap(">", data)
        self.send(data)

    def introduced(self, info: EngineInfo) -> None:
        """Take its answers to a handshake; behind a connection the next may be another program."""

    @property
    def leader(self) -> int | None:
        """The process that leads its session on this machine; None for one elsewhere."""
        return None

    @property
    def stderr(self) -> str:
        """The last output on standard error; empty if that is not captured."""
        return ""

    def send(self, data: bytes) -> None:
        """Send bytes to the engine."""
        raise NotImplementedError

    def close(self) -> None:
        """End the engine; the listener receives no further event."""
        raise NotImplementedError

    def replace(self) -> None:
        """End the engine, whose game continues over another connection."""
        self.close()

    def received(self, data: bytes) -> None:
        """Take bytes from the engine."""
        if self.tap is not None:
            self.tap("<", data)
        for event in self.controller.receive(data):
            if self.listener is None:
                continue
            if isinstance(event, ReplyReceived):
                self.listener.replied(event)
            elif isinstance(event, ControllerFault):
                self.listener.faulted(event)

    def ended(self, detail: str) -> None:
        """Take the end of the engine."""
        self.alive = False
        if self.listener is not None:
            self.listener.gone(self.ended_as, detail)


class AttachedEngine(EngineLink):
    """An engine that has attached over a connection."""

    ended_as = Reason.DISCONNECT

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
