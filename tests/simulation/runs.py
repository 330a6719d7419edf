"""Runs in virtual time: their engines answer, dawdle, babble and crash, and so does the run.

The engines are programs that a run starts, or attach to it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.simulation.cluster import Cluster, Scheduler
from tests.simulation.connections import Gone
from tests.simulation.daemon import TEXT
from tests.simulation.engines import Engine, attached
from tests.simulation.page import Asked
from tests.simulation.programs import Program
from tests.simulation.wires import Wire
from tests.simulation.world import SimulatedWorld
from yoddd import workers
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.play.participants import ATTACHED
from yoddd.daemon.runs.archive import GAMES, RunError
from yoddd.daemon.runs.cluster import ClusterExecutor
from yoddd.daemon.runs.control import SOCKET
from yoddd.daemon.runs.run import Run, RunNews, load_tournament
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.daemon.runs.status_socket import SOCKET as STATUS
from yoddd.notation.reasons import FORFEITS
from yoddd.notation.records import GameRecord
from yoddd.protocol.origin import fold
from yoddd.referee import parse_clock
from yoddd.referee.game.setup import WaitLimits
from yoddd.referee.tournament.config import ConfigError, EngineConfig, TournamentConfig
from yoddd.referee.tournament.plan import OnCrash
from yoddd.workers import WorkerError

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

ATTEMPTS: Final = 3

SILENCE: Final = 40.0
"""Seconds in which a run has news: its engines have 5 s for a game, and come back at once."""


class Match:
    """A tournament whose run is killed and goes on, until all its games are played.

    All engines but the first of one in two attach to it; one in three is played on a cluster.
    """

    def __init__(self, sim: Simulation, chance: random.Random, number: int) -> None:
        self.sim, self.chance = sim, chance
        names = [f"x{number}.{one}" for one in range(chance.choice((2, 2, 3)))]
        is_spread = number % 3 == 2
        self.scheduler = Scheduler(sim, chance, f"cluster {number}") if is_spread else None
        self.cluster: Cluster | None = None
        joined = names[1:] if number % 2 and not is_spread else []
        self.joined: dict[str, Engine | None] = dict.fromkeys(joined)
        self.has_ended = False
        self.config = TournamentConfig(
            game="odd",
            board="square3",
            games=chance.randint(1, 4),
            clock=parse_clock("5"),
            limits=WaitLimits(launch=3.0, reply=3.0, absence=10.0),
            concurrency=chance.randint(1, 3),
            attempts=ATTEMPTS,
            on_crash=chance.choice(list(OnCrash)),
            engine=tuple(
                # Before an introduction one looks for the program.
                EngineConfig(
                    engine=f"{ATTACHED}{name}" if name in joined else f"true {name}", name=name
                )
                for name in names
            ),
            listen=f"tcp:{TEXT}:interface=127.0.0.1" if joined else None,
        )
        self.name = f"run {number}"
        self.path = sim.memory / f"run{os.getpid()}.{number}"
        shutil.rmtree(self.path, ignore_errors=True)
        self.told: Counter[str] = Counter()
        self.boots = 0

    def begin(self) -> Deferred[StopReason]:
        """Begin the run, or go on with it."""
        self.boots += 1
        sim, self.heard = self.sim, self.sim.time.now
        self.world = SimulatedWorld(sim.time, sim.faults, f"{self.name} {self.boots}", sim.judge)
        self.world.reactor.spawn = lambda protocol, words: self.programs.append(
            Program(sim, self.chance, self.world.reactor, protocol, words[-1])
        )
        self.programs: list[Program] = []
        self.folder = RunFolder(self.path, self.config if self.boots == 1 else None)
        self.is_over = False
        make = None
        if self.scheduler is not None:
            self.restarts = self.scheduler.restarts
            self.mark = f"{self.name}.{self.boots}"
            self.cluster = Cluster(self.scheduler)
            make = partial(
                ClusterExecutor,
                cluster=cast("workers.Cluster", self.cluster),
                config=self.folder.config,
                run=self.mark,
                threads=self.world.threads("cluster", 4),
            )
        self.run = Run(self.world, self.folder, load_tournament(self.folder), self._watch, make)
        return Deferred.fromCoroutine(self.run.play())

    def attach(self, name: str) -> Engine:
        """Attach an engine to the run as it is now.

        Raises:
            Gone: it does not listen.
        """
        if not self.boots:
            raise Gone("there is none yet")
        reactor = self.world.reactor
        made = Engine(self.sim, self.chance, name, words="", reactor=reactor)
        self.joined[name] = made
        return made

    @property
    def is_silent(self) -> bool:
        """Whether nothing comes of the run, for so long that it has come to a halt."""
        return self.sim.time.now - self.heard > SILENCE and not self.run.executor.paused

    def _watch(self, news: RunNews) -> None:
        if isinstance(news, GameBegins | TurnSeen | GameEnds):
            self.heard = self.sim.time.now
        if isinstance(news, GameEnds):
            self.sim.note(f"{self.name}: {news.record.id} {news.record.reason}")
            self.told[news.record.id] += 1

    def kill(self, done: Deferred[StopReason]) -> None:
        """End as by a kill, perhaps in the middle of a line of the archive."""
        self.sim.note(f"{self.name}: KILL")
        self.world.reactor.crash()
        for engine in filter(None, self.joined.values()):
            engine.wire.crash()
        for one in self.programs:
            one.abandon()
        if self.cluster is not None:
            self.cluster.close()
        done.cancel()  # for the sockets, which the end of a process would close
        done.cancel()  # also where it still waits for its workers to stop
        self.folder.close()
        if self.chance.random() < 0.5 and (self.path / GAMES).exists():
            with (self.path / GAMES).open("a") as file:
                file.write('{"id":"torn"')

    def end(self, result: StopReason | Failure) -> bool:
        """Take the end of a run, of which nothing is left; whether it is over."""
        check = self.sim.judge.check
        if isinstance(result, Failure):
            is_ours = self._is_simulated(result)
            check(is_ours, f"{self.name} has failed: {result.getTraceback()}")
        for engine in filter(None, self.joined.values()):
            engine.wire.drop()
        if self.cluster is not None:
            self.cluster.close()
        left = [one.name for one in self.programs if one.is_running]
        check(not left, f"{self.name}: {left} still run")
        # Requests to a scheduler that may be gone are not waited for, nor is the network.
        calls = [one.func for one in self.world.reactor.getDelayedCalls()]
        ours = [one for one in calls if not isinstance(getattr(one, "__self__", None), Wire)]
        timers = [one.__qualname__ for one in ours if not self.world.has(one)]
        check(not timers, f"{self.name}: timers {timers}")
        check(not self.world.reactor.ports, f"{self.name}: sockets are left")
        self.folder.close()
        return result is StopReason.OVER

    def _is_simulated(self, failure: Failure) -> bool:
        """Whether a run ends by what the simulation does to it."""
        text = failure.getErrorMessage()
        if failure.check(RunError):
            return "simulated" in text
        if self.scheduler is None:
            return False
        if failure.check(WorkerError):
            return self.scheduler.restarts > self.restarts
        # An engine that is introduced may have done what it loses a game by.
        is_named = any(f"{name}: " in text for name, _ in self.sim.judge.deeds)
        return failure.check(ConfigError) is not None and is_named

    def judge(self, *, is_over: bool) -> None:
        """Each game that was told is archived, and each planned one counts exactly once."""
        check, name = self.sim.judge.check, self.name
        folder = RunFolder(self.path)
        records = list(folder.records())
        folder.close()
        ids = Counter(one.id for one in records)
        check(not folder.unread, f"{name}: {folder.unread}")
        check(not self.told - ids, f"{name}: told and not archived: {self.told - ids}")
        check(max(self.told.values(), default=1) == 1, f"{name}: told twice: {self.told}")
        played: dict[tuple[str | None, int | None], list[GameRecord]] = {}
        for record in records:
            played.setdefault((record.pair, record.leg), []).append(record)
            self._judge_end(record)
        for place, found in played.items():
            attempts = [one.attempt for one in found]
            check(attempts == list(range(1, len(found) + 1)), f"{name}: {place}: {attempts}")
            early = [one.winner for one in found[:-1] if one.winner]
            check(not early and len(found) <= ATTEMPTS, f"{name}: {place} is played again")
            is_done = found[-1].winner is not None or len(found) == ATTEMPTS
            check(is_done or not is_over, f"{name}: {place} is void, and was not played again")
        entrants = len(self.config.engine)
        planned = entrants * (entrants - 1) // 2 * (self.config.games or 0)
        check(len(played) == planned or not is_over, f"{name}: {len(played)} of {planned} games")

    def _judge_end(self, record: GameRecord) -> None:
        """A fault is one's own; a void game is our fault, or that of one whose crashes are."""
        if record.reason == "void":
            names = (fold(record.black), fold(record.white))
            deeds = self.sim.judge.deeds
            is_ours = any((name, "void") in deeds for name in names)
            if self.config.on_crash is OnCrash.VOID:
                is_ours |= any(one in names and reason in FORFEITS for one, reason in deeds)
            self.sim.judge.check(is_ours, f"{record.id} is void: {record.detail}")
        else:
            self.sim.judge.judge_engines(json.loads(json.dumps(_values(record))), time=True)

    async def order(self) -> None:
        """Send an order to the sockets of the run."""
        word = self.chance.choice(("pause", "set concurrency=2", "set concurrency=0", "status"))
        for one in (word, "resume") if word == "pause" else (word,):
            asked = Order(self, one)
            await asked.done
            if asked.is_whole:
                found = json.loads(asked.data)
                fits = "error" in found if one.endswith("=0") else "error" not in found
                self.sim.judge.check(fits, f"{one}: {found}")
            else:
                is_over = asked.is_lost or not asked.is_served
                self.sim.judge.check(is_over, f"{self.name} has not answered {one}")


class Order(Asked):
    """A request to a socket of a run."""

    def __init__(self, match: Match, line: str) -> None:
        reactor = match.world.reactor
        socket = STATUS if line == "status" else SOCKET
        if socket not in reactor.ports:
            raise Gone("refused")
        super().__init__(match.sim, socket, f"{line}\n".encode(), line, reactor=reactor)

    @property
    def is_whole(self) -> bool:
        return b"\n" in self.data


def _values(record: GameRecord) -> dict[str, Any]:
    names = ("id", "black", "white", "winner", "reason", "detail")
    return {name: getattr(record, name) for name in names}


async def tournament(sim: Simulation, chance: random.Random, number: int) -> None:
    """A run that is killed at times, until it is over or the simulation ends."""
    match, is_over = Match(sim, chance, number), False
    joined = [
        sim.spawn(attached(sim, chance, one, lambda: match.has_ended, partial(match.attach, one)))
        for one in match.joined
    ]
    while not is_over and not sim.is_leaving:
        ends: list[StopReason | Failure] = []
        done = match.begin()
        done.addBoth(ends.append)
        is_killed = False
        while not ends and not is_killed:
            await sim.sleep(chance.expovariate(2.0))
            sim.judge.check(ends or not match.is_silent, f"{match.name} has come to a halt")
            is_killed = not ends and await _disturb(match, done)
            sim.judge.check(ends or not is_killed, f"{match.name} goes on after it was killed")
        is_over = not is_killed and match.end(ends[0])
        match.judge(is_over=is_over)
        await sim.sleep(chance.expovariate(1.0))
    match.has_ended = True
    for one in joined:
        await one
    if match.scheduler is not None:
        match.scheduler.close()
    shutil.rmtree(match.path, ignore_errors=True)


async def _disturb(match: Match, done: Deferred[StopReason]) -> bool:
    """Perhaps stop a run, give it an order, or kill it; whether it was killed."""
    sim, what = match.sim, match.chance.random()
    if sim.is_leaving:
        match.run.executor.stop()
    elif what < 0.1 and not sim.is_ending:
        match.kill(done)
        return True
    elif what < 0.2:
        with suppress(Gone):
            await match.order()
    elif match.scheduler is not None and what < 0.3:
        match.scheduler.disturb()
    return False
