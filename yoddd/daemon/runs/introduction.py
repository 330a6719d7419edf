"""The introduction of the engines of a run: each is started once before the first game.

An engine that cannot be started, completes no handshake or refuses its settings is a mistake of
the organiser, who can correct it: the run is refused, and nothing is played or written. This waits
without a reactor, since nothing else happens meanwhile.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final, NoReturn

import attrs

from yoddd.client import EngineFailure, EngineGone, EngineRefusal, EngineTimeout, SimpleEngine
from yoddd.client.pipes import Pipes
from yoddd.daemon.play.confinement import Launch, launch_of
from yoddd.daemon.play.processes import GRACE, STDERR_BYTES, STDERR_LINES, signal_engine
from yoddd.protocol.controller import REPLY_LIMIT, EngineInfo
from yoddd.protocol.errors import one_line
from yoddd.referee.config import ConfigError
from yoddd.referee.engine_requests import EngineRequest, EngineState, Purpose, can_start, set_up
from yoddd.referee.game_setup import WaitLimits
from yoddd.system import KILL

_LAST_WORDS: Final = 0.1
"""Seconds that an engine which has failed gets to write why."""

_KEPT: Final = 1.5
"""Seconds for the output of an engine whose input was closed."""

SILENCE: Final = 2.0
"""Seconds without a reply after which the organiser is told."""

_WAKE: Final = 0.2
"""Seconds after which a wait for an engine is begun again."""


@attrs.frozen
class FirstStart:
    """The first start of an engine, by which it is introduced.

    Attributes:
        label: what error messages call the engine.
        launch: how it is started.
        state: the state that its first game begins with.
        say: receives a line if it is silent for `SILENCE` seconds, in any thread.
    """

    label: str
    launch: Launch
    state: EngineState
    say: Callable[[str], None]


def introduce(starts: Sequence[FirstStart], limits: WaitLimits) -> list[EngineInfo]:
    """Start each engine, set it up for its first game, and end it; return what they say.

    Raises:
        ConfigError: one cannot play; the text has its command, its fault, its exit status and the
            tail of its standard error.
    """
    for one in starts:
        reason = why_unstartable(one.launch)
        if reason is not None:
            raise ConfigError(f"{one.label}: {reason}")
    started: list[_Introduced] = []
    stopping = threading.Event()

    def meet(start: FirstStart) -> EngineInfo:
        engine = _Introduced(start)
        started.append(engine)
        if stopping.is_set():  # set before `started` was read
            engine.kill()
        try:
            return engine.introduce(limits)
        finally:
            engine.end()

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        try:
            return [_result(found) for found in [pool.submit(meet, one) for one in starts]]
        except BaseException:  # one cannot play, or an interrupt: the others are not waited for
            stopping.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for engine in started:
                if engine.is_running:
                    engine.kill()
            raise


def _result(future: Future[EngineInfo]) -> EngineInfo:
    """The result of a future; an interrupt ends the wait for it.

    Python handles a signal between two instructions only. One that comes just before the wait for a
    lock does not end it, so no wait is without a limit.
    """
    while not wait([future], _WAKE).done:
        pass
    return future.result()


def why_unstartable(launch: Launch) -> str | None:
    """The reason why a command line names no program that can be started; None if it does."""
    program = shlex.split(launch.command)[0]
    if "/" not in program:
        path = {**os.environ, **launch.env}.get("PATH")
        if shutil.which(program, path=path) is not None:
            return None
        return f"{program}: no such program in PATH{_hint(launch.command)}"
    file = Path(launch.cwd or "", program)
    shown = program if launch.cwd is None else f"{program} in {launch.cwd}"
    if not file.exists():
        return f"{shown}: no such file{_hint(launch.command)}"
    if file.is_dir():
        return f"{shown}: a folder, not a program"
    return None if os.access(file, os.X_OK) else f"{shown}: not executable; try chmod +x"


def _hint(command: str) -> str:
    return " (a backslash quotes what follows it; write /)" if "\\" in command else ""


class _StderrTail:
    """The end of what a process writes to its standard error; a thread reads it.

    Attributes:
        target: the file descriptor that the process writes to.
    """

    def __init__(self) -> None:
        source, self.target = os.pipe()
        # The last `STDERR_BYTES` bytes.
        self._data = b""
        self._thread = threading.Thread(target=self._read, args=(source,), daemon=True)
        self._thread.start()

    def _read(self, source: int) -> None:
        with open(source, "rb", buffering=0) as pipe:
            while found := pipe.read(STDERR_BYTES):
                self._data = (self._data + found)[-STDERR_BYTES:]

    def text(self) -> str:
        """The last lines; a moment is left to what was written just now."""
        self._thread.join(_LAST_WORDS)
        lines = self._data.decode("utf-8", "replace").split("\n")
        return " | ".join([one_line(line) for line in lines if line.strip()][-STDERR_LINES:])


class _GuardedPipes(Pipes):
    """The pipes of an engine whose guard ends all that it has started.

    Attributes:
        on_silence: is called once with the seconds that are left, where nothing arrives for
            `SILENCE` seconds; None before it is set and once it was called.
    """

    on_silence: Callable[[float], None] | None = None

    def receive(self, seconds: float | None) -> bytes:
        tell = self.on_silence
        if tell is None or seconds is None or seconds <= SILENCE:
            return super().receive(seconds)
        try:
            return super().receive(SILENCE)
        except EngineTimeout:
            self.on_silence = None
            tell(seconds - SILENCE)
            return super().receive(seconds - SILENCE)

    def kill(self) -> None:
        signal_engine(self.process.pid, KILL)
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:  # the engine has stopped its guard
            super().kill()


class _Introduced:
    """An engine process that is waited for."""

    def __init__(self, start: FirstStart) -> None:
        self._start = start
        self._stderr = _StderrTail()
        launch = start.launch
        settings = attrs.evolve(launch.confinement, cpus=()).settings()
        try:
            self._pipes = _GuardedPipes(
                launch_of(shlex.split(launch.command), settings)[1],
                None if launch.cwd is None else Path(launch.cwd),
                launch.env,
                self._stderr.target,
            )
        except EngineFailure as failure:
            self._fail(str(failure))
        finally:
            os.close(self._stderr.target)
        self._pipes.on_silence = lambda seconds: start.say(
            f"{start.label}: no reply for {SILENCE:g} s, waiting {seconds:.0f} s more: an engine"
            " that keeps its replies back has to flush standard output after each"
        )

    def introduce(self, limits: WaitLimits) -> EngineInfo:
        """The handshake, the set-up for the first game, and the end.

        Raises:
            ConfigError: as for the function `introduce`.
        """
        with self._shake_hands(limits.launch) as engine:
            state = self._start.state
            if not can_start(engine.info, state.start):
                self._fail("cannot be given a position: it lists no such command")
            for request in set_up(engine.info, state):
                self._ask(engine, request, limits.reply)
            return engine.info

    def _shake_hands(self, seconds: float) -> SimpleEngine:
        try:
            return SimpleEngine(self._pipes, seconds, reply_limit=REPLY_LIMIT)
        except EngineTimeout as error:
            _, _, lack = str(error).partition(": ")
            if lack:
                self._fail(f"no handshake: {lack}")
            late = f"no handshake within {seconds:g} s{self._kept_back()}"
            self._fail(f"{late}; --launch allows more")
        except EngineGone:
            self._fail(f"no handshake: {self._pipes.how_ended()}")
        except EngineFailure as failure:
            self._fail(str(failure))

    def _kept_back(self) -> str:
        """The output of a silent engine after its input is closed, as text."""
        self._pipes.close_input()
        try:
            self._pipes.receive(_KEPT)
        except EngineFailure:
            return ""
        return ", but a reply when its input was closed: flush standard output after each reply"

    def _ask(self, engine: SimpleEngine, request: EngineRequest, seconds: float) -> None:
        try:
            engine.ask(request.command, timeout=seconds)
        except EngineRefusal as refusal:
            if request.purpose is not Purpose.HINT:
                self._fail(f"refused {request.command}: {one_line(str(refusal))}")
        except EngineTimeout as error:
            _, _, lack = str(error).partition(": ")
            self._fail(
                ": ".join(
                    filter(None, [f"no reply to {request.command} within {seconds:g} s", lack])
                )
            )
        except EngineGone:
            self._fail(self._pipes.how_ended())
        except EngineFailure as failure:
            self._fail(str(failure))

    def _fail(self, problem: str) -> NoReturn:
        said = self._stderr.text()
        said = f"; stderr: {said}" if said else ""
        raise ConfigError(f"{self._start.label}: {problem}{said}")

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended; the number of one that has may be another's."""
        return self._pipes.process.poll() is None

    def kill(self) -> None:
        """Kill all its processes."""
        signal_engine(self._pipes.process.pid, KILL)

    def end(self) -> None:
        """Kill what is left of it."""
        if self.is_running:
            self.kill()
        self._pipes.close(patience=GRACE)
