"""Runs a plan: boots, plays, judges after every event, and settles."""

from __future__ import annotations

import functools
import gc
import hashlib
import math
import os
import random
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.logger import globalLogPublisher

from tests.simulation import (
    authors,
    clients,
    corners,
    engines,
    limits,
    others,
    outside,
    page,
    ranges,
    runs,
    searches,
)
from tests.simulation.connections import Connection
from tests.simulation.daemon import ADMIN, TEXT, WEB, House, make_template
from tests.simulation.dialogue import ANSWER
from tests.simulation.humans import Human
from tests.simulation.invariants import Judge
from tests.simulation.marks import Marks
from tests.simulation.plan import OF_THE_STORE, Plan, keep, kept
from tests.simulation.server import Server
from tests.simulation.wires import ClientEnd, Wire
from tests.simulation.world import EPOCH, Faults, Reactor, Time
from yoddd.daemon.base.settings import LadderSettings, Limits, Settings
from yoddd.daemon.configuration import Configuration, Sources, format_settings
from yoddd.referee.hosted import game as hosted

MOST_EVENTS: Final = 200_000

MOST_TRIES: Final = 200
"""Plans that are tried to find a smaller one."""

LINES: Final = 20
"""Lines of a transcript that are printed."""

KINDS: Final = {
    "pair": clients.pair,
    "daily": clients.daily,
    "stranger": clients.stranger,
    "solo": engines.solo,
    "match": engines.match,
    "measure": limits.measure,
    "patient": limits.patient,
    "outsider": limits.outsider,
    "visitor": page.visitor,
    "member": page.member,
    "administrator": others.administrator,
    "standby": others.standby,
    "ladder": engines.ladder,
    "searcher": searches.searcher,
    "choosy": ranges.choosy,
    "author": authors.author,
    "tournament": runs.tournament,
    "corner": corners.corner,
    "inviter": corners.inviter,
}
"""The clients by their kinds."""

LADDER: Final = LadderSettings(concurrency=1, game="odd", board="square3", clock="5", pace=0.5)
"""The ladder, where there is one."""

SHORTAGE: Final = 3.0
"""Seconds for which a daemon is short of memory."""

CALM: Final = 60.0
"""Seconds without a fault in which games go on, and daemons come to rest."""

LASTS: Final = 3.0
"""Seconds for which they rest then: two that serve in turn do not."""

FEW: Final = 3
"""The games that a daemon has places for, where these are few."""

CLAIM: Final = 3.0
"""Seconds after which the game of one who is away can be claimed, where that is often."""

COUNTED: Final = 10
"""Of so many seeds one counts the objects in memory, which takes as long as its games."""

STILL: Final = 45.0
"""Seconds in which two humans who both play bring their game on, however long they think."""

DISTURBANCES: Final = ("crash", "calendar", "memory", "lock")
"""The faults that can come before any event."""

LINGER: Final = 650.0
"""Seconds after which nothing is left of a game or of the name of an engine."""


@functools.cache
def folder() -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """A folder in memory, with a store with accounts; once in a process."""
    memory = Path("/dev/shm")  # noqa: S108 — in memory
    made = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    template = Path(made.name) / "template.sqlite3"
    make_template(template)
    gc.freeze()  # a collection looks at what the simulations have made alone
    return made, template


@attrs.frozen
class Outcome:
    """The outcome of a plan.

    Attributes:
        violation: the first invariant that did not hold; None if all did.
        invariant: where that was checked.
    """

    violation: str | None
    invariant: str
    transcript: tuple[str, ...]
    games: int
    turns: int
    seconds: float
    events: int
    faults: dict[str, int]
    marks: Counter[str]

    @property
    def digest(self) -> str:
        return hashlib.sha256("\n".join(self.transcript).encode()).hexdigest()


class Simulation:
    """One run of one plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.time = Time()
        self.clock: Any = self.time
        self.faults = Faults(plan, self.time)
        self.transcript: list[str] = []
        self.judge = Judge(self.time.seconds, self.note, self.time.callLater, self.calm)
        # Whether clients begin nothing more, and whether they leave what they have begun.
        self.is_ending = self.is_leaving = False
        self.running = 0
        self._disturbs = bool({*DISTURBANCES} & {*plan.faults})
        self.connections: list[Connection | page.Asked] = []
        self.pairs: list[list[Human]] = []
        # When the requests that wait are looked at again.
        self._look_at = 0.0
        _, template = folder()
        self.path = ""
        if plan.has_store:
            self.path = str(template.with_name(f"{os.getpid()}.sqlite3"))
            shutil.copyfile(template, self.path)
            self.judge.open(self.path)
        favours = plan.favours
        bounds = Limits(
            games=FEW if "crowd" in favours else Limits().games,
            claim=CLAIM if "claim" in favours else Limits().claim,
        )
        self.judge.claim = bounds.claim
        self.judge.today = self._today
        # One that stands by is up, and looks at the lock once a second.
        self.judge.keeps_time = not (
            plan.has("standby") or {*OF_THE_STORE, "late"} & {*plan.faults} - {"crash"}
        )
        settings = Settings(
            limits=bounds,
            listen=(f"tcp:{TEXT}:interface=127.0.0.1",),
            http=f"tcp:{WEB}:interface=127.0.0.1",
            store=self.path,
            admin=str(template.with_name(ADMIN)) if plan.has("administrator") else "",
            watchdog=0,
            searches=1,
            login=plan.has("outsider"),
            registration=plan.has("member"),
            ladder=LADDER if plan.has("ladder") else LadderSettings(),
        )
        self.judge.is_guarded = settings.login
        self.sources = Sources(template.with_name(f"{os.getpid()}.toml"))
        self.write(format_settings(Configuration(settings, {})))
        server = Server(self.time, self.faults, self.judge) if plan.has("standby") else None
        self.houses = [
            House(self.time, self.faults, self.judge, f"{plan.seed} {name}", self.sources, server)
            for name in ("first", "second")[: 2 if server else 1]
        ]
        self.marks = Marks(lambda: self.house.waiting, self.judge.decided)
        self._numbers = 0
        self._names = ["ann", "bob", "cid", "dan", "eve", "bot", "box"]

    def write(self, text: str) -> str:
        """Write the configuration; returns what it was."""
        file = self.sources.file
        assert file is not None
        before = file.read_text() if file.exists() else ""
        file.write_text(text)
        return before

    # -- for clients ------------------------------------------------------------------------

    @property
    def house(self) -> House:
        """The daemon that serves: the last one that became ready."""
        return max(self.houses, key=lambda one: one.ready_since)

    def note(self, text: str) -> None:
        self.transcript.append(f"{self.time.now:11.4f} {text}")

    def fail(self, text: str) -> None:
        self.judge.check(False, text)

    def calm(self) -> float:
        """Seconds since the last fault."""
        return self.time.now - self.faults.last

    def _today(self) -> float:
        """The time of the calendar, for what it decides; see `Judge`."""
        is_unsure = self.faults.count["calendar"] or "crowd" in self.plan.favours
        return math.inf if is_unsure else EPOCH.timestamp() + self.time.now

    def number(self) -> int:
        self._numbers += 1
        return self._numbers

    def names(self) -> list[str]:
        """Two accounts that no other clients use."""
        found, self._names = self._names[:2], self._names[2:]
        return found if len(found) == 2 else [f"n{self.number()}", f"n{self.number()}"]

    def connect(
        self, port: int | str, host: str, client: ClientEnd, reactor: Reactor | None = None
    ) -> Wire:
        """Connect to the daemon that serves, or to what else listens in a reactor."""
        if reactor is not None:
            return Wire(self.time, self.faults, reactor, port, host, client)
        house = self.house
        assert house.world is not None
        wire = Wire(self.time, self.faults, house.world.reactor, port, host, client)
        house.wires.append(wire)
        return wire

    @property
    def memory(self) -> Path:
        """The folder in memory."""
        return folder()[1].parent

    def sleep(self, seconds: float) -> Deferred[None]:
        done: Deferred[None] = Deferred()
        self.time.callLater(seconds, done.callback, None)
        return done

    def spawn(self, work: Coroutine[Any, Any, None]) -> Deferred[None]:
        """Run a client; its own failure is one of the simulation."""
        self.running += 1
        done = Deferred.fromCoroutine(work)
        done.addErrback(lambda failure: self.fail(f"a client failed: {failure.getTraceback()}"))
        done.addBoth(self._ended)
        return done

    def _ended(self, _result: object) -> None:
        self.running -= 1

    # -- the run ----------------------------------------------------------------------------

    def run(self) -> Outcome:
        publish: Any = self._logged
        globalLogPublisher.addObserver(publish)
        is_collected = gc.isenabled()
        gc.disable()
        try:
            self._run()
        except Exception:  # noqa: BLE001 — it could not look at what a daemon has become
            self.fail(f"the simulation has failed: {traceback.format_exc()}")
        finally:
            globalLogPublisher.removeObserver(publish)
            for house in self.houses:
                if house.world is not None:
                    house.crash()
            self.judge.close()
            if self.sources.file is not None:
                self.sources.file.unlink()
            for suffix in ("", "-wal", "-shm", ".lock"):
                if self.path:
                    Path(self.path + suffix).unlink(missing_ok=True)
            if is_collected:
                gc.enable()
        return Outcome(
            self.judge.violation,
            self.judge.invariant,
            tuple(self.transcript),
            self.judge.ended,
            self.judge.acknowledged,
            self.time.now,
            self.time.events,
            self.faults.count,
            self.marks.count,
        )

    def _run(self) -> None:
        for house in self.houses:
            house.boot()
        self._until(lambda: self.house.is_ready, 60)
        for number, kind in self.plan.clients:
            chance = random.Random(f"client {number} {self.plan.seed}")
            self.spawn(KINDS[kind](self, chance, number))
        self._until(lambda: False, self.plan.seconds)
        self._settle()

    def _settle(self) -> None:
        """Let the faults end, the games go on and the clients leave; look at what is left.

        Without a fault everything has to come to rest by itself, which is waited for as a state.
        """
        self.faults.is_over = self.is_ending = True
        self._until(lambda: not self.running, CALM)
        for humans in self.pairs:
            game = humans[0].table.id
            if game is not None and all(one.is_playing and one.stream.is_begun for one in humans):
                still = self.time.now - self.judge.game(game).went_on
                self.judge.check(still < STILL, f"{game} does not go on for {still:.0f} s")
        self.is_leaving = True
        self._until(lambda: not self.running, 120)
        self.judge.check(not self.running, f"{self.running} clients hang")
        self._rest()
        if self.house.server is not None:
            self._follow()
        self._abort_games()
        self._pass(25)
        if self.judge.has_store:
            self.judge.check_kept()
            was_away = any(self.faults.count[one] for one in OF_THE_STORE)
            self.judge.check_ended(self.house.offered, was_away=was_away)
            self.judge.check_ratings()
        if self.judge.violation is None:
            self._pass(LINGER + self.house.expiry)
            left = self.house.leftovers()
            self.judge.check(not left, f"left behind: {left}")
            if self.plan.seed % COUNTED == 0:
                found = self.house.objects(self.marks.games)
                self.judge.check(not found, f"dropped and still in memory: {found}")

    def _rest(self) -> None:
        """Let the daemons come to rest; one of them serves then, and another waits."""
        end, found = self.time.now + CALM, [""]
        while found and self.time.now < end:
            self._until(lambda: not self._restless(), end - self.time.now)
            self._until(self._restless, LASTS)
            found = self._restless()
        self.judge.check(not found, f"without rest: {found}")

    def _restless(self) -> list[str]:
        """The texts for what does not rest."""
        serving = [one for one in self.houses if one.is_ready]
        found = [f"{len(serving)} daemons serve"] * (len(serving) != 1)
        return found + [text for one in serving for text in one.restless()]

    def _follow(self) -> None:
        """End the daemon that serves: the other one follows, with its games."""
        house = self.house
        house.crash()
        self._until(lambda: self.house.is_ready, CALM)
        self.judge.check(self.house is not house, "no daemon has followed")
        house.boot()
        self._rest()

    def _pass(self, seconds: float) -> None:
        """Let time pass without the regular looks of the daemon."""
        for house in self.houses:
            if house.world is not None:
                house.world.reactor.postpone_looks(seconds)
        self._until(lambda: False, seconds)

    def _abort_games(self) -> None:
        """End the games whose clients have left."""
        if not self.house.is_ready:  # and what is violated is known
            return
        for model in self.judge.games.values():
            model.ended_by.add("void")
        for runner in self.house.games():
            runner.abort("aborted by the administrator")
        for game, one in tuple(self.house.lobby.suspended.items()):
            self.house.lobby._end(game, one, "aborted by the administrator")

    def _until(self, done: Any, seconds: float) -> None:
        """Make the events of some seconds, or those until something is done."""
        end, first = self.time.now + seconds, self.time.events
        while not self.judge.violation and not done() and self.time.next <= end:
            self._disturb()
            try:
                self.time.step()
            except Exception:  # noqa: BLE001 — a reactor would log it and go on
                self.fail(f"an event has failed: {traceback.format_exc()}")
            self.judge.after_event()
            self._look()
            if self.time.events - first > MOST_EVENTS:
                self.fail(f"{MOST_EVENTS} events in {self.time.now - end + seconds:.3f} s")
        if not done():
            self.time.now = max(self.time.now, end)

    def _look(self) -> None:
        """Once a second look for requests that are not answered, and two daemons that serve."""
        if self.time.now < self._look_at:
            return
        self._look_at = self.time.now + 1.0
        self.connections = [one for one in self.connections if one.is_open]
        waiting = [line for one in self.connections for line in one.unanswered(self.calm())]
        self.judge.check(not waiting, f"no answer: {waiting}")
        if self.judge.has_store and self.house.is_ready and not self.house.overtaken:
            self.judge.check_invites(self.house.offered)
        if self.house.is_ready:
            unserved = [*self.house.unserved()]
            self.judge.check(not unserved, f"{unserved}")
        past = max(one.overtaken for one in self.houses)
        is_past = min(past, self.calm()) > ANSWER
        self.judge.check(not is_past, f"served on for {past:.0f} s after another took over")

    def _disturb(self) -> None:
        """A fault that can come before any event."""
        faults = self.faults
        if not self._disturbs or (house := self.house).world is None:
            return
        if faults.happens("crash"):
            self.crash(faults.draw("crash"))
        elif faults.happens("calendar"):
            house.world.jump(faults.draw("calendar"))
        elif faults.happens("memory"):
            outside.MEMORY[0] = 2**60
            self.time.callLater(SHORTAGE, outside.MEMORY.__setitem__, 0, 0)
            faults.lasts(SHORTAGE)
        elif house.server is not None and faults.happens("lock"):
            house.server.end(house.server.holder)

    def crash(self, chance: random.Random) -> None:
        """Let the daemon that serves end as by a kill; soon the next one starts."""
        house = self.house
        self.note("CRASH")
        self.marks.crashed(one.game for one in house.games())
        house.crash()
        self.time.callLater(chance.expovariate(1.0), house.boot)

    def _logged(self, event: dict[str, Any]) -> None:
        failure = event.get("log_failure")
        if failure is not None:
            text = f"{event.get('log_format')}: {failure.getTraceback()}"
            self.fail(f"a failure is logged: {text}")


def run(plan: Plan) -> Outcome:
    """Run a plan."""
    simulation = Simulation(plan)
    returns = 6.0 if "desert" in plan.favours else hosted.RETURN
    with outside.replaced(simulation.marks.handle, returns=returns):
        return simulation.run()


def minimise(plan: Plan, outcome: Outcome) -> tuple[Plan, Outcome]:
    """Return a plan with as little in it as still breaks the same invariant, and how it goes."""
    tries, is_smaller = MOST_TRIES, True
    while is_smaller:
        is_smaller = False
        for smaller in plan.smaller(outcome.faults):
            tries -= 1
            tried = run(smaller)
            if tried.invariant == outcome.invariant:
                plan, outcome, is_smaller = smaller, tried, tries > 0
                break
            if not tries:
                break
    return plan, outcome


@attrs.frozen
class Failure:
    """A plan that fails, the smallest that breaks the same invariant, and a text for both."""

    plan: Plan
    smallest: Plan
    text: str


def check(plan: Plan) -> Failure | None:
    """Run a plan; what was found if an invariant does not hold, after that is kept."""
    outcome = run(plan)
    if outcome.violation is None:
        if plan.seed % 20:
            return None
        again = run(plan).transcript
        lines = zip(outcome.transcript, again, strict=False)
        first = next((pair for pair in lines if pair[0] != pair[1]), "longer")
        text = f"{plan} is not repeatable: {first}"
        return None if again == outcome.transcript else Failure(plan, plan, text)
    smallest, found = minimise(plan, outcome)
    if smallest not in kept() and plan not in kept():
        keep(smallest, found.violation or "")
    transcript = "\n".join(found.transcript[-LINES:])
    text = f"plan: {plan}\ninvariant: {outcome.invariant}: {outcome.violation}\n{transcript}\n"
    return Failure(plan, smallest, f"{text}smallest: {smallest}")
