"""Bars on standard error, and work that several processes share under one."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import Progress, ProgressColumn

import yoddd
from yoddd.extras import needs_extra

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


class ClusterError(Exception):
    """A cluster cannot be reached, or cannot do what it was asked for."""


@contextlib.contextmanager
def cluster_results(
    function: Callable[[_Item], _Result], items: Sequence[_Item], address: str, description: str
) -> Iterator[Iterable[_Result]]:
    """The results of a function for all items, in order, from a cluster's workers, with a bar.

    What a lost worker was to find is found by another one. What was not begun when the context ends
    is taken back.

    Raises:
        ClusterError: the scheduler cannot be reached; or, of an item: a worker has another version
            of yoddd, or several workers were lost with it.
        ExtraMissing: the extra ``cluster`` is not installed.
    """
    with needs_extra("--cluster", "cluster"):
        from distributed import Client, KilledWorker
    try:
        # Dask has no types for it.
        client: Any = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"no scheduler at {address}: {error}") from None
    with progress() as bar, client:
        # Each item counts for itself, also one that is equal to another.
        futures = client.map(
            functools.partial(_checked, yoddd.__version__, function), items, pure=False
        )
        found = (future.result() for future in futures)
        try:
            yield bar.track(found, total=len(items), description=description)
        except KilledWorker as error:
            raise ClusterError(f"several workers were lost: {error}") from None
        finally:
            client.cancel(futures)


def _checked(version: str, function: Callable[[Any], _Result], item: object) -> _Result:
    """On a worker: the result for one item."""
    if version != yoddd.__version__:
        raise ClusterError(f"a worker runs yoddd {yoddd.__version__}, not {version}")
    return function(item)


def _ignore_interrupts() -> None:
    """Leave Ctrl+C to the process that waits for the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
