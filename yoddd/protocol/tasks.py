"""The two kinds of work that run for a session: a task that it waits for, and pondering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import attrs

from yoddd.protocol.client_state import ClientState
from yoddd.protocol.replies import StreamReply


@attrs.define
class RunningTask:
    """The task or call whose result a busy session waits for.

    Attributes:
        token: the token of its effect.
        finish: makes the reply's text, or the stream that is the reply, from the result.
        request_id: the id of the request, echoed in the reply; None if it had none.
        is_streaming: whether the reply is a streaming one, which began with the task.
        cancelled: the last line of the reply once any line of the client has cancelled the task;
            None if no line does, and only an interrupt stops it.
        is_cancelled: whether a line has.
        is_stopping: whether `StopTask` was emitted; it never is twice.
        ended: called with the result; ends the time of the reply.
    """

    token: int
    finish: Callable[[Any], str | StreamReply]
    request_id: str | None
    is_streaming: bool = False
    cancelled: str | None = None
    is_cancelled: bool = False
    is_stopping: bool = False
    ended: Callable[[], None] = lambda: None


@attrs.frozen
class Pondering:
    """A search in the opponent's time, which a ready session does not wait for.

    It fills the tree for the next turn, so it ends when the game or the parameter changes.

    Attributes:
        token: the token of its `StartTask`.
        subject: the position, its history and the parameter ``ponder`` when it began.
    """

    token: int
    subject: tuple[object, ...]

    @classmethod
    def begin(cls, token: int, client: ClientState) -> Self:
        """Ponder on the client's position."""
        return cls(token, _subject(client))

    def is_about(self, client: ClientState) -> bool:
        """Whether the client's position and parameter are still those pondered on."""
        return self.subject == _subject(client)


def _subject(client: ClientState) -> tuple[object, ...]:
    position = client.position
    return (position, position.number, position.history, client.parameters.ponder)
