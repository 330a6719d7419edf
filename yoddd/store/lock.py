"""The lock of a SQLite store, which one daemon at a time holds for its life."""

from __future__ import annotations

import os
from pathlib import Path

from yoddd.store.errors import StoreInUse
from yoddd.system import lock_exclusively, open_lock


class StoreLock:
    """An exclusive lock on the file beside a store whose name ends in ``.lock``.

    It is not on the store itself: closing a descriptor of that file would drop SQLite's own locks.
    The system frees the lock when the process ends, however it ends; the file stays.
    """

    def __init__(self, store: Path) -> None:
        """Take the lock of a store.

        Raises:
            StoreInUse: another process holds it.
            OSError: the file beside the store cannot be opened.
        """
        path = store.resolve().with_name(store.resolve().name + ".lock")
        # Closed by `release`; from then on None.
        self._handle: int | None = open_lock(path, 0o600)
        try:
            lock_exclusively(self._handle)
        except BlockingIOError:
            holder = os.read(self._handle, 32).decode("ascii", "replace").strip() or "unknown"
            self.release()
            raise StoreInUse(f"{store} is in use by another daemon (process {holder})") from None
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Free the lock; does nothing the second time."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
