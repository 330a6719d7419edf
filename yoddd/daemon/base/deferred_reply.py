"""Replies that have to wait for something."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from yoddd.protocol.effects import ConnectionHandle, ResultCallback
from yoddd.protocol.errors import Code, PeerError, ProtocolError
from yoddd.protocol.replies import DeferredReply

_log = Logger()

Waiting = Coroutine[Deferred[Any], Any, object]


def give(answer: ResultCallback, waiting: Waiting) -> None:
    """Give what ``waiting`` comes to, now or later; anything unforeseen is our own fault."""
    done: Deferred[object] = Deferred.fromCoroutine(waiting)
    done.addErrback(_refusal)
    done.addCallback(answer)


def later(work: Callable[[], Waiting]) -> DeferredReply:
    """The reply is what ``work`` comes to."""

    def start(_guest: ConnectionHandle, answer: ResultCallback) -> None:
        give(answer, work())

    return DeferredReply(start)


def _refusal(failure: Failure) -> ProtocolError:
    if isinstance(failure.value, ProtocolError):
        return failure.value
    _log.failure("a request failed", failure)
    return PeerError(Code.INTERNAL)
