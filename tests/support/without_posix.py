"""Runs the command line as on a system without POSIX: ``python without_posix.py ARG…``.

Our own modules find none of the modules and functions that only POSIX systems have. Twisted, which
has another implementation for Windows, keeps them.
"""

from __future__ import annotations

import builtins
import fcntl
import os
import signal
import socket
import subprocess  # noqa: F401 — see below
import sys
from types import ModuleType
from typing import Any, cast

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"})
NAMES = {
    os: frozenset(
        {"O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "fork", "getgid", "getpgid", "getuid"}
        | {"getloadavg", "killpg", "nice", "pread", "sched_getaffinity"}
        | {"sched_setaffinity", "setsid", "sysconf", "uname", "wait3"}
    ),
    socket: frozenset({"AF_UNIX"}),
    signal: frozenset({"SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "pthread_sigmask"}),
}


def _reduced(module: ModuleType, without: frozenset[str]) -> ModuleType:
    twin = ModuleType(module.__name__)
    twin.__dict__.update({key: one for key, one in vars(module).items() if key not in without})
    return twin


REDUCED = {module.__name__: _reduced(module, names) for module, names in NAMES.items()}
_import = builtins.__import__


def _windows_locks() -> ModuleType:
    """The part of Windows' module ``msvcrt`` that locks files."""
    module: Any = ModuleType("msvcrt")
    module.LK_NBLCK = 2
    module.locking = lambda handle, _mode, _bytes: fcntl.flock(
        handle, fcntl.LOCK_EX | fcntl.LOCK_NB
    )
    return cast("ModuleType", module)


# The standard library, imported before, does not see it: it would believe that this is Windows.
sys.modules["msvcrt"] = _windows_locks()


def hide(name: str, globals: Any = None, *args: Any, **rest: Any) -> ModuleType:  # noqa: A002 — Python's own
    """Import as Python does, but hide from our modules what Windows lacks."""
    ours = globals is not None and str(globals.get("__name__")).startswith("yoddd")
    if ours and name in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if ours and name in REDUCED:
        return REDUCED[name]
    return _import(name, globals, *args, **rest)


if __name__ == "__main__":
    builtins.__import__ = hide
    from yoddd.cli import main

    main(sys.argv[1:], prog_name="yoddd")
