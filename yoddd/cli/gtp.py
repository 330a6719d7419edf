"""``yoddd gtp``: the headless engine on standard input and output."""

from __future__ import annotations

import sys

import click

from yoddd.engine import ENGINES, STRONGEST


@click.command("gtp")
@click.option("--engine", type=click.Choice(list(ENGINES)), default=STRONGEST, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Seed of its searches.")
@click.option("--gogui", is_flag=True, help="Name cells as the program GoGui does.")
def command(engine: str, seed: int, gogui: bool) -> None:  # noqa: FBT001 — click hands it over
    """Speak the protocol on standard input and output.

    Leaves with status 0 at `quit` and at the end of input.

    \b
    Examples:
      yoddd gtp
      printf 'game yodd hex4\nplay b d4\nshowboard\n' | yoddd gtp
      yoddd gtp --engine random --seed 5
      gogui -program 'yoddd gtp --gogui'
    """
    from yoddd.daemon import stdio  # noqa: PLC0415 — Twisted is slow to import

    sys.exit(stdio.gtp(engine, seed, gogui=gogui))
