"""The start of an engine: its command line, its surroundings and its limits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import attrs

from yoddd.system import HAS_SESSIONS, INHERITED_FILES, own_command


def _launcher() -> tuple[str, ...]:
    kernel = find_spec("yoddd.kernel._native")
    guard = Path(kernel.origin).with_name("yoddd-guard") if kernel and kernel.origin else None
    if guard is not None and os.access(guard, os.X_OK):  # not where nothing may be started
        return (str(guard),)
    return tuple(own_command("yoddd.daemon.play.launch"))


LAUNCHER: Final = _launcher()
"""The command that becomes the program after it has confined itself, or that stays to guard it.

Its words are settings, ``--``, and the command line of the program.
"""

HAS_KEEPERS: Final = len(LAUNCHER) == 1
"""Whether the launcher stays and guards what it starts: ``src/guard.cpp`` of the kernel does."""


@attrs.frozen(kw_only=True)
class Confinement:
    """Limits of what a child may use; None for no limit.

    Attributes:
        memory: resident memory in MiB, of all its processes.
        cpu: seconds of CPU time.
        files: open files.
        processes: at once; they are counted, and all are killed if there are more.
        network: whether it has one.
        cpus: the CPUs that it runs on; all of them if empty.
    """

    memory: int | None = None
    cpu: int | None = None
    files: int | None = None
    processes: int | None = None
    network: bool = True
    cpus: tuple[int, ...] = ()

    @property
    def is_counted(self) -> bool:
        """Whether memory or processes are limited."""
        return self.memory is not None or self.processes is not None

    def settings(self, **more: object) -> list[str]:
        """The settings of the launcher; what is None or empty is left out."""
        settings = {
            "parent": os.getpid(),
            "namespace": int(has_namespaces()),
            "cpu": self.cpu,
            "files": self.files,
            # Programs that use select() fail beyond 1024, and this process has raised its limit.
            "usual_files": INHERITED_FILES if self.files is None else None,
            "network": int(self.network),
            "cpus": ",".join(map(str, self.cpus)) or None,
            **more,
        }
        return [f"{key}={value}" for key, value in settings.items() if value is not None]


@cache
def has_namespaces() -> bool:
    """Whether an engine can have a PID namespace of its own; the first call tries it."""
    if not HAS_KEEPERS:
        return False
    words = [*LAUNCHER, f"parent={os.getpid()}", "namespace=1", "--", "true"]
    with suppress(OSError, subprocess.TimeoutExpired):
        return not subprocess.run(words, capture_output=True, timeout=5, check=False).returncode
    return False


def leftovers() -> str | None:
    """The processes that an engine can leave behind on this machine, in words, or None."""
    if not HAS_KEEPERS:
        return "a process that it starts in a session of its own"
    if not has_namespaces():
        return "what it has started, if it kills its guard and its keeper at one moment"
    return None


FREE: Final = Confinement()
"""No limits."""


@attrs.frozen(kw_only=True)
class Launch:
    """The command line of an engine, and the surroundings that it is started in.

    Attributes:
        command: the command line.
        cwd: its working folder; None for that of this process.
        env: environment variables besides those of this process.
        confinement: the limits of what it may use.
        log: the folder of the log of every byte to and from it; None for no log.
        name: of the engine, in the log's.
    """

    command: str
    cwd: str | None = None
    env: Mapping[str, str] = attrs.Factory(dict)
    confinement: Confinement = FREE
    log: Path | None = None
    name: str = "engine"


def launch_of(words: Sequence[str], settings: Sequence[str]) -> tuple[str, list[str]]:
    """The program to start for a command and its arguments, itself included.

    It is the launcher; where there are no sessions (Windows) it is the command itself, which runs
    without limits.
    """
    command = [*LAUNCHER, *settings, "--", *words] if HAS_SESSIONS else list(words)
    return command[0], command
