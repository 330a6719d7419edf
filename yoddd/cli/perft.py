"""``yoddd perft``: count legal turn sequences."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from yoddd.cli.options import game_options
from yoddd.kernel import best_position
from yoddd.notation import NotationError, format_turn, parse_position
from yoddd.rules import Position, PositionLike, Rules


@click.command("perft")
@game_options
@click.option("--depth", type=click.IntRange(0), default=2, help="Depth in turns.")
@click.option("--position", "line", help="Position line to start from.")
@click.option("--divide", is_flag=True, help="Print the number for each first turn as well.")
def command(
    rules: Rules,
    depth: int,
    line: str | None,
    divide: bool,
) -> None:
    """Count the legal sequences of DEPTH turns: one number, on the last line.

    A turn of two stones is an unordered pair and counts once; passing counts; a finished game has
    no further turns.

    \b
    Examples:
      yoddd perft --game yodd --board hex3 --depth 2
      yoddd perft --position 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2' --depth 1
      yoddd perft --game xodd --board square3 --depth 3 --divide
    """
    if divide and depth == 0:
        raise click.UsageError("--divide needs a --depth of 1 or more")
    try:
        start = Position(rules) if line is None else parse_position(line)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="--position") from None
    position = best_position().set_up(
        start.rules, start.cells, start.player, start.passes, start.number
    )
    with _interruptible():
        click.echo(_divide(position, depth) if divide else position.perft(depth))


def _divide(position: PositionLike, depth: int) -> int:
    """Print each first turn with the number of sequences that it begins; return their sum."""
    total = 0
    for turn in position.legal_turns():
        position.play(turn)
        count = position.perft(depth - 1)
        position.undo()
        click.echo(f"{format_turn(turn, position.rules)}: {count}")
        total += count
    click.echo()
    return total


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl+C end the process: the kernel does not return to Python's signal handlers."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
