"""Limits of the resident memory of an engine and of all that it has started.

Address space says little: a JVM and a tree reserve far more than they use. Where this process may
make control groups (cgroup v2, delegated), the kernel keeps the limit. Elsewhere the memory of the
engine's processes is sampled.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, Self

from yoddd.daemon.play.launch import descendants
from yoddd.system import page_size

MIB: Final = 1 << 20

REFRESH: Final = 10
"""Samples from one search for the processes of an engine to the next: it reads all of /proc."""

_PROC: Final = Path("/proc")
_PAGE: Final = page_size()
_GROUPS: Final = count(1)
"""Numbers the control groups of this process."""


# -- sampling -------------------------------------------------------------------------------


def kept_by(guard: int) -> list[int]:
    """The processes of an engine, whatever their sessions: those below its guard and keeper."""
    return descendants(guard, below=2) if _PROC.is_dir() else []


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


class EngineMemory:
    """Measures the resident memory of all processes of an engine, again and again."""

    def __init__(self, guard: int) -> None:
        """Create it for the engine of a guard, whose own memory and its keeper's do not count."""
        self._guard = guard
        # The processes that the last search found.
        self._found: list[int] = []
        # Samples until the next search.
        self._left = 0

    def exceeds(self, limit: int) -> int | None:
        """The memory in bytes if it is more than ``limit``, else None."""
        if not self._left:
            self._left = REFRESH
            self._found = kept_by(self._guard)
        self._left -= 1
        used = sum(map(resident, self._found))
        if used > limit and len(self._found) > 1:  # what a fork shares with its parent counts twice
            used = sum(map(share, self._found))
        return used if used > limit else None


# -- control groups -------------------------------------------------------------------------


class ControlGroup:
    """A control group with a limit of memory, for one engine.

    Attributes:
        path: its folder.
    """

    def __init__(self, path: Path, limit: int) -> None:
        """Make the group ``path`` with a limit in bytes.

        Raises:
            OSError: it cannot be made.
        """
        self.path = path
        path.mkdir()
        (path / "memory.max").write_text(str(limit))
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            with suppress(OSError):  # a kernel without swap, or before 4.19
                (path / name).write_text(value)

    @classmethod
    def make(cls, limit: int) -> Self | None:
        """A group of its own; None where this process may make none."""
        parent = delegated()
        if parent is None:
            return None
        try:
            return cls(parent / f"yoddd-{os.getpid()}-{next(_GROUPS)}", limit)
        except OSError:
            return None

    @property
    def was_exceeded(self) -> bool:
        """Whether the kernel has killed a process for the limit."""
        try:
            words = (self.path / "memory.events").read_text().split()
        except OSError:
            return False
        events = dict(zip(words[::2], words[1::2], strict=True))
        return events.get("oom_kill", "0") != "0"

    def remove(self) -> None:
        """Kill what is left in it, and remove it if nothing is."""
        with suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        with suppress(OSError):
            self.path.rmdir()


@cache
def delegated() -> Path | None:
    """The control group in which this process may limit the memory of others; None without one.

    A group with processes of its own cannot limit its parts, so this process moves to a part, if
    it is alone in the group.
    """
    own = own_group(_PROC / "self")
    if own is None or not os.access(own, os.W_OK):
        return None
    try:
        if "memory" in (own / "cgroup.subtree_control").read_text().split():
            return own
        alone = (own / "cgroup.procs").read_text().split() == [str(os.getpid())]
        if not alone or "memory" not in (own / "cgroup.controllers").read_text().split():
            return None
        leaf = own / "yoddd-referee"
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        (own / "cgroup.subtree_control").write_text("+memory")
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
