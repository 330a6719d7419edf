"""``yoddd table``: perfect play on boards of at most 25 cells."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from yoddd.cli.options import game_argument
from yoddd.cli.raster import write_picture
from yoddd.pictures import THEMES
from yoddd.rules import Colour, PositionLike, Rules
from yoddd.system import physical_memory

if TYPE_CHECKING:
    from yoddd.kernel.table import Table, Value

_FOLDER: Final = Path("tables")
_MEMORY: Final = 8192
"""The most memory that a table takes by default, in MiB."""

_EXHAUSTIVE: Final = 7
"""Boards of so many cells are searched exhaustively within seconds."""


@click.group("table")
def command() -> None:
    """Perfect play on boards of at most 25 cells: hex2, hex3 and square2 to square5.

    The table of square5 holds the positions of up to 8 stones, without distances.

    Commands that find no table in the folder make one in memory.

    \b
    Examples:
      yoddd table build yodd@hex3
      yoddd table counts xodd@square4
      yoddd table probe 'yodd hex2 2/3/2 b 0 1'
    """


def _refusals(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what tables refuse into messages of the command line."""
    from yoddd.kernel.backend import KernelMissing
    from yoddd.kernel.table_file import TableError

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TableError, KernelMissing, MemoryError) as error:
            raise click.ClickException(str(error)) from None

    return wrapper


_threads = click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=os.cpu_count() or 1,
    help="Threads.  [default: one per core]",
)
_tables = click.option(
    "--tables",
    "folder",
    type=click.Path(path_type=Path),
    default=_FOLDER,
    show_default=True,
    help="Folder of tables.",
)


@command.command("build")
@game_argument
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=_FOLDER,
    show_default=True,
    help="Folder for the file.",
)
@click.option(
    "--distances/--no-distances",
    default=True,
    show_default=True,
    help="Keep the turns to the end too, in games with passes.",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=_MEMORY,
    show_default=True,
    help="Most memory that it may take, in MiB.",
)
@click.option(
    "--stones",
    type=click.IntRange(1, 8),
    default=8,
    show_default=True,
    help="Most stones of the positions that a table of square5 holds.",
)
@_threads
@_refusals
def build_command(
    rules: Rules, out: Path, distances: bool, memory: int, stones: int, threads: int
) -> None:
    """Solve GAME on BOARD and write the table to a file.

    A table that takes more memory is refused, with the figure.

    \b
    Examples:
      yoddd table build yodd@hex3
      yoddd table build odd@square4 --option min_group=3 --out /var/lib/tables
      yoddd table build xodd@square5 --option own_colour=on --memory 12000
    """
    from yoddd.daemon.base.tables import program, write_table
    from yoddd.kernel.table import build, file_name

    start = time.monotonic()
    path = out / file_name(rules)
    taken = _check_memory(rules, threads, memory, stones)
    click.echo(f"memory {taken / 1e6:.1f} MB", err=True)
    with _progress() as report:
        parts = list(
            build(
                rules,
                program(),
                threads=threads,
                distances=distances,
                stones=stones,
                progress=report,
            )
        )
    write_table(path, parts)
    click.echo(f"file {path}")
    click.echo(f"size {path.stat().st_size / 1e6:.1f} MB")
    click.echo(f"time {time.monotonic() - start:.1f} s")


@command.command("counts")
@game_argument
@_tables
@_threads
@_refusals
def counts_command(rules: Rules, folder: Path, threads: int) -> None:
    """Count the positions of each number of stones, and those that the player to move wins.

    Positions are those that can occur at the end of a turn, with all their symmetric images and no
    pass pending. In Odd, Yoin and Product the player to move is that of a game from the empty
    board; in Yodd and Xodd Black and White have the same number.

    \b
    Examples:
      yoddd table counts yodd@hex3
      yoddd table counts xodd@square4 --option own_colour=on
    """
    layers = _table(rules, folder, threads).file.header.layers
    for stones, (positions, won) in enumerate(layers):
        click.echo(f"stones {stones} positions {positions} won {won}")


@command.command("probe")
@click.argument("position")
@_tables
@_threads
@_refusals
def probe_command(position: str, folder: Path, threads: int) -> None:
    """Print the value of POSITION, a position line, and of every legal turn.

    The first line is the value for the player to move: won or lost, and in how many turns the game
    ends if the winner plays for a short game and the loser for a long one. Then comes a line for
    each turn, the best first.

    \b
    Examples:
      yoddd table probe 'yodd hex2 2/3/2 b 0 1'
    """
    from yoddd.notation import format_turn

    start = _parse(position)
    table = _table(start.rules, folder, threads)
    click.echo(_spell(table.value(start)))
    for turn, value in table.turns(start):
        click.echo(f"{format_turn(turn, start.rules)} {_spell(value)}")


@command.command("longest")
@game_argument
@_tables
@_threads
@_refusals
def longest_command(rules: Rules, folder: Path, threads: int) -> None:
    """Print the longest forced win: its turns, and a position that takes that many.

    The position is one after a turn that is not a pass. The winner plays for a short game, and the
    loser for a long one. Games of a fixed length have no longest win.

    \b
    Examples:
      yoddd table longest yodd@hex3
      yoddd table longest xodd@square4 --option own_colour=on
    """
    from yoddd.kernel.table_file import TableError
    from yoddd.kernel.table_longest import longest_win
    from yoddd.notation import format_position

    found = longest_win(_table(rules, folder, threads))
    if found is None:
        raise TableError(f"{rules.game.title} has a fixed length, or the table no distances")
    turns, position = found
    click.echo(f"won {turns}: {format_position(position)}")


@command.command("picture")
@click.argument("position")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    required=True,
    help="File to write, .svg or .png.",
)
@click.option(
    "--theme", type=click.Choice(list(THEMES)), default="light", show_default=True, help="Colours."
)
@_tables
@_threads
@_refusals
def picture_command(position: str, out: Path, theme: str, folder: Path, threads: int) -> None:
    """Draw POSITION, a position line, with the stones of winning turns.

    A cell is tinted if some winning turn places a stone on it; small discs show the colours.

    \b
    Examples:
      yoddd table picture 'yodd hex3 3/4/5/4/3 b 0 1' --out hex3.svg
    """
    from yoddd.pictures import Style, draw

    start = _parse(position)
    wins: defaultdict[int, set[Colour]] = defaultdict(set)
    for turn, value in _table(start.rules, folder, threads).turns(start):
        for stone in turn.stones if value.won else ():
            wins[stone.cell].add(stone.colour)
    write_picture(out, draw(start, style=Style(theme=THEMES[theme], wins=wins)))


@command.command("verify")
@game_argument
@_tables
@click.option(
    "--sample", type=click.IntRange(0), default=20, show_default=True, help="Random games."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the games.")
@click.option("--exhaustive", is_flag=True, help="Also search boards of more than 7 cells.")
@_threads
@_refusals
def verify_command(
    rules: Rules,
    folder: Path,
    sample: int,
    seed: int,
    exhaustive: bool,
    threads: int,
) -> None:
    """Check a table: its digests, random games by the reference rules, and exhaustive search.

    Along random games the value of every position has to be that of its best turn. On boards of at
    most 7 cells, or with --exhaustive, every position is searched to the end as well. The exit
    status is 1 if a value is wrong.

    \b
    Examples:
      yoddd table verify yodd@hex2
      yoddd table verify xodd@square4 --sample 50
    """
    from yoddd.kernel.table_check import TableWrong, check_exhaustively, check_lines
    from yoddd.notation import format_position

    table = _table(rules, folder, threads)
    table.file.check()
    click.echo("digests right")
    try:
        click.echo(f"positions of {sample} games right: {check_lines(table, sample, seed)}")
        if exhaustive or rules.geometry.cells <= _EXHAUSTIVE:
            click.echo(f"positions searched right: {check_exhaustively(table)}")
    except TableWrong as wrong:
        where = format_position(wrong.position)
        stored, expected = _spell(wrong.stored), _spell(wrong.expected)
        raise click.ClickException(f"{where}: {stored}, expected {expected}") from None


def _parse(line: str) -> PositionLike:
    from yoddd.notation import NotationError, parse_position

    try:
        return parse_position(line)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="POSITION") from None


def _table(rules: Rules, folder: Path, threads: int) -> Table:
    """The table of ``rules`` in the folder, else one made in memory."""
    from yoddd.daemon.base.tables import map_file, program
    from yoddd.kernel.table import Table, build, file_name
    from yoddd.kernel.table_file import TableError

    path = folder / file_name(rules)
    if path.is_file():
        table = Table(map_file(path))
        if not table.holds(rules):
            raise TableError(f"{path} holds {table.rules}")
        return table
    _check_memory(rules, threads)
    with _progress() as report:
        return Table(b"".join(build(rules, program(), threads=threads, progress=report)))


def _check_memory(
    rules: Rules, threads: int, most: int = _MEMORY, stones: int | None = None
) -> int:
    """The memory that a table takes; refuse what the machine does not have, or is not allowed."""
    from yoddd.kernel.table import HELD_STONES, memory_of
    from yoddd.kernel.table_file import TableError

    memory = memory_of(rules, threads, stones or HELD_STONES)
    free = physical_memory()
    if memory > free:
        raise TableError(
            f"a table takes {memory >> 20} MiB of memory: the machine has {free >> 20}"
        )
    if memory > most << 20:
        raise TableError(
            f"a table takes {memory >> 20} MiB of memory, more than {most}:"
            f" build it with --memory {(memory >> 20) + 1}"
        )
    return memory


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[float], bool]]:
    """A bar on standard error, if that is a terminal."""
    from rich.progress import BarColumn, TaskProgressColumn, TimeElapsedColumn

    from yoddd.cli.progress import progress

    columns = "{task.description}", BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    with progress(*columns) as bar:
        task = bar.add_task("solving", total=1.0)

        def report(share: float) -> bool:
            bar.update(task, completed=share)
            return True

        yield report


def _spell(value: Value) -> str:
    word = "won" if value.won else "lost"
    return word if value.turns is None else f"{word} {value.turns}"
