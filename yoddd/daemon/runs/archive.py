"""The archive of a run: ``games.jsonl``, and the files that are made from each of its games.

``games.jsonl`` is only ever appended to, and a game counts once it is on the disk. Everything else
can be made again from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from yoddd.daemon.base.store.group_commit import GroupCommit
from yoddd.daemon.base.world import World
from yoddd.daemon.play.slot import PlayedGame
from yoddd.notation import (
    NotationError,
    dump_record,
    record_to_sgf,
    write_sgf,
)
from yoddd.notation.records import GameRecord, read_record
from yoddd.notation.sgf import Node
from yoddd.notation.text import decode_chunks
from yoddd.referee.reports.links import game_file
from yoddd.referee.tournament.conditions import Rows
from yoddd.system import sync

GAMES: Final = "games.jsonl"
UNREAD: Final = "games.unread"
"""Lines of ``games.jsonl`` that were set aside because they are no records."""

FAULTS: Final = "faults"
STARTS: Final = "starts.jsonl"
"""A line for each start."""

REPORT_FILES: Final = ("report.txt", "report.json", "report.html")
_PIECE: Final = 1 << 16


class RunError(Exception):
    """A folder or an archive that cannot be used; the text says why."""


class GameArchive:
    """Appends finished games to ``games.jsonl`` in a folder and derives a file from each.

    Attributes:
        path: the folder.
        event: the title and the conditions of the run, for the SGF files.
    """

    def __init__(self, path: Path) -> None:
        """Open the archive in the folder ``path``; the file is made if need be.

        Raises:
            OSError: it cannot be opened.
        """
        self.path = path
        self.event: tuple[str, Rows] = ("", ())
        self._file = os.open(path / GAMES, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        # Bytes of the lines that are on the disk; a line that is cut short is cut off again.
        self._size = os.fstat(self._file).st_size

    def append(self, records: list[GameRecord]) -> None:
        """Add games; they are on the disk when this returns, or none of them is in the archive.

        Raises:
            RunError: they cannot be written.
        """
        data = "".join(dump_record(record) + "\n" for record in records).encode()
        try:
            _write_all(self._file, data)
            sync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise RunError(f"{self.path / GAMES}: {error.strerror or error}") from None
        self._size += len(data)

    def derive(self, game: PlayedGame) -> None:
        """Write the SGF file of a game and the files about its fault.

        Raises:
            RunError: they cannot be written; the record is safe all the same.
        """
        record, bundle = game.record, game.bundle
        sgf = sgf_path(self.path, record)
        texts = {sgf: write_sgf([self._tree(record)])}
        if bundle is not None:
            folder = self.path / FAULTS / sgf.stem
            texts |= {folder / name: text for name, text in bundle.items()}
        try:
            for path, text in texts.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{self.path}: {error.strerror or error}") from None

    def _tree(self, record: GameRecord) -> Node:
        """The SGF tree of a game, with the conditions that it was played under."""
        root = record_to_sgf(record)
        title, rows = self.event
        if title:
            root.put("EV", title)
        if rows:
            root.put("GC", "\n".join(f"{name}: {value}" for name, value in rows))
        return root

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def sgf_path(folder: Path, record: GameRecord) -> Path:
    """The SGF file of a game."""
    return folder / game_file(record.id)


def read_games(path: Path) -> Iterator[GameRecord | NotationError]:
    """Every record of a JSONL file, one at a time; a torn last line is skipped.

    In place of another line that is no record, or equals an earlier one, comes its error.

    Raises:
        RunError: the file cannot be read.
    """
    seen: set[int] = set()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(decode_chunks(file), start=1):
                if not line.endswith("\n") or not line.strip():
                    continue
                if hash(line) in seen:
                    yield NotationError("equals an earlier line", line=number)
                    continue
                seen.add(hash(line))
                try:
                    yield read_record(line, number)
                except NotationError as error:
                    yield error
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or error}") from None


def set_aside(path: Path, lines: Collection[int]) -> None:
    """Move lines of a JSONL file, by their numbers from 1, to the end of ``games.unread``.

    Raises:
        OSError: a file cannot be read or written; the archive is as it was.
    """
    fresh = path.with_suffix(".new")
    with (
        path.open("rb") as file,
        path.with_name(UNREAD).open("ab") as unread,
        fresh.open("wb") as kept,
    ):
        for number, line in enumerate(file, start=1):
            (unread if number in lines else kept).write(line)
        for written in (unread, kept):
            written.flush()
            sync(written.fileno())
    fresh.replace(path)
    sync(path.parent)


def cut_torn_line(path: Path) -> int:
    """Cut off a last line that a crash has left torn, and return its length in bytes.

    Raises:
        OSError: the file cannot be read or written.
    """
    if not path.exists():
        return 0
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        whole = _end_of_whole_lines(file, size)
        if whole < size:
            file.truncate(whole)
            sync(file.fileno())
    return size - whole


def _end_of_whole_lines(file: BinaryIO, size: int) -> int:
    """The offset after the last whole record; only the last line can be torn."""
    if not size:
        return 0
    start = _line_start(file, size - 1)
    file.seek(start)
    last = file.read(size - start)
    return size if last.endswith(b"\n") and _is_json(last) else start


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _line_start(file: BinaryIO, end: int) -> int:
    """The offset of the line whose last byte is before ``end``."""
    while end > 0:
        begin = max(0, end - _PIECE)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


class ArchiveWriter(GroupCommit[PlayedGame]):
    """A thread that writes to an archive; games that finish meanwhile are written together."""

    def __init__(self, world: World, archive: GameArchive) -> None:
        """Start the thread."""
        super().__init__(world, "archive")
        self._archive = archive

    def write(self, batch: list[PlayedGame]) -> Sequence[None]:
        """Write games in the thread; records first, as only they cannot be made again.

        Raises:
            RunError: they cannot be written.
        """
        self._archive.append([game.record for game in batch])
        for game in batch:
            self._archive.derive(game)
        return [None] * len(batch)
