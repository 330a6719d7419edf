"""Child processes: their pipes, their end, and the end of all that they have started."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from twisted.internet.base import DelayedCall
from twisted.internet.error import ProcessTerminated
from twisted.internet.interfaces import IProcessTransport
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play.confinement import HAS_KEEPERS, Launch, launch_of
from yoddd.daemon.play.resources import ControlGroup, descendants, watch_of
from yoddd.daemon.play.transcripts import EngineLog
from yoddd.system import HAS_SESSIONS, KILL, describe_exit, kill_group

STDERR: Final = "; stderr: "
"""Stands before the standard error in the text of an end."""

STDERR_LINES: Final = 20
"""Lines of standard error that the text of an end quotes."""

STDERR_BYTES: Final = 8 * 1024
"""Bytes of standard error that are kept."""

GRACE: Final = 1.0
"""Seconds that a child has to end after its input is closed, and again after SIGTERM."""

DRAIN: Final = 0.25
"""Seconds that a dead child's pipes may still deliver what it had written."""

END: Final = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Tells the guard of an engine to kill everything."""

OUTPUT: Final = 1
"""File descriptor of the standard output of a child."""

REPORT: Final = 3
"""File descriptor on which the launcher reports that it could not start the program."""


class Child(ProcessProtocol):
    """A program, all of whose processes end with it.

    Its standard error is always drained; the tail is quoted in the text of its end.

    Attributes:
        alive: whether output is still passed on; False once ``ended`` was called.
        pid: of the guard of its processes; see `launch`. Without keepers it is that of the
            program, of its group and of its session.
    """

    def __init__(
        self,
        reactor: Reactor,
        launch: Launch,
        *,
        output: Callable[[bytes], None],
        ended: Callable[[str], None],
    ) -> None:
        """Start a program, its command line split as a shell would but run without one.

        Args:
            reactor: where its pipes are watched.
            launch: the command line and its surroundings.
            output: is called with what it writes to standard output.
            ended: is called once, with how it ended and the tail of its standard error.

        Raises:
            ValueError: the command line has no words or an open quotation.
        """
        words = shlex.split(launch.command)
        confinement = launch.confinement
        if not words:
            raise ValueError("an empty command line")
        self.alive = True
        self._reactor = reactor
        self._output = output
        self._ended = ended
        # The last `STDERR_BYTES` bytes of its standard error.
        self._stderr = b""
        # Whether its standard input was full or broken once: from then on the reactor writes to it,
        # so that nothing overtakes what it holds.
        self._is_filled = False
        # How the process exited; None while it runs.
        self._status: str | None = None
        # Whether it was killed because it had closed its output.
        self._is_silent = False
        # Why it was killed, if it was for a limit; begins the text of its end.
        self._verdict: str | None = None
        # Why the launcher could not start the program; empty if it could.
        self._report = b""
        # The calls that are due later: signals, counts, the end of its pipes. All are cancelled
        # once the process and its pipes are gone.
        self._timers: list[DelayedCall] = []
        # The control group that keeps its limits; None if it has none, or they are measured.
        self._group = ControlGroup.make(confinement)
        settings = confinement.settings(report=REPORT, group=self._group and self._group.path)
        # Closed at the end of the process.
        self._log: EngineLog | None = None
        reactor.spawnProcess(
            self,
            *launch_of(words, settings),
            env={**os.environ, **launch.env},
            path=launch.cwd,
            **({"childFDs": {0: "w", 1: "r", 2: "r", REPORT: "r"}} if HAS_SESSIONS else {}),
        )
        if launch.log:
            self._log = EngineLog(launch.log, launch, self.pid, reactor.seconds)
        if self._status is None and self._group is None and confinement.is_counted:
            watch_of(reactor).add(self.pid, confinement, self._exceed)

    @property
    def was_started(self) -> bool:
        """Whether the program could be started on this machine, by this command.

        It is known once the child has ended.
        """
        return not self._report

    @property
    def stderr(self) -> str:
        """The tail of its standard error."""
        return self._stderr.decode("utf-8", "replace")

    def write(self, data: bytes) -> None:
        """Write to its standard input, at once as far as the pipe takes it.

        For each request the reactor would wake up once more, and change four times what it waits
        for. It writes the rest and reports the errors.
        """
        if self._status is None:
            if self._log:
                self._log.note(">", data)
            if not self._is_filled and 0 in (pipes := getattr(self._transport, "pipes", {})):
                try:
                    taken = os.write(pipes[0].fileno(), data)
                except OSError:
                    taken = 0
                data = data[taken:]
            if data:
                self._is_filled = True
                self._transport.write(data)

    def close(self, *, patience: float = GRACE) -> None:
        """Close its input; terminate its whole group after ``patience`` seconds, then kill it."""
        if self._status is None:
            self._transport.closeStdin()
            self._later(patience, self._signal, signal.SIGTERM)
            self._later(patience + GRACE, self.kill)

    def kill(self) -> None:
        """Kill all its processes at once."""
        self._signal(KILL)
        if HAS_KEEPERS and self._status is None:
            self._later(GRACE, self._kill_all)

    def _kill_all(self) -> None:
        """Kill all its processes, whose guard they may have stopped."""
        if self._status is None:
            for pid in (*descendants(self.pid), self.pid):
                with suppress(OSError):
                    os.kill(pid, KILL)

    def _later(self, delay: float, function: Callable[..., None], *args: object) -> None:
        self._timers.append(self._reactor.callLater(delay, function, *args))

    def _signal(self, number: signal.Signals) -> None:
        if self._status is None:  # or its id may be another's by now
            signal_engine(self.pid, number)

    def _exceed(self, limit: str) -> None:
        """Kill all its processes, which exceed a limit."""
        self._verdict = limit
        self.kill()

    def _end(self, status: str) -> None:
        if self.alive:
            self.alive = False
            status = f"{self._verdict}; {status}" if self._verdict else status
            lines = self.stderr.splitlines()[-STDERR_LINES:]
            self._ended(STDERR.join([status, " | ".join(lines)] if lines else [status]))

    # -- ProcessProtocol ----------------------------------------------------------------------

    def makeConnection(self, process: IProcessTransport) -> None:
        """Keep the process, whose end may be reported before `spawnProcess` returns."""
        self._transport = process
        self.pid: int = process.pid

    def childDataReceived(self, child_fd: int, data: bytes) -> None:
        """Pass its output on; keep the tail of its standard error, and why it was not started."""
        if child_fd == REPORT:
            self._report += data
            return
        if self._log:
            self._log.note("<" if child_fd == OUTPUT else "!", data)
        if child_fd != OUTPUT:
            self._stderr = (self._stderr + data)[-STDERR_BYTES:]
        elif self.alive:
            self._output(data)

    def outConnectionLost(self) -> None:
        """End it: no output can follow, whether or not the process still runs."""
        if self._status is None:
            self._later(DRAIN, self._kill_silent)

    def _kill_silent(self) -> None:
        self._is_silent = True
        self.kill()

    def processExited(self, reason: Failure) -> None:
        """Kill what it has started, which may still hold its pipes; its guard has done so."""
        self._status = _status(reason)
        watch_of(self._reactor).remove(self.pid)
        if self._group:
            self._verdict = self._group.excess or self._verdict
        if not HAS_KEEPERS:
            signal_engine(self.pid, KILL)
        self._later(DRAIN, self._transport.loseConnection)

    def processEnded(self, reason: Failure) -> None:
        """Report the end: the process and its pipes are gone."""
        del reason
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        if self._group:
            self._group.remove()
        if self._log:
            self._log.end(self._status or "ended")
        status = self._status or "ended"
        # By its own end its output is closed, too, which may be known long before its status.
        was_silent = self._is_silent and status == describe_exit(-KILL)
        self._end("closed its output" if was_silent else status)


def signal_engine(pid: int, number: signal.Signals) -> None:
    """Signal an engine and all that it has started, through their guard where there are any."""
    if not HAS_KEEPERS:
        kill_group(pid, number)
        return
    with suppress(ProcessLookupError):
        os.kill(pid, END if number == KILL else number)


def kill_marked(name: str, value: str) -> int:
    """Kill every process that has ``name=value`` in its environment; return how many.

    It finds the processes that an earlier run has left: all descendants inherit the variable. It
    finds none where there is no /proc.
    """
    marker = os.fsencode(f"{name}={value}")
    killed = 0
    for entry in os.scandir("/proc") if Path("/proc/self").exists() else ():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if marker in Path(entry.path, "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), KILL)
                killed += 1
        except OSError:
            continue  # it has ended meanwhile, or is not ours
    return killed


def _status(reason: Failure) -> str:
    error = reason.value
    if not isinstance(error, ProcessTerminated):
        return describe_exit(0)
    return describe_exit(error.exitCode if error.signal is None else -error.signal)
