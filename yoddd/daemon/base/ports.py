"""Types of the callbacks and streams that the packages of the daemon pass to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred

from yoddd.protocol.effects import ConnectionHandle

Say = Callable[[str], None]
"""Sends one line of a streaming reply."""

End = Callable[[str | None], None]
"""Ends a streaming reply, with the text of an error if there was one."""


class Stream(Protocol):
    """A source of a streaming reply."""

    def stop(self) -> None:
        """Stop it: the client has stopped the reply or has disconnected."""


StreamOpener = Callable[[tuple[str, ...], Say, End], Stream]
"""Opens a stream from the arguments of its command."""

AttachGate = Callable[[ConnectionHandle, str, str | None], Deferred[str | None]]
"""Checks the client, the name and the token of an engine that attaches.

Fires with the text of the refusal, or with None if the engine may attach.
"""
