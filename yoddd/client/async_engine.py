"""`AsyncEngine`: an engine that plays and analyses a `yoddd.Board`, for asyncio."""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from yoddd.client.errors import EngineFailure, EngineFault, EngineGone, EngineRefusal, EngineTimeout
from yoddd.client.game_requests import (
    FREE,
    KnownGame,
    Limit,
    analysis_request,
    candidates_of,
    checked_turn,
    game_of,
    requests_for,
)
from yoddd.engine import Candidate
from yoddd.library import Board
from yoddd.notation.text import describe_error
from yoddd.protocol.controller import (
    INTERRUPT,
    STOP,
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
from yoddd.suggestions import Answering
from yoddd.system import describe_exit

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


TIMEOUT: Final = 10.0
"""The default time limit in seconds of every reply but a turn."""

_BLOCK: Final = 1 << 16


class AsyncEngine(Answering):
    """An engine for asyncio; the requests of several tasks are served one after the other.

    A task that is cancelled while it awaits a turn interrupts the search; the engine can be used
    again.

    Attributes:
        info: its name, version and commands.
        timeout: seconds for the handshake, for every reply but a turn, and between two lines of an
            analysis.
    """

    info: EngineInfo

    def __init__(self, process: Process, timeout: float) -> None:
        """Use `popen` instead, which also shakes hands."""
        self.timeout = timeout
        self._process = process
        self._in, self._out = _pipes_of(process)
        self._conversation = Conversation()
        # The analysis that is running; any other request stops it.
        self._analysis: AsyncAnalysis | None = None
        # Held by the task whose request is served.
        self._serving = asyncio.Lock()

    def __repr__(self) -> str:
        lost = self._conversation.lost
        state = f" ({lost})" if lost else ""
        # `popen` sets info, so that a traceback of its failure has none.
        name = f" {self.info.name} {self.info.version}" if hasattr(self, "info") else ""
        return f"<AsyncEngine{name}{state}>"

    @classmethod
    async def popen(
        cls,
        command: str | Sequence[str],
        *,
        timeout: float = TIMEOUT,  # noqa: ASYNC109 — of every later reply, too
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Start an engine; see `SimpleEngine.popen`."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        variables = os.environ | dict(env or {})
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, cwd=cwd, env=variables
            )
        except (OSError, TypeError) as error:  # the latter without any word
            reason = describe_error(error)
            raise EngineGone(f"cannot start {shlex.join(words)!r}: {reason}") from None
        engine = cls(process, timeout)
        try:
            await engine._shake_hands()
        except BaseException:
            await engine._end(0.0)
            raise
        return engine

    async def _shake_hands(self) -> None:
        handshake, deadline = Handshake(), time.monotonic() + self.timeout
        while handshake.command is not None:
            left = max(0.0, deadline - time.monotonic())
            handshake.answer(await self._exchange(handshake.command, left))
        self.info = introduced(handshake)

    # -- playing ----------------------------------------------------------------------------

    async def play(
        self,
        board: Board,
        limit: Limit = FREE,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 — as `SimpleEngine.play` has it
    ) -> Turn:
        """Return the turn that the engine chooses on ``board``; see `SimpleEngine.play`."""
        check_running(board)
        board = board.copy()
        async with self._serving:
            await self._set_up(board, limit)
            token = await self._ask(f"genmove {board.player.letter}", timeout)
        return self._conversation.chosen(board, limit, token)

    async def analysis(self, board: Board, limit: Limit = FREE) -> AsyncAnalysis:
        """Let the engine analyse ``board``: iterate over its reports with ``async for``.

        See `SimpleEngine.analysis`; the result is an asynchronous context manager.
        """
        check_running(board)
        request = analysis_request(self.info, board, limit)
        async with self._serving:
            await self._set_up(board, FREE)
            await self._send(request, streaming=True)
            self._analysis = AsyncAnalysis(self, board.copy())
            return self._analysis

    async def analyse(self, board: Board, limit: Limit) -> tuple[Candidate, ...]:
        """Return the candidates when the limit is reached; see `SimpleEngine.analyse`."""
        check_limited(limit)
        last: tuple[Candidate, ...] = ()
        async with await self.analysis(board, limit) as reports:
            async for candidates in reports:
                last = candidates
        return last

    async def configure(self, parameters: Mapping[str, str | int]) -> None:
        """Set parameters of the engine by name; see `SimpleEngine.configure`."""
        for name, value in parameters.items():
            await self.ask(f"set_param {name} {value}")

    def interrupt(self) -> None:
        """Make `play`, in another task, return with the best turn so far."""
        self._in.write(INTERRUPT)

    async def _set_up(self, board: Board, limit: Limit) -> None:
        """Bring the engine to the position of ``board``."""
        for request in self._conversation.setting_up(self.info, board, limit):
            check_request(request, await self._request(request.command, self.timeout))

    # -- asking -----------------------------------------------------------------------------

    async def ask(
        self,
        command: str,
        *,
        timeout: float | None = TIMEOUT,  # noqa: ASYNC109 — as `SimpleEngine.ask` has it
    ) -> str:
        """Return the text of the reply to any command line; see `SimpleEngine.ask`."""
        async with self._serving:
            return await self._ask(command, timeout)

    async def _ask(self, command: str, seconds: float | None) -> str:
        return text_of(await self._request(command, seconds))

    async def _request(self, command: str, seconds: float | None) -> ReplyReceived:
        if self._analysis is not None:
            await self._analysis.stop()
        return await self._exchange(command, seconds)

    async def _exchange(self, command: str, seconds: float | None) -> ReplyReceived:
        await self._send(command)
        try:
            event = await self._event(seconds)
        except asyncio.CancelledError:
            self._conversation.forget_game()
            self.interrupt()
            raise
        return whole_reply(command, event)

    async def _send(self, command: str, *, streaming: bool = False) -> None:
        while self._conversation.is_waiting:  # the reply to a task that was cancelled
            await self._event(self.timeout)
        self._in.write(self._conversation.request(command, streaming=streaming))
        with suppress(ConnectionError):  # the end of its output tells more
            await self._in.drain()

    async def _event(self, seconds: float | None) -> LineReceived | ReplyReceived:
        """Return the next event; a failure loses the engine."""
        self._conversation.check_usable()
        with self._conversation.losing():
            try:
                async with asyncio.timeout(seconds):
                    return await self._next_event()
            except TimeoutError:
                lack = self._conversation.unfinished
                raise EngineTimeout(
                    ": ".join(filter(None, [f"no answer within {seconds:g} s", lack]))
                ) from None

    async def _next_event(self) -> LineReceived | ReplyReceived:
        while (event := self._conversation.next_event()) is None:
            data = await self._out.read(_BLOCK)
            if not data:
                raise EngineGone(await self._last_words())
            self._conversation.receive(data)
        return event

    async def _last_words(self) -> str:
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                return f"the engine has ended: {describe_exit(await self._process.wait())}"
        return "the engine has ended: it closed its output"

    # -- the end ----------------------------------------------------------------------------

    async def close(self, patience: float = 2.0) -> int:
        """Ask the engine to quit, kill it after ``patience`` seconds, return its exit status."""
        if not self._conversation.lost:
            try:
                async with self._serving:
                    await self._request("quit", patience)
            except EngineFailure:
                patience = 0.0 if self._conversation.lost else patience
        else:
            patience = 0.0
        self._conversation.lost = self._conversation.lost or "closed"
        return await self._end(patience)

    async def _end(self, patience: float) -> int:
        self._in.close()
        with suppress(TimeoutError):
            try:
                async with asyncio.timeout(patience):
                    return await self._process.wait()
            finally:
                with suppress(ProcessLookupError):  # it has ended
                    self._process.kill()
        return await self._process.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.close()


class AsyncAnalysis:
    """The reports of a running analysis, each a tuple of candidates, the best first."""

    def __init__(self, engine: AsyncEngine, board: Board) -> None:
        """Use `AsyncEngine.analysis` instead."""
        self._engine = engine
        self._board = board
        # Held by the task that reads: while one iterates, another may stop.
        self._reading = asyncio.Lock()
        self._over = False
        self._stopped = False

    def __aiter__(self) -> AsyncIterator[tuple[Candidate, ...]]:
        return self

    async def __anext__(self) -> tuple[Candidate, ...]:
        """Await the next report; see `Analysis.__next__`."""
        while (line := await self._line()) is not None:
            found = candidates_of(line, self._board)
            if found:
                return found
        raise StopAsyncIteration

    async def stop(self) -> None:
        """End the analysis; the engine, unless it has failed, can be used again afterwards."""
        if self._engine._conversation.lost:  # noqa: SLF001 — part of its engine
            self._over = True
        if not self._over and not self._stopped:
            self._stopped = True
            self._engine._in.write(STOP)  # noqa: SLF001 — likewise
        while await self._line() is not None:
            pass

    async def _line(self) -> str | None:
        """Return the next line of the stream; None at its end."""
        engine = self._engine
        async with self._reading:
            if self._over:
                return None
            event = await engine._event(engine.timeout)  # noqa: SLF001 — part of its engine
            if isinstance(event, LineReceived):
                return event.line
            self._over = True
            engine._analysis = None  # noqa: SLF001 — likewise
        text_of(event)
        return None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.stop()


def _pipes_of(process: Process) -> tuple[StreamWriter, StreamReader]:
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise EngineGone("the process has no pipes")
    return stdin, stdout
