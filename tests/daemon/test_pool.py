"""The search pool: bounded, fair, and quiet about what nobody wants any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import gatherResults

from yoddd.daemon.clock import Reactor
from yoddd.daemon.pool import PoolBusy, SearchPool

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor


@pytest.fixture
def pool() -> Iterator[SearchPool]:
    pool = SearchPool(reactor, threads=1, queue_limit=6)
    yield pool
    pool.close()


@pytest_twisted.ensureDeferred
async def test_owners_take_turns(pool: SearchPool) -> None:
    gate = threading.Event()
    order: list[str] = []

    def task(name: str) -> Callable[[Callable[[], bool]], object]:
        return lambda _stop: order.append(name)

    jobs = [pool.submit("first", lambda _stop: gate.wait(10))]
    jobs += [pool.submit("greedy", task(f"greedy {n}")) for n in range(3)]
    jobs += [pool.submit("modest", task("modest"))]
    gate.set()
    await gatherResults([job.result for job in jobs])
    assert order == ["greedy 0", "modest", "greedy 1", "greedy 2"]


@pytest_twisted.ensureDeferred
async def test_a_full_queue_refuses(pool: SearchPool) -> None:
    gate = threading.Event()
    jobs = [pool.submit("one", lambda _stop: gate.wait(10)) for _ in range(7)]
    with pytest.raises(PoolBusy):
        pool.submit("two", lambda _stop: None)
    gate.set()
    await gatherResults([job.result for job in jobs])


@pytest_twisted.ensureDeferred
async def test_a_stopped_task_ends_with_what_it_has(pool: SearchPool) -> None:
    def task(stop: Callable[[], bool]) -> object:
        rounds = 0
        while not stop():
            rounds += 1
        return "best so far"

    job = pool.submit("one", task)
    job.stop()
    assert await job.result == "best so far"


@pytest_twisted.ensureDeferred
async def test_a_failing_task_reports_its_failure_and_frees_the_thread(pool: SearchPool) -> None:
    def fail(_stop: Callable[[], bool]) -> object:
        raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        await pool.submit("one", fail).result
    assert await pool.submit("one", lambda _stop: 7).result == 7


@pytest_twisted.ensureDeferred
async def test_what_a_vanished_owner_wanted_is_dropped(pool: SearchPool) -> None:
    gate = threading.Event()
    reported: list[object] = []
    for _ in range(3):
        pool.submit("gone", lambda _stop: gate.wait(10)).result.addCallback(reported.append)
    pool.forget("gone")
    assert pool.waiting == 0
    gate.set()
    assert await pool.submit("here", lambda _stop: 1).result == 1
    assert reported == []
