"""The time for which the machine, not an engine, held up a turn.

Linux counts for every thread how long it ran and how long it was ready to run while all processors
were taken (``/proc/PID/task/TID/schedstat``, see proc_pid_schedstat(5)). A wait is counted once the
thread runs again, so one that goes on is recognised by a thread that is ready and makes no
progress.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from yoddd.daemon.play.resources import kept_by
from yoddd.system import allowed_cpus

LOOK: Final = 0.02
"""Seconds after which it is known whether a thread that is ready makes progress.

Linux counts the time of a running thread at each of its ticks, 10 ms apart at most.
"""

_PROC: Final = Path("/proc")
_NANO: Final = 1e-9


@attrs.frozen
class ThreadTimes:
    """The times of one thread since it began, in nanoseconds.

    Attributes:
        ran: on a processor.
        waited: ready to run, without a processor.
    """

    ran: int
    waited: int


def read_threads(pids: Sequence[int], proc: Path = _PROC) -> dict[str, ThreadTimes]:
    """The times of every thread of some processes, by its folder; empty if they are not counted."""
    found = {}
    for pid in pids:
        try:
            threads = os.scandir(f"{proc}/{pid}/task")
        except OSError:
            continue  # it has ended
        for thread in threads:
            times = _read_times(thread.path)
            if times is not None:
                found[thread.path] = times
    return found


def _read_times(folder: str) -> ThreadTimes | None:
    try:
        with open(f"{folder}/schedstat", "rb") as file:  # noqa: PTH123 — pathlib costs twice the time
            ran, waited, _ = file.read().split()
        return ThreadTimes(int(ran), int(waited))
    except (OSError, ValueError):
        return None


def _is_ready(folder: str) -> bool:
    """Whether a thread runs or could run."""
    try:
        # The name of a program may hold anything; its closing bracket is the last one.
        return Path(folder, "stat").read_bytes().rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):
        return False


def is_counted() -> bool:
    """Whether this machine counts the waits of its threads."""
    return _read_times(f"{_PROC}/self") is not None


class RunQueue:
    """Measures for how long the machine has held up the turn of an engine.

    The waits of its threads are added up, but never exceed the part of the turn in which the engine
    had no processor: waits of threads for each other do not count.
    """

    def __init__(self, leader: int, now: Callable[[], float], proc: Path = _PROC) -> None:
        """Prepare for the turns of an engine.

        Args:
            leader: the guard of the engine's processes, which runs on the same processors.
            now: the referee's clock.
            proc: the folder of the processes.
        """
        self._now = now
        self._proc = proc
        # The processes of the engine, as they were when the game began.
        self._pids = kept_by(leader) or [leader]
        # The processors that the engine may use.
        self._processors = _processors(leader)
        # The referee's own thread, which may have to wait as well.
        self._own = f"{proc}/self/task/{os.getpid()}"
        # When the turn began, and the times of the engine and of the referee then.
        self._begun = 0.0
        self._first: dict[str, ThreadTimes] = {}
        self._first_own: ThreadTimes | None = None
        # The moment and the times of the last call of `look`; None before the first of the turn.
        self._last: tuple[float, dict[str, ThreadTimes]] | None = None
        # By thread, seconds that it was ready and that are counted neither as run nor as waited.
        self._pending: dict[str, float] = {}

    def begin(self) -> None:
        """Begin a turn: the request is about to be written."""
        self._begun = self._now()
        self._first = read_threads(self._pids, self._proc)
        self._first_own = _read_times(self._own)
        self._last = None
        self._pending.clear()

    def waited(self) -> float | None:
        """Seconds of the turn that the machine has taken; None if it does not count them."""
        if not self._first:
            return None
        return self._taken(read_threads(self._pids, self._proc))

    def look(self, late: float) -> float:
        """The seconds of `waited`, with current waits, for a turn that is ``late`` seconds late.

        A turn with a thread that may be waiting is excused so far, and gets `LOOK` more, so that
        the next look tells whether it runs.
        """
        if not self._first:
            return 0.0
        now, threads = self._now(), read_threads(self._pids, self._proc)
        ready = [path for path in threads if _is_ready(path)]
        ongoing = {path: self._ongoing(path, threads[path], now) for path in ready}
        self._last = now, threads
        taken = self._taken(threads)
        if None in ongoing.values():
            return max(taken, late) + LOOK
        return taken + max(filter(None, ongoing.values()), default=0.0)

    def _ongoing(self, path: str, times: ThreadTimes, now: float) -> float | None:
        """The wait of a ready thread that is not counted yet; None if it may be waiting now."""
        if self._last is None or path not in self._last[1]:
            return None
        then, before = self._last[0], self._last[1][path]
        counted = (times.ran - before.ran + times.waited - before.waited) * _NANO
        if counted:
            self._pending[path] = 0.0
        idle = max(0.0, now - then - counted)
        self._pending[path] = self._pending.get(path, 0.0) + idle
        return None if idle > (now - then) / 2 else self._pending[path]

    def _taken(self, threads: dict[str, ThreadTimes]) -> float:
        """The part of the turn that is counted."""
        nothing = ThreadTimes(0, 0)
        firsts = [self._first.get(path, nothing) for path in threads]
        pairs = list(zip(threads.values(), firsts, strict=True))
        ran = [times.ran - first.ran for times, first in pairs]
        waited = sum(times.waited - first.waited for times, first in pairs)
        own = _read_times(self._own)
        if own is not None and self._first_own is not None:
            # What the referee itself computed, before the request was written and after the reply.
            waited += own.waited - self._first_own.waited + own.ran - self._first_own.ran
        used = max(max(ran, default=0), sum(ran) / self._processors)
        return max(0.0, min(waited * _NANO, self._now() - self._begun - used * _NANO))


def _processors(pid: int) -> int:
    try:
        return len(allowed_cpus(pid))
    except OSError:  # it has ended
        return 1
