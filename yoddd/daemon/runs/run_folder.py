"""A run's folder: its plan, its starts, its archive, and the lock that keeps other processes out.

Its starts are when, where and by which command it was begun and resumed.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import attrs

import yoddd
from yoddd.daemon.runs.archive import (
    GAMES,
    REPORT_FILES,
    STARTS,
    UNREAD,
    GameArchive,
    RunError,
    cut_torn_line,
    read_games,
    set_aside,
)
from yoddd.kernel import backend
from yoddd.notation import NotationError
from yoddd.notation.records import GameRecord
from yoddd.notation.text import printable, read_text
from yoddd.referee.tournament.conditions import Start
from yoddd.referee.tournament.config import ConfigError, TournamentConfig, dump_config, load_config
from yoddd.referee.tournament.extension import extend
from yoddd.store.errors import StoreError
from yoddd.store.targets import check_target
from yoddd.system import lock_by_name, lock_exclusively, open_lock, processors, sync

PLAN: Final = "plan.json"
LOCK: Final = "lock"
FILES: Final = (PLAN, LOCK, GAMES, UNREAD, STARTS, *REPORT_FILES)
"""The names that a run writes to, besides the files of single games."""


class FolderBusy(RunError):
    """Another process has the lock of the folder."""


class RunFolder:
    """A folder that is locked for this process until `close`.

    Attributes:
        path: where it is.
        config: the plan.
        torn: bytes of a torn last line that were cut off.
        unread: the errors of lines that `records` has set aside.
        archive: takes finished games.
    """

    def __init__(self, path: Path, config: TournamentConfig | None = None) -> None:
        """Lock a folder and open its archive.

        Args:
            path: where it is; it is made if need be.
            config: the plan of a new run, or of one that is extended, see `extend`; None to go on
                with the plan that is there.

        Raises:
            FolderBusy: another run has it.
            RunError: there is no run in it, or already one, or it cannot be written.
        """
        self.path = path
        try:
            if config is not None:
                path.mkdir(parents=True, exist_ok=True)
            _check_files(path)
            self._lock = _take_lock(path, warn=warnings.warn)
            try:
                self.config = self._write_plan(config) if config else read_plan(path)
                self.torn = cut_torn_line(path / GAMES)
                self.unread: list[NotationError] = []
                self.archive = GameArchive(path)
                sync(path)
            except BaseException:
                os.close(self._lock)
                raise
        except StoreError as error:
            raise RunError(str(error)) from None
        except OSError as error:
            raise RunError(f"{path}: {error.strerror or error}") from None

    def _write_plan(self, config: TournamentConfig) -> TournamentConfig:
        """Write the plan of a new run, or of one that is resumed or extended.

        A run without games binds nothing: its plan is replaced.
        """
        plan, games = self.path / PLAN, self.path / GAMES
        if games.exists() and games.stat().st_size:
            if not plan.exists():
                raise RunError(f"{self.path} holds games without a plan; choose another folder")
            try:
                config = extend(read_plan(self.path), config)
            except ConfigError as error:
                raise RunError(
                    f"{self.path} holds another run; choose another folder or resume it. "
                    f"They differ in {error}"
                ) from None
        text = dump_config(config)
        partial = plan.with_suffix(".new")
        partial.write_text(text, encoding="utf-8")
        sync(partial)
        partial.replace(plan)
        return config

    def records(self) -> Iterator[GameRecord]:
        """Every game in the archive; at the end lines that are no records are set aside.

        Raises:
            RunError: the archive cannot be read or written.
        """
        games = self.path / GAMES
        for found in read_games(games):
            if isinstance(found, NotationError):
                self.unread.append(found)
            else:
                yield found
        if self.unread:
            try:
                set_aside(games, {error.line for error in self.unread})
                old, self.archive = self.archive, GameArchive(self.path)
                old.close()
            except OSError as error:
                raise RunError(f"{games}: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the archive and release the lock."""
        self.archive.close()
        os.close(self._lock)


def _check_files(path: Path) -> None:
    """Refuse a folder in which a run would change files that are not those of a run."""
    for name in FILES:
        check_target(path / name)
    for name in () if (path / PLAN).exists() else (UNREAD, STARTS, *REPORT_FILES):
        if (path / name).exists():
            raise RunError(f"{path} holds {name} of no run; choose another folder")


def _take_lock(path: Path, warn: Callable[[str], None] = lambda _: None) -> int:
    lock = open_lock(path / LOCK, 0o644)
    try:
        try:
            lock_exclusively(lock)
        except BlockingIOError:
            raise
        except OSError as error:
            lock_by_name(lock)
            warn(f"{path} has no locks ({error.strerror}): start no run there on another machine")
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise FolderBusy(f"{path}: another run is in this folder") from None
        raise RunError(f"{path} has no locks, which keep other runs out: name another") from None
    return lock


def is_running(path: Path) -> bool:
    """Whether a process has the lock of the folder."""
    try:
        os.close(_take_lock(path))
    except FolderBusy:
        return True
    except OSError:
        return False
    return False


def read_plan(path: Path) -> TournamentConfig:
    """The plan in a run's folder.

    Raises:
        RunError: there is none, or it cannot be read.
    """
    try:
        return load_config(read_text(path / PLAN))
    except OSError as error:
        raise RunError(f"{path}: no run in it ({PLAN}: {error.strerror})") from None
    except (ConfigError, NotationError) as error:
        raise RunError(f"{path / PLAN}: {error}") from None


# -- starts ---------------------------------------------------------------------------------


def this_start(concurrency: int) -> Start:
    """The present start, in this process."""
    program = Path(sys.argv[0]).name.replace("__main__.py", "yoddd")
    kernel = "native kernel" if backend().is_native else "plain rules"
    return Start(
        date=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        command=printable(shlex.join([program, *sys.argv[1:]])),
        machine=f"{platform.platform()}, {_processor()}, {processors()} threads",
        program=f"yoddd {yoddd.__version__} ({kernel}), Python {platform.python_version()}",
        concurrency=concurrency,
    )


def _processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def note_start(folder: Path, start: Start) -> None:
    """Add a start to the starts of a folder.

    Raises:
        RunError: it cannot be written.
    """
    try:
        with (folder / STARTS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(attrs.asdict(start)) + os.linesep)
    except OSError as error:
        raise RunError(f"{folder / STARTS}: {error.strerror or error}") from None


def read_starts(folder: Path) -> list[Start]:
    """The starts of a run, the first one first; a line that is none is left out."""
    try:
        lines = (folder / STARTS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in lines:
        try:
            found.append(Start(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found
