"""Tables in files, on a search path of folders, and small boards solved when first needed."""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import yoddd
from yoddd.engine.searcher import StopFlag
from yoddd.engine.tables import NO_TABLES, Table, Tables
from yoddd.kernel.backend import backend
from yoddd.kernel.table import COMPLETE_CELLS, MAX_CELLS, file_name
from yoddd.kernel.table import Table as FileTable
from yoddd.kernel.table_file import TableError
from yoddd.kernel.table_swept import SweptTable, sweep_table, swept_seconds
from yoddd.rules import Rules

OFF: Final = "off"
"""The search path that stands for no tables at all."""

BUILD: Final = {"none": 0, "small": 16, "all": COMPLETE_CELLS}
"""The most cells of a board that is solved on demand, by the word of the setting."""

MOST_SOLVED: Final = 8
"""The solved boards that are kept, of up to 7 MB each: clients choose the options."""

AT_ONCE: Final = 0.1
"""The most expected seconds of solving a board for a request that does not wait."""

Say = Callable[[str], None]


SHIPPED: Final = Path(yoddd.__file__).parent / "library" / "tables"
"""The tables that come with yoddd, of square5, which takes minutes to solve."""


def cache_folder() -> Path | None:
    """The user's folder for tables, by the XDG base directory specification.

    None if the user has no home.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # which is invalid there, and ignored
        try:
            base = Path.home() / ".cache"
        except RuntimeError:
            return None
    return base / "yoddd" / "tables"


def map_file(path: Path) -> memoryview:
    """A file, mapped into memory."""
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def program() -> str:
    """The program and its version, for the header of a table."""
    return f"yoddd {yoddd.__version__}"


def write_table(path: Path, parts: Sequence[bytes]) -> None:
    """Write the file of a table, which appears when it is complete.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may write the same table at once: each has a file of its own until the end.
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with fresh.open("wb") as file:
            file.writelines(parts)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def search_path(text: str) -> tuple[Path, ...]:
    """The folders of a search path, joined as those of PATH are."""
    return tuple(Path(word) for word in text.split(os.pathsep) if word)


class TableFolders:
    """The tables in some folders; opened files stay mapped into memory.

    A file is checked when it is opened (the header and its checksum, the extent of all sections,
    the sets of cells) and each of its other blocks when it is read (zlib's checksum). A damaged one
    is reported once, and ignored unless it is replaced.
    """

    def __init__(
        self, folders: tuple[Path, ...] = (), *, builds: int = 0, waits: bool = False, say: Say
    ) -> None:
        """Find tables in some folders, then in the cache, then among those that are shipped.

        Args:
            folders: the search path.
            builds: the most cells of a board that is solved when it is first needed.
            waits: whether `prepare` opens a file at once instead of in another thread.
            say: reports damaged files; called in any thread.
        """
        cache = cache_folder()
        self._folders = (*folders, *([] if cache is None else [cache]), SHIPPED)
        self._builds = builds if backend().is_native else 0
        self._waits = waits
        self._say = say
        # Guards the two below. Opening a file may take 50 ms, for which a reactor's `prepare` does
        # not wait: it only looks whether one is open.
        self._opening = threading.Lock()
        # The open tables and their files, by name of the file.
        self._open: dict[str, tuple[Path, FileTable]] = {}
        # Files that are damaged, by path, with the time of their last change.
        self._damaged: dict[Path, int] = {}
        # Guards everything below.
        self._lock = threading.Lock()
        # Boards that have been solved, by name of the file, the one used last at the end.
        self._solved: OrderedDict[str, SweptTable] = OrderedDict()
        # Files to open in the thread; None ends it.
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_closing = threading.Event()
        for folder in folders:
            if not folder.is_dir():
                say(f"tables: {folder} is no folder")

    def prepare(self, rules: Rules) -> None:
        """Open the table of ``rules`` if there is one; see `Tables.prepare`."""
        if rules.geometry.cells > MAX_CELLS or file_name(rules) in self._open:
            return
        if self._waits:
            self._opened(rules)
        else:
            with self._lock:
                self._later(lambda: self._opened(rules))

    def find(self, rules: Rules, stop: StopFlag | None = None) -> Table | None:
        """The table of ``rules``; see `Tables.find`."""
        if rules.geometry.cells > MAX_CELLS:
            return None
        table = self._opened(rules)
        if table is not None or rules.geometry.cells > self._builds:
            return table
        return self._solve(rules, stop)

    def discard(self, rules: Rules, error: TableError) -> None:
        """Report damage and ignore the file; see `Tables.discard`."""
        with self._opening:
            found = self._open.pop(file_name(rules), None)
        if found is not None:  # else another thread has reported it
            self._note_damage(found[0], error)

    def close(self) -> None:
        """End the thread that opens files."""
        self._is_closing.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._work.put(None)
            thread.join()

    def _opened(self, rules: Rules) -> FileTable | None:
        """The table of ``rules``, opened if there is a file of it."""
        name = file_name(rules)
        with self._opening:
            found = self._open.get(name) or self._find(name, rules)
            if found is not None:
                self._open[name] = found
        return found and found[1]

    def _find(self, name: str, rules: Rules) -> tuple[Path, FileTable] | None:
        """The first sound file of the search path."""
        for folder in self._folders:
            path = folder / name
            try:
                if self._damaged.get(path) == path.stat().st_mtime_ns:
                    continue
                return path, _open_file(path, rules)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except (OSError, TableError) as error:
                self._note_damage(path, error)
        return None

    def _note_damage(self, path: Path, error: Exception) -> None:
        self._say(f"table {path} is not used: {error}")
        with contextlib.suppress(OSError):
            self._damaged[path] = path.stat().st_mtime_ns

    def _solve(self, rules: Rules, stop: StopFlag | None) -> SweptTable | None:
        """The solved board of ``rules``; solved in this thread, which waits for no other one."""
        name = file_name(rules)
        with self._lock:
            found = self._solved.get(name)
            if found is not None:
                self._solved.move_to_end(name)
                return found
        if stop is None and swept_seconds(rules) > AT_ONCE:
            return None
        try:
            solved = sweep_table(rules, stop)
        except (MemoryError, TableError):
            return None
        if solved is not None:
            with self._lock:
                self._solved[name] = solved
                while len(self._solved) > MOST_SOLVED:
                    self._solved.popitem(last=False)
        return solved

    def _later(self, work: Callable[[], object]) -> None:
        """Do some work in the thread, which begins with the first; the lock is held."""
        if self._thread is None and not self._is_closing.is_set():
            self._thread = threading.Thread(target=self._run, name="tables", daemon=True)
            self._thread.start()
        self._work.put(work)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _open_file(path: Path, rules: Rules) -> FileTable:
    table = FileTable(map_file(path))
    if not table.holds(rules):
        raise TableError(f"it is {file_name(table.rules)}")
    return table


class TablePaths:
    """The tables of the search paths that a local client chooses."""

    def __init__(self, builds: str, say: Say, *, waits: bool = True) -> None:
        """Open none yet.

        Args:
            builds: a word of `BUILD`.
            say: reports problems; called in any thread.
            waits: see `TableFolders`.
        """
        self._builds = BUILD[builds]
        self._say = say
        self._waits = waits
        self._opened: dict[str, TableFolders] = {}

    def open(self, text: str) -> Tables:
        """The tables of a search path; `OFF` stands for none at all, not even solved boards."""
        if text == OFF:
            return NO_TABLES
        if text not in self._opened:
            self._opened[text] = TableFolders(
                search_path(text), builds=self._builds, waits=self._waits, say=self._say
            )
        return self._opened[text]

    def __call__(self, text: str) -> Tables:
        """As `open`, for a path whose folders have to exist.

        Raises:
            ValueError: one does not.
        """
        for folder in search_path(text):
            if not folder.is_dir():
                raise ValueError(f"{folder} is no folder")
        return self.open(text)

    def close(self) -> None:
        """End the threads that open files."""
        for tables in self._opened.values():
            tables.close()
