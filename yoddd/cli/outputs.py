"""Checks the files that a command writes before it runs."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from yoddd.defaults import ENGINES_FILE
from yoddd.store.errors import StoreError
from yoddd.store.targets import check_target

OUTPUT_FILE: Final = click.Path(dir_okay=False, path_type=Path, writable=True)
OUTPUT_FOLDER: Final = click.Path(file_okay=False, path_type=Path, writable=True)
"""The types of parameters that name what a command writes."""


def is_output(param: click.Parameter) -> bool:
    """Whether a parameter names a file or a folder that is written."""
    kind = param.type
    return (isinstance(kind, click.Path) and kind.writable) or (
        isinstance(kind, click.File) and "r" not in kind.mode
    )


def check_output(target: Path, sources: Iterable[Path] = ()) -> None:
    """Refuse to write a file that is read, or that a database would lose.

    Raises:
        ClickException: it is such a file.
    """
    try:
        check_target(target, sources)
    except StoreError as error:
        raise click.ClickException(str(error)) from None


def with_checked_outputs(command: click.Command) -> click.Command:
    """The command, which refuses every output that is one of the files that it names."""
    run = command.callback
    if run is None or not any(map(is_output, command.params)):
        return command

    @functools.wraps(run)
    def checked(*args: Any, **kwargs: Any) -> Any:
        given = click.get_current_context().params
        targets: list[Path] = []
        sources = [Path(ENGINES_FILE)]
        for param in command.params:
            found = [*_files(given.get(param.name or ""))]
            (targets if is_output(param) else sources).extend(found)
            if isinstance(param.type, click.Path):
                sources += [one for folder in found for one in _of_run(folder, param.type)]
        for target in targets:
            check_output(target, sources)
        return run(*args, **kwargs)

    command.callback = checked
    return command


def _files(value: Any) -> Iterator[Path]:
    """The files that the value of a parameter may name."""
    if isinstance(value, tuple | list):
        for one in value:
            yield from _files(one)
    elif isinstance(value, Path):
        yield value
    elif isinstance(value, str):
        words = [value]
        with suppress(ValueError):  # no command line
            words += shlex.split(value)
        for text in (text for word in words for text in (word, word.partition("=")[2])):
            with suppress(OSError, ValueError):  # no path
                if Path(text).is_file():
                    yield Path(text)
    elif isinstance(getattr(value, "name", None), str) and not value.name.startswith("<"):
        yield Path(value.name)
    elif hasattr(value, "fileno"):  # a standard stream
        with suppress(OSError):
            yield Path(f"/dev/fd/{value.fileno()}")


def _of_run(folder: Path, kind: click.Path[Path]) -> Iterator[Path]:
    """The files of a run in a folder, which no other output of the command may be."""
    if folder.is_dir() or not kind.file_okay:
        from yoddd.daemon.runs.run_folder import FILES

        yield from (folder / name for name in FILES)
