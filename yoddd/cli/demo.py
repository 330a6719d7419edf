"""``yoddd demo``: one refereed game between engines at a daemon, with nothing to set up."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import click

from yoddd.cli.new_bot import typed_name
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
