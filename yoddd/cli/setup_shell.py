"""``yoddd setup-shell``: completion and manual pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class
from click_man.core import generate_man_page

from yoddd import __version__

_NAME: Final = "yoddd"
_SCRIPTS: Final = {
    "bash": "share/bash-completion/completions/yoddd",
    "zsh": "share/zsh/site-functions/_yoddd",
    "fish": "share/fish/vendor_completions.d/yoddd.fish",
}
"""The file that a shell loads, below the prefix."""

_PAGES: Final = "share/man/man1"


@click.command("setup-shell")
@click.option(
    "--prefix",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("~/.local"),
    show_default=True,
    help="Folder below which the files are written.",
)
@click.option(
    "--print",
    "shell",
    type=click.Choice(list(_SCRIPTS)),
    help="Print the completion of one shell instead.",
)
def command(prefix: Path, shell: str | None) -> None:
    """Install completion for bash, zsh and fish, and the manual pages.

    Bash (with bash-completion), fish and man look below ~/.local and /usr/local by themselves; for
    zsh the last line of output says what to add to ~/.zshrc. A later version writes the same files
    again.

    \b
    Examples:
      yoddd setup-shell
      sudo yoddd setup-shell --prefix /usr/local
      yoddd setup-shell --print fish
    """
    main = click.get_current_context().find_root().command
    if shell is not None:
        click.echo(completion(main, shell), nl=False)
        return
    prefix = prefix.expanduser()
    files = {prefix / path: completion(main, name) for name, path in _SCRIPTS.items()}
    files |= {prefix / _PAGES / f"{name}.1": page for name, page in manual_pages(main)}
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    click.echo(
        f"{len(_SCRIPTS)} completions and {len(files) - len(_SCRIPTS)} manual pages: {prefix}"
    )
    functions = (prefix / _SCRIPTS["zsh"]).parent
    click.echo(f"for zsh: fpath+=({functions}); autoload -U compinit; compinit")


def completion(main: click.Command, shell: str) -> str:
    """The script that completes ``yoddd`` in a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise ValueError(f"no completion for {shell}")
    return kind(main, {}, _NAME, "_YODDD_COMPLETE").source()


def manual_pages(main: click.Command) -> Iterator[tuple[str, str]]:
    """The name and the text of the page of each command, such as ``yoddd-serve``."""
    for context in _contexts(main):
        # click marks a block that keeps its lines with a backspace; roff would print it.
        page = generate_man_page(context, version=__version__).replace("\b", "")
        # A line that begins with a dot or a quote is a roff macro; escape it in text.
        page = re.sub(r"^(['.])(?![A-Z]{1,2}\b)", r"\\&\1", page, flags=re.MULTILINE)
        yield context.command_path.replace(" ", "-"), page


def _contexts(
    command: click.Command, parent: click.Context | None = None
) -> Iterator[click.Context]:
    """The contexts of a command and of those below it."""
    name = _NAME if parent is None else command.name
    context = click.Context(command, parent=parent, info_name=name)
    yield context
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from _contexts(found, context)
