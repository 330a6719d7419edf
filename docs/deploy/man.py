"""Writes a manual page of each command: ``python docs/deploy/man.py FOLDER`` (extra ``man``)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from yoddd import __version__
from yoddd.cli import main
from yoddd.extras import ExtraMissing, needs_extra


def contexts(
    command: click.Command, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """The contexts of a command and of those below it."""
    name = "yoddd" if parent is None else command.name
    context = click.Context(command, parent=parent, info_name=name)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from contexts(found, context)


def write(folder: Path) -> None:
    """Write a page for each command, such as ``yoddd-serve.1``."""
    with needs_extra("docs/deploy/man.py", "man"):
        from click_man.core import generate_man_page  # noqa: PLC0415 — an extra

    folder.mkdir(parents=True, exist_ok=True)
    for context in contexts(main):
        # click marks a block that keeps its lines with a backspace; roff would print it.
        page = generate_man_page(context, version=__version__).replace("\b", "")
        # A line that begins with a dot or a quote is a roff macro; escape it in text.
        page = re.sub(r"^(['.])(?![A-Z]{1,2}\b)", r"\\&\1", page, flags=re.MULTILINE)
        name = context.command_path.replace(" ", "-")
        (folder / f"{name}.1").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    try:
        write(Path(sys.argv[1]))
    except ExtraMissing as error:
        sys.exit(f"Error: {error}")
