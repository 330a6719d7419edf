"""Locks, processes and memory, which operating systems do differently.

No other module below the daemon's services imports what only POSIX systems have, so that library,
engine, `yoddd gtp`, matches and converters run on Windows too. Where a system lacks something the
function says what it does instead.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

_fcntl: Any
_resource: Any
try:
    import fcntl
    import resource
except ModuleNotFoundError:
    _fcntl = _resource = None
else:
    _fcntl, _resource = fcntl, resource

KILL: Final[signal.Signals] = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Ends a process that cannot refuse it."""

HAS_SESSIONS: Final = hasattr(os, "setsid")
"""Whether a program can have a session of its own, and be killed with all that it has started."""

BROKEN_PIPE: Final = 128 + getattr(signal, "SIGPIPE", 13)
"""The exit status of a program whose output is not read to the end."""

_FILES: Final = 1 << 16

INHERITED_FILES: Final[int | None] = _resource and _resource.getrlimit(_resource.RLIMIT_NOFILE)[0]
"""The limit of open files that this process was started with, as engines are; None without one."""


# -- files ----------------------------------------------------------------------------------


def lock_exclusively(handle: int) -> None:
    """Lock an open file until it is closed; the system frees the lock of a process that ends.

    Raises:
        BlockingIOError: another process has the lock.
    """
    if _fcntl is not None:
        _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        return
    msvcrt = importlib.import_module("msvcrt")
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        raise BlockingIOError(error.errno, error.strerror) from None


def open_lock(path: Path, mode: int) -> int:
    """Open or make a file that is locked, which no program that is started inherits."""
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), mode)


def lock_by_name(handle: int) -> None:
    """Lock an open file as `lock_exclusively` does, on this machine only.

    It stands in where a file system has no locks: from now on the handle is that of a socket with
    the number of the file as its name, which Linux frees with it.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: there are no such names.
    """
    file = os.fstat(handle)
    with socket.socket(getattr(socket, "AF_UNIX", socket.AF_INET)) as held:
        try:
            held.bind(f"\0yoddd-{file.st_dev}-{file.st_ino}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise BlockingIOError(error.errno, error.strerror) from None
        os.dup2(held.fileno(), handle, inheritable=False)


_CANNOT_SYNC: Final = frozenset(
    getattr(errno, name, None)
    for name in ("EACCES", "EBADF", "EINVAL", "EISDIR", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM")
)


def sync(target: int | Path) -> None:
    """Write an open file, or a folder with its entries, to the disk, where the system can.

    Raises:
        OSError: it has not been written.
    """
    try:
        if isinstance(target, int):
            os.fsync(target)
            return
        handle = os.open(target, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:  # Windows opens no folders, and some file systems do not sync them
        if error.errno not in _CANNOT_SYNC:
            raise


@contextmanager
def naming(name: object) -> Iterator[None]:
    """Name the file in errors that name none, such as those of a write."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(name)
        raise


def raise_file_limit() -> int:
    """Raise the limit of open files as far as the system lets us, and return it."""
    if _resource is None:
        return sys.maxsize
    soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
    if soft == _resource.RLIM_INFINITY:
        return sys.maxsize
    wanted = _FILES if hard == _resource.RLIM_INFINITY else hard
    with suppress(OSError, ValueError):  # macOS refuses more than its kernel has
        _resource.setrlimit(_resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    return int(_resource.getrlimit(_resource.RLIMIT_NOFILE)[0])


def name_passed_sockets() -> None:
    """Name the sockets that a service manager has passed without names, as sd_listen_fds(3) does.

    Twisted takes none of them without names.
    """
    count, names = os.environ.get("LISTEN_FDS", ""), os.environ.get("LISTEN_FDNAMES", "")
    if count.isdecimal() and (not names or len(names.split(":")) != int(count)):
        os.environ["LISTEN_FDNAMES"] = ":".join(["unknown"] * int(count))


# -- standard streams -----------------------------------------------------------------------


def use_streams() -> None:
    """Make standard streams that take any text, and go nowhere where they are closed.

    A character that the encoding of a stream lacks is escaped by its number. Without this the next
    file that is opened would get the number of a closed stream, and with it what is printed.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
        stream = getattr(sys, name)
        if stream is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif number and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_broken(stream: IO[str]) -> bool:
    """Whether a stream is a pipe or a socket that no one reads any more; False where unknown."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(found & select.POLLERR for _, found in poll.poll(0))


def leave_terminal() -> None:
    """Go on without the terminal, which has been closed: what is printed there goes nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        if os.isatty(number):
            os.dup2(null, number)
    os.close(null)


# -- the machine ----------------------------------------------------------------------------


def page_size() -> int:
    """The bytes of a page of memory; 4096 where the system does not say."""
    return os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def allowed_cpus(pid: int = 0) -> list[int]:
    """The CPUs that a process, by default this one, may use; all where the system does not say."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(pid))
    return list(range(os.cpu_count() or 1))


def processors() -> int:
    """The number of processors that this process may use, by its affinity and by quotas."""
    quotas = [
        quota // period
        for files in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
        for quota, period in _group_limits("cpu", *files)
        if quota > 0  # -1 is none
    ]
    return max(1, min([len(allowed_cpus()), *quotas]))


def memory() -> int:
    """The bytes of memory that this process may use; a great number where the system is silent."""
    known = hasattr(os, "sysconf")
    physical = os.sysconf("SC_PHYS_PAGES") * page_size() if known else sys.maxsize
    # Above `memory.high` the system holds the process up instead of ending it.
    names = ("memory.max", "memory.high", "memory.limit_in_bytes")
    return min([physical, *(most for name in names for (most,) in _group_limits("memory", name))])


_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")


def _group_limits(controller: str, *files: str) -> Iterator[list[int]]:
    """The numbers in files of the control groups of this process and of those around them.

    Both hierarchies count, where they are usually mounted; see cgroups(7). A group whose file is
    absent or has the word ``max`` is left out.
    """
    with suppress(OSError):
        for line in _OWN_GROUPS.read_text(encoding="utf-8").splitlines():
            _, names, path = line.split(":", 2)
            if names and controller not in names.split(","):
                continue
            for top in {_GROUPS / names, _GROUPS / (controller if names else "unified")}:
                folder = top / path.strip("/")
                for group in (folder, *folder.parents):
                    with suppress(OSError, ValueError):
                        texts = [(group / file).read_text(encoding="ascii") for file in files]
                        yield [int(word) for text in texts for word in text.split()]
                    if group == top:
                        break


# -- processes ------------------------------------------------------------------------------


def own_command(module: str, *arguments: str) -> list[str]:
    """The command line of every interpreter that we start: it runs a module of ours.

    It imports neither from the working folder nor from ``PYTHONPATH``, where a bot's ``random.py``
    or a folder ``yoddd`` would hide the real ones, unless this process has found ``yoddd`` there.
    """
    start = [sys.executable, "-P", "-E"]
    added = _added_folders()
    if not added:
        return [*start, "-m", module, *arguments]
    # Behind the standard library, and before all that is installed beside another yoddd.
    code = (
        f"import runpy, site, sys; n = len(sys.path); site.main(); sys.path[n:n] = {added}; "
        f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [*start, "-S", "-c", code, *arguments]


@contextmanager
def safe_path() -> Iterator[None]:
    """Let `multiprocessing` start interpreters as `own_command` does within this context.

    As soon as they run they have the path of this process.
    """
    before = {name: os.environ.pop(name, None) for name in ("PYTHONPATH", "PYTHONSAFEPATH")}
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        os.environ.update({name: value for name, value in before.items() if value is not None})


def _added_folders() -> list[str]:
    """The folders of this process's path that are neither those of Python nor a user's own."""
    paths = os.environ.get("PYTHONPATH", "")
    by_user = paths.split(os.pathsep) if paths and not sys.flags.ignore_environment else []
    by_user += [] if sys.flags.safe_path else sys.path[:1]
    users = {Path(path).absolute() for path in by_user}
    if Path(__file__).absolute().parents[1] in users:
        users.clear()
    return [
        str(path)
        for path in map(Path.absolute, map(Path, sys.path))
        if path not in users
        and not path.is_relative_to(sys.prefix)
        and not path.is_relative_to(sys.base_prefix)
    ]


def kill_group(pid: int, number: signal.Signals) -> None:
    """Signal a process and all that it has started; does nothing where it has ended.

    Without process groups (Windows) its children are found by their parents and ended at once.
    """
    if not hasattr(os, "killpg"):
        command = ["taskkill", "/T", "/F", "/PID", str(pid)]
        with suppress(OSError):
            subprocess.run(command, capture_output=True, check=False)
        with suppress(OSError):
            os.kill(pid, KILL)
        return
    # Until its launcher has called setsid the process has no group of its own.
    for send in (os.killpg, os.kill):
        try:
            send(pid, number)
        except ProcessLookupError:
            continue
        return


def describe_exit(status: int) -> str:
    """Describe how a process has ended.

    Args:
        status: as `subprocess` has it: the number of the signal that killed it, negated, or its
            exit status.
    """
    if status >= 0:
        return f"exit status {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"killed by {names.get(-status, f'signal {-status}')}"
