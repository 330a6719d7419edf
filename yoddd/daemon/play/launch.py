"""Starts an engine in a session of its own; run as ``python -I -S launch.py SETTINGS COMMAND…``.

A child that shares the daemon's process group cannot be killed together with its own children,
and `spawnProcess` offers no hook between fork and exec. SETTINGS is a JSON object, see
`yoddd.daemon.play.confinement.Confinement`.

On Linux this process stays, as the *guard*, and starts the *keeper* of the engine: whatever the
engine starts, in whatever session and with whatever environment, becomes a child of the keeper when
its own parent ends, and of the guard if the keeper is killed (`PR_SET_CHILD_SUBREAPER`). The end of
the engine, the signal `END` or the death of the referee, of the guard or of the keeper is the end
of all of them, and the guard ends as the engine has. With ``"namespace": true`` the keeper is the
first process of a PID namespace: the engine can signal neither keeper, guard nor referee, and the
kernel ends all that is in the namespace with the keeper.
"""

import ctypes
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress

NOT_FOUND = 127
NOT_CONFINED = 126

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REC = 0x4000
MS_PRIVATE = 0x40000

END = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Tells the guard to kill everything."""

PATIENCE = 5.0
"""Seconds after which the keeper leaves processes that cannot be killed."""

_PAUSE = 0.002

Settings = dict[str, int | list[int] | str | bool | None]


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; does nothing on systems other than Linux."""
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def unshare(flag: int) -> None:
    """Enter a namespace of one kind, with a user namespace where the rights for it are missing."""
    if sys.platform != "linux":
        raise OSError(0, "only Linux has namespaces")
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(flag) == 0:
        return
    if libc.unshare(CLONE_NEWUSER | flag):
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 — pathlib costs 10 ms
            file.write(text)


def leave_network() -> None:
    """Enter a network namespace without any interface that is up."""
    try:
        unshare(CLONE_NEWNET)
    except OSError as error:
        raise OSError(error.errno, "cannot leave the network") from None


def show_namespace() -> None:
    """Show this process the /proc of its own PID namespace, in a mount namespace of its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if (
        libc.unshare(CLONE_NEWNS)
        or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
        or libc.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
    ):
        raise OSError(ctypes.get_errno(), "cannot mount /proc")


def confine(settings: Settings) -> None:
    """Set the limits, which all that this process starts inherits."""
    import resource

    group = settings.get("group")
    if isinstance(group, str):
        with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:  # noqa: PTH123 — pathlib costs 10 ms
            file.write("0")  # this process
    for name, number in (("cpu", resource.RLIMIT_CPU), ("files", resource.RLIMIT_NOFILE)):
        most = settings.get(name)
        if isinstance(most, int):
            resource.setrlimit(number, (most, most))
    pin(settings)
    if settings.get("network") is False:
        leave_network()
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def pin(settings: Settings) -> None:
    """Run on the CPUs of the engine."""
    cpus = settings.get("cpus")
    if isinstance(cpus, list) and cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)


# -- the guard ------------------------------------------------------------------------------


def main(settings: Settings, command: list[str]) -> None:
    """Start ``command`` and guard it; where there are no keepers, become it."""
    if sys.platform != "linux":
        become(settings, command)
        return
    report = settings.get("report")
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited())
    try:
        os.setsid()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        pin(settings)
        if settings.get("namespace"):
            unshare(CLONE_NEWPID)  # for the keeper: a process itself stays where it is
        prctl(PR_SET_PDEATHSIG, END)
    except (OSError, ValueError) as error:
        fail(f"cannot be confined: {error}", NOT_CONFINED, report)
    if os.getppid() != settings.get("parent"):
        os._exit(0)  # the referee died before the death signal was set
    told, tells = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(told)
        keep_engine(settings, command, tells)
    os.close(tells)
    close_pipes(report)
    end_as(guard(keeper, told))


def guard(keeper: int, told: int) -> int:
    """Wait for the end of the keeper, end all that is left, and return the engine's status."""
    ended: int | None = None
    while ended is None:
        number = signal.sigwait(awaited())
        if number == END:
            break
        if number == signal.SIGTERM:
            os.kill(keeper, signal.SIGTERM)
        ended = reap(keeper, ended)
    ended = end_all(keeper, ended)
    os.set_blocking(told, False)
    try:
        status = os.read(told, 8)
    except BlockingIOError:  # the keeper could not be killed
        status = b""
    return int(status) if status else ended


# -- the keeper -----------------------------------------------------------------------------


def keep_engine(settings: Settings, command: list[str], tells: int) -> None:
    """Start the engine, keep it, and write its status to the pipe ``tells``."""
    report = settings.get("report")
    try:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_PDEATHSIG, END)
        if settings.get("namespace"):
            show_namespace()
    except OSError as error:
        fail(f"cannot be confined: {error}", NOT_CONFINED, report)
    watcher = select.poll()
    watcher.register(tells, 0)
    if watcher.poll(0):
        os._exit(0)  # the guard died before the death signal was set
    keeper = os.getpid()
    engine = os.fork()
    if engine == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited())
        become({**settings, "parent": keeper}, command)
    close_pipes(report)
    status = keep(engine)
    os.write(tells, b"%d" % status)
    os._exit(0)


def awaited() -> set[signal.Signals]:
    """The signals that guard and keeper handle, which Windows lacks."""
    return {signal.SIGCHLD, signal.SIGTERM, END}


def close_pipes(report: object) -> None:
    """Leave the pipes to the engine, so that their ends are those of the engine's own."""
    null = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(null, pipe)
    os.close(null)
    if isinstance(report, int):
        os.close(report)


def keep(engine: int) -> int:
    """Wait for the end of the engine, end all that is left, and return the engine's status."""
    status: int | None = None
    while status is None:
        number = signal.sigwait(awaited())
        if number == END:
            break
        if number == signal.SIGTERM:
            try:
                os.killpg(engine, signal.SIGTERM)
            except ProcessLookupError:  # it has not called setsid yet, or has just ended
                os.kill(engine, signal.SIGTERM)
        status = reap(engine, status)
    return end_all(engine, status)


def reap(engine: int, status: int | None) -> int | None:
    """Forget the children that have ended; return the status of the engine if it is known."""
    while True:
        try:
            pid, found = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == engine:
            status = found


def end_all(engine: int, status: int | None) -> int:
    """Kill every descendant, again and again until there is none; return the engine's status."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            with suppress(OSError):  # it has ended meanwhile, or has rights of its own
                os.kill(pid, signal.SIGKILL)
        status = reap(engine, status)
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            break  # none is left
        time.sleep(_PAUSE)
    return signal.SIGKILL if status is None else status


def descendants(ancestor: int, below: int = 1) -> list[int]:
    """The processes that ``ancestor`` has started, and those that they have.

    With ``below`` 2 the children of ``ancestor`` itself are left out.
    """
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 — pathlib costs 10 ms
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 — likewise
                    # The name of a program may hold anything; its closing bracket is the last one.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                continue  # it has ended meanwhile
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    row, depth = [ancestor], 0
    while row and depth <= len(children):  # a number that is used again could close a circle
        row, depth = [pid for parent in row for pid in children.get(parent, ())], depth + 1
        found += row if depth >= below else []
    return sorted(found)


def end_as(status: int) -> None:
    """Exit as the engine has, whose status tells the referee why."""
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    import resource

    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    os._exit(128 + number)


# -- the engine -----------------------------------------------------------------------------


def become(settings: Settings, command: list[str]) -> None:
    """Become ``command`` as the leader of a new session that ends with the referee."""
    os.setsid()
    report = settings.get("report")
    if isinstance(report, int):
        os.set_inheritable(report, False)
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != settings.get("parent"):
            os._exit(0)  # the referee died before the death signal was set
        confine(settings)
    except (OSError, ValueError) as error:
        fail(f"cannot be confined: {error}", NOT_CONFINED, report)
    try:
        os.execvp(command[0], command)  # noqa: S606 — an argument vector, no shell
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}", NOT_FOUND, report)


def fail(text: str, status: int, report: object) -> None:
    """Write the error, tell the referee that the engine is not at fault, and exit."""
    if isinstance(report, int):
        os.write(report, b"not started")
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2:])
