"""``yoddd solve``: the winner under best play."""

from __future__ import annotations

import sys

import attrs
import click

from yoddd.cli.options import NumberRange
from yoddd.kernel import solve, sweep_cost
from yoddd.kernel.backend import KernelMissing
from yoddd.kernel.solver import SolverLimits
from yoddd.notation import NotationError, format_turn, parse_position
from yoddd.rules import PositionLike

_UNSOLVED = 1
_WORTH_TELLING = 1 << 20


@click.command("solve")
@click.argument("position")
@click.option(
    "--nodes", type=click.IntRange(0), default=0, help="Number of nodes to give up after."
)
@click.option(
    "--seconds", type=NumberRange(0), default=0, help="Number of seconds to give up after."
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Memory of the table of positions or of the sweep, in MiB.",
)
@click.option(
    "--threads", type=click.IntRange(1), default=2, show_default=True, help="Threads of a sweep."
)
def command(position: str, nodes: int, seconds: float, memory: int, threads: int) -> None:
    """Find the winner of POSITION, a position line, under best play of both sides.

    The first line is b or w, the winning colour, or unknown if a limit ended the search; the exit
    status is 0 for a proof and 1 for unknown. Then come the best line of play, the nodes searched
    and the time.

    With few empty cells all fillings of them are solved in one sweep if the limits allow it. If
    it needs one MiB or more, its size is printed on standard error first. A last line gives the
    distance, the number of turns to the end. Otherwise a proof is searched for.

    \b
    Examples:
      yoddd solve 'xodd square3 3/3/3 b 0 1'
      yoddd solve 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2' --seconds 10
      yoddd solve 'yodd hex3 2w/1b2/1bw2/w3/1b1 w 0 7' --threads 2
    """
    try:
        start = parse_position(position)
        limits = SolverLimits(nodes, seconds, memory << 20, threads)
        _announce(start, limits)
        solution = solve(start, **attrs.asdict(limits))
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="POSITION") from None
    except KernelMissing as error:
        raise click.ClickException(str(error)) from None
    click.echo(solution.winner.letter if solution.winner is not None else "unknown")
    line = [format_turn(turn, start.rules) for turn in solution.line]
    click.echo(" ".join(["line", *line]))
    click.echo(f"nodes {solution.nodes}")
    click.echo(f"time {solution.seconds:.3f} s")
    if solution.distance is not None:
        click.echo(f"distance {solution.distance}")
    if solution.winner is None:
        sys.exit(_UNSOLVED)


def _announce(start: PositionLike, limits: SolverLimits) -> None:
    """Tell the memory of a sweep before it is taken, or which memory one would need."""
    empty = start.cells.count(None)
    cost = sweep_cost(start.rules, empty)
    if cost is None or cost.memory < _WORTH_TELLING or start.is_over:
        return
    what = f"{empty} empty cells, {cost.fillings:,} fillings, {cost.memory >> 20:,} MiB"
    if limits.allow_sweep(start):
        click.echo(f"sweep: {what}", err=True)
    elif cost.memory > limits.memory:
        click.echo(f"no sweep: {what}, more than --memory allows", err=True)
