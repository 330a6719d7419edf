"""Bars on standard error, and work that several processes share under one."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress, ProgressColumn

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def progress(*columns: str | ProgressColumn) -> Progress:
    """Bars on standard error, shown only if that is a terminal; rich's columns by default."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)


@contextlib.contextmanager
def results(
    function: Callable[[_Item], _Result], items: Sequence[_Item], processes: int, description: str
) -> Iterator[Iterable[_Result]]:
    """The results of a function for all items, in order, from several processes, with a bar.

    The processes end with the context, whether or not all results were taken.
    """
    context = multiprocessing.get_context("spawn")
    with progress() as bar, context.Pool(processes, _ignore_interrupts) as pool:
        yield bar.track(pool.imap(function, items), total=len(items), description=description)


def _ignore_interrupts() -> None:
    """Leave Ctrl+C to the process that waits for the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
