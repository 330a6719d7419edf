"""The search pool: its bound, its fairness and its preemption."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
import pytest_twisted
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import Clock, deferLater
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from tests.support.programs import PATIENCE
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.search_pool import (
    STARVED,
    Abandoned,
    JobKind,
    PoolBusy,
    SearchPool,
    Work,
)

STEP: Final = 0.01

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor


class FakeTimeReactor:
    """A reactor with the time of a `Clock`, to which threads report at once."""

    def __init__(self, clock: Clock) -> None:
        self.seconds = clock.seconds
        self.callLater = clock.callLater
        self.callFromThread = reactor.callFromThread


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(clock: Clock) -> Iterator[Callable[..., SearchPool]]:
    """Make pools in the time of the clock."""
    made: list[SearchPool] = []

    def make(threads: int = 1, **limits: Any) -> SearchPool:
        world = World(cast("Reactor", FakeTimeReactor(clock)))
        made.append(SearchPool(world, threads=threads, **limits))
        return made[-1]

    yield make
    for pool in made:
        pool.close()


@pytest.fixture
def pool() -> Iterator[SearchPool]:
    pool = SearchPool(World(reactor), threads=1, queue_limit=6)
    yield pool
    pool.close()


def moments(clock: Clock) -> list[float]:
    """When the delayed calls are due."""
    return [call.getTime() for call in clock.getDelayedCalls()]


@pytest_twisted.ensureDeferred
async def test_job_that_raises_fails_its_result_and_frees_the_thread(pool: SearchPool) -> None:
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
async def test_job_that_ends_without_a_thread_lets_one_other_run(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool, begun, gate = make(time_slice=1.0), threading.Event(), threading.Event()

    def wait(_stop: Callable[[], bool]) -> object:
        begun.set()
        return gate.wait(PATIENCE)

    first = pool.submit("one", until_stopped, JobKind.SLICED)
    second = pool.submit("two", wait)
    clock.advance(1)
    await deferToThread(begun.wait, PATIENCE)
    first.stop()
    first.result.addCallback(lambda _: [pool.submit("one", until_stopped) for _ in range(2)])
    pool.submit("three", until_stopped)
    gate.set()
    await second.result
    clock.advance(0)
    await first.result
    assert pool.running == 1


@pytest_twisted.ensureDeferred
async def test_job_that_is_told_to_stop_sets_no_timer_again(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool, gate = make(run_limit=5.0, patience=60.0), threading.Event()
    job = pool.submit("one", lambda _stop: gate.wait(PATIENCE), seconds=1.0)
    waiting = pool.submit("two", lambda _stop: None, seconds=1.0)
    clock.advance(2)
    assert moments(clock) == [62]
    gate.set()
    await gatherResults([job.result, waiting.result])


@pytest_twisted.ensureDeferred
async def test_job_is_not_stopped_while_none_waits(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make(run_limit=5.0)
    told = threading.Event()
    job = pool.submit("one", until_stopped)
    clock.advance(100)
    assert clock.getDelayedCalls() == []
    waiting = pool.submit("two", lambda _stop: told.set())
    assert moments(clock) == [100]
    clock.advance(0)
    assert await job.result == "best so far"
    await waiting.result
    assert clock.getDelayedCalls() == []


@pytest_twisted.ensureDeferred
async def test_jobs_with_a_deadline_share_the_time_until_it(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make()
    jobs = [pool.submit(name, until_stopped, seconds=9.0) for name in ("one", "two", "three")]
    for moment in (3, 6):
        assert moments(clock) == [moment]
        clock.advance(3)
        await jobs.pop(0).result
    assert clock.getDelayedCalls() == []  # the last one has what is left
    jobs[0].stop()
    await jobs[0].result


@pytest_twisted.ensureDeferred
async def test_drop_removes_the_jobs_of_an_owner(pool: SearchPool) -> None:
    gate = threading.Event()
    reported: list[object] = []
    for _ in range(3):
        pool.submit("gone", lambda _stop: gate.wait(PATIENCE)).result.addCallback(reported.append)
    pool.drop("gone")
    assert pool.waiting == 0
    gate.set()
    assert await pool.submit("here", lambda _stop: 1).result == 1
    assert reported == []


class Slices:
    """Work that counts its runs and returns their number when it is stopped."""

    def __init__(self) -> None:
        self.begun = 0
        self.runs = threading.Semaphore(0)

    def __call__(self, stop: Callable[[], bool]) -> object:
        self.begun += 1
        self.runs.release()
        until_stopped(stop)
        return self.begun

    def await_run(self) -> None:
        assert self.runs.acquire(timeout=PATIENCE)


def at_once(name: str) -> Work:
    return lambda _stop: name


@pytest_twisted.ensureDeferred
async def test_idle_job_is_preempted_at_once_and_resumes(pool: SearchPool) -> None:
    slices = Slices()
    pondering = pool.submit("one", slices, JobKind.IDLE)
    slices.await_run()
    assert not pool.is_needed
    assert await pool.submit("two", at_once("served")).result == "served"
    await deferToThread(slices.await_run)
    assert not pondering.result.called
    pondering.stop()
    assert await pondering.result == 2


@pytest_twisted.ensureDeferred
async def test_idle_job_of_an_owner_ends_before_its_next_job_starts() -> None:
    pool = SearchPool(World(reactor), threads=2)
    slices, ended = Slices(), threading.Event()

    def pondering(stop: Callable[[], bool]) -> object:
        slices(stop)
        ended.set()
        return None

    job = pool.submit("one", pondering, JobKind.IDLE)
    slices.await_run()
    following = pool.submit("one", lambda _stop: ended.is_set())
    job.stop()
    assert await following.result is True
    pool.close()


@pytest_twisted.ensureDeferred
async def test_resumable_job_is_preempted_after_its_time_slice(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make(run_limit=20.0, time_slice=4.0)
    slices = Slices()
    analysis = pool.submit("one", slices, JobKind.RESUMABLE)
    slices.await_run()
    clock.advance(1)
    other = pool.submit("two", at_once("served"))
    assert moments(clock) == [2]
    clock.advance(1)
    assert await other.result == "served"
    await deferToThread(slices.await_run)
    analysis.stop()
    assert await analysis.result == 2


@pytest_twisted.ensureDeferred
async def test_resumable_job_stopped_while_preempted_keeps_its_outcome(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make(time_slice=2.0)
    slices, gate = Slices(), threading.Event()
    analysis = pool.submit("one", slices, JobKind.RESUMABLE)
    slices.await_run()
    started = threading.Event()

    def hold(_stop: Callable[[], bool]) -> object:
        started.set()
        return gate.wait(PATIENCE)

    held = pool.submit("two", hold)
    clock.advance(2)
    assert await deferToThread(started.wait, 20)
    analysis.stop()
    gate.set()
    await held.result
    clock.advance(0)
    assert await analysis.result == 1


@pytest_twisted.ensureDeferred
async def test_clients_take_turns_whatever_the_number_of_their_owners(pool: SearchPool) -> None:
    gate = threading.Event()
    order: list[str] = []

    def task(name: str) -> Work:
        return lambda _stop: order.append(name)

    jobs = [pool.submit("first", lambda _stop: gate.wait(PATIENCE))]
    jobs += [pool.submit(f"crowd {n}", task(f"crowd {n}"), client="crowd") for n in range(3)]
    jobs += [pool.submit("modest", task("modest"), client="modest")]
    gate.set()
    await gatherResults([job.result for job in jobs])
    assert order == ["crowd 0", "modest", "crowd 1", "crowd 2"]


@pytest_twisted.ensureDeferred
async def test_owners_of_a_client_share_the_run_limit_while_another_client_waits(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make(run_limit=20.0)
    crowd = [pool.submit(n, until_stopped, client="crowd") for n in range(4)]
    assert moments(clock) == [20]
    pool.submit("modest", at_once("served"), client="modest")
    assert moments(clock) == [5]
    clock.advance(5)
    assert await crowd[0].result == "best so far"


@pytest_twisted.ensureDeferred
async def test_job_that_does_not_return_is_abandoned_with_its_thread() -> None:
    pool = SearchPool(World(reactor), threads=1, patience=0.05)
    gate = threading.Event()
    stuck = pool.submit("one", lambda _stop: gate.wait(PATIENCE))
    stuck.stop()
    with pytest.raises(Abandoned):
        await stuck.result
    assert pool.abandoned == 1
    assert await pool.submit("two", at_once("served")).result == "served"
    with pytest.raises(PoolBusy, match="an earlier search has not ended"):
        pool.submit("one", at_once("unsafe"))
    gate.set()
    while pool.abandoned:
        await deferLater(reactor, 0.01)
    assert await pool.submit("one", at_once("served")).result == "served"
    pool.close()


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="not counted here")
@pytest_twisted.ensureDeferred
async def test_job_is_abandoned_later_while_its_thread_has_no_processor(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    gate, told = threading.Event(), threading.Event()
    pool = make(2, patience=0.02)
    spun = threading.Event()

    def spin(_stop: Callable[[], bool]) -> None:
        told.wait(PATIENCE)
        begun = time.thread_time()
        while time.thread_time() - begun < 0.02:
            pass
        spun.set()
        gate.wait(PATIENCE)

    busy = pool.submit("busy", spin)
    starved = pool.submit("starved", lambda _stop: gate.wait(PATIENCE))
    for job in (busy, starved):
        job.stop()
    told.set()
    assert spun.wait(PATIENCE)
    clock.advance(0.02)
    with pytest.raises(Abandoned):
        await busy.result
    clock.pump([0.02] * (STARVED - 2))
    assert pool.abandoned == 1
    clock.advance(0.02)
    with pytest.raises(Abandoned):
        await starved.result
    gate.set()


class SteppingThreads:
    """Threads in fake time: work does a `STEP` whenever it is called, until it returns."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def run(self, work: Callable[[], object]) -> Deferred[object]:
        done: Deferred[object] = Deferred()
        self._clock.callLater(STEP, self._step, work, done)
        return done

    def _step(self, work: Callable[[], object], done: Deferred[object]) -> None:
        result = work()
        if result is None:
            self._clock.callLater(STEP, self._step, work, done)
        else:
            done.callback(result)

    def close(self, patience: float) -> None:
        """Do nothing: there are no threads."""


class Steps:
    """Work that returns how many steps it has done, once it has done as many as it was told."""

    def __init__(self, seconds: float) -> None:
        self.wanted = round(seconds / STEP)
        self.done = 0

    def __call__(self, stop: Callable[[], bool]) -> int | None:
        if stop():
            return self.done
        self.done += 1
        return self.done if self.done == self.wanted else None


@given(
    networks=st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=2), max_size=20),
    length=st.floats(0.2, 1.0),
    moment=st.floats(0.0, 3.0),
)
@settings(max_examples=15, deadline=None)
def test_visitor_waits_5_s_at_most_and_long_searches_end_with_all_they_were_promised(
    networks: list[list[int]], length: float, moment: float
) -> None:
    """With one thread, against drawn networks of clients with several searches each.

    The visitor's own network has up to three other clients with searches as long.
    """
    clock = Clock()
    world = cast("World", SimpleNamespace())
    world.reactor = cast("Reactor", clock)
    world.threads = lambda _name, _most: SteppingThreads(clock)  # type: ignore[method-assign,assignment,return-value]
    world.processor_clock = lambda: lambda: 0.0  # type: ignore[method-assign]
    pool = SearchPool(world, share=lambda: 8)
    mine = ip_network("192.0.2.0/24")
    crowd = [
        (ip_network(f"10.0.{n}.0/24"), owners) for n, one in enumerate(networks) for owners in one
    ]
    jobs = [
        (work, pool.submit(object(), work, JobKind.SLICED, client=(network, at), network=network))
        for at, (network, owners) in enumerate(crowd)
        for work in [Steps(length) for _ in range(owners)]
    ]
    clock.pump([STEP] * round(moment / STEP))
    ended: list[float] = []
    visitor = pool.submit("visitor", Steps(0.1), JobKind.SLICED, network=mine)
    visitor.result.addCallback(lambda _: ended.append(clock.seconds()))
    begun = clock.seconds()
    while not ended:
        clock.advance(STEP)
    assert ended[0] - begun <= 5.0
    while clock.getDelayedCalls():
        clock.advance(STEP)
    assert [job.result.result for _, job in jobs] == [work.wanted for work, _ in jobs]


def test_search_of_the_network_with_the_most_makes_room(
    clock: Clock, make: Callable[..., SearchPool]
) -> None:
    pool = make(queue_limit=10, share=lambda: 2)
    few, many = ip_network("10.0.0.0/24"), ip_network("10.0.1.0/24")
    refused: list[str] = []
    jobs = []

    def refuse(failure: Failure, at: int) -> None:
        refused.append(f"{at} {failure.value}")

    for at, network in enumerate([many, few, *[many] * 9, few]):
        job = pool.submit(at, until_stopped, client=network, network=network)
        job.result.addErrback(refuse, at)
        jobs.append(job)
    assert pool.waiting == 9
    clock.advance(0)
    assert refused == [f"{at} others of your network wait already" for at in (2, 3)]
    for at in range(6):
        pool.submit(f"exempt {at}", until_stopped)
    with pytest.raises(PoolBusy, match="10 searches wait already"):
        pool.submit("last", until_stopped)
    clock.advance(0)
    assert len(refused) == 7
