"""Virtual time, and the world of a daemon in it: what a seed decides, faults among it."""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
from sqlalchemy.engine import URL
from twisted.internet.address import IPv4Address
from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

from tests.simulation import outside
from tests.simulation.invariants import Judge
from tests.simulation.plan import FAULTS, STRONGLY, Plan
from tests.simulation.server import Server
from yoddd.daemon.base.world import Threads, World
from yoddd.daemon.connections.search_pool import JobKind
from yoddd.daemon.runs.archive import RunError
from yoddd.store.advisory_lock import AdvisoryLock
from yoddd.store.errors import StoreAway, StoreTaken

T = TypeVar("T")

EPOCH: Final = datetime(2026, 11, 23, 12, tzinfo=UTC)
"""The calendar at the beginning of every simulation."""

GRAIN: Final = 1e-6
"""Seconds that a timer takes at least: less might not change the sum."""

QUICK: Final = 0.0008
"""Seconds that the work of a thread takes on average."""

LOOK: Final = 0.02
"""Seconds after which a search sees that it is to stop."""

SLOW: Final = 2.5
"""Seconds that it takes on average on a slow disk."""


class Call(DelayedCall):
    """A call at a time; its owner is the reactor of a daemon, or None for the world outside."""

    owner: Reactor | None = None


class Time:
    """The calls to make, in their order: `step` makes the next one, however far it is."""

    def __init__(self) -> None:
        self.now = 0.0
        self.events = 0
        # Calls that were cancelled or put off are found out when their turn comes.
        self._queue: list[tuple[float, int, Call]] = []
        self._order = count()

    def seconds(self) -> float:
        return self.now

    def callLater(self, delay: float, call: Callable[..., Any], *args: Any, **words: Any) -> Call:
        """Make a call after some seconds."""
        delay = max(delay, GRAIN) if delay else 0.0
        made = Call(self.now + delay, call, args, words, _ignore, self._push, self.seconds)
        self._push(made)
        return made

    def _push(self, call: DelayedCall) -> None:
        assert isinstance(call, Call)
        heapq.heappush(self._queue, (call.getTime(), next(self._order), call))

    @property
    def pending(self) -> list[Call]:
        """The calls that are to be made, in their order."""
        return list(dict.fromkeys(call for _, _, call in sorted(self._queue) if call.active()))

    @property
    def next(self) -> float:
        """The time of the next call; infinite without one."""
        while self._queue:
            when, _, call = self._queue[0]
            if call.active() and call.getTime() <= when:
                return when
            heapq.heappop(self._queue)
            if call.active():
                self._push(call)
        return float("inf")

    def step(self) -> None:
        """Make the next call."""
        self.now = max(self.now, self.next)
        call = heapq.heappop(self._queue)[2]
        self.events += 1
        call.called = 1
        call.func(*call.args, **call.kw)


def _ignore(_call: DelayedCall) -> None: ...


@attrs.frozen
class Port:
    """A port that listens."""

    getHost: Callable[[], IPv4Address]
    stopListening: Callable[[], object]


class Reactor:
    """The reactor of one daemon; it makes no call any more once that has crashed.

    Attributes:
        is_superseded: whether another daemon has taken over its store.
    """

    def __init__(self, time: Time) -> None:
        self.ports: dict[int | str, Any] = {}
        # Starts the program of a command line, for a protocol.
        self.spawn: Callable[[Any, list[str]], None] | None = None
        self.is_dead = self.is_superseded = False
        self._time = time
        # Until then no regular look is taken.
        self._quiet = 0.0

    def seconds(self) -> float:
        return self._time.now

    def callLater(self, delay: float, call: Callable[..., Any], *args: Any, **words: Any) -> Call:
        assert delay >= 0, f"a call {delay} s ahead"
        if self._quiet and isinstance(call, LoopingCall):  # the look that was under way is over
            delay = max(delay, self._quiet - self._time.now)
        made = self._time.callLater(delay, call, *args, **words)
        made.owner = self
        if self.is_dead:
            made.cancel()
        return made

    def callFromThread(self, call: Callable[..., Any], *args: Any) -> None:
        self.callLater(0, call, *args)

    def getDelayedCalls(self) -> list[Call]:
        return [one for one in self._time.pending if one.owner is self]

    @property
    def timers(self) -> list[Call]:
        """The calls to be made that are no regular looks."""
        return [one for one in self.getDelayedCalls() if not isinstance(one.func, LoopingCall)]

    def postpone_looks(self, seconds: float) -> None:
        """Leave the regular looks out for some seconds, of which there would be thousands."""
        self._quiet = self._time.now + seconds
        for one in self.getDelayedCalls():
            # The pause of a lock's watch is a Deferred.
            if isinstance(getattr(one.func, "__self__", one.func), LoopingCall | Deferred):
                one.delay(seconds)

    def listenTCP(self, port: int, factory: Any, backlog: int = 50, interface: str = "") -> Port:
        del backlog
        self.ports[port] = factory
        address = IPv4Address("TCP", interface, port)
        return Port(lambda: address, lambda: self.ports.pop(port, None))

    def listenUNIX(self, name: str, factory: Any, mode: int) -> Port:
        assert mode == 0o600, "others may connect"
        port = Path(name).name
        self.ports[port] = factory
        return Port(lambda: IPv4Address("TCP", port, 0), lambda: self.ports.pop(port, None))

    def spawnProcess(
        self, protocol: Any, executable: str, args: list[str], **_surroundings: object
    ) -> None:
        assert self.spawn is not None, f"{executable} {args}"
        self.spawn(protocol, args)

    def addSystemEventTrigger(self, *_: object) -> None: ...

    def crash(self) -> None:
        self.is_dead = True
        self.ports.clear()
        for one in self.getDelayedCalls():
            one.cancel()


class Faults:
    """Decides which faults happen; each kind by a chance of its own, so that one can be left out.

    Attributes:
        is_over: whether none happens any more.
        count: how many have happened, by kind.
        last: when the last one ended, or ends.
        sure: those that happen wherever they may, for now.
    """

    def __init__(self, plan: Plan, time: Time) -> None:
        self.is_over = False
        self.count = dict.fromkeys(FAULTS, 0)
        self.last = 0.0
        self.sure: set[str] = set()
        self._time = time
        self._only = dict(plan.only)
        # How many were drawn, by kind, with those that the plan leaves out.
        self._drawn = dict.fromkeys(FAULTS, 0)
        strongly = {one: STRONGLY * FAULTS[one] for one in FAULTS if one in plan.favours}
        self._rates = FAULTS | strongly
        self._chances = {one: random.Random(f"{one} {plan.seed}") for one in plan.faults}

    def happens(self, kind: str) -> bool:
        """Whether a fault happens now, where it may."""
        chance = self._chances.get(kind)
        if chance is None or self.is_over:
            return False
        if chance.random() >= self._rates[kind] and kind not in self.sure:
            return False
        number, self._drawn[kind] = self._drawn[kind], self._drawn[kind] + 1
        if kind in self._only and number not in self._only[kind]:
            return False
        self.note(kind)
        return True

    def note(self, kind: str) -> None:
        self.count[kind] += 1
        self.lasts(0.0)

    def lasts(self, seconds: float) -> None:
        """Note that something which no client can expect ends in some seconds."""
        self.last = max(self.last, self._time.now + seconds)

    def draw(self, kind: str) -> random.Random:
        """The chance that decides how a fault happens."""
        return self._chances[kind]


class SimulatedThreads(Threads):
    """The threads of a pool: their work is done in one event, some time later."""

    def __init__(self, world: SimulatedWorld, name: str, most: int) -> None:
        self._world, self._name, self._free = world, name, most
        self._queue: deque[tuple[Callable[[], Any], Deferred[Any]]] = deque()

    def run(
        self, work: Callable[[], T], spent: Callable[[float], None] | None = None
    ) -> Deferred[T]:
        done: Deferred[T] = Deferred()
        if spent is not None:
            done.addBoth(_spent, spent)
        self._queue.append((work, done))
        self._fill()
        return done

    def resize(self, most: int) -> None:
        raise NotImplementedError("no search is abandoned")

    def close(self, patience: float | None = None) -> None:
        """Do what is queued: the threads are waited for."""
        del patience
        while self._queue and not self._world.reactor.is_dead:
            self._free -= 1
            self._work(*self._queue.popleft())

    def _fill(self) -> None:
        while self._queue and self._free:
            self._free -= 1
            self._begin(self._world.delay(self._name), *self._queue.popleft())

    def _begin(self, delay: float, work: Callable[[], Any], done: Deferred[Any]) -> None:
        self._world.reactor.callLater(delay, self._work, work, done)

    def _work(self, work: Callable[[], Any], done: Deferred[Any]) -> None:
        self._free += 1
        self._world.from_thread(done, self._world.perform(self._name, work))
        self._fill()


class SimulatedSearches(SimulatedThreads):
    """The threads of searches, which take long unless they are told to stop.

    A search is made when it ends: by its few playouts, or with what it has when it was stopped.
    One that waits for a thread would not hear that it is to stop: the pool begins none.
    """

    def run(
        self, work: Callable[[], T], spent: Callable[[float], None] | None = None
    ) -> Deferred[T]:
        self._world.check(self._free, "a search begins on a thread that another one has")
        return super().run(work, spent)

    def _begin(self, delay: float, work: Any, done: Deferred[Any]) -> None:
        (job,) = work.args
        reactor = self._world.reactor
        lasts = self._world.search_time() if job.kind is JobKind.ONCE else math.inf
        end = reactor.seconds() + lasts

        def look() -> None:
            if job.is_stopping or reactor.seconds() >= end:
                self._work(work, done)
            else:
                reactor.callLater(LOOK, look)

        reactor.callLater(delay, look)


def _spent(result: T, spent: Callable[[float], None]) -> T:
    spent(0.0)
    return result


class SimulatedWorld(World):
    """The surroundings of one daemon.

    Attributes:
        reactor: time, timers and ports.
        chance: of what the daemon draws.
        shift: by which the calendar is wrong.
        server: of the store; None for a file.
    """

    def __init__(self, time: Time, faults: Faults, name: str, judge: Judge) -> None:
        self.reactor: Any = Reactor(time)
        self.chance = random.Random(f"chance {name}")
        self.shift = timedelta()
        self.server: Server | None = None
        self._time, self._faults, self._judge = time, faults, judge
        self._delays = random.Random(f"delays {name}")
        # What threads have done and the reactor does not know yet, in the order of its end.
        self._results: deque[tuple[Deferred[Any], Any]] = deque()
        self._full_until = 0.0

    def monotonic(self) -> float:
        return self._time.now

    def calendar(self) -> datetime:
        return EPOCH + timedelta(seconds=self._time.now) + self.shift

    def processor_clock(self) -> Callable[[], float]:
        return lambda: 0.0

    def lock_of(self, url: URL) -> AdvisoryLock | None:
        return None if self.server is None else self.server.lock_of(url, self)

    def threads(self, name: str, most: int) -> Threads:
        kind = SimulatedSearches if name == "search" else SimulatedThreads
        return kind(self, name, most)

    def jump(self, chance: random.Random) -> None:
        """Set the calendar forward or back."""
        self.shift += timedelta(seconds=chance.choice((-86400, -3600, -1, 1, 3600, 86400)))

    def check(self, holds: object, text: str) -> None:
        self._judge.check(holds, text)

    # -- threads ----------------------------------------------------------------------------

    def has(self, call: Callable[..., Any]) -> bool:
        """Whether a call is the end of some work of a thread, or lets the reactor know of it."""
        return isinstance(getattr(call, "__self__", None), SimulatedThreads | SimulatedWorld)

    def search_time(self) -> float:
        """Seconds that the next search takes unless it is stopped: half of them have no end."""
        return self._delays.choice((math.inf, self._delays.expovariate(2.0)))

    def delay(self, name: str) -> float:
        """Seconds that the next work of a thread takes."""
        slow = name.startswith(("store", "archive")) and self._faults.happens("slow")
        seconds = self._delays.expovariate(1 / (SLOW if slow else QUICK))
        if slow and name != "archive":  # no client waits for a run
            self._faults.lasts(seconds)
        return seconds

    def perform(self, name: str, work: Callable[[], T]) -> T | Failure:
        """Do the work of a thread; a store can be away before it, and after it."""
        # The server has the faults of the sessions of its lock.
        uses_store = name.startswith("store") and name != "store-lock"
        try:
            if uses_store:
                self._reach(is_writing=name == "store")
            elif name == "archive":
                self._fill_disk()
            result = work()
            if uses_store:
                self._hear(result, is_writing=name == "store")
        except Exception:  # noqa: BLE001 — it is the result
            return Failure()
        finally:
            outside.MISREAD[0] = False
        return result

    def _fill_disk(self) -> None:
        if self._faults.happens("full"):
            raise RunError("simulated: no space left on device")

    def _reach(self, *, is_writing: bool) -> None:
        faults, now = self._faults, self._time.now
        if faults.happens("away"):
            if faults.count["away"] % 3:
                raise StoreAway("simulated: the store is away")
            outside.MISREAD[0] = True
        if is_writing and faults.happens("full"):
            self._full_until = now + faults.draw("full").expovariate(1 / 3)
        if is_writing and now < self._full_until and not faults.is_over:
            faults.note("full")
            raise StoreAway("simulated: database or disk is full")

    def _hear(self, result: Any, *, is_writing: bool) -> None:
        if is_writing and self.reactor.is_superseded:
            is_refused = all(isinstance(one, StoreTaken) for one in result)
            self._judge.check(is_refused, f"written after another took over: {result}")
        if self._faults.happens("unsure"):
            raise StoreAway("simulated: the answer of the store is lost")

    def from_thread(self, done: Deferred[Any], result: object) -> None:
        """Let the reactor know of the end of some work, soon or late."""
        self._results.append((done, result))
        if len(self._results) == 1:
            late = self._faults.happens("late")
            delay = self._delays.expovariate(1.0) if late else 0.0
            if late:
                self._faults.lasts(delay)
            self.reactor.callLater(delay, self._report)

    def _report(self) -> None:
        results, self._results = self._results, deque()
        for done, result in results:
            if self.reactor.is_dead:  # the one before has ended the daemon
                return
            if isinstance(result, Failure):
                done.errback(result)
            else:
                done.callback(result)
