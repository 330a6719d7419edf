"""Runs a program below the system call filter of a systemd unit, or of Docker's containers.

    python tests/support/seccomp.py docs/deploy/yoddd.service yoddd serve
    python tests/support/seccomp.py docker yoddd serve

systemd does more than this (users, mounts, capabilities); of a unit these keys are followed, as
systemd.exec(5) describes them: SystemCallFilter, SystemCallErrorNumber, RestrictAddressFamilies and
RestrictNamespaces. The groups of system calls are those that `systemd-analyze syscall-filter`
prints. Needs libseccomp.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

DOCKER: Final = "docker"

# Source: docs.docker.com/engine/security/seccomp, "Significant syscalls blocked by the default
# profile", as a process without further capabilities meets it.
DOCKER_REFUSES: Final = """
    acct add_key bpf clock_settime create_module delete_module finit_module get_kernel_syms
    get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp
    kexec_file_load kexec_load keyctl lookup_dcookie mbind mount move_pages nfsservctl
    open_by_handle_at perf_event_open pivot_root query_module quotactl reboot request_key
    set_mempolicy setns settimeofday swapoff swapon sysfs _sysctl umount umount2 unshare uselib
    userfaultfd ustat vhangup
"""

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000
_EQUAL: Final = 4
_AT_LEAST: Final = 5
_UNKNOWN: Final = -1
"""Constants of seccomp.h: actions, comparisons, and the number of an unknown name."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


class Filter:
    """A filter that can be loaded into this process and all that it starts."""

    def __init__(self, default: int) -> None:
        """Do ``default`` for calls without a rule."""
        self._library = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2")
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(default)))
        self._default = default

    def add(self, action: int, names: Iterable[str], *comparisons: _Comparison) -> None:
        """Do ``action`` for the calls that this machine has of ``names``."""
        if action == self._default and not comparisons:
            return
        for name in names:
            number = self._library.seccomp_syscall_resolve_name(name.encode())
            if number != _UNKNOWN:
                self._add(action, number, *comparisons)

    def _add(self, action: int, number: int, *comparisons: _Comparison) -> None:
        array: Any = (_Comparison * len(comparisons))(*comparisons)
        status = self._library.seccomp_rule_add_array(
            self._context, ctypes.c_uint32(action), number, len(comparisons), array
        )
        # Numbers below 0 stand for calls of other machines.
        if status and number >= 0:
            raise OSError(-status, os.strerror(-status))

    def load(self) -> None:
        """Filter from now on."""
        status = self._library.seccomp_load(self._context)
        if status:
            raise OSError(-status, os.strerror(-status))


def unit_keys(path: Path) -> Mapping[str, list[str]]:
    """The keys of a unit, each with all its values in order."""
    keys: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            keys.setdefault(name, []).append(value)
    return keys


def groups() -> Mapping[str, list[str]]:
    """The groups of system calls that systemd names, with the groups that they contain."""
    listed = subprocess.run(
        ["/usr/bin/systemd-analyze", "syscall-filter", "--no-pager"],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = {}
    for line in listed.stdout.splitlines():
        if line.startswith("@"):
            members = found.setdefault(line, [])
        elif line.startswith("    ") and not line.startswith("    #"):
            members.append(line.strip())
    return found


def expand(words: Iterable[str], known: Mapping[str, list[str]]) -> set[str]:
    """The system calls that words of a filter name."""
    calls: set[str] = set()
    for word in words:
        calls |= expand(known[word], known) if word.startswith("@") else {word}
    return calls


def allowed_calls(lines: Iterable[str], known: Mapping[str, list[str]]) -> set[str]:
    """Return the calls that SystemCallFilter allows, whose first line is a list of such calls."""
    allowed = expand(["@default"], known)
    for line in lines:
        if line.startswith("~"):
            allowed -= expand(line[1:].split(), known)
        else:
            allowed |= expand(line.split(), known)
    return allowed


def unit_filter(path: Path) -> Filter:
    """The filter of a unit."""
    keys, known = unit_keys(path), groups()
    number = keys.get("SystemCallErrorNumber", [""])[-1]
    refused = _ERRNO | getattr(errno, number) if number else _KILL
    # Calls that are younger than systemd do not exist below a list of allowed ones.
    made = Filter(_ERRNO | errno.ENOSYS)
    allowed = allowed_calls(keys["SystemCallFilter"], known)
    if keys.get("RestrictNamespaces") == ["yes"]:
        # The flags of clone3 cannot be seen, so that programs have to use clone.
        allowed -= {"clone3", "setns", "unshare"}
        made.add(_ERRNO | errno.EPERM, ["setns", "unshare"])
    made.add(refused, expand(["@known"], known) - allowed - {"clone3", "setns", "unshare"})
    families = keys.get("RestrictAddressFamilies", [""])[-1].split()
    if families:
        allowed -= {"socket"}
        restrict_families(made, [getattr(socket, name) for name in families])
    made.add(_ALLOW, allowed)
    return made


def restrict_families(made: Filter, families: Iterable[int]) -> None:
    """Allow sockets of these families only."""
    below = 0
    for family in sorted(families):
        for other in range(below, family):
            made.add(_ERRNO | errno.EAFNOSUPPORT, ["socket"], _equal(other))
        made.add(_ALLOW, ["socket"], _equal(family))
        below = family + 1
    above = _Comparison(0, _AT_LEAST, below, 0)
    made.add(_ERRNO | errno.EAFNOSUPPORT, ["socket"], above)


def _equal(family: int) -> _Comparison:
    return _Comparison(0, _EQUAL, family, 0)


def docker_filter() -> Filter:
    """The filter of a container without further options."""
    made = Filter(_ALLOW)
    made.add(_ERRNO | errno.EPERM, DOCKER_REFUSES.split())
    made.add(_ERRNO | errno.ENOSYS, ["clone3"])
    return made


def main(name: str, *command: str) -> None:
    """Become a program below a filter."""
    made = docker_filter() if name == DOCKER else unit_filter(Path(name))
    made.load()
    os.execvp(command[0], command)  # noqa: S606 — an argument vector, no shell


if __name__ == "__main__":
    main(*sys.argv[1:])
