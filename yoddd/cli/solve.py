"""``yoddd solve``: the winner under best play."""

from __future__ import annotations

import sys

import click

from yoddd.cli.options import NumberRange
from yoddd.kernel import solve
from yoddd.kernel.backend import KernelMissing
from yoddd.notation import NotationError, format_turn, parse_position

_UNSOLVED = 1


@click.command("solve")
@click.argument("position")
@click.option("--nodes", type=click.IntRange(0), default=0, help="Give up after this many nodes.")
@click.option("--seconds", type=NumberRange(0), default=0, help="Give up after this time.")
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Memory of the table of positions, in MiB.",
)
def command(position: str, nodes: int, seconds: float, memory: int) -> None:
    """Find the winner of POSITION, a position line, under best play of both sides.

    The first line is b or w, the winning colour, or unknown if a limit ended the search; the exit
    status is 0 for a proof and 1 for unknown. Then come the best line of play, the nodes searched
    and the time.

    \b
    Examples:
      yoddd solve 'xodd square3 3/3/3 b 0 1'
      yoddd solve 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2' --seconds 10
    """
    try:
        start = parse_position(position)
        solution = solve(start, nodes=nodes, seconds=seconds, memory=memory << 20)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="POSITION") from None
    except KernelMissing as error:
        raise click.ClickException(str(error)) from None
    click.echo(solution.winner.letter if solution.winner is not None else "unknown")
    line = [format_turn(turn, start.rules) for turn in solution.line]
    click.echo(" ".join(["line", *line]))
    click.echo(f"nodes {solution.nodes}")
    click.echo(f"time {solution.seconds:.3f} s")
    if solution.winner is None:
        sys.exit(_UNSOLVED)
