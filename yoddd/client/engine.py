"""`SimpleEngine`: an engine that plays and analyses a `yoddd.Board`, in python-chess' manner."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Self

from yoddd.client.conversation import (
    REPLY_LIMIT,
    Conversation,
    check_limited,
    check_request,
    check_running,
    introduced,
    text_of,
    whole_reply,
)
from yoddd.client.errors import EngineFailure, EngineTimeout
from yoddd.client.game_requests import FREE, Limit, analysis_request, candidates_of
from yoddd.client.pipes import Pipes
from yoddd.engine import Candidate
from yoddd.library import Board
from yoddd.protocol.controller import INTERRUPT, STOP, Handshake, LineReceived, ReplyReceived
from yoddd.rules import Turn

HESITATION: Final = 2.0
"""Seconds after which a reply of the handshake that has begun does not go on any more."""

TIMEOUT: Final = 10.0
"""The default time limit in seconds of every reply but a turn."""


class SimpleEngine(AbstractContextManager["SimpleEngine"]):
    """A blocking controller of an engine; one thread at a time may use it.

    Attributes:
        info: its name, version and commands.
        timeout: seconds for the handshake, for every reply but a turn, and between two lines of an
            analysis.
    """

    def __init__(
        self, pipes: Pipes, timeout: float = TIMEOUT, *, reply_limit: int = REPLY_LIMIT
    ) -> None:
        """Shake hands with a running process, whose replies have a limit in bytes.

        `popen` also starts one.
        """
        self.timeout = timeout
        self._pipes = pipes
        self._conversation = Conversation(reply_limit)
        # The analysis that is running; any other request stops it.
        self._analysis: Analysis | None = None
        # The exit status, once closed.
        self._status: int | None = None
        # Whether the handshake is going on: a reply that has begun then goes on without a pause.
        self._greets = True
        handshake, deadline = Handshake(), time.monotonic() + timeout
        while handshake.command is not None:
            left = max(0.0, deadline - time.monotonic())
            handshake.answer(self._exchange(handshake.command, left))
        self.info = introduced(handshake)
        self._greets = False

    def __repr__(self) -> str:
        lost = self._conversation.lost
        state = f" ({lost})" if lost else ""
        name = "" if self._greets else f" {self.info.name} {self.info.version}"
        return f"<SimpleEngine{name}{state}>"

    @classmethod
    def popen(
        cls,
        command: str | Sequence[str],
        *,
        timeout: float = TIMEOUT,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Start an engine.

        Args:
            command: its words, such as ``["yoddd", "gtp"]``, or a command line; no shell is run.
            timeout: seconds for the handshake, and for every reply but a turn.
            cwd: its working folder; None for ours.
            env: environment variables besides our own.

        Raises:
            EngineFailure: it does not start, does not reply, or is no engine.
        """
        pipes = Pipes(command, cwd, env or {})
        try:
            return cls(pipes, timeout)
        except EngineFailure:
            pipes.close(patience=0.0)
            raise

    # -- playing ----------------------------------------------------------------------------

    def play(self, board: Board, limit: Limit = FREE, *, timeout: float | None = None) -> Turn:
        """Return the engine's turn on ``board``, which does not change; `push` the turn to play it.

        The turn may be a resignation. In the same game the engine gets only the new turns, so that
        it can reuse its tree.

        Args:
            board: a game that is not over.
            limit: what the search may spend.
            timeout: seconds to wait for the turn; None waits without limit.

        Raises:
            ValueError: the game is over.
            EngineRefusal: it cannot play this game, or refuses to.
            EngineFailure: anything else; do not use it again.
        """
        check_running(board)
        self._set_up(board, limit)
        token = self.ask(f"genmove {board.player.letter}", timeout=timeout)
        return self._conversation.chosen(board, limit, token)

    def analysis(self, board: Board, limit: Limit = FREE) -> Analysis:
        """Let the engine analyse ``board``: iterate over its reports.

        Without a limit it searches until `Analysis.stop`, or until the ``with`` block ends.

        Raises:
            ValueError: the game is over.
            EngineRefusal: it cannot play this game, or cannot analyse.
            EngineFailure: anything else; do not use it again.
        """
        check_running(board)
        request = analysis_request(self.info, board, limit)
        self._set_up(board, FREE)
        self._send(request, streaming=True)
        self._analysis = Analysis(self, board.copy())
        return self._analysis

    def analyse(self, board: Board, limit: Limit) -> tuple[Candidate, ...]:
        """Return the engine's candidates when the limit is reached, the best first; see `analysis`.

        Raises:
            ValueError: the game is over, or there is no limit.
            EngineFailure: as for `analysis`.
        """
        check_limited(limit)
        with self.analysis(board, limit) as reports:
            last = deque(reports, maxlen=1)
        return last[0] if last else ()

    def configure(self, parameters: Mapping[str, str | int]) -> None:
        """Set parameters of the engine by name.

        Raises:
            EngineRefusal: there is no such parameter or value.
        """
        for name, value in parameters.items():
            self.ask(f"set_param {name} {value}")

    def interrupt(self) -> None:
        """Make `play`, in another thread, return with the best turn so far."""
        self._pipes.send(INTERRUPT)

    def _set_up(self, board: Board, limit: Limit) -> None:
        """Bring the engine to the position of ``board``."""
        for request in self._conversation.setting_up(self.info, board, limit):
            check_request(request, self._request(request.command, self.timeout))

    # -- asking -----------------------------------------------------------------------------

    def ask(self, command: str, *, timeout: float | None = TIMEOUT) -> str:
        """Return the text of the reply to any command line; a timeout of None waits without limit.

        Raises:
            EngineRefusal: the reply is ``?``.
            EngineFailure: anything else; do not use it again.
        """
        return text_of(self._request(command, timeout))

    def _request(self, command: str, timeout: float | None) -> ReplyReceived:
        if self._analysis is not None:
            self._analysis.stop()
        return self._exchange(command, timeout)

    def _exchange(self, command: str, timeout: float | None) -> ReplyReceived:
        self._send(command)
        return whole_reply(command, self._event(timeout))

    def _send(self, command: str, *, streaming: bool = False) -> None:
        request = self._conversation.request(command, streaming=streaming)
        with self._conversation.losing():
            self._pipes.send(request)

    def _event(self, timeout: float | None) -> LineReceived | ReplyReceived:
        """Return the next event; a failure loses the engine."""
        with self._conversation.losing():
            return self._next_event(timeout)

    def _next_event(self, timeout: float | None) -> LineReceived | ReplyReceived:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (event := self._conversation.next_event()) is None:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if self._greets and left is not None and self._conversation.unfinished:
                left = min(left, HESITATION)
            try:
                self._conversation.receive(self._pipes.receive(left))
            except EngineTimeout as error:
                lack = self._conversation.unfinished
                raise EngineTimeout(f"{error}: {lack}" if lack else str(error)) from None
        return event

    # -- the end ----------------------------------------------------------------------------

    def close(self, patience: float = 2.0) -> int:
        """Ask the engine to quit, kill it after ``patience`` seconds, return its exit status."""
        if self._status is None:
            try:
                self._request("quit", patience)
            except EngineFailure:
                patience = 0.0 if self._conversation.lost else patience
            self._conversation.lost = self._conversation.lost or "closed"
            self._status = self._pipes.close(patience)
        return self._status

    def __exit__(self, *_raised: object) -> None:
        self.close()


class Analysis(AbstractContextManager["Analysis"]):
    """The reports of a running analysis, each a tuple of candidates, the best first."""

    def __init__(self, engine: SimpleEngine, board: Board) -> None:
        """Use `SimpleEngine.analysis` instead."""
        self._engine = engine
        self._board = board
        self._over = False
        self._stopped = False

    def __iter__(self) -> Iterator[tuple[Candidate, ...]]:
        return self

    def __next__(self) -> tuple[Candidate, ...]:
        """Wait for the next report.

        Raises:
            EngineRefusal: the engine refuses to analyse this position.
            EngineFailure: anything else; do not use the engine again.
        """
        while (line := self._line()) is not None:
            found = candidates_of(line, self._board)
            if found:
                return found
        raise StopIteration

    def stop(self) -> None:
        """End the analysis; the engine, unless it has failed, can be used again afterwards."""
        if self._engine._conversation.lost:  # noqa: SLF001 — part of its engine
            self._over = True
        if not self._over and not self._stopped:
            self._stopped = True
            self._engine._pipes.send(STOP)  # noqa: SLF001 — part of its engine
        while self._line() is not None:
            pass

    def _line(self) -> str | None:
        """Return the next line of the stream; None at its end."""
        if self._over:
            return None
        event = self._engine._event(self._engine.timeout)  # noqa: SLF001 — likewise
        if isinstance(event, LineReceived):
            return event.line
        self._over = True
        self._engine._analysis = None  # noqa: SLF001 — likewise
        text_of(event)
        return None

    def __exit__(self, *_raised: object) -> None:
        self.stop()
