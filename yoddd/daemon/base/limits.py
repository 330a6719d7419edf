"""The limits of memory that follow from the machine where no key sets them."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from yoddd.daemon.base.settings import Limits
from yoddd.system import physical_memory

_ROOT: Final = Path("/sys/fs/cgroup")


@cache
def machine_memory() -> int:
    """Return the bytes of memory that this process may use at most."""
    total = physical_memory()
    with suppress(OSError):
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8")
        total = min([total, *group_limits(groups, _ROOT)])
    return total


def group_limits(groups: str, root: Path) -> list[int]:
    """Return the limits in bytes of control groups and of those around them.

    Args:
        groups: the text of ``/proc/self/cgroup``, see cgroups(7).
        root: the folder at which control groups are mounted.
    """
    found: list[int] = []
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        top = root / controllers
        # Above `memory.high` the system holds the process up instead of ending it.
        names = ("memory.limit_in_bytes",) if controllers else ("memory.max", "memory.high")
        folder = top / path.strip("/")
        for each in (folder, *folder.parents):
            for name in names:
                with suppress(OSError, ValueError):  # no such file, or the word max
                    found.append(int((each / name).read_text(encoding="ascii")))
            if each == top:
                break
    return found


MEMORY_SHARE: Final = 0.75
"""The default of ``limits.memory`` as a part of the machine's or control group's memory."""

TREES_SHARE: Final = 0.25
"""The default of ``limits.trees`` as a part of ``limits.memory``."""


def most_memory(limits: Limits) -> int:
    """Return the bytes above which the process is short of memory."""
    return limits.memory << 20 or int(MEMORY_SHARE * machine_memory())


def tree_memory(limits: Limits) -> int:
    """Return the bytes of all search trees together."""
    return limits.trees << 20 or int(TREES_SHARE * most_memory(limits))
