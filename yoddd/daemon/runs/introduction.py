"""The introduction of the engines of a run: each is started once before the first game.

An engine that cannot be started, completes no handshake or refuses its settings is a mistake of
the organiser, who can correct it: the run is refused, and nothing is played or written.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredSemaphore

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.process.reactor_runner import run
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.processes import GRACE, STDERR, Child
from yoddd.daemon.play.resources import refusal
from yoddd.daemon.runs.check import OutputBuffer
from yoddd.kernel import best_position
from yoddd.notation import parse_position
from yoddd.protocol.controller import (
    INTERRUPT,
    Controller,
    ControllerFault,
    EngineInfo,
    Handshake,
    ReplyReceived,
)
from yoddd.protocol.errors import one_line
from yoddd.referee import Clock, WaitLimits
from yoddd.referee.conformance import CARRIAGE_RETURNS, UNANSWERED_QUIT, Ended, Received, TimedOut
from yoddd.referee.game.engine_requests import (
    EngineRequest,
    EngineState,
    Purpose,
    can_start,
    genmove,
    is_analysis,
    is_genmove,
    other_rules,
    set_up,
    without_analysis,
)
from yoddd.referee.game.engine_text import judge_text
from yoddd.referee.tournament.config import ConfigError, EngineFault
from yoddd.system import processors

_LAST_WORDS: Final = 0.1
"""Seconds that an engine which has failed gets to write why."""

_KEPT: Final = 1.5
"""Seconds for the output of an engine whose input was closed."""

SILENCE: Final = 2.0
"""Seconds without output after which the organiser is told, and a begun handshake has failed."""

THOUGHT: Final = 5.0
"""Seconds that an engine is waited for when it is asked for a turn; it may take longer."""


@attrs.frozen
class FirstStart:
    """The first start of an engine, by which it is introduced.

    Attributes:
        label: what error messages call the engine.
        launch: how it is started.
        state: the state that its first game begins with.
        say: receives a line if it is silent for `SILENCE` seconds.
        is_ours: whether it is a builtin engine: it can be told not to search any longer.
    """

    label: str
    launch: Launch
    state: EngineState
    say: Callable[[str], None]
    is_ours: bool = False


def introduce(starts: Sequence[FirstStart], limits: WaitLimits) -> list[EngineInfo]:
    """Do as `meet`, in the reactor, before it runs anything else.

    Raises:
        ConfigError: as for `meet`.
    """
    found: list[EngineInfo] = []
    if not starts:
        return found

    async def program(reactor: Reactor) -> int:
        found.extend(await meet(reactor, starts, limits))
        return 0

    try:
        run(program, last=False)
    except CancelledError:
        raise KeyboardInterrupt from None
    return found


async def meet(
    reactor: Reactor, starts: Sequence[FirstStart], limits: WaitLimits
) -> list[EngineInfo]:
    """Start each engine, ask it for the first turn of a game, and end it; return what they say.

    Raises:
        ConfigError: one cannot play; the text has its command, its fault, its exit status and the
            tail of its standard error.
    """
    started: list[_Introduced] = []
    places = DeferredSemaphore(processors())

    def begin(start: FirstStart) -> Deferred[EngineInfo]:
        engine = _Introduced(reactor, start)
        started.append(engine)
        return Deferred.fromCoroutine(engine.introduce(limits))

    met = [places.run(begin, one) for one in starts]
    try:
        return [await one for one in met]
    except (ConfigError, CancelledError):  # an interrupt; the others are not waited for
        for waiting in reversed(met):
            waiting.addErrback(lambda _: None).cancel()
        for engine in started:
            engine.child.kill()
        for engine in started:
            await engine.end()
        raise


def why_unstartable(launch: Launch) -> str | None:
    """The reason why a command line cannot be started, or not within its limits; None if it can."""
    if (reason := refusal(launch.confinement)) is not None:
        return reason
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
    if os.access(file, os.X_OK):
        return None
    if hasattr(os, "statvfs") and os.statvfs(file).f_flag & os.ST_NOEXEC:
        return f"{shown}: its file system starts no programs (noexec); move it elsewhere"
    return f"{shown}: not executable; try chmod +x"


def _hint(command: str) -> str:
    return " (a backslash quotes what follows it; write /)" if "\\" in command else ""


class _Introduced:
    """An engine process that is waited for."""

    def __init__(self, reactor: Reactor, start: FirstStart) -> None:
        self._start = start
        self._reactor = reactor
        self._controller = Controller()
        self._output = OutputBuffer(reactor)
        self.child = Child(
            reactor, start.launch, output=self._output.received, ended=self._output.gone
        )
        # Whether the organiser was told that it is silent.
        self._is_told = False
        # Whether a line of its output ended with CR LF.
        self._returns = False

    async def introduce(self, limits: WaitLimits) -> EngineInfo:
        """The handshake, the set-up for the first game, its first turn, and the end.

        Raises:
            ConfigError: as for `meet`.
        """
        try:
            info = await self._shake_hands(limits.launch)
            await self._set_up(info, limits.reply)
            is_idle = await self._plays(info)
        except ConfigError as problem:
            self.child.close(patience=_LAST_WORDS)
            _, mark, said = (await self.end()).partition(STDERR)
            said = " | ".join(one_line(line) for line in said.split(" | "))
            raise EngineFault(f"{self._start.label}: {problem}{mark}{said}") from None
        if not is_idle:
            self.child.kill()
            await self.end()
            return info
        self.child.write(self._controller.request("quit"))
        self.child.close()
        if not await self._answers_quit():
            self._start.say(f"{self._start.label}: {UNANSWERED_QUIT}")
        if self._returns:
            self._start.say(f"{self._start.label}: {CARRIAGE_RETURNS}")
        return info

    async def _answers_quit(self) -> bool:
        """Wait for its end; return whether it replied before."""
        is_answered = False
        while not isinstance(event := await self._output.listen(GRACE), Ended):
            if isinstance(event, Received):
                found = self._controller.receive(event.data)
                is_answered |= any(isinstance(one, ReplyReceived) for one in found)
        return is_answered

    async def _shake_hands(self, seconds: float) -> EngineInfo:
        handshake, deadline = Handshake(), self._reactor.seconds() + seconds
        while (command := handshake.command) is not None:
            left = deadline - self._reactor.seconds()
            try:
                reply = await self._reply(command, left, greets=True)
            except _Gone as gone:
                raise ConfigError(f"no handshake: {gone}") from None
            if reply is None:
                if self._controller.unfinished:
                    raise ConfigError(f"no handshake: {self._controller.unfinished}")
                late = f"no handshake within {seconds:g} s{await self._kept_back()}"
                raise ConfigError(f"{late}; --launch allows more")
            handshake.answer(reply)
        if handshake.info is None or handshake.info.problem:
            raise ConfigError(handshake.info and handshake.info.problem)
        return handshake.info

    async def _kept_back(self) -> str:
        """The output of a silent engine after its input is closed, as text."""
        self.child.close(patience=_KEPT)
        if not isinstance(await self._output.listen(_KEPT), Received):
            return ""
        return ", but a reply when its input was closed: flush standard output after each reply"

    async def _set_up(self, info: EngineInfo, seconds: float) -> None:
        if not can_start(info, self._start.state.start):
            raise ConfigError("cannot be given a position: it lists no such command")
        for request in set_up(info, self._start.state):
            await self._ask(request, seconds)

    async def _plays(self, info: EngineInfo) -> bool:
        """Ask for a turn; return False if the engine still thinks after `THOUGHT` seconds."""
        state = self._start.state
        kind = best_position()
        position = kind(state.rules) if state.start is None else parse_position(state.start, kind)
        reply = None
        for request in genmove(info, position.player, Clock(state.control)):
            reply = await self._ask(request, THOUGHT)
        if reply is None:
            return False
        if not reply.ok:
            return await self._plays(without_analysis(info))
        found = judge_text(reply.text, position)
        if isinstance(found, str):
            raise ConfigError(f"played an illegal turn: {found}")
        return True

    async def _ask(self, request: EngineRequest, seconds: float) -> ReplyReceived | None:
        """The reply to a request; None if it is a turn that the engine still thinks about."""
        reply = await self._reply(request.command, seconds)
        if reply is None:
            lack = self._controller.unfinished
            if request.purpose is Purpose.GENMOVE and not lack:
                return None
            late = f"no reply to {request.command} within {seconds:g} s"
            raise ConfigError(f"{late}: {lack}" if lack else late)
        if request.purpose is Purpose.RULES and (
            found := other_rules(reply, self._start.state.rules)
        ):
            raise ConfigError(one_line(found))
        may_refuse = request.purpose in (Purpose.HINT, Purpose.RULES)
        may_refuse |= is_analysis(request.command)
        if not reply.ok and not may_refuse:
            raise ConfigError(f"refused {request.command}: {one_line(reply.text)}")
        return reply

    async def _reply(
        self, command: str, seconds: float, *, greets: bool = False
    ) -> ReplyReceived | None:
        """The reply to a request; None if it does not come in time.

        A reply of the handshake that has begun has to go on.
        """
        data, thinks = self._controller.request(command), is_genmove(command)
        self.child.write(data + INTERRUPT if thinks and self._start.is_ours else data)
        deadline = self._reactor.seconds() + seconds
        while (left := deadline - self._reactor.seconds()) > 0:
            event = await self._output.listen(min(left, SILENCE))
            if isinstance(event, Ended):
                raise _Gone(event.detail.partition(STDERR)[0])
            if isinstance(event, Received):
                self._returns = self._returns or b"\r\n" in event.data
                for found in self._controller.receive(event.data):
                    if isinstance(found, ControllerFault):
                        raise ConfigError(found.detail)
                    if isinstance(found, ReplyReceived):
                        return found
            elif isinstance(event, TimedOut) and left > SILENCE and not thinks:
                if greets and self._controller.unfinished:
                    break
                self._tell(left - SILENCE)
        return None

    def _tell(self, seconds: float) -> None:
        """Tell the organiser once that it is silent."""
        if not self._is_told:
            self._is_told = True
            self._start.say(
                f"{self._start.label}: no reply for {SILENCE:g} s, waiting {seconds:.0f} s more: an"
                " engine has to flush standard output after each reply"
            )

    async def end(self) -> str:
        """Wait for its end, and return how it ended."""
        while not isinstance(event := await self._output.listen(GRACE), Ended):
            pass
        return event.detail


class _Gone(ConfigError):
    """The engine has ended; the text says how."""
