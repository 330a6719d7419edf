"""Types of the callbacks and streaming jobs that the daemon's packages hand each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred

from yoddd.protocol.effects import ConnectionHandle

Say = Callable[[str], None]
End = Callable[[str | None], None]


class Stream(Protocol):
    """A streaming job that can be stopped."""

    def stop(self) -> None:
        """Nobody listens any more."""


StreamOpener = Callable[[tuple[str, ...], Say, End], Stream]
"""Begins a streaming job from its arguments; it speaks line by line and says when it ends."""


AttachGate = Callable[[ConnectionHandle, str, str | None], Deferred[str | None]]
"""Checks the peer, the name and the token of an engine that attaches; answers with a refusal."""
