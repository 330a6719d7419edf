"""``yoddd gtp``: the headless engine on standard input and output."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Final

import click

import yoddd
from yoddd.cli.options import game_options, say_without_kernel, thread_count
from yoddd.engine import ENGINES, HIGHEST, STRONGEST
from yoddd.protocol.parameters import MAX_SEED, RANDOM
from yoddd.rules import Rules
from yoddd.system import processors

MEMORY: Final = 1024
"""MiB that a search may use; it allocates only what it needs."""


def _read_seed(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """Return the seed that ``value`` spells; None for ``random``."""
    return None if value == RANDOM else click.IntRange(0, MAX_SEED)(value, param, ctx)


@click.command("gtp")
@click.option(
    "--engine", type=click.Choice(list(ENGINES)), default=STRONGEST, help="Engine that plays."
)
@game_options
@click.option(
    "--seed",
    callback=_read_seed,
    metavar="N|random",
    default=RANDOM,
    help="Seed of its searches; random: a new one for each search.",
)
@click.option(
    "--level",
    type=click.IntRange(1, HIGHEST),
    default=HIGHEST,
    help="Playing strength, from nearly random turns to full strength.",
)
@click.option(
    "--threads",
    type=thread_count,
    metavar="N|auto",
    default="auto",
    help="Threads of one search; auto: two if only time limits it and processors are free, else 1.",
)
@click.option("--gogui", is_flag=True, help="Name cells and enter turns as GoGui does.")
@click.option("--sabaki", is_flag=True, help="Name cells and report as Sabaki expects.")
def command(
    engine: str,
    rules: Rules,
    seed: int | None,
    level: int,
    threads: int,
    gogui: bool,
    sabaki: bool,
) -> None:
    """Speak the protocol on standard input and output.

    Exits with status 0 at `quit` and at the end of input.

    \b
    Examples:
      yoddd gtp
      yoddd gtp --game xodd --board square9 --engine random --seed 5
      yoddd gtp --level 4
      echo showboard | yoddd gtp --board hex4
      gogui -program 'yoddd gtp --gogui --game yoin --option pie=off'
    """
    from yoddd.engine import SmallBoards
    from yoddd.protocol.config import (
        Dialect,
        SessionConfig,
        SessionDefaults,
        SessionLimits,
        SessionServices,
    )
    from yoddd.protocol.coordinates import Coordinates, Turns

    say_without_kernel()
    # Twisted imports both if they are installed, a sixth of the start-up time; pipes need none.
    for name in ("OpenSSL", "ssl"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]  # what stops an import
    from yoddd.daemon.net import stdio

    config = SessionConfig(
        version=yoddd.__version__,
        limits=SessionLimits(threads=threads or processors(), memory=MEMORY, ponder=True),
        defaults=SessionDefaults(
            engine=engine,
            level=level,
            seed=seed,
            coordinates=Coordinates.GOGUI if gogui or sabaki else Coordinates.ROWS,
            turns=Turns.SINGLE if gogui else Turns.WHOLE,
            dialect=Dialect.LZ if sabaki else Dialect.KATA,
            rules=rules,
        ),
        # A client on standard streams runs as the user and may read the user's files anyway.
        services=SessionServices(
            draw_seed=lambda: secrets.randbits(63),
            cpu_time=time.process_time,
            free_threads=None if threads else processors,
            tables=SmallBoards(),
            read_file=lambda name: Path(name).read_bytes(),
        ),
    )
    sys.exit(stdio.gtp(config))
