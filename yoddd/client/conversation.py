"""The exchange with one engine without input and output."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from yoddd.client.errors import EngineFailure, EngineFault, EngineGone, EngineRefusal
from yoddd.client.game_requests import FREE, KnownGame, Limit, checked_turn, game_of, requests_for
from yoddd.library import Board
from yoddd.protocol.controller import (
    Controller,
    ControllerFault,
    EngineInfo,
    Event,
    Handshake,
    LineReceived,
    ReplyReceived,
)
from yoddd.referee.game.engine_requests import EngineRequest, Purpose
from yoddd.rules import Turn, TurnKind

REPLY_LIMIT: Final = 1 << 20
"""The longest reply in bytes: ten times a full page of ``legal turns`` on hex13."""


class Conversation:
    """The requests to one engine, its answers, and the game that it has.

    Attributes:
        lost: why the engine can no longer be used; empty while it can. Set once.
    """

    def __init__(self) -> None:
        """Begin with an idle engine."""
        self.lost = ""
        self._controller = Controller(reply_limit=REPLY_LIMIT)
        # Events received and not yet returned.
        self._events: deque[Event] = deque()
        # The game that the engine has; None if unknown, as while it is being set up.
        self._known: KnownGame | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a reply is outstanding that will still come."""
        return not self.lost and self._controller.outstanding is not None

    @property
    def unfinished(self) -> str:
        """The beginning of the outstanding reply and its lack, as text; empty without any."""
        return self._controller.unfinished

    def check_usable(self) -> None:
        """Raise EngineGone if the engine was lost."""
        if self.lost:
            raise EngineGone(f"the engine cannot be used any more: {self.lost}")

    def request(self, command: str, *, streaming: bool = False) -> bytes:
        """Return what to send for a command; may raise EngineGone."""
        self.check_usable()
        return self._controller.request(command, streaming=streaming)

    def receive(self, data: bytes) -> None:
        """Take what the engine has written."""
        self._events.extend(self._controller.receive(data))

    def next_event(self) -> LineReceived | ReplyReceived | None:
        """Return the next event, None if more has to be received first.

        Raises:
            EngineFault: the engine does not keep to the protocol.
        """
        event = self._events.popleft() if self._events else None
        if isinstance(event, ControllerFault):
            raise EngineFault(event.detail)
        return event

    @contextmanager
    def losing(self) -> Iterator[None]:
        """Remember a failure, after which the engine cannot be used."""
        try:
            yield
        except EngineFailure as error:
            self.lost = str(error)
            raise

    # -- the game ---------------------------------------------------------------------------

    def forget_game(self) -> None:
        """Set the engine up from the beginning for the next turn."""
        self._known = None

    def setting_up(self, info: EngineInfo, board: Board, limit: Limit) -> Iterator[EngineRequest]:
        """Yield the requests that bring the engine to the position of ``board``.

        The game counts as unknown until all were taken, in case one of them fails.
        """
        wanted, known = game_of(board, limit), self._known
        self._known = None
        yield from requests_for(info, known, wanted)
        self._known = wanted

    def chosen(self, board: Board, limit: Limit, token: str) -> Turn:
        """Return the turn that the engine, set up with ``board``, has chosen and played.

        Raises:
            EngineFault: it is no turn, or not a legal one.
        """
        turn = checked_turn(board, token)
        resigns = turn.kind is TurnKind.RESIGN
        self._known = None if resigns else game_of(board, limit, turn)
        return turn


def whole_reply(command: str, event: LineReceived | ReplyReceived) -> ReplyReceived:
    """Return the reply to a command that is not streaming.

    Raises:
        EngineFault: it is a line of a stream.
    """
    if isinstance(event, LineReceived):
        raise EngineFault(f"a stream as the reply to {command}")
    return event


def text_of(reply: ReplyReceived) -> str:
    """Return the text of a reply.

    Raises:
        EngineRefusal: the reply is ``?``.
    """
    if not reply.ok:
        raise EngineRefusal(reply.text)
    return reply.text


def check_request(request: EngineRequest, reply: ReplyReceived) -> None:
    """Check the reply to a request that sets a game up; a hint may be refused.

    Raises:
        EngineRefusal: the engine cannot play this game.
    """
    if not reply.ok and request.purpose is not Purpose.HINT:
        raise EngineRefusal(f"{request.command}: {reply.text}")


def introduced(handshake: Handshake) -> EngineInfo:
    """Return who the engine is after the handshake.

    Raises:
        EngineFault: it is no engine to play with.
    """
    if handshake.info is None or handshake.info.problem:
        problem = handshake.info and handshake.info.problem
        raise EngineFault(problem or "no handshake")
    return handshake.info


def check_running(board: Board) -> None:
    """Raise ValueError if the game of ``board`` is over."""
    if board.is_over:
        raise ValueError("the game is over")


def check_limited(limit: Limit) -> None:
    """Raise ValueError if an analysis that is waited for would have no end."""
    if limit == FREE:
        raise ValueError("an analysis that is waited for needs a limit")
