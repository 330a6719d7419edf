"""A run's folder: what was planned, every finished game, and a lock.

``games.jsonl`` is the only truth about what was played; it is only ever appended to, and a game
counts once it is on the disk. All else in the folder can be made again from it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from yoddd.notation import (
    NotationError,
    dump_record,
    load_record,
    record_to_sgf,
    write_sgf,
)
from yoddd.notation.records import GameRecord
from yoddd.referee.config import ConfigError, TournamentConfig, dump_config, load_config

GAMES: Final = "games.jsonl"
PLAN: Final = "plan.json"
LOCK: Final = "lock"
FAULTS: Final = "faults"
_PIECE: Final = 1 << 16


class RunError(Exception):
    """A folder that cannot be used; the text says why."""


class FolderBusy(RunError):
    """Another run has the folder."""


@attrs.frozen
class Bundle:
    """What is kept of a game that ended by a fault.

    Attributes:
        files: texts by file name.
    """

    files: Mapping[str, str]


class RunFolder:
    """A folder that this process has to itself until `close`.

    Attributes:
        path: where it is.
        config: what was planned.
        torn: how many bytes of a torn last line were cut off.
    """

    def __init__(self, path: Path, config: TournamentConfig | None = None) -> None:
        """Take a folder, new or not.

        Args:
            path: where it is; it is made if need be.
            config: what is planned, for a new run; None to go on with what is there.

        Raises:
            FolderBusy: another run has it.
            RunError: there is no run in it, or already one, or it cannot be written.
        """
        self.path = path
        self.torn = 0
        try:
            if config is not None:
                path.mkdir(parents=True, exist_ok=True)
            self._lock = _take_lock(path)
            try:
                self.config = self._keep(config) if config else read_plan(path)
                self._repair()
                self._games = os.open(path / GAMES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
                _sync_folder(path)
            except BaseException:
                os.close(self._lock)
                raise
        except OSError as error:
            raise RunError(f"{path}: {error.strerror or error}") from None
        self._size = os.fstat(self._games).st_size

    def _keep(self, config: TournamentConfig) -> TournamentConfig:
        """Write the plan of a new run; the folder may hold that very plan already.

        How many games are played at once is no part of what is played, and may differ.
        """
        text = dump_config(config)
        plan = self.path / PLAN
        if plan.exists():
            planned = attrs.evolve(read_plan(self.path), concurrency=config.concurrency)
            if planned != config:
                raise RunError(f"{self.path} holds another run; choose another folder or resume it")
        if not plan.exists() and (self.path / GAMES).exists():
            raise RunError(f"{self.path} holds games without a plan; choose another folder")
        partial = plan.with_suffix(".new")
        partial.write_text(text, encoding="utf-8")
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.replace(plan)
        return config

    def _repair(self) -> None:
        """Cut off a last line that a crash has left torn; its game is played again."""
        games = self.path / GAMES
        if not games.exists():
            return
        with games.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            whole = _end_of_whole_lines(file.fileno(), size)
            self.torn = size - whole
            if self.torn:
                file.truncate(whole)
                os.fsync(file.fileno())

    def records(self) -> Iterator[GameRecord]:
        """Every game in the archive.

        Raises:
            RunError: a line is no record.
        """
        return read_games(self.path / GAMES)

    def append(self, records: list[GameRecord]) -> None:
        """Add games; they are on the disk when this returns, or none of them is in the archive.

        Raises:
            RunError: they cannot be written.
        """
        data = "".join(dump_record(record) + "\n" for record in records).encode()
        try:
            _write_all(self._games, data)
            os.fsync(self._games)
        except OSError as error:
            os.ftruncate(self._games, self._size)
            raise RunError(f"{self.path / GAMES}: {error.strerror or error}") from None
        self._size += len(data)

    def derive(self, record: GameRecord, bundle: Bundle | None) -> None:
        """Write what can be made of one game besides its record.

        Raises:
            RunError: it cannot be written; the record is safe all the same.
        """
        name = record.id.replace(":", "").replace("/", "-")
        texts = {f"{name}.sgf": write_sgf([record_to_sgf(record)])}
        if bundle is not None:
            texts |= {f"{FAULTS}/{name}/{file}": text for file, text in bundle.files.items()}
        try:
            for file, text in texts.items():
                path = self.path / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{self.path}: {error.strerror or error}") from None

    def close(self) -> None:
        """Leave the folder to others."""
        os.close(self._games)
        os.close(self._lock)


def _take_lock(path: Path) -> int:
    lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise FolderBusy(f"{path}: another run is in this folder") from None
    return lock


def is_running(path: Path) -> bool:
    """Whether a run has the folder now."""
    try:
        os.close(_take_lock(path))
    except FolderBusy:
        return True
    except OSError:
        return False
    return False


def read_plan(path: Path) -> TournamentConfig:
    """What is planned in a folder.

    Raises:
        RunError: nothing.
    """
    try:
        return load_config((path / PLAN).read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path}: no run in it ({PLAN}: {error.strerror})") from None
    except (ConfigError, UnicodeDecodeError) as error:
        raise RunError(f"{path / PLAN}: {error}") from None


def read_games(path: Path) -> Iterator[GameRecord]:
    """Every record of a JSONL file, one at a time; a torn last line is passed over.

    Raises:
        RunError: the file cannot be read, or another line is no record.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith("\n") and line.strip():
                    yield load_record(line, number)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or error}") from None
    except (NotationError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: {error}") from None


def _end_of_whole_lines(file: int, size: int) -> int:
    """Where the last whole record ends: all but the last line was whole before that was begun."""
    if not size:
        return 0
    start = _line_start(file, size - 1)
    last = os.pread(file, size - start, start)
    return size if last.endswith(b"\n") and _is_json(last) else start


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _line_start(file: int, end: int) -> int:
    """Where the line begins whose last byte is before ``end``."""
    while end > 0:
        begin = max(0, end - _PIECE)
        found = os.pread(file, end - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
