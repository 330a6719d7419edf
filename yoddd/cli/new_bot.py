"""``yoddd new-bot``: a bot that passes the check, as the beginning of another one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

import attrs
import click

from yoddd.cli.files import write_whole
from yoddd.cli.outputs import OUTPUT_FOLDER

_PACKAGE: Final = Path(__file__).parents[1]
_TEMPLATES: Final = (_PACKAGE.parent / "clients", _PACKAGE / "bots")
"""The folder of bots in a clone, and their copy in a wheel."""


@attrs.frozen
class _Language:
    """A language in which there is a bot.

    Attributes:
        source: its file, below the folder of the bots.
        run: the command line that runs the bot in a folder.
        build: the command line that compiles it; empty if none does.
    """

    source: str
    run: str
    build: str = ""


_LANGUAGES: Final = {
    "c": _Language("c/bot.c", "{0}/bot", "cc -O2 -o {0}/bot {0}/bot.c"),
    "go": _Language("go/bot.go", "{0}/bot", "go build -o {0}/bot {0}/bot.go"),
    "java": _Language("java/Bot.java", "java -cp {0} Bot", "javac -d {0} {0}/Bot.java"),
    "js": _Language("node/bot.js", "node {0}/bot.js"),
    "lua": _Language("lua/bot.lua", "lua {0}/bot.lua"),
    "python": _Language("python/bot.py", "python3 {0}/bot.py"),
    "rust": _Language("rust/bot.rs", "{0}/bot", "rustc -O -o {0}/bot {0}/bot.rs"),
}


@click.command("new-bot")
@click.argument("language", type=click.Choice(list(_LANGUAGES)))
@click.argument("folder", type=OUTPUT_FOLDER, metavar="DIR")
def command(language: str, folder: Path) -> None:
    """Write a bot that plays random legal turns into a folder, to be made better.

    It passes `yoddd check` as it is. What to type next is printed: how to compile the bot, if it
    has to be, to check it, and to let it play.

    \b
    Examples:
      yoddd new-bot lua my-bot
    """
    template = _LANGUAGES[language]
    source = next(file for one in _TEMPLATES if (file := one / template.source).exists())
    target = folder / source.name
    if target.exists():
        raise click.UsageError(f"{target} exists; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(target, source.read_bytes())
    # A program is looked for on the PATH unless its name has a slash before it.
    place = folder if folder.is_absolute() else f"./{folder}"
    run, yoddd = template.run.format(place), typed_name()
    engine = f"'{run}'" if " " in run else run
    click.echo(f"{target} plays random legal turns; change its `choose`. Next:\n")
    lines = [template.build.format(place)] if template.build else []
    lines += [
        f"{yoddd} check {run}",
        f"{yoddd} match {engine} builtin:random --board hex4 --games 2",
    ]
    click.echo("\n".join(f"    {line}" for line in lines))


def typed_name() -> str:
    """The name by which this program can be typed in the current folder."""
    program = Path(sys.argv[0]).absolute()
    on_path = shutil.which("yoddd")
    if program.name != "yoddd" or (on_path and Path(on_path).samefile(program)):
        return "yoddd"
    is_below = program.is_relative_to(Path.cwd())
    return str(program.relative_to(Path.cwd()) if is_below else program)
