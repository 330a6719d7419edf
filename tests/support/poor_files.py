"""``yoddd`` on a file system without locks, sockets, or folders that are written to the disk.

The first argument names them with the error of each: ``locks=37,folders=22,sockets=1``.
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import sys
from typing import Any, NoReturn

import pytest

ERRORS = {
    "locks": ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EINVAL", "EPERM", "EIO"],
    "folders": ["EINVAL", "EBADF", "ENOTSUP", "EACCES", "EPERM", "ENOSYS"],
    "sockets": ["EPERM", "EOPNOTSUPP", "EACCES", "EROFS", "ENAMETOOLONG"],
}
"""What a file system may lack, with the errors that systems report."""


def make_poor(patch: pytest.MonkeyPatch, lacks: dict[str, int]) -> None:
    """Let the calls of the system fail as on such a file system."""
    fsync = os.fsync

    def refuse(what: str) -> NoReturn:
        raise OSError(lacks[what], os.strerror(lacks[what]))

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            refuse("folders")
        fsync(handle)

    class Socket(socket.socket):
        def bind(self, address: Any) -> None:
            if self.family == socket.AF_UNIX and address[:1] not in ("\0", b"\0"):
                self.close()  # Twisted leaves that to the garbage collector
                refuse("sockets")
            super().bind(address)

    if "locks" in lacks:
        patch.setattr(fcntl, "flock", lambda _handle, _operation: refuse("locks"))
    if "folders" in lacks:
        patch.setattr(os, "fsync", sync)
    if "sockets" in lacks:
        patch.setattr(socket, "socket", Socket)


if __name__ == "__main__":
    from yoddd.cli import main

    pairs = (pair.split("=") for pair in sys.argv.pop(1).split(","))
    make_poor(pytest.MonkeyPatch(), {name: int(number) for name, number in pairs})
    main(prog_name="yoddd")
