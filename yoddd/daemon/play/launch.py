"""Starts an engine in a session of its own; run as ``python -I -S launch.py SETTINGS COMMAND…``.

A child that shares the daemon's process group cannot be killed together with its own children,
and `spawnProcess` offers no hook between fork and exec. SETTINGS is a JSON object, see
`yoddd.daemon.play.processes.Confinement`.
"""

import ctypes
import json
import os
import resource
import signal
import sys

NOT_FOUND = 127
NOT_CONFINED = 126

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

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
    group = settings.get("group")
    if isinstance(group, str):
        with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:  # noqa: PTH123 — pathlib costs 10 ms
            file.write("0")  # this process
    for name, number in (("cpu", resource.RLIMIT_CPU), ("files", resource.RLIMIT_NOFILE)):
        most = settings.get(name)
        if isinstance(most, int):
            resource.setrlimit(number, (most, most))
    cpus = settings.get("cpus")
    if isinstance(cpus, list) and cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)
    if settings.get("network") is False:
        leave_network()
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def main(settings: Settings, command: list[str]) -> None:
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
