"""Humans as participants: a human plays by `Game.submit`, without the link of an engine."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed

from yoddd.daemon.connections.engine_link import EngineLink


class HumanParticipant:
    """A human as a participant of a game in the lobby.

    Attributes:
        name: the human's name in records.
        is_available: whether the human is there to begin; after a restart not before `connect`.
    """

    def __init__(self, name: str, *, is_available: bool = True) -> None:
        """Create a human who is present, or after a restart is waited for."""
        self.name = name
        self.is_available = is_available
        # The games that wait for the human to come back; empty once the human has connected.
        self._waiting: list[Deferred[EngineLink | None]] = []

    def engine(self) -> Deferred[EngineLink | None]:
        """None, as soon as the human is available."""
        if self.is_available:
            return succeed(None)
        waiting: Deferred[EngineLink | None] = Deferred(self._waiting.remove)
        self._waiting.append(waiting)
        return waiting

    def connect(self) -> None:
        """The human is back after a restart."""
        self.is_available = True
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(None)

    def disconnect(self) -> None:
        """The human has left again; a game that waits for both sides waits on."""
        self.is_available = False

    def release(self, link: EngineLink, *, busy: bool) -> None:
        """A human has no link to release."""

    def close(self) -> None:
        """A human stays in the lobby."""
