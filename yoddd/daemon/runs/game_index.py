"""An index of an archive by game, which follows the archive as it grows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from yoddd.daemon.runs.archive import RunError
from yoddd.notation import NotationError, load_record
from yoddd.notation.records import GameRecord

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
                return load_record(file.readline().decode("utf-8"))
        except OSError as error:
            raise RunError(f"{self._path}: {error.strerror or error}") from None
        except (NotationError, UnicodeDecodeError) as error:
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
                if line.strip():
                    self._offsets.setdefault(_id_of(line), self._size)
                self._size += len(line)


def _id_of(line: bytes) -> str:
    found = _ID.match(line)
    if found is not None:
        return found[1].decode("utf-8")
    try:
        return str(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError):
        raise NotationError(f"not a record: {line[:60]!r}") from None
