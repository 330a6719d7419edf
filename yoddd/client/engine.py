"""`SimpleEngine`: an engine that plays and analyses a `yoddd.Board`, in python-chess' manner."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from yoddd.client.async_engine import TIMEOUT, AsyncAnalysis, AsyncEngine
from yoddd.client.game_requests import FREE, Limit
from yoddd.engine import Candidate
from yoddd.library import Board
from yoddd.protocol.controller import EngineInfo
from yoddd.rules import Turn
from yoddd.suggestions import Answering

_WAKE: Final = 0.2
"""Seconds after which a wait is begun again: a signal just before it, or on Windows, ends none."""

_Result = TypeVar("_Result")


class SimpleEngine(Answering):
    """A blocking controller of an engine; one thread at a time may use it.

    An interrupt from the keyboard interrupts a search that is waited for; the engine can be used
    again.
    """

    def __init__(self, engine: AsyncEngine, thread: _LoopThread) -> None:
        """Use `popen` instead."""
        self._engine = engine
        self._thread = thread
        # The exit status, once closed.
        self._status: int | None = None

    def __repr__(self) -> str:
        return repr(self._engine).replace("Async", "Simple", 1)

    @property
    def info(self) -> EngineInfo:
        """Name, version and commands of the engine."""
        return self._engine.info

    @property
    def timeout(self) -> float:
        """Seconds for the handshake, for every reply but a turn, and between lines of analysis."""
        return self._engine.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._engine.timeout = seconds

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
        thread = _LoopThread()
        try:
            engine = thread.wait(AsyncEngine.popen(command, timeout=timeout, cwd=cwd, env=env))
        except BaseException:
            thread.close()
            raise
        return cls(engine, thread)

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
        return self._wait(self._engine.play(board, limit, timeout=timeout))

    def analysis(self, board: Board, limit: Limit = FREE) -> Analysis:
        """Let the engine analyse ``board``: iterate over its reports.

        Without a limit it searches until `Analysis.stop`, until the ``with`` block ends, or until
        the next request.

        Raises:
            ValueError: the game is over.
            EngineRefusal: it cannot play this game, or cannot analyse.
            EngineFailure: anything else; do not use it again.
        """
        return Analysis(self, self._wait(self._engine.analysis(board, limit)))

    def analyse(self, board: Board, limit: Limit) -> tuple[Candidate, ...]:
        """Return the engine's candidates when the limit is reached, the best first; see `analysis`.

        Raises:
            ValueError: the game is over, or there is no limit.
            EngineFailure: as for `analysis`.
        """
        return self._wait(self._engine.analyse(board, limit))

    def configure(self, parameters: Mapping[str, str | int]) -> None:
        """Set parameters of the engine by name.

        Raises:
            EngineRefusal: there is no such parameter or value.
        """
        self._wait(self._engine.configure(parameters))

    def interrupt(self) -> None:
        """Make `play`, in another thread, return with the best turn so far."""
        self._thread.call(self._engine.interrupt)

    def ask(self, command: str, *, timeout: float | None = TIMEOUT) -> str:
        """Return the text of the reply to any command line; a timeout of None waits without limit.

        Raises:
            EngineRefusal: the reply is ``?``.
            EngineFailure: anything else; do not use it again.
        """
        return self._wait(self._engine.ask(command, timeout=timeout))

    def close(self, patience: float = 2.0) -> int:
        """Ask the engine to quit, kill it after ``patience`` seconds, return its exit status."""
        if self._status is None:
            self._status = self._wait(self._engine.close(patience))
            self._thread.close()
        return self._status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        return self._thread.wait(coroutine)


class Analysis(AbstractContextManager["Analysis"]):
    """The reports of a running analysis, each a tuple of candidates, the best first."""

    def __init__(self, engine: SimpleEngine, analysis: AsyncAnalysis) -> None:
        """Use `SimpleEngine.analysis` instead."""
        self._engine = engine
        self._analysis = analysis

    def __iter__(self) -> Iterator[tuple[Candidate, ...]]:
        return self

    def __next__(self) -> tuple[Candidate, ...]:
        """Wait for the next report.

        Raises:
            EngineRefusal: the engine refuses to analyse this position.
            EngineFailure: anything else; do not use the engine again.
        """
        try:
            return self._engine._wait(anext(self._analysis))  # noqa: SLF001 — part of its engine
        except StopAsyncIteration:
            raise StopIteration from None

    def stop(self) -> None:
        """End the analysis; the engine, unless it has failed, can be used again afterwards."""
        self._engine._wait(self._analysis.stop())  # noqa: SLF001 — likewise

    def __exit__(self, *_raised: object) -> None:
        self.stop()


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with self._runner:
            self._loop.run_forever()
            for task in asyncio.all_tasks(self._loop):  # cancelled, and killing an engine
                with suppress(asyncio.CancelledError):
                    self._loop.run_until_complete(task)

    def call(self, function: Callable[[], None]) -> None:
        """Call a function in it, unless it is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    def wait(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Return the result of a coroutine, which is cancelled when the wait is interrupted."""
        if self._loop.is_closed():  # the engine is, too, and nothing is waited for
            try:
                coroutine.send(None)
            except StopIteration as end:
                result: _Result = end.value
                return result
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            while not futures.wait([future], _WAKE).done:
                pass
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
