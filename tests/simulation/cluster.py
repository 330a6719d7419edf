"""A cluster in virtual time, whose workers play the pairs of a run, and are lost in between.

It is what `Cluster` makes of a dask scheduler and its workers. Each order is carried out in a world
of its own, as by a process.
"""

from __future__ import annotations

import pickle
import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import attrs
from twisted.internet.defer import CancelledError, Deferred, DeferredLock
from twisted.python.failure import Failure

from tests.simulation.programs import Program
from tests.simulation.world import SimulatedWorld
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.pair_worker import Message, PairOrder, carry_out
from yoddd.referee.tournament.config import ConfigError
from yoddd.workers import WorkerError, WorkerLost

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

MOST: Final = 3
"""Threads of the workers."""

LOST: Final = 0.1
"""Of the processes, those that are killed in the middle of their order."""


def _sent(value: Any) -> Any:
    """The value as it arrives in another process."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 — our own


class Scheduler:
    """A scheduler and its workers, which outlive the runs that use them.

    Attributes:
        restarts: how often all that it had was lost.
    """

    def __init__(self, sim: Simulation, chance: random.Random, name: str) -> None:
        self.sim, self.chance, self.name = sim, chance, name
        self.restarts = 0
        self.threads = chance.randint(1, MOST)
        # The runs whose engines can play, and the lock of their introduction.
        self.introduced: set[str] = set()
        self.introducing = DeferredLock()
        self._waiting: deque[Call] = deque()
        self._making: list[Call] = []

    def add(self, call: Call) -> None:
        self._waiting.append(call)
        self.sim.time.callLater(0.001, self._begin)

    def drop(self, call: Call) -> None:
        """Forget a call that was cancelled; one that has begun is carried on for nothing."""
        with suppress(ValueError):
            self._waiting.remove(call)

    def abort(self, run: str) -> None:
        """Abort the calls of a run."""
        for one in self._making:
            if one.order.run == run and one.process is not None:
                one.process.abort()

    def close(self) -> None:
        """End the workers with all that they do."""
        self._waiting.clear()
        for one in tuple(self._making):
            one.fail(WorkerLost("the workers end"))

    def disturb(self) -> None:
        """Lose workers, or gain some; or lose all, with the scheduler."""
        if self.chance.random() < 0.1:
            self.restart()
        self.threads = self.chance.randint(0, MOST)
        self.sim.time.callLater(3.0, self._recover)

    def restart(self) -> None:
        self.restarts += 1
        self.introduced.clear()
        lost, self._waiting = [*self._waiting, *self._making], deque()
        for one in lost:
            one.fail(WorkerError("the scheduler is gone"))

    def _recover(self) -> None:
        self.threads = max(1, self.threads)
        self._begin()

    def _begin(self) -> None:
        while self._waiting and len(self._making) < self.threads:
            call = self._waiting.popleft()
            self._making.append(call)
            done = Deferred.fromCoroutine(call.make())
            done.addBoth(self._end, call)

    def _end(self, result: list[PlayedGame] | Failure, call: Call) -> None:
        self._making.remove(call)
        call.settle(result)
        self._begin()


class Call:
    """An order that a run has sent.

    Attributes:
        process: what carries it out now.
    """

    def __init__(self, client: Cluster, order: PairOrder, number: int) -> None:
        self.client, self.order, self.number = client, order, number
        self.future: Future[list[PlayedGame]] = Future()
        self.future.add_done_callback(self._drop)
        self.process: Process | None = None
        self._scheduler = scheduler = client.scheduler
        scheduler.add(self)

    def _drop(self, future: Future[list[PlayedGame]]) -> None:
        if future.cancelled():
            self._scheduler.drop(self)

    async def make(self) -> list[PlayedGame]:
        """Do what `play_pair` does on a worker."""
        scheduler, run = self._scheduler, self.order.run
        await scheduler.introducing.acquire()
        try:
            if run not in scheduler.introduced:
                found = await self._carry_out(attrs.evolve(self.order, places=()))
                for problem in found:
                    if isinstance(problem, ConfigError):
                        raise problem
                    scheduler.introduced.add(run)
                if not found:
                    raise WorkerLost("lost in the introduction")
        finally:
            scheduler.introducing.release()
        found = await self._carry_out(self.order)
        games = [one for one in found if isinstance(one, PlayedGame)]
        if len(games) < len(self.order.places):
            raise WorkerLost("lost in a game")
        return games

    async def _carry_out(self, order: PairOrder) -> list[Message]:
        self.process = Process(self._scheduler, order, partial(self.client.hear, self.number))
        try:
            return await self.process.done
        finally:
            self.process = None

    def fail(self, error: WorkerError) -> None:
        """Fail, also while a process carries it out."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)
        if self.process is not None:
            self.process.kill()

    def settle(self, result: list[PlayedGame] | Failure) -> None:
        """Pass the result on, or have the order carried out again if its worker was lost."""
        if self.future.done() or self.client.is_closed:
            return
        if isinstance(result, Failure) and result.check(WorkerLost):
            self._scheduler.add(self)
        elif self.future.set_running_or_notify_cancel():
            if isinstance(result, Failure):
                self.future.set_exception(result.value)
            else:
                self.future.set_result(_sent(result))


class Process:
    """A process that carries out an order.

    Attributes:
        done: fires at its end with its messages.
    """

    def __init__(
        self, scheduler: Scheduler, order: PairOrder, hear: Callable[[Message], None]
    ) -> None:
        self._sim, chance = scheduler.sim, scheduler.chance
        number = self._sim.number()
        sim, name = self._sim, f"{scheduler.name} process {number}"
        self._world = world = SimulatedWorld(sim.time, sim.faults, name, sim.judge)
        self._programs: list[Program] = []
        world.reactor.spawn = lambda protocol, words: self._programs.append(
            Program(sim, chance, world.reactor, protocol, words[-1])
        )
        self._messages: list[Message] = []
        self._aborts: list[Callable[[], None]] = []
        self.done: Deferred[list[Message]] = Deferred()

        def send(message: Message) -> None:
            if world.reactor.is_dead:
                return
            arrived = _sent(message)
            self._messages.append(arrived)
            if not isinstance(arrived, PlayedGame) and arrived is not None:
                sim.time.callLater(0.002, hear, arrived)

        work = carry_out(_sent(order), world, send, self._aborts.append)
        self._work = Deferred.fromCoroutine(work)
        self._work.addBoth(self._end)
        if chance.random() < LOST:
            sim.time.callLater(chance.expovariate(1.0), self.kill)

    def abort(self) -> None:
        """Abort its work, as at the end of its input."""
        for abort in self._aborts:
            abort()

    def kill(self) -> None:
        """End as by a kill: its programs are at the end of their input."""
        if self.done.called:
            return
        self._world.reactor.crash()
        for one in self._programs:
            one.abandon()
        self._end(None)
        self._work.addErrback(lambda _: None)
        self._work.cancel()

    def _end(self, result: int | Failure | None) -> None:
        """End; what is left of one that was not killed is a leak."""
        if self.done.called:
            return
        check = self._sim.judge.check
        if not self._world.reactor.is_dead:
            is_sound = not isinstance(result, Failure) or result.check(CancelledError)
            check(is_sound, f"a process of a worker has failed: {result}")
            left = [one.name for one in self._programs if one.is_running]
            check(not left, f"a process of a worker: {left} still run")
            timers = [one.func.__qualname__ for one in self._world.reactor.getDelayedCalls()]
            check(not timers, f"a process of a worker: timers {timers}")
        self.done.callback(self._messages)


class Cluster:
    """The connection of a run to the scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.is_closed = False
        self._calls: list[Call] = []
        self._receive: Callable[[Any], None] = lambda _: None

    def listen(self, _run: str, receive: Callable[[Any], None]) -> None:
        self._receive = receive

    def count_threads(self) -> int:
        return self.scheduler.threads

    def submit(self, _function: object, order: PairOrder, number: int) -> Future[list[PlayedGame]]:
        call = Call(self, _sent(order), number)
        self._calls.append(call)
        return call.future

    def run_everywhere(self, _abort: object, run: str) -> None:
        self.scheduler.abort(run)

    def hear(self, number: int, news: Message) -> None:
        """Pass on what a worker tells."""
        if not self.is_closed:
            self._receive((number, news))

    def close(self) -> None:
        """Disconnect: what has begun is carried on for nothing."""
        self.is_closed = True
        for one in self._calls:
            self.scheduler.drop(one)
