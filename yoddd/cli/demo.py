"""``yoddd demo`` and ``yoddd new-bot``: a first game, and the beginning of a bot."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import attrs
import click

from yoddd.cli.files import write_whole
from yoddd.cli.outputs import OUTPUT_FOLDER
from yoddd.system import own_command

_YODDD: Final = own_command("yoddd")
_LISTENING: Final = re.compile(rb"listening on tcp:([0-9]+)")
_MOMENTS: Final = 3
"""Boards that are printed."""

_GRACE: Final = 5.0
"""Seconds that a command has to end after SIGTERM."""


@click.command("demo")
@click.option("--board", default="hex6", help="Board of the game, such as hex6.")
@click.option("--seed", default=7, help="Seed of the game.")
@click.option(
    "--out",
    type=OUTPUT_FOLDER,
    help="Folder for the record.  [default: games/demo, or one with a number that is free]",
)
def command(board: str, seed: int, out: Path | None) -> None:
    """Play one refereed game of Yodd between two engines that connect over TCP.

    A daemon starts on a free port of the loopback interface, two engine processes attach to it, and
    the referee runs the game.

    \b
    Examples:
      yoddd demo
      yoddd demo --board hex4 --seed 3
    """
    from yoddd.engine import STRONGEST

    with ExitStack() as stack:
        daemon = stack.enter_context(
            _running("serve", "--listen", "tcp:0:interface=127.0.0.1", "--no-http")
        )
        address = f"127.0.0.1:{_port_of(daemon)}"
        names = (STRONGEST, "uct" if STRONGEST != "uct" else "random")
        for name in names:
            engine = [*_YODDD, "gtp", "--engine", name]
            stack.enter_context(_running("connect", address, "--as", name, "--open", "--", *engine))
        engines = [f"tcp:{name}" for name in names]
        match = ["match", *engines, "--daemon", address, "--board", board]
        folder = str(out or _free_folder())
        settings = ["--games", "1", "--seed", str(seed), "--out", folder]
        status = subprocess.run([*_YODDD, *match, *settings], check=False).returncode
    if status == 0:
        _show_moments(Path(folder) / "games.jsonl")
        click.echo(f"\nCheck a bot next:\n\n    {typed_name()} check python3 clients/python/bot.py")
    sys.exit(status)


def _show_moments(archive: Path) -> None:
    """Print the board after a third of the turns, after two thirds, and at the end."""
    from yoddd.cli.files import Game, games_of
    from yoddd.cli.show import describe

    for game in games_of(archive):
        if isinstance(game, Game):
            turns = list(game.turns)
            moments = {len(turns) * part // _MOMENTS for part in range(1, _MOMENTS + 1)}
            for number, turn in enumerate(turns, 1):
                game.start.play(turn)
                if number in moments:
                    click.echo(f"\n{describe(game.start)}")


def _free_folder() -> Path:
    """The first folder of the series ``games/demo``, ``games/demo-2``… that is not there."""
    names = ("games/demo" + (f"-{number}" if number > 1 else "") for number in count(1))
    return next(path for path in map(Path, names) if not path.exists())


@contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A yoddd command in the background; it is ended with the block."""
    process = subprocess.Popen(
        [*_YODDD, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _port_of(daemon: subprocess.Popen[bytes]) -> int:
    if daemon.stdout is None:
        raise click.ClickException("the daemon has no output")
    for line in daemon.stdout:
        match = _LISTENING.search(line)
        if match:
            return int(match[1])
    raise click.ClickException("the daemon did not start")


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
def new_bot(language: str, folder: Path) -> None:
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
