"""Complete tables in files: a search path of folders, and small tables built when first needed."""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import yoddd
from yoddd.engine.searcher import StopFlag
from yoddd.engine.tables import NO_TABLES, Tables
from yoddd.kernel.backend import backend
from yoddd.kernel.table import MAX_CELLS, Table, file_name, table_options
from yoddd.kernel.table_file import TableError
from yoddd.rules import Rules

OFF: Final = "off"
"""The search path that stands for no tables at all."""

BUILD: Final = {"none": 0, "small": 16, "all": MAX_CELLS}
"""The most cells of a board whose table is built on demand, by the word of the setting.

Tables of at most 16 cells take about a second; those of hex3 10 s and 470 MB of memory.
"""

MOST_BUILT: Final = 64
"""The most tables that one process builds: clients choose the options."""

_POLL: Final = 0.02

Say = Callable[[str], None]


def cache_folder() -> Path | None:
    """The folder for tables that are built on demand, by the XDG base directory specification.

    None if the user has no home, so that nothing can be built.
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

    A file is checked when it is opened (the header and its checksum, the extent of all sections)
    and each of its blocks when it is read (zlib's checksum). A damaged one is reported once, and
    ignored unless it is replaced.
    """

    def __init__(
        self, folders: tuple[Path, ...] = (), *, builds: int = 0, waits: bool = False, say: Say
    ) -> None:
        """Find tables in some folders, then in the cache.

        Args:
            folders: the search path.
            builds: the most cells of a board whose table is built when it is first needed.
            waits: whether `prepare` opens a file at once instead of in another thread.
            say: reports damaged files and failures to build; called in any thread.
        """
        cache = cache_folder()
        self._folders = folders if cache is None else (*folders, cache)
        self._builds = builds if cache is not None and backend().is_native else 0
        self._waits = waits
        self._say = say
        # Guards the two below. Opening a file may take 50 ms, for which a reactor's `prepare` does
        # not wait: it only looks whether one is open.
        self._opening = threading.Lock()
        # The open tables and their files, by name of the file.
        self._open: dict[str, tuple[Path, Table]] = {}
        # Files that are damaged, by path, with the time of their last change.
        self._damaged: dict[Path, int] = {}
        # Guards everything below.
        self._lock = threading.Lock()
        # What was or is to be built, by name: set when that has ended, well or not.
        self._built: dict[str, threading.Event] = {}
        # Work of the thread, which opens files and waits for builds; None ends it.
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
        built = self._order(rules)
        if stop is None:
            return None
        while not built.wait(_POLL) and not stop():
            pass
        return self._opened(rules)

    def discard(self, rules: Rules, error: TableError) -> None:
        """Report damage and ignore the file; see `Tables.discard`."""
        with self._opening:
            found = self._open.pop(file_name(rules), None)
        if found is not None:  # else another thread has reported it
            self._note_damage(found[0], error)

    def close(self) -> None:
        """End a build that runs; nothing is built after that."""
        self._is_closing.set()
        with self._lock:
            thread, self._thread = self._thread, None
            for built in self._built.values():
                built.set()
        if thread is not None:
            self._work.put(None)
            thread.join()

    def _opened(self, rules: Rules) -> Table | None:
        """The table of ``rules``, opened if there is a file of it."""
        name = file_name(rules)
        with self._opening:
            found = self._open.get(name) or self._find(name, rules)
            if found is not None:
                self._open[name] = found
        return found and found[1]

    def _find(self, name: str, rules: Rules) -> tuple[Path, Table] | None:
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

    def _order(self, rules: Rules) -> threading.Event:
        """Have the table of ``rules`` built, once; the event is set when that has ended."""
        name = file_name(rules)
        with self._lock:
            built = self._built.get(name)
            if built is None:
                built = self._built[name] = threading.Event()
                if len(self._built) > MOST_BUILT or self._is_closing.is_set():
                    built.set()
                else:
                    self._later(lambda: self._build(name, rules))
            return built

    def _build(self, name: str, rules: Rules) -> None:
        try:
            with self._opening:
                found = self._find(name, rules)
            if found is None:  # else another process has built it meanwhile
                self._run_build(name, rules)
        except OSError as error:
            self._say(f"{name} was not built: {error}")
        finally:
            self._built[name].set()

    def _run_build(self, name: str, rules: Rules) -> None:
        """Build a table in a process of its own.

        There it takes neither the interpreter's lock nor memory that this process would keep.
        """
        options = (f"{option}={text}" for option, text in table_options(rules).items())
        words = ("table", "build", rules.game.name, rules.geometry.name, *options)
        settings = ("--out", str(self._folders[-1]), "--threads", "1")
        with subprocess.Popen(
            [sys.executable, "-m", "yoddd", *words, *settings],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while not (self._is_closing.is_set() or _has_ended(process)):
                pass
            if self._is_closing.is_set():
                process.terminate()
            elif process.returncode and process.stderr is not None:
                self._say(f"{name} was not built: {process.stderr.read().strip()}")

    def _later(self, work: Callable[[], object]) -> None:
        """Do some work in the thread, which begins with the first; the lock is held."""
        if self._thread is None and not self._is_closing.is_set():
            self._thread = threading.Thread(target=self._run, name="tables", daemon=True)
            self._thread.start()
        self._work.put(work)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _has_ended(process: subprocess.Popen[str]) -> bool:
    try:
        process.wait(_POLL)
    except subprocess.TimeoutExpired:
        return False
    return True


def _open_file(path: Path, rules: Rules) -> Table:
    table = Table(map_file(path))
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
        """The tables of a search path; `OFF` stands for none at all, not even built ones."""
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
        """End what is being built."""
        for tables in self._opened.values():
            tables.close()
