"""Loads one game from a file, for several commands."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from yoddd.rules import PositionLike, Turn
from yoddd.system import sync

if TYPE_CHECKING:
    from yoddd.notation import GameRecord, Node, NotationError

SUFFIXES: Final = (".sgf", ".jsonl", ".json")
"""Suffixes of files of games; case does not matter."""

EXISTING_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
"""The parameter type of a file that is read."""


def existing_file(path: str | Path) -> Path:
    """The file that an argument names which may be something else than a file.

    Raises:
        BadParameter: it does not exist; the same error as that of `EXISTING_FILE`.
    """
    context = click.get_current_context()
    argument = next(one for one in context.command.params if isinstance(one, click.Argument))
    found: Path = EXISTING_FILE.convert(str(path), argument, context)
    return found


def write_whole(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Replace a file by one with ``content``: after a crash it is there whole, the old or the new.

    What is no file, such as a device, is written to.

    Raises:
        OSError: it cannot be written; the old file is untouched.
    """
    real = Path(os.path.realpath(path))
    is_file = real.is_file() or not real.exists()
    fresh = real.with_name(f".yoddd-{os.getpid()}") if is_file else real
    try:
        with fresh.open("wb") as file:
            for part in [content] if isinstance(content, str | bytes) else content:
                file.write(part if isinstance(part, bytes) else part.encode())
            file.flush()
            sync(file.fileno())
        if is_file:
            if real.exists():
                shutil.copymode(real, fresh)
            fresh.replace(real)
    except OSError as error:
        if error.filename in (None, str(fresh)):
            error.filename = str(path)
        raise
    finally:
        if is_file:
            with suppress(OSError):  # a folder that cannot be written has none
                fresh.unlink()


@attrs.frozen
class Game:
    """A game of a file.

    Attributes:
        start: a fresh position before the first turn.
        turns: legal one after the other.
        tree: the root of its SGF tree; None where it is no SGF file.
        record: its record; None where it is an SGF file.
        errors: problems in the file. The turns end before the first one that cannot be read.
    """

    start: PositionLike
    turns: tuple[Turn, ...]
    tree: Node | None = None
    record: GameRecord | None = None
    errors: tuple[NotationError, ...] = ()


def load_game(path: Path, number: int) -> Game:
    """Game ``number``, from 1, of a file whose suffix is one of `SUFFIXES`.

    Raises:
        NotationError: it cannot be read.
        ValueError: there is no such game.
        OSError: the file cannot be read.
    """
    from yoddd.notation import NotationError

    found = next(islice(games_of(path), number - 1, None), None)
    if found is None:
        raise ValueError(f"{path} has fewer than {number} games")
    if isinstance(found, NotationError):
        raise found
    return found


def games_of(path: Path) -> Iterator[Game | NotationError]:
    """The games of a file whose suffix is one of `SUFFIXES`; an error in place of a bad one.

    Raises:
        OSError: the file cannot be read.
    """
    from yoddd.kernel import best_position
    from yoddd.notation import ArchiveFormat, NotationError, read_archive

    form = ArchiveFormat(path.suffix.lower().removeprefix("."))
    if form is ArchiveFormat.SGF:
        yield from _trees(path)
        return
    on = best_position()
    with path.open("rb") as lines:
        for found in read_archive(lines, form, path.stem, on):
            yield found if isinstance(found, NotationError) else _of_record(found, on)


def _of_record(record: GameRecord, on: type[PositionLike]) -> Game | NotationError:
    from yoddd.notation import NotationError, replay
    from yoddd.notation.records import start_of

    try:
        return Game(start_of(record, on), replay(record, on).history, record=record)
    except NotationError as error:
        return NotationError(f"{record.id}: {error.reason}")


def _trees(path: Path) -> Iterator[Game | NotationError]:
    from yoddd.kernel import best_position
    from yoddd.notation import NotationError, read_sgf_game
    from yoddd.notation.archives import read_collection

    problems: list[NotationError] = []
    for tree in read_collection([path.read_bytes()]):
        if isinstance(tree, NotationError):
            problems.append(tree)
            continue
        try:
            game = read_sgf_game(tree, best_position())
        except NotationError as error:
            yield error
        else:
            yield Game(game.start, game.turns, tree, errors=(*problems, *game.errors))
        problems = []
    yield from problems
