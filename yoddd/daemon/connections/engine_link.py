"""One engine as the referee drives it, whatever carries its bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from yoddd.protocol.controller import Controller, ControllerFault, ReplyReceived


class EngineListener(Protocol):
    """Who wants to know what an engine does."""

    def replied(self, reply: ReplyReceived) -> None:
        """The engine answered."""

    def faulted(self, fault: ControllerFault) -> None:
        """The engine broke the protocol; nothing more will be read from it."""

    def gone(self, reason: str, detail: str) -> None:
        """The engine ended (``crash``) or its connection did (``disconnect``)."""


Tap = Callable[[str, bytes], None]
"""Hears the bytes of a link, each time with ``>`` for those to the engine and ``<`` from it."""


class EngineLink:
    """One engine as its controller sees it; subclasses carry the bytes.

    Attributes:
        name: what the engine is called in records.
        listener: who is told; None between games.
        alive: whether it can still be asked.
        taken: whether a match has it.
        ended_as: the referee's word for its end: ``crash`` or ``disconnect``.
        tap: who records the bytes; None between games.
    """

    ended_as = "crash"

    def __init__(self, name: str) -> None:
        """Nothing is outstanding yet."""
        self.name = name
        self.listener: EngineListener | None = None
        self.alive = True
        self.taken = False
        self.controller = Controller()
        self.tap: Tap | None = None

    @property
    def idle(self) -> bool:
        """Whether it is alive, sane and owes no reply."""
        return self.alive and not self.controller.broken and self.controller.outstanding is None

    def ask(self, command: str) -> None:
        """Send one request; the listener hears the reply."""
        data = self.controller.request(command)
        if self.tap is not None:
            self.tap(">", data)
        self.send(data)

    @property
    def stderr(self) -> str:
        """The tail of what it said on standard error, as far as we hear it."""
        return ""

    def send(self, data: bytes) -> None:
        """Carry bytes to the engine."""
        raise NotImplementedError

    def close(self) -> None:
        """Part from the engine, politely first; nobody is told any more."""
        raise NotImplementedError

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
        """Nothing more will come."""
        self.alive = False
        if self.listener is not None:
            self.listener.gone(self.ended_as, detail)
