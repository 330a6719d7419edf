"""Starts an engine in a session of its own; run as ``python -I -S launch.py SETTINGS COMMAND…``.

A child that shares the daemon's process group cannot be killed together with its own children,
and `spawnProcess` offers no hook between fork and exec. SETTINGS is a JSON object, see
`yoddd.daemon.play.processes.Confinement`.

On Linux this process stays, as the keeper of the engine: whatever the engine starts, in whatever
session and with whatever environment, becomes a child of the keeper when its own parent ends
(`PR_SET_CHILD_SUBREAPER`). The end of the engine, the signal `END` or the death of the referee is
the end of all of them, and the keeper ends as the engine has.
"""

import ctypes
import json
import os
import signal
import sys
import time
from contextlib import suppress

NOT_FOUND = 127
NOT_CONFINED = 126

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

END = getattr(signal, "SIGUSR1", signal.SIGTERM)
"""Tells the keeper to kill everything; SIGKILL would end the keeper alone."""

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


def leave_network() -> None:
    """Enter a network namespace without any interface that is up."""
    if sys.platform != "linux":
        raise OSError(0, "cannot leave the network: only Linux can")
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET) == 0:
        return
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "cannot leave the network")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123 — likewise
            file.write(text)


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


# -- the keeper -----------------------------------------------------------------------------


def main(settings: Settings, command: list[str]) -> None:
    """Start ``command`` and keep it; where there are no keepers, become it."""
    if sys.platform != "linux":
        become(settings, command)
        return
    report = settings.get("report")
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited())
    try:
        os.setsid()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_PDEATHSIG, END)
        pin(settings)
    except (OSError, ValueError) as error:
        fail(f"cannot be confined: {error}", NOT_CONFINED, report)
    if os.getppid() != settings.get("parent"):
        os._exit(0)  # the referee died before the death signal was set
    keeper = os.getpid()
    engine = os.fork()
    if engine == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited())
        become({**settings, "parent": keeper}, command)
    close_pipes(report)
    end_as(keep(engine))


def awaited() -> set[signal.Signals]:
    """The signals that the keeper handles, which Windows lacks."""
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


def descendants(ancestor: int) -> list[int]:
    """The processes that ``ancestor`` has started, and those that they have."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 — pathlib costs 10 ms
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 — likewise
                    # The name of a program may hold anything; its closing bracket is the last one.
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                continue  # it has ended meanwhile
    found = {ancestor}
    grows = True
    while grows:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grows = bool(more)
    return sorted(found - {ancestor})


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
