"""``yoddd gtp`` and ``yoddd analysis``: the engine on standard input and output."""

from __future__ import annotations

import secrets
import sys
import threading
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


LINE: Final = 1 << 20
"""Bytes of a query; a program on standard streams is trusted with more than a peer."""

QUERIES: Final = 16 << 20
"""Bytes of the queries whose positions wait."""

TREE: Final = 64
"""MiB for the tree of one search."""

LEAST: Final = 1024
"""MiB for all trees together, unless a search and one that is kept by each thread take more."""


@click.command("analysis")
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=processors,
    show_default="the processors that it may use",
    help="Positions searched at once.",
)
@click.option(
    "--search-threads", type=click.IntRange(1), default=1, help="Threads that search each of them."
)
@click.option(
    "--memory",
    type=click.IntRange(TREE),
    show_default="1024, or 128 for each of --concurrency if that is more",
    help="MiB for all search trees, including those that are kept.",
)
@click.option(
    "--kept",
    type=click.IntRange(0),
    default=256,
    help="Positions whose searches are kept for further queries about them.",
)
@click.option(
    "--quit-without-waiting", is_flag=True, help="Drop unanswered queries at the end of input."
)
def analysis(
    concurrency: int,
    search_threads: int,
    memory: int | None,
    kept: int,
    quit_without_waiting: bool,
) -> None:
    """Analyze positions: JSON queries on standard input, answers on standard output.

    A query is one line and asks for any number of positions of a game. The answers are lines too
    and come as the searches end, in any order; `id` and `turnNumber` tell which is which. The
    fields are those of KataGo's analysis engine where they mean the same.

    \b
    Examples:
      echo '{"id":"a","game":"yodd","board":"hex5","maxVisits":100}' | yoddd analysis
      yoddd analysis --concurrency 8 < queries.jsonl > answers.jsonl
    """
    from yoddd.engine import SmallBoards, TreeMemory, engines_within
    from yoddd.protocol.config import SessionConfig, SessionLimits, SessionServices

    # Twisted imports OpenSSL if it is installed, a sixth of the start-up time; pipes need none.
    sys.modules.setdefault("OpenSSL", None)  # type: ignore[arg-type]  # what stops an import
    from yoddd.daemon.net import stdio

    total = max(LEAST, 2 * TREE * concurrency) if memory is None else memory
    trees = TreeMemory(lambda: total << 20, threading.RLock())
    config = SessionConfig(
        version=yoddd.__version__,
        limits=SessionLimits(
            line=LINE,
            threads=search_threads,
            memory=TREE,
            searches=concurrency,
            queries=QUERIES,
            kept=kept,
        ),
        services=SessionServices(engines=engines_within(trees), tables=SmallBoards()),
    )
    sys.exit(stdio.analysis(config, waits=not quit_without_waiting))
