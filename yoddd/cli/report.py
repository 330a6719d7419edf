"""``yoddd report``: a game on a board as its designer wants to know it."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from yoddd.cli.options import Workers, collect_options, game_argument, workers_options
from yoddd.extras import needs_extra
from yoddd.rules import Rules

if TYPE_CHECKING:
    from yoddd.library.puzzles import Puzzle

_PUZZLES: Final = 3
_PUZZLE_SEEDS: Final = 12


@attrs.frozen
class _Settings:
    """The options of a report."""

    games: int
    playouts: int
    seed: int
    workers: Workers
    out: Path


@click.command("report")
@game_argument
@click.option(
    "--games",
    type=click.IntRange(10),
    default=200,
    show_default=True,
    help="Games of self-play; about one and a half times as many others are added.",
)
@click.option(
    "--playouts", type=click.IntRange(4), default=500, show_default=True, help="Playouts per turn."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of everything.")
@workers_options(2)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default="report.html",
    show_default=True,
    help="Page to write.",
)
@collect_options("settings", _Settings)
def command(rules: Rules, settings: _Settings) -> None:
    """Write what self-play says about GAME on BOARD to an HTML page.

    The page has the rate of the first player by strength, the effect of a pie rule, the ladder from
    random play to the strongest search, lengths, numbers of legal turns, changes of the lead,
    drama, first turns and cells, mirror play, sample games and puzzles. The same seed gives the
    same page, whatever the number of workers. Needs the extra 'stats'.

    \b
    Examples:
      yoddd report odd@hex5 --games 1000
      yoddd report yoin@hex5 --option pie=off --out yoin.html
    """
    from yoddd.cli.progress import results
    from yoddd.kernel.backend import KernelMissing, native

    with needs_extra("yoddd report", "stats"):
        from yoddd.design import examine, plan, run
        from yoddd.design.page import design_html
    try:
        native()
    except KernelMissing as error:
        raise click.ClickException(str(error)) from None
    made = plan(rules, settings.games, settings.playouts, settings.seed)
    with results(settings.workers, run, made.tasks, "playing") as found:
        report = examine(made, found)
    puzzles = _puzzles(rules, settings)
    settings.out.write_text(design_html(report, puzzles), encoding="utf-8")
    click.echo(f"report {settings.out}")


def _puzzles(rules: Rules, settings: _Settings) -> list[Puzzle]:
    """The first few puzzles of some seeds."""
    from yoddd.cli.progress import results
    from yoddd.library.puzzle_maker import Demand, make_puzzle

    seeds = range(settings.seed, settings.seed + _PUZZLE_SEEDS)
    make = functools.partial(make_puzzle, rules, Demand())
    with results(settings.workers, make, seeds, "puzzles") as found:
        return list(itertools.islice(filter(None, found), _PUZZLES))
