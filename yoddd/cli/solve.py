"""``yoddd solve``: the winner under best play."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, get_args

import attrs
import click

from yoddd.cli.options import NumberRange
from yoddd.kernel.solver import Method
from yoddd.kernel.square5 import BOARD
from yoddd.rules import PositionLike

if TYPE_CHECKING:
    from yoddd.kernel import SweepCost
    from yoddd.kernel.solver import Solution, SolverLimits

_UNSOLVED = 1
_WORTH_TELLING = 1 << 20


@click.command("solve")
@click.argument("position")
@click.option(
    "--nodes", type=click.IntRange(0), default=0, help="Nodes to give up after; 0 for no limit."
)
@click.option(
    "--seconds", type=NumberRange(0), default=0, help="Seconds to give up after; 0 for no limit."
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=256,
    help="Memory of a sweep, or of all that a search keeps, in MiB.",
)
@click.option("--threads", type=click.IntRange(1), default=2, help="Threads.")
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    default="auto",
    help="A sweep with or without distances, a proof search, or what the limits allow.",
)
def command(
    position: str,
    nodes: int,
    seconds: float,
    memory: int,
    threads: int,
    method: Method,
) -> None:
    """Find the winner of POSITION, a position line, under best play of both sides.

    The first line is b or w, the winning colour, or unknown if a limit ended the search; the exit
    status is 0 for a proof and 1 for unknown. Then come the best line of play, the nodes searched
    and the time.

    The first turns on square5 are looked up in a table at once, whatever the limits, unless another
    method than auto is chosen.

    If few cells are empty and the limits allow it, one sweep solves all fillings of them; a last
    line then gives the distance, which is the number of turns to the end. A compact sweep takes an
    eighth of the memory and gives no distance. Otherwise a proof search runs, with compact sweeps
    at its leaves. A method that takes a MiB or more is named on standard error before it begins.

    \b
    Examples:
      yoddd solve 'xodd square3 3/3/3 b 0 1'
      yoddd solve 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2' --seconds 10
      yoddd solve 'yodd hex3 2w/1b2/1bw2/w3/1b1 w 0 7' --threads 2
    """
    from yoddd.kernel import solve
    from yoddd.kernel.solver import SolverLimits
    from yoddd.notation import NotationError, format_turn, parse_position

    try:
        start = parse_position(position)
        limits = SolverLimits(nodes, seconds, memory << 20, threads)
        solution = _look_up(start) if method == "auto" else None
        if solution is None:
            _announce(start, limits, method)
            solution = solve(start, **attrs.asdict(limits), method=method)
    except NotationError as error:
        raise click.BadParameter(str(error), param_hint="POSITION") from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(solution.winner.letter if solution.winner is not None else "unknown")
    line = [format_turn(turn, start.rules) for turn in solution.line]
    click.echo(" ".join(["line", *line]))
    click.echo(f"nodes {solution.nodes}")
    if solution.sweeps:
        click.echo(f"sweeps {solution.sweeps}")
    click.echo(f"time {solution.seconds:.3f} s")
    if solution.distance is not None:
        click.echo(f"distance {solution.distance}")
    if solution.winner is None:
        sys.exit(_UNSOLVED)


def _look_up(position: PositionLike) -> Solution | None:
    from yoddd.engine import SmallBoards, solve_by_tables

    begun = time.perf_counter()
    if position.rules.geometry.name != BOARD:
        return None
    found = solve_by_tables(SmallBoards(), position)
    if found is None:
        return None
    click.echo(f"table: {position.rules.game.name} {BOARD}", err=True)
    return attrs.evolve(found, seconds=time.perf_counter() - begun)


def _announce(start: PositionLike, limits: SolverLimits, method: Method) -> None:
    """Tell what is done and its memory before it is taken, or which memory a sweep would need."""
    from yoddd.kernel import sweep_cost
    from yoddd.kernel.solver import leaf_cells

    empty = start.cells.count(None)
    if start.is_over or start.resigned is not None:
        return
    full, compact = (
        sweep_cost(start.rules, empty, distances=distances, threads=limits.threads)
        for distances in (True, False)
    )
    refused = full if method == "sweep" else compact
    if method != "search" and refused is not None and refused.memory > limits.memory:
        _tell("no sweep", empty, refused, ", more than --memory allows")
    if method in {"auto", "sweep"} and limits.allow_sweep(start):
        _tell("sweep", empty, full)
    elif method in {"auto", "compact"} and limits.allow_sweep(start, distances=False):
        _tell("compact sweep", empty, compact)
    elif method in {"auto", "search"}:
        leaf = leaf_cells(start, limits)
        what = f"{empty} empty cells, {limits.memory >> 20:,} MiB, sweeps from {leaf} on"
        click.echo(f"search: {what}", err=True)


def _tell(what: str, empty: int, cost: SweepCost | None, more: str = "") -> None:
    if cost is None or cost.memory < _WORTH_TELLING:
        return
    size = f"{cost.fillings:,} fillings, {cost.memory >> 20:,} MiB"
    click.echo(f"{what}: {empty} empty cells, {size}{more}", err=True)
