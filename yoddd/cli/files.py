"""Loads one game from a file, for several commands."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import attrs
import click

from yoddd.kernel import best_position
from yoddd.notation import (
    ArchiveFormat,
    Node,
    NotationError,
    parse_sgf,
    read_archive,
    read_sgf_game,
    replay,
)
from yoddd.notation.records import start_of
from yoddd.rules import PositionLike, Turn

SUFFIXES: Final = (".sgf", ".jsonl", ".json")
"""Suffixes of files of games; case does not matter."""

EXISTING_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
"""The parameter type of a file that is read."""

ENCODING: Final = "utf-8-sig"
"""UTF-8, with or without a byte order mark."""


def existing_file(path: str | Path) -> Path:
    """The file that an argument names which may be something else than a file.

    Raises:
        BadParameter: it does not exist; the same error as that of `EXISTING_FILE`.
    """
    context = click.get_current_context()
    argument = next(one for one in context.command.params if isinstance(one, click.Argument))
    found: Path = EXISTING_FILE.convert(str(path), argument, context)
    return found


def write_whole(path: Path, text: str) -> None:
    """Replace a file by one with ``text``: after a crash it is there whole, the old or the new.

    Raises:
        OSError: it cannot be written; the old file is untouched.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@attrs.frozen
class Game:
    """A game of a file.

    Attributes:
        start: a fresh position before the first turn.
        turns: legal one after the other.
        tree: the root of its SGF tree; None where it is no SGF file.
        errors: problems in the file. The turns end before the first one that cannot be read.
    """

    start: PositionLike
    turns: tuple[Turn, ...]
    tree: Node | None = None
    errors: tuple[NotationError, ...] = ()


def load_game(path: Path, number: int) -> Game:
    """Game ``number``, from 1, of a file whose suffix is one of `SUFFIXES`.

    Raises:
        NotationError: it cannot be read.
        ValueError: there is no such game.
        OSError: the file cannot be read.
    """
    form = ArchiveFormat(path.suffix.lower().removeprefix("."))
    if form is ArchiveFormat.SGF:
        trees, _ = parse_sgf(path.read_text(encoding=ENCODING, errors="replace"))
        if number > len(trees):
            raise ValueError(f"{path} has fewer than {number} games")
        game = read_sgf_game(trees[number - 1], best_position())
        return Game(game.start, game.turns, trees[number - 1], game.errors)
    with path.open(encoding=ENCODING, errors="replace") as lines:
        found = next(_nth(lines, form, number), None)
    if found is None:
        raise ValueError(f"{path} has fewer than {number} games")
    if isinstance(found, NotationError):
        raise found
    return found


def _nth(lines: Iterator[str], form: ArchiveFormat, number: int) -> Iterator[Game | NotationError]:
    on = best_position()
    for found in islice(read_archive(lines, form, on=on), number - 1, number):
        if isinstance(found, NotationError):
            yield found
        else:
            yield Game(start_of(found, on), replay(found, on).history)
