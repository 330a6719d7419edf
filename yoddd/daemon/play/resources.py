"""The processes, memory and processor time that engines take of the machine, and their limits.

Where this process may make control groups (cgroup v2, delegated), the kernel keeps the limits.
Elsewhere all engines that have limits are measured together, as often as that costs little. Address
space says little: a JVM and a tree reserve far more than they use, so resident memory counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, Self

import attrs
from twisted.internet.base import DelayedCall

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import processor_clock
from yoddd.daemon.play.confinement import HAS_KEEPERS, Confinement, has_namespaces
from yoddd.kernel.backend import REMEDY
from yoddd.system import allowed_cpus, page_size

MIB: Final = 1 << 20

WATCH: Final = 0.05
"""Seconds between two measurements of what engines use, or more; see `SHARE`."""

SHARE: Final = 0.02
"""Of a processor, what the measurements take at most."""

_PROC: Final = Path("/proc")
_PAGE: Final = page_size()
_GROUPS: Final = count(1)
"""Numbers the control groups of this process."""


def refusal(limits: Confinement) -> str | None:
    """The reason why this machine cannot keep all limits of an engine; None if it can."""
    if not HAS_KEEPERS and (limits.is_counted or not limits.network):
        named = "memory, processes and network"
        return f"{named} can be limited only on Linux with the native kernel; {REMEDY}"
    if limits.processes is None or has_namespaces() or delegated() is not None:
        return None
    return (
        "cannot limit processes: the system allows neither PID namespaces nor control groups; try "
        "systemd-run --user --scope -p Delegate=yes yoddd ..."
    )


# -- measuring ------------------------------------------------------------------------------


class Family:
    """The processes of this machine and what each has started, as they were at the last `look`."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}

    def look(self) -> None:
        """Look again. Only what is new, or has lost its parent, is read."""
        found = {int(name) for name in os.listdir(_PROC) if name.isdigit()} | {0}  # noqa: PTH208 — pathlib costs twice the time
        parents = {
            child: parent
            for child, parent in self._parents.items()
            if child in found and parent in found
        }
        for pid in found - parents.keys():
            # It may end meanwhile. Its name may hold anything; its closing bracket is the last one.
            with suppress(OSError, IndexError), open(f"{_PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 — likewise
                parents[pid] = int(file.read().rpartition(b")")[2].split()[1])
        self._parents = parents
        self._children = {}
        for child, parent in parents.items():
            self._children.setdefault(parent, []).append(child)

    def descendants(self, ancestor: int, below: int = 1) -> list[int]:
        """The processes that ``ancestor`` has started, and those that they have.

        With ``below`` 2 the children of ``ancestor`` itself are left out.
        """
        found: list[int] = []
        row, depth = [ancestor], 0
        # A number that is used again could close a circle.
        while row and depth <= len(self._children):
            row = [child for parent in row for child in self._children.get(parent, ())]
            depth += 1
            found += row if depth >= below else []
        return sorted(found)


def descendants(ancestor: int, below: int = 1) -> list[int]:
    """See `Family.descendants`, as they are now."""
    family = Family()
    family.look()
    return family.descendants(ancestor, below)


def kept_by(guard: int) -> list[int]:
    """The processes of an engine, whatever their sessions: those below its guard and keeper."""
    return descendants(guard, below=2) if HAS_KEEPERS else []


def resident(pid: int) -> int:
    """The resident memory of a process in bytes; 0 once it has ended."""
    try:
        return int((_PROC / str(pid) / "statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def share(pid: int) -> int:
    """The resident bytes of a process, with shared pages divided among the processes."""
    try:
        for line in (_PROC / str(pid) / "smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resident(pid)


def excess(limits: Confinement, pids: list[int]) -> str | None:
    """The limit that the processes of an engine exceed, for the text of its end."""
    if limits.processes is not None and len(pids) > limits.processes:
        return f"more than {limits.processes} processes"
    if limits.memory is None:
        return None
    used = sum(map(resident, pids))
    if used > limits.memory * MIB and len(pids) > 1:  # a fork shares pages with its parent
        used = sum(map(share, pids))
    if used <= limits.memory * MIB:
        return None
    return f"more than {limits.memory} MiB of memory: {used // MIB}"


class Watch:
    """Measures the processes of all engines that have limits, in one look at the machine."""

    def __init__(self, reactor: Reactor) -> None:
        """Prepare; it looks while there are engines."""
        self._reactor = reactor
        self._family = Family()
        # By the guard of an engine, its limits and what is called once they are exceeded.
        self._engines: dict[int, tuple[Confinement, Callable[[str], None]]] = {}
        # The next look; None while there are no engines.
        self._next: DelayedCall | None = None

    def add(self, guard: int, limits: Confinement, exceeded: Callable[[str], None]) -> None:
        """Watch the engine of a guard; ``exceeded`` is called once, with the limit."""
        if self._next is None:
            self._family = Family()  # the numbers of its processes may be those of others now
            self._next = self._reactor.callLater(WATCH, self._look)
        self._engines[guard] = limits, exceeded

    def remove(self, guard: int) -> None:
        """Watch the engine no longer."""
        self._engines.pop(guard, None)
        if self._next is not None and not self._engines:
            self._next.cancel()
            self._next = None

    def _look(self) -> None:
        self._next = None
        spent = processor_clock()
        self._family.look()
        for guard, (limits, exceeded) in list(self._engines.items()):
            found = excess(limits, self._family.descendants(guard, below=2))
            if found is not None:
                del self._engines[guard]
                exceeded(found)
        if self._engines:
            self._next = self._reactor.callLater(max(WATCH, spent() / SHARE), self._look)


@cache
def watch_of(reactor: Reactor) -> Watch:
    """The one watch of all engines of a reactor."""
    return Watch(reactor)


# -- control groups -------------------------------------------------------------------------


class ControlGroup:
    """A control group with the limits of one engine.

    Attributes:
        path: its folder.
    """

    def __init__(self, path: Path, limits: Confinement) -> None:
        """Make the group ``path`` with limits of memory and of processes.

        Raises:
            OSError: it cannot be made.
        """
        self.path = path
        self._limits = limits
        path.mkdir()
        if limits.processes is not None:
            (path / "pids.max").write_text(str(limits.processes))
        if limits.memory is not None:
            (path / "memory.max").write_text(str(limits.memory * MIB))
            for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
                with suppress(OSError):  # a kernel without swap, or before 4.19
                    (path / name).write_text(value)

    @classmethod
    def make(cls, limits: Confinement) -> Self | None:
        """A group of its own; None where this process may make none, or if none is needed."""
        parent = delegated() if limits.is_counted else None
        with suppress(OSError):
            if parent is not None:
                return cls(parent / f"yoddd-{os.getpid()}-{next(_GROUPS)}", limits)
        return None

    @property
    def excess(self) -> str | None:
        """The limit for which the kernel has killed or refused a process."""
        if self._happened("memory.events", "oom_kill"):
            return f"more than {self._limits.memory} MiB of memory"
        if self._happened("pids.events", "max"):
            return f"more than {self._limits.processes} processes"
        return None

    def _happened(self, file: str, event: str) -> bool:
        try:
            words = (self.path / file).read_text().split()
        except OSError:
            return False
        return dict(zip(words[::2], words[1::2], strict=True)).get(event, "0") != "0"

    def remove(self) -> None:
        """Kill what is left in it, and remove it if nothing is."""
        with suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        with suppress(OSError):
            self.path.rmdir()


@cache
def delegated() -> Path | None:
    """The control group in which this process may limit others; None without one.

    A group with processes of its own cannot limit its parts, so this process moves to a part, if
    it is alone in the group.
    """
    own, wanted = own_group(_PROC / "self"), {"memory", "pids"}
    if own is None or not os.access(own, os.W_OK):
        return None
    try:
        if wanted.issubset((own / "cgroup.subtree_control").read_text().split()):
            return own
        alone = (own / "cgroup.procs").read_text().split() == [str(os.getpid())]
        if not alone or not wanted.issubset((own / "cgroup.controllers").read_text().split()):
            return None
        leaf = own / "yoddd-referee"
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        (own / "cgroup.subtree_control").write_text("+memory +pids")
    except OSError:
        return None
    return own


def own_group(proc: Path) -> Path | None:
    """The folder of the cgroup v2 of a process, given its folder in /proc; None without one."""
    try:
        groups = (proc / "cgroup").read_text().splitlines()
        mounts = (proc / "mountinfo").read_text().splitlines()
    except OSError:
        return None
    inside = next((line.removeprefix("0::") for line in groups if line.startswith("0::")), None)
    for line in mounts:
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 ") and inside is not None:
            root, point = before.split()[3:5]
            try:
                return Path(point) / Path(inside).relative_to(root)
            except ValueError:  # outside of what is mounted here
                return None
    return None


# -- waits for a processor ------------------------------------------------------------------

LOOK: Final = 0.02
"""Seconds after which it is known whether a thread that is ready makes progress.

Linux counts the time of a running thread at each of its ticks, 10 ms apart at most.
"""

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


def counts_waits() -> bool:
    """Whether this machine counts the waits of its threads."""
    return _read_times(f"{_PROC}/self") is not None


class RunQueue:
    """Measures for how long the machine, not an engine, has held up a turn.

    Linux counts for every thread how long it ran and how long it was ready to run while all
    processors were taken (``/proc/PID/task/TID/schedstat``, see proc_pid_schedstat(5)). A wait is
    counted once the thread runs again, so one that goes on is recognised by a thread that is ready
    and makes no progress.

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
