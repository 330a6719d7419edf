"""Attached engines and child processes in fake time, without sockets, and what steers them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.interfaces import IProcessProtocol, IProcessTransport, IReactorTime
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import Threads, World
from yoddd.daemon.connections.attachment import Attachment
from yoddd.daemon.connections.engine_link import AttachedEngine
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.slot import unplayed
from yoddd.protocol.controller import MANDATORY
from yoddd.referee import Finished, GameSetup, Termination
from yoddd.referee.game.engine_range import EVERYTHING, EngineRange

T = TypeVar("T")

REPLIES: Mapping[str, str] = {"protocol_version": "2", "list_commands": "\n".join(MANDATORY)}


class AnsweringEngine:
    """An attached engine that answers each request at once, by a delayed call of the clock.

    It plays ``turns`` and then resigns.

    Attributes:
        asked: the requests so far.
        link: the engine as the daemon sees it.
    """

    def __init__(
        self,
        clock: Clock,
        registry: EngineRegistry,
        name: str,
        turns: Iterable[str] = (),
        plays: EngineRange = EVERYTHING,
        **more: Any,
    ) -> None:
        self.asked: list[str] = []
        self.link = AttachedEngine(Attachment(name, plays=plays, **more), self.send, self.release)
        self._clock = clock
        self._registry = registry
        self._turns = iter(turns)
        assert registry.add(self.link) is None

    def send(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            number, command = line.split(" ", 1)
            self.asked.append(command)
            self._clock.callLater(0, self._answer, number, command.split()[0])

    def release(self, engine: AttachedEngine) -> None:
        self._registry.remove(engine)

    def disconnect(self) -> None:
        """Lose the connection."""
        self._registry.remove(self.link)
        self.link.ended("connection lost")

    def _answer(self, number: str, command: str) -> None:
        text = REPLIES.get(command, "")
        if command == "genmove":
            text = next(self._turns, "resign")
        if self.link.alive:
            self.link.received(f"={number} {text}\n\n".encode())


def settle(clock: Clock) -> None:
    """Make all calls that are due now, and those that they cause."""
    while any(call.getTime() <= clock.seconds() for call in clock.getDelayedCalls()):
        clock.advance(0)


def ended(setup: GameSetup, termination: Termination) -> Finished:
    """The end of a game that ended as soon as it began."""
    result = unplayed(world_of(), setup, termination).result
    assert result is not None
    return result


def error_of(done: Deferred[Any]) -> Any:
    """The exception that ``done`` has failed with; None unless it has."""
    errors: list[BaseException | None] = []

    def keep(failure: Failure) -> None:
        errors.append(failure.value)

    done.addErrback(keep)
    return errors[0] if errors else None


class FakeProcess:
    """The transport of a child process that does nothing.

    Attributes:
        pid: the process that signals are sent to.
        protocol: receives the events of the process.
        written: the bytes of its standard input.
        is_stdin_closed: whether its standard input was closed.
        is_lost: whether its pipes were closed.
        pipes: those of Twisted's process, by file descriptor; empty unless a test adds one.
    """

    def __init__(self, pid: int, protocol: IProcessProtocol) -> None:
        self.pid = pid
        self.protocol = protocol
        self.written = b""
        self.is_stdin_closed = False
        self.pipes: dict[int, io.FileIO] = {}
        self.is_lost = False

    def write(self, data: bytes) -> None:
        self.written += data

    def closeStdin(self) -> None:
        self.is_stdin_closed = True

    def loseConnection(self) -> None:
        self.is_lost = True

    def exit(self, *, status: int = 0, signal: int | None = None) -> None:
        """Exit, and close the pipes."""
        error = ProcessTerminated(status, signal) if status or signal else ProcessDone(0)
        self.protocol.processExited(Failure(error))
        self.protocol.processEnded(Failure(error))


class SpawningClock(Clock):
    """A clock as a reactor that starts fake processes.

    Attributes:
        pid: given to every process.
        started: the processes so far.
        arguments: the argument vectors of them.
        are_quick: whether they exit before `spawnProcess` returns.
    """

    are_quick = False

    def __init__(self, pid: int) -> None:
        super().__init__()
        self.pid = pid
        self.started: list[FakeProcess] = []
        self.arguments: list[list[str]] = []

    def spawnProcess(
        self,
        protocol: object,
        _executable: str,
        args: list[str],
        env: Mapping[str, str],
        path: str | None,
        childFDs: Mapping[int, str],  # noqa: N803 — Twisted's name
    ) -> FakeProcess:
        assert childFDs[1] == "r"
        assert env
        assert path is None
        process = FakeProcess(self.pid, cast("IProcessProtocol", protocol))
        self.started.append(process)
        self.arguments.append(args)
        process.protocol.makeConnection(cast("IProcessTransport", process))
        if self.are_quick:
            process.protocol.processExited(Failure(ProcessTerminated(1)))
        return process


class ThreadsAtOnce(Threads):
    """Does all work at once, in the caller's thread."""

    def __init__(self) -> None:
        pass

    def run(
        self, work: Callable[[], T], spent: Callable[[float], None] | None = None
    ) -> Deferred[T]:
        del spent
        return maybeDeferred(work)

    def close(self, patience: float | None = None) -> None:
        pass


class WorldAtOnce(World):
    """Surroundings whose threads do all work at once."""

    def threads(self, name: str, most: int) -> Threads:
        del name, most
        return ThreadsAtOnce()


def world_of(clock: IReactorTime | None = None) -> World:
    """The surroundings of a daemon in the time of ``clock``, without threads."""
    return WorldAtOnce(cast("Reactor", clock or Clock()))
