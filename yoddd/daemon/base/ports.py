"""Types of the callbacks and streams that the packages of the daemon pass to each other."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from yoddd.protocol.effects import Attach, ConnectionHandle
from yoddd.protocol.origin import Origin

Say = Callable[[str], None]
"""Sends one line of a streaming reply."""

End = Callable[[str | None], None]
"""Ends a streaming reply, with the text of an error if there was one."""


class Stream(Protocol):
    """A source of a streaming reply."""

    @property
    def is_needed(self) -> bool:
        """Whether a game would be lost by its end."""

    def stop(self) -> None:
        """Stop it: the client has stopped the reply or has disconnected."""


StreamOpener = Callable[[Any, Say, End, Origin], Stream]
"""Opens a stream from the arguments of its command, or what was read of them, for a client."""

AttachGate = Callable[
    [ConnectionHandle, Attach, Origin], Coroutine[Deferred[Any], Any, str | Origin]
]
"""Checks an engine that attaches: its request and its address.

Returns the text of the refusal, or with the owner of the engine. An owner who is named after the
engine gives it the spelling of the account.
"""
