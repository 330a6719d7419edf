"""The introduction of the engines of a run: each is started once before the first game.

An engine that cannot be started, completes no handshake or refuses its settings is a mistake of
the organiser, who can correct it: the run is refused, and nothing is played or written. This waits
without a reactor, since nothing else happens meanwhile.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Final, NoReturn

import attrs

from yoddd.daemon.play.process_engine import Launch
from yoddd.daemon.play.processes import GRACE, STDERR_BYTES, STDERR_LINES, launch_of
from yoddd.protocol.controller import (
    Controller,
    ControllerFault,
    EngineInfo,
    Handshake,
    ReplyReceived,
)
from yoddd.protocol.errors import one_line
from yoddd.referee.config import ConfigError
from yoddd.referee.engine_requests import EngineState, Purpose, can_start, set_up
from yoddd.referee.game_setup import WaitLimits
from yoddd.system import KILL, PipeReader, kill_group

_LAST_WORDS: Final = 0.1
"""Seconds without output after which an engine has written what it had to say."""

_WAKE: Final = 0.2
"""Seconds after which a wait for an engine is begun again."""


@attrs.frozen
class Candidate:
    """An engine that is to be introduced.

    Attributes:
        label: what error messages call it.
        launch: how it is started.
        state: the state that its first game begins with.
    """

    label: str
    launch: Launch
    state: EngineState


def introduce(candidates: Sequence[Candidate], limits: WaitLimits) -> list[EngineInfo]:
    """Start each engine, set it up for its first game, and end it; return what they say.

    Raises:
        ConfigError: one cannot play; the text has its command, its fault, its exit status and the
            tail of its standard error.
    """
    for one in candidates:
        reason = why_unstartable(one.launch)
        if reason is not None:
            raise ConfigError(f"{one.label}: {reason}")
    started: list[_Introduced] = []
    stopping = threading.Event()

    def meet(candidate: Candidate) -> EngineInfo:
        engine = _Introduced(candidate)
        started.append(engine)
        if stopping.is_set():  # set before `started` was read
            engine.kill()
        try:
            return engine.introduce(limits)
        finally:
            engine.end()

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        try:
            return [_result(found) for found in [pool.submit(meet, one) for one in candidates]]
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


class _Introduced:
    """An engine process that is waited for."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self._controller = Controller()
        self._stderr = b""
        launch = candidate.launch
        settings = attrs.evolve(launch.confinement, cpus=()).settings()
        self._process = subprocess.Popen(  # noqa: S603 — the organiser's command, in our launcher
            launch_of(shlex.split(launch.command), settings)[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=launch.cwd,
            env={**os.environ, **launch.env},
        )
        streams = (self._process.stdout, self._process.stderr)
        self._reader = PipeReader([stream for stream in streams if stream is not None])

    def introduce(self, limits: WaitLimits) -> EngineInfo:
        """The handshake, and the set-up for the first game.

        Raises:
            ConfigError: as for the function `introduce`.
        """
        info = self._shake_hands(time.monotonic() + limits.launch, limits.launch)
        state = self._candidate.state
        if not can_start(info, state.start):
            self._fail("cannot be given a position: it lists no such command")
        for request in set_up(info, state):
            reply = self._ask(request.command, time.monotonic() + limits.reply)
            if reply is None:
                self._fail(f"no reply to {request.command} within {limits.reply:g} s")
            if not reply.ok and request.purpose is not Purpose.HINT:
                self._fail(f"refused {request.command}: {one_line(reply.text)}")
        return info

    def _shake_hands(self, deadline: float, seconds: float) -> EngineInfo:
        handshake = Handshake()
        while handshake.command is not None:
            reply = self._ask(handshake.command, deadline)
            if reply is None:
                self._fail(f"no handshake within {seconds:g} s; --launch allows more")
            handshake.answer(reply)
        info = handshake.info
        if info is None or info.problem is not None:
            self._fail(info.problem if info and info.problem else "no handshake")
        return info

    def _ask(self, command: str, deadline: float) -> ReplyReceived | None:
        """The reply to a request; None if there is none at the deadline."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise ConfigError(f"{self._candidate.label}: no pipes")
        data = self._controller.request(command)
        with suppress(BrokenPipeError):  # its exit is read below
            stdin.write(data)
        while (left := deadline - time.monotonic()) > 0:
            pipe, found = self._reader.next(left) or (None, b"")
            if pipe is not stdout:
                self._note_stderr(found)
                continue
            if not found:
                self._fail(f"no handshake: {self._exit()}" if self._is_new else self._exit())
            for event in self._controller.receive(found):
                if isinstance(event, ControllerFault):
                    self._fail(event.detail)
                if isinstance(event, ReplyReceived):
                    return event
        return None

    @property
    def _is_new(self) -> bool:
        return self._controller.outstanding in {"protocol_version", "name"}

    def _note_stderr(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-STDERR_BYTES:]

    def _exit(self) -> str:
        try:
            status = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return (
            f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        )

    def _fail(self, problem: str) -> NoReturn:
        self._drain()
        lines = self._stderr.decode("utf-8", "replace").split("\n")
        last = [one_line(line) for line in lines if line.strip()][-STDERR_LINES:]
        said = f"; stderr: {' | '.join(last)}" if last else ""
        raise ConfigError(f"{self._candidate.label}: {problem}{said}")

    def _drain(self) -> None:
        """Read what it has written to standard error so far."""
        while (found := self._reader.next(_LAST_WORDS)) is not None:
            if found[0] is self._process.stderr:
                self._note_stderr(found[1])

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended; the number of one that has may be another's."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill its whole group."""
        kill_group(self._process.pid, KILL)
        self._process.kill()

    def end(self) -> None:
        """Ask it to quit, then kill its whole group."""
        with suppress(OSError), self._process.stdin or nullcontext() as stdin:
            if stdin is not None:
                stdin.write(b"quit\n")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self.kill()
        self._process.wait()
        self._reader.close()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
