"""``yoddd gtp``: the headless engine on standard input and output."""

from __future__ import annotations

import sys

import click

from yoddd.cli.options import game_options
from yoddd.engine import ENGINES, STRONGEST
from yoddd.rules import Rules


@click.command("gtp")
@click.option("--engine", type=click.Choice(list(ENGINES)), default=STRONGEST, show_default=True)
@game_options
@click.option("--seed", default=0, show_default=True, help="Seed of its searches.")
@click.option("--gogui", is_flag=True, help="Name cells as the program GoGui does.")
def command(
    engine: str,
    rules: Rules,
    seed: int,
    gogui: bool,  # noqa: FBT001 — click hands it over
) -> None:
    """Speak the protocol on standard input and output.

    Leaves with status 0 at `quit` and at the end of input.

    \b
    Examples:
      yoddd gtp
      yoddd gtp --game xodd --board square9 --engine random --seed 5
      printf '%s\\n' 'play b d4' showboard | yoddd gtp --board hex4
      gogui -program 'yoddd gtp --gogui --game yoin --option pie=off'
    """
    from yoddd.daemon import stdio  # noqa: PLC0415 — Twisted is slow to import

    sys.exit(stdio.gtp(engine, seed, rules, gogui=gogui))
