"""``yoddd analysis``: the analysis engine on standard input and output."""

from __future__ import annotations

import sys
import threading
from typing import Final

import click

import yoddd
from yoddd.system import processors

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
def command(
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
