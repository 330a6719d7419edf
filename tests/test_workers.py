"""Calls in threads, in processes of this machine, and on a cluster."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.conftest import until
from tests.support.clusters import scheduling, working, working_here
from tests.support.programs import PATIENCE, Program
from yoddd import workers
from yoddd.workers import (
    AHEAD,
    MAX_LOSSES,
    Cluster,
    WorkerError,
    WorkerLost,
    in_order,
    open_executor,
)

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]


def square(number: int) -> int:
    return number * number


def end(_number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def end_once(file: Path) -> str:
    """The first of the workers that gets this call ends."""
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def lose(_number: int) -> None:
    raise WorkerLost("its engine has ended")


def wait(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def wait_for(file: Path) -> str:
    while not file.exists():
        time.sleep(0.02)
    return file.name


class Late(Executor):
    """Keeps its calls, and finishes the first one when `AHEAD` have been submitted."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, *_call: Any, **_named: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == AHEAD:
            self.futures[0].set_result(0)
        return self.futures[-1]


def test_in_order_submits_so_many_ahead_and_cancels_the_rest() -> None:
    executor = Late()
    with closing(in_order(executor, square, iter(range(10 * AHEAD)))) as found:
        assert next(found) == 0
        assert len(executor.futures) == AHEAD
    assert all(future.cancelled() for future in executor.futures[1:])


# -- processes of this machine --------------------------------------------------------------


@pytest.mark.process
def test_local_processes_give_results() -> None:
    with open_executor(None, 2) as executor:
        assert list(in_order(executor, square, range(5))) == [0, 1, 4, 9, 16]


@pytest.mark.process
def test_local_processes_end_with_the_context_in_the_middle_of_a_call() -> None:
    begun = time.monotonic()
    with open_executor(None, 1) as executor, closing(in_order(executor, wait, [0.0, 600])) as found:
        assert next(found) == 0
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.process
def test_local_process_that_is_killed_is_an_error() -> None:
    with (
        pytest.raises(WorkerLost, match="a local process was killed"),
        open_executor(None, 1) as executor,
    ):
        list(in_order(executor, end, range(3)))


WAITING = """
import os, time
from yoddd.workers import open_executor

if __name__ == "__main__":
    with open_executor(None, 1) as executor:
        print(executor.submit(os.getpid).result(), flush=True)
        executor.submit(time.sleep, 600).result()
"""


@pytest.mark.process
def test_local_processes_end_with_a_killed_parent(tmp_path: Path) -> None:
    program = tmp_path / "waiting.py"
    program.write_text(WAITING)
    with Program(
        [sys.executable, str(program)], env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as parent:
        worker = Path("/proc", parent.stdout.readline().strip())
        assert worker.exists()
    until(lambda: not worker.exists())


# -- a cluster ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with working_here() as address:
        yield address


@pytest.mark.process
@pytest.mark.whole
def test_cluster_gives_results_and_counts_its_threads(scheduler: str) -> None:
    with Cluster(scheduler) as cluster:
        assert list(in_order(cluster, square, range(5))) == [0, 1, 4, 9, 16]
        assert cluster.count_threads() == 2
        with pytest.raises(ValueError, match="invalid literal"):
            cluster.submit(int, "five").result()


RUN: list[int] = []


@pytest.mark.process
@pytest.mark.whole
def test_cluster_cancels_a_call_that_has_not_begun(scheduler: str, tmp_path: Path) -> None:
    with Cluster(scheduler) as cluster:
        running = [cluster.submit(wait_for, tmp_path / "go") for _ in range(2)]
        waiting = cluster.submit(wait, 600)
        assert waiting.cancel()
        (tmp_path / "go").touch()
        assert [one.result(PATIENCE) for one in running] == ["go", "go"]


@pytest.mark.process
@pytest.mark.whole
def test_cluster_gives_a_call_up_that_loses_its_worker_too_often(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_LOSSES > 10
    monkeypatch.setattr(workers, "MAX_LOSSES", 3)
    with (
        Cluster(scheduler) as cluster,
        pytest.raises(WorkerLost, match="too many workers were lost: its engine has ended"),
    ):
        cluster.submit(lose, 1).result()


@pytest.mark.process
@pytest.mark.whole
def test_cluster_makes_the_call_of_a_killed_worker_again(tmp_path: Path) -> None:
    with (
        scheduling() as address,
        working(address, tmp_path / "worker1"),
        working(address, tmp_path / "worker2"),
        Cluster(address) as cluster,
    ):
        assert cluster.submit(end_once, tmp_path / "ended").result(PATIENCE) == "done"


@pytest.mark.process
@pytest.mark.whole
def test_cluster_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    other = "import yoddd; yoddd.__version__ = '0.0.0'"
    with (
        scheduling() as address,
        working(address, tmp_path / "worker", "--preload", other),
        open_executor(address, 1) as cluster,
        pytest.raises(WorkerError, match=r"the worker on \S+ runs yoddd 0\.0\.0, not "),
    ):
        list(in_order(cluster, square, range(3)))


@pytest.mark.process
@pytest.mark.whole
def test_cluster_whose_scheduler_ends_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("distributed")  # its defaults are read at its first import
    import dask

    quick = {"distributed.comm.timeouts.connect": "5s"}
    with ExitStack() as stack, dask.config.set(quick), scheduling() as address:
        stack.enter_context(working(address, tmp_path / "worker"))  # ends after the scheduler
        cluster = Cluster(address)
        future = cluster.submit(wait, 600)
    with pytest.raises(WorkerError, match="the scheduler is gone"):
        future.result(PATIENCE)
    with pytest.raises(WorkerError, match="the scheduler does not answer"):
        cluster.count_threads()
    cluster.run_everywhere(RUN.append, 6)
    until(lambda: cluster._client.status == "closed")  # in its own time
    with pytest.raises(WorkerError, match="the scheduler is gone"):
        cluster.submit(wait, 600).result(PATIENCE)
    cluster.shutdown()
