"""Bars on standard error, and work that several workers share under one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import Progress, ProgressColumn

from yoddd.cli.options import Workers
from yoddd.workers import WorkerError, in_order, open_executor

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def progress(*columns: str | ProgressColumn) -> Progress:
    """Bars on standard error, shown only if that is a terminal; rich's columns by default."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)


@contextlib.contextmanager
def counted(total: int | None, description: str) -> Iterator[Callable[[], None]]:
    """A function to call after each of ``total`` things, which a bar counts; no bar for None."""
    with progress() as bar:
        task = None if total is None else bar.add_task(description, total=total)

        def advance() -> None:
            if task is not None:
                bar.advance(task)

        yield advance


@contextlib.contextmanager
def open_workers(workers: Workers, *, threads: bool = False) -> Iterator[Executor]:
    """The executor of some workers; see `open_executor`.

    Raises:
        ClickException: they cannot do the work.
    """
    try:
        with open_executor(workers.cluster, workers.processes, threads=threads) as executor:
            yield executor
    except WorkerError as error:
        raise click.ClickException(str(error)) from None


@contextlib.contextmanager
def results(
    workers: Workers,
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    description: str,
) -> Iterator[Iterable[_Result]]:
    """The results of a function for all items, in order, from some workers, with a bar.

    What was not begun when the context ends is cancelled.
    """
    with (
        progress() as bar,
        open_workers(workers) as executor,
        contextlib.closing(in_order(executor, function, items)) as found,
    ):
        yield bar.track(found, total=len(items), description=description)
