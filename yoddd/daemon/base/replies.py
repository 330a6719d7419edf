"""Replies that take several turns of the reactor: streams of lines, and deferred replies."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from twisted.internet.defer import Deferred, ensureDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.errors import Code, PeerError, ProtocolError, Subcode
from yoddd.protocol.origin import Origin
from yoddd.protocol.replies import DeferredReply
from yoddd.store.errors import StoreAway, StoreDamaged, StoreError, StoreTaken

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


# -- deferred replies -----------------------------------------------------------------------

_log = Logger()

Work = Coroutine[Deferred[Any], Any, object] | Deferred[Any]
"""Returns the text of the reply, or raises the error to reply with."""


def answer_when_done(answer: ResultCallback, work: Work) -> None:
    """Call ``answer`` with the result of ``work``, which may be ready at once.

    A store that fails is answered as busy. Another exception than a `ProtocolError` is logged and
    answered as an internal error.
    """
    done: Deferred[object] = ensureDeferred(work)
    done.addErrback(_refusal)
    done.addCallback(answer)


def deferred_reply(work: Callable[[], Work]) -> DeferredReply:
    """Return a command result that starts ``work`` and replies with its result."""

    def start(_connection: ConnectionHandle, answer: ResultCallback) -> None:
        answer_when_done(answer, work())

    return DeferredReply(start)


def _refusal(failure: Failure) -> ProtocolError:
    if isinstance(failure.value, ProtocolError):
        return failure.value
    if type(failure.value) in (StoreError, StoreAway, StoreTaken):
        _log.warn("a request failed: {error}", error=failure.getErrorMessage())
        return PeerError(Subcode.STORE, "the store is not available: try again in a moment")
    if isinstance(failure.value, StoreDamaged):  # the log has it once, with the way back
        return PeerError(Subcode.STORE, "the store is damaged: its operator has to restore a copy")
    _log.failure("a request failed", failure)
    return PeerError(Code.INTERNAL)
