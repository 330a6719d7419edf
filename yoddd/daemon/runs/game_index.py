"""An index of an archive by game, which follows the archive as it grows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from yoddd.daemon.runs.archive import RunError
from yoddd.notation import NotationError
from yoddd.notation.records import GameRecord, read_record
from yoddd.notation.text import decode_chunks

_ID: Final = re.compile(rb'\{"id": ?"([^"\\]*)"')
"""The beginning of a record as it is written; one of another program may begin otherwise."""


class GameIndex:
    """The offset of each game of a JSONL file, by id; of two with the same id the first.

    Not safe to use from two threads at a time.
    """

    def __init__(self, path: Path) -> None:
        """Create it for the file ``path``, which is not read yet."""
        self._path = path
        # The offset of the line of each game, and the number of bytes that are indexed.
        self._offsets: dict[str, int] = {}
        self._size = 0

    def find(self, game: str) -> GameRecord | None:
        """Return the record of a game; None if the file has none.

        Raises:
            RunError: the file cannot be read, or the line is no record.
        """
        try:
            self._follow()
            offset = self._offsets.get(game)
            if offset is None:
                return None
            with self._path.open("rb") as file:
                file.seek(offset)
                return read_record("".join(decode_chunks([file.readline()])))
        except OSError as error:
            raise RunError(f"{self._path}: {error.strerror or error}") from None
        except NotationError as error:
            raise RunError(f"{self._path}: {error}") from None

    def _follow(self) -> None:
        """Index the lines that the file has grown by, without a torn last one."""
        with self._path.open("rb") as file:
            if file.seek(0, 2) < self._size:  # another file of the same name
                self._offsets.clear()
                self._size = 0
            file.seek(self._size)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                name = _id_of(line)
                if name is not None:
                    self._offsets.setdefault(name, self._size)
                self._size += len(line)


def _id_of(line: bytes) -> str | None:
    """The id of the record in a line; None if there is none, which costs only that game."""
    found = _ID.match(line)
    try:
        return found[1].decode() if found else str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
