"""Runs a program below the system call filter of Docker's containers.

    python tests/support/seccomp.py yoddd serve

Needs libseccomp.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import sys
from typing import Final

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
_ERRNO: Final = 0x00050000
_UNKNOWN: Final = -1
"""Constants of seccomp.h: actions, and the number of an unknown name."""


def load_filter() -> None:
    """Filter from now on, in this process and all that it starts."""
    library = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    refused = dict.fromkeys(DOCKER_REFUSES.split(), errno.EPERM) | {"clone3": errno.ENOSYS}
    for name, number in refused.items():
        call = library.seccomp_syscall_resolve_name(name.encode())
        if call != _UNKNOWN:
            status = library.seccomp_rule_add_array(
                context, ctypes.c_uint32(_ERRNO | number), call, 0, None
            )
            # Numbers below 0 stand for calls of other machines.
            if status and call >= 0:
                raise OSError(-status, os.strerror(-status))
    if status := library.seccomp_load(context):
        raise OSError(-status, os.strerror(-status))


def main(*command: str) -> None:
    """Become a program below a filter."""
    load_filter()
    os.execvp(command[0], command)  # noqa: S606 — an argument vector, no shell


if __name__ == "__main__":
    main(*sys.argv[1:])
