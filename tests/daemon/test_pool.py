"""The search pool: bounded, fair, and quiet about what nobody wants any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import cast

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.defer import gatherResults
from twisted.internet.task import Clock
from twisted.internet.threads import deferToThread

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.search_pool import PoolBusy, Rank, SearchPool, Task

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


def until_stopped(stop: Callable[[], bool]) -> object:
    while not stop():
        pass
    return "best so far"


@pytest_twisted.ensureDeferred
async def test_who_waits_does_not_wait_for_ever() -> None:
    pool = SearchPool(reactor, threads=1, patience=0.05)
    endless = pool.submit("one", until_stopped)
    patient = pool.submit("two", lambda _stop: "at last")
    assert await endless.result == "best so far"
    assert await patient.result == "at last"
    pool.close()


@pytest_twisted.ensureDeferred
async def test_nobody_is_hastened_while_nobody_waits() -> None:
    clock = Clock()
    pool = SearchPool(cast("Reactor", Hasty(clock)), threads=1, patience=5.0)
    told = threading.Event()
    job = pool.submit("one", until_stopped)
    clock.advance(100)
    assert clock.getDelayedCalls() == []
    waiting = pool.submit("two", lambda _stop: told.set())
    assert [call.getTime() for call in clock.getDelayedCalls()] == [100]
    clock.advance(0)
    assert await job.result == "best so far"
    await waiting.result
    pool.close()
    assert clock.getDelayedCalls() == []


@pytest_twisted.ensureDeferred
async def test_those_who_have_to_end_in_time_share_it() -> None:
    clock = Clock()
    pool = SearchPool(cast("Reactor", Hasty(clock)), threads=1)
    jobs = [pool.submit(name, until_stopped, seconds=9.0) for name in ("one", "two", "three")]
    for moment in (3, 6):
        assert [call.getTime() for call in clock.getDelayedCalls()] == [moment]
        clock.advance(3)
        await jobs.pop(0).result
    assert clock.getDelayedCalls() == []  # the last one has what is left
    jobs[0].stop()
    await jobs[0].result
    pool.close()


@pytest_twisted.ensureDeferred
async def test_who_may_take_as_long_as_it_takes_does_so_while_others_are_in_a_hurry() -> None:
    clock = Clock()
    pool = SearchPool(cast("Reactor", Hasty(clock)), threads=1, patience=20.0)
    job = pool.submit("one", until_stopped)
    hurried = pool.submit("two", at_once("in time"), seconds=1.0)
    assert [call.getTime() for call in clock.getDelayedCalls()] == [20]
    job.stop()
    assert await hurried.result == "in time"
    pool.close()


class Hasty:
    """A reactor whose time stands still, but whose threads report at once."""

    def __init__(self, clock: Clock) -> None:
        self.seconds = clock.seconds
        self.callLater = clock.callLater
        self.callFromThread = reactor.callFromThread


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


class Slices:
    """Work that counts how often it was begun, and says so when it is stopped."""

    def __init__(self) -> None:
        self.begun = 0
        self.runs = threading.Semaphore(0)

    def __call__(self, stop: Callable[[], bool]) -> object:
        self.begun += 1
        self.runs.release()
        until_stopped(stop)
        return self.begun

    def await_run(self) -> None:
        assert self.runs.acquire(timeout=20)


def at_once(name: str) -> Task:
    return lambda _stop: name


@pytest_twisted.ensureDeferred
async def test_idle_work_makes_room_at_once_and_goes_on_later(pool: SearchPool) -> None:
    slices = Slices()
    pondering = pool.submit("one", slices, Rank.IDLE)
    slices.await_run()
    assert not pool.is_needed
    assert await pool.submit("two", at_once("served")).result == "served"
    await deferToThread(slices.await_run)
    assert not pondering.result.called
    pondering.stop()
    assert await pondering.result == 2


@pytest_twisted.ensureDeferred
async def test_idle_work_of_an_owner_ends_before_its_next_task_begins() -> None:
    pool = SearchPool(reactor, threads=2)
    slices, ended = Slices(), threading.Event()

    def pondering(stop: Callable[[], bool]) -> object:
        slices(stop)
        ended.set()
        return None

    job = pool.submit("one", pondering, Rank.IDLE)
    slices.await_run()
    following = pool.submit("one", lambda _stop: ended.is_set())
    job.stop()
    assert await following.result is True
    pool.close()


@pytest_twisted.ensureDeferred
async def test_idle_work_that_never_ran_is_not_run_for_its_end(pool: SearchPool) -> None:
    gate = threading.Event()
    busy = pool.submit("one", lambda _stop: gate.wait(10))
    slices = Slices()
    pondering = pool.submit("two", slices, Rank.IDLE)
    pondering.stop()
    gate.set()
    await busy.result
    assert await pondering.result is None
    assert slices.begun == 0


@pytest_twisted.ensureDeferred
async def test_work_that_can_be_run_again_makes_room_soon() -> None:
    clock = Clock()
    pool = SearchPool(cast("Reactor", Hasty(clock)), threads=1, patience=20.0, share=2.0)
    slices = Slices()
    analysis = pool.submit("one", slices, Rank.AGAIN)
    slices.await_run()
    clock.advance(1)
    other = pool.submit("two", at_once("served"))
    assert [call.getTime() for call in clock.getDelayedCalls()] == [2]
    clock.advance(1)
    assert await other.result == "served"
    await deferToThread(slices.await_run)
    analysis.stop()
    assert await analysis.result == 2
    pool.close()


@pytest_twisted.ensureDeferred
async def test_stopped_while_it_waits_for_another_run_it_ends_with_what_it_had() -> None:
    clock = Clock()
    pool = SearchPool(cast("Reactor", Hasty(clock)), threads=1, share=2.0)
    slices, gate = Slices(), threading.Event()
    analysis = pool.submit("one", slices, Rank.AGAIN)
    slices.await_run()
    started = threading.Event()

    def hold(_stop: Callable[[], bool]) -> object:
        started.set()
        return gate.wait(20)

    pool.submit("two", hold)
    clock.advance(2)
    assert await deferToThread(started.wait, 20)
    analysis.stop()
    gate.set()
    assert await analysis.result == 1
    pool.close()
