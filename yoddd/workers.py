"""Calls that others carry out: threads, processes of this machine, or a dask cluster.

All work that is spread is submitted to a `concurrent.futures.Executor` of this module, which is the
only one that imports ``distributed``. What is done about workers of another version, and about
those that end before their calls, is decided here, once.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import platform
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar
from weakref import WeakSet

import yoddd
from yoddd.extras import needs_extra
from yoddd.notation.text import describe_error
from yoddd.rules import GAMES, RulesError, described
from yoddd.rules.games import meet_games
from yoddd.system import safe_path

AHEAD: Final = 1000
"""Calls that are submitted and whose results were not taken, at most."""

MAX_LOSSES: Final = 100
"""Times that one call may lose its worker before it fails."""

_Params = ParamSpec("_Params")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class WorkerError(Exception):
    """Workers cannot be reached, or cannot do what they were asked for."""


class WorkerLost(WorkerError):
    """A process has ended before its call was done."""


def open_executor(
    cluster: str | None, processes: int, *, threads: bool = False
) -> AbstractContextManager[Executor]:
    """An executor; at the end of its context, calls that have not begun are cancelled.

    Functions, arguments and results have to be picklable unless they stay in this process.

    Args:
        cluster: the address of the scheduler of a cluster; None for this machine.
        processes: how many calls this machine carries out at once.
        threads: whether threads do on this machine, because the calls wait for other programs or
            for the kernel.

    Raises:
        WorkerError: on entry or in the context: see `Cluster`; or a local process was killed.
        ExtraMissing: see `Cluster`.
    """
    if cluster is not None:
        return Cluster(cluster)
    return ThreadPoolExecutor(processes) if threads else _open_processes(processes)


def in_order(
    executor: Executor, function: Callable[[_Item], _Result], items: Iterable[_Item]
) -> Generator[_Result, None, None]:
    """The results of a function for all items, in their order; `AHEAD` calls are submitted at most.

    Close the iterator to cancel calls that have not begun.
    """
    submitted: deque[Future[_Result]] = deque()
    try:
        for item in items:
            submitted.append(executor.submit(function, item))
            if len(submitted) >= AHEAD:
                yield submitted.popleft().result()
        while submitted:
            yield submitted.popleft().result()
    except BrokenExecutor:
        submitted.clear()  # the executor ends them, and fails where one is cancelled meanwhile
        raise
    finally:
        for future in submitted:
            future.cancel()


# -- this machine ---------------------------------------------------------------------------


@contextmanager
def _open_processes(count: int) -> Iterator[Executor]:
    """Processes that end with the context, also in the middle of a call, or with this process."""
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    with safe_path():
        executor = ProcessPoolExecutor(count, context, _end_with, (reader,))
        try:
            yield executor
        except BrokenExecutor:
            raise WorkerLost("a local process was killed before its work was done") from None
        finally:
            writer.close()
            executor.shutdown(cancel_futures=True)
            reader.close()


def _end_with(pipe: Connection) -> None:
    """In a local process: leave Ctrl+C to the one that waits for it, and end with a pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(OSError):
            pipe.poll(None)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


# -- a cluster ------------------------------------------------------------------------------


class Cluster(Executor):
    """The workers of a dask scheduler.

    A call whose worker is lost is made again by another one. A worker of another version of yoddd
    refuses it.
    """

    def __init__(self, address: str) -> None:
        """Connect to the scheduler.

        Raises:
            WorkerError: it cannot be reached.
            ExtraMissing: the extra ``cluster`` is not installed.
        """
        with needs_extra("--cluster", "cluster"):
            from distributed import Client, KilledWorker
            from distributed.client import ClosedClientError
        try:
            client: Any = Client  # it has no types
            self._client = client(address, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise WorkerError(f"no scheduler at {address}: {describe_error(error)}") from None
        self._sent: WeakSet[Any] = WeakSet()
        self._losses = (KilledWorker, WorkerLost)
        # Raised once dask has given up to reach the scheduler again.
        self._gone: type[Exception] = ClosedClientError

    def submit(
        self, function: Callable[_Params, _Result], /, *args: _Params.args, **kwargs: _Params.kwargs
    ) -> Future[_Result]:
        """Have a worker make a call; cancelling its future helps only before it has begun."""
        found: Future[_Result] = Future()
        self._send(found, pickle.dumps((function, args, kwargs)), 0)
        return found

    def _send(self, found: Future[Any], call: bytes, losses: int) -> None:
        try:
            # Not by the executor of dask: it passes a result on as an error, or never, if the
            # worker that holds it is lost while it is fetched. Each call counts for itself, also
            # one that is equal to another.
            games = [one for game in GAMES.values() if (one := described(game)) is not None]
            sent = self._client.submit(_make_call, yoddd.__version__, games, call, pure=False)
        except self._gone:
            if found.set_running_or_notify_cancel():
                found.set_exception(WorkerError("the scheduler is gone"))
            return
        self._sent.add(sent)
        found.add_done_callback(functools.partial(_cancel, sent))
        self._client.loop.add_callback(self._settle, found, call, losses, sent)

    async def _settle(self, found: Future[Any], call: bytes, losses: int, sent: Any) -> None:
        """Pass a result on, or make the call again whose worker was lost."""
        result, error = None, None
        try:
            result = await sent
        except Exception as raised:  # noqa: BLE001 — whatever the call or dask raises
            error = WorkerError("the scheduler is gone") if sent.cancelled() else raised
        # Unless it was the call that failed, its result could not be fetched.
        is_lost = error is not None and (
            isinstance(error, self._losses) or sent.status not in ("error", "cancelled")
        )
        if is_lost and losses < MAX_LOSSES and not found.cancelled():
            self._send(found, call, losses + 1)
        elif not found.set_running_or_notify_cancel():
            pass  # it was cancelled
        elif error is None:
            found.set_result(result)
        elif is_lost:
            found.set_exception(WorkerLost(f"too many workers were lost: {error}"))
        else:
            found.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 — as in the base
        """Cancel all calls and disconnect; those that have begun are carried on for nothing."""
        with suppress(self._gone):  # then nothing is left to cancel
            self._client.cancel(list(self._sent))
        self._client.close()

    def count_threads(self) -> int:
        """The number of calls that the workers carry out at once.

        Raises:
            WorkerError: the scheduler does not answer.
        """
        try:
            return sum(self._client.nthreads().values())
        except Exception as error:  # noqa: BLE001 — whatever dask raises
            raise WorkerError(f"the scheduler does not answer: {error}") from None

    def listen(self, topic: str, receive: Callable[[Any], None]) -> None:
        """Have ``receive`` called in another thread with all that calls `tell` about a topic."""
        self._client.subscribe_topic(topic, lambda event: receive(pickle.loads(event[1])))  # noqa: S301 — see `_make_call`

    def run_everywhere(self, function: Callable[..., object], *args: object) -> None:
        """Make a call on every worker, at once; all errors are ignored, also that none is left."""
        with suppress(Exception):
            self._client.run(function, *args, on_error="ignore")


def tell(topic: str, message: object) -> None:
    """On a worker: send a message to those that listen to a topic."""
    from distributed import get_worker

    worker: Any = get_worker()
    worker.log_event(topic, pickle.dumps(message))


def _cancel(sent: Any, found: Future[Any]) -> None:
    """Have dask cancel a call if the one who waits for it has done so."""
    if found.cancelled() and not sent.cancelled():
        sent.cancel()


def _make_call(version: str, games: list[dict[str, Any]], call: bytes) -> object:
    """On a worker: make a call; it is not unpickled by another version, whose classes differ."""
    if version != yoddd.__version__:
        where = platform.node()
        raise WorkerError(f"the worker on {where} runs yoddd {yoddd.__version__}, not {version}")
    try:
        meet_games(games)
    except RulesError as error:
        text = f"the worker on {platform.node()}: {error}; restart it, or choose another name"
        raise WorkerError(text) from None
    function, args, kwargs = pickle.loads(call)  # noqa: S301 — dask itself sends functions
    return function(*args, **kwargs)
