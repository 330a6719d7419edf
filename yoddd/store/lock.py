"""The lock of a SQLite store, which one daemon at a time holds for its life."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from yoddd.store.errors import StoreError, StoreInUse
from yoddd.system import lock_exclusively, open_lock

_LINE: Final = re.compile(rb"[0-9]{0,10}\n?")


def lock_of(store: Path) -> Path:
    """The file that is locked for a store; the same for all symbolic links to it."""
    real = Path(os.path.realpath(store))
    return real.with_name(real.name + ".lock")


def is_lock(path: Path) -> bool:
    """Whether a file is a lock with the number of a process, as it is left by a daemon."""
    try:
        with path.open("rb") as file:
            found = file.read(32)
        return bool(found.strip()) and _LINE.fullmatch(found) is not None
    except OSError:
        return False


def check_lock(store: Path) -> Path:
    """The file that is locked for a store.

    Raises:
        StoreError: it is there and no lock, and stays as it is.
    """
    path = lock_of(store)
    if path.exists() and (not path.is_file() or path.stat().st_size) and not is_lock(path):
        raise StoreError(f"{path} is not the lock of a store: move it, or name another store")
    return path


class StoreLock:
    """An exclusive lock on the file beside a store whose name ends in ``.lock``.

    It is not on the store itself: closing a descriptor of that file would drop SQLite's own locks.
    The system frees the lock when the process ends, however it ends; the file stays.
    """

    def __init__(self, store: Path) -> None:
        """Take the lock of a store.

        Raises:
            StoreInUse: another process holds it.
            StoreError: see `check_lock`.
            OSError: the file beside the store cannot be opened.
        """
        path = check_lock(store)
        # Closed by `release`; from then on None.
        self._handle: int | None = open_lock(path, 0o600)
        try:
            lock_exclusively(self._handle)
        except BlockingIOError:
            holder = os.read(self._handle, 32).decode("ascii", "replace").strip() or "unknown"
            self.release()
            raise StoreInUse(f"{store} is in use by another daemon (process {holder})") from None
        except OSError as error:  # its file system has no locks
            self.release()
            raise OSError(error.errno, error.strerror, str(path)) from None
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Free the lock; does nothing the second time."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
