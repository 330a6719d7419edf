"""Clients that measure the limits of operations: each holds a moment before it, and not after."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import attrs

from tests.simulation.connections import Connection, Gone
from tests.simulation.engines import Engine
from tests.simulation.others import MEASURED

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

MARGIN: Final = 0.1
"""Seconds within which a limit holds."""


@attrs.define
class Limit:
    """A limit in time of a daemon, unless that ends before.

    Attributes:
        begun: when it began.
        seconds: after which it ends.
    """

    sim: Simulation
    begun: float
    seconds: float
    _world: object = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._world = self.sim.house.world  # the next one counts again from its start

    async def before(self) -> bool:
        """Wait until it almost ends; whether the daemon is still the same."""
        return await self._wait(-MARGIN)

    async def after(self) -> bool:
        """Wait until it has just ended; whether the daemon is still the same."""
        return await self._wait(MARGIN)

    async def _wait(self, margin: float) -> bool:
        sim, world, end = self.sim, self._world, self.begun + self.seconds + margin
        while sim.time.now < end and not sim.is_ending and sim.house.world is world:
            await sim.sleep(min(5.0, end - sim.time.now))
        return sim.time.now >= end and sim.house.world is world and sim.house.is_ready


async def measure(sim: Simulation, chance: random.Random, number: int) -> None:
    """Measure one limit after the other, each from an address of its own."""
    count = 0
    while not sim.is_ending:
        count += 1
        host = f"{MEASURED}{number}.{count // 200}.{count % 200 + 1}"
        first = count == 1 and sim.plan.seconds > 100
        try:
            await (chance.choice((name_kept, silence)) if first else chance.choice(PROBES))(
                sim, host
            )
        except Gone:
            await sim.sleep(1.0)


def serves(sim: Simulation, talk: Connection) -> bool:
    """Whether the daemon of a connection serves: it has not ended, and does not stop."""
    world = sim.house.world
    return world is not None and world.reactor is talk.wire.reactor and sim.house.is_ready


def closed_after(sim: Simulation, talk: Connection, when: float) -> None:
    """The daemon closes a connection at a time, unless that was lost before."""
    if talk.wire.is_cut or not serves(sim, talk):
        return
    closing = talk.wire.closing_at
    text = f"closed at {closing}, not {when:.3f}"
    sim.judge.check(closing is not None and abs(closing - when) < MARGIN, text)
    talk.close()


async def slow_line(sim: Simulation, host: str) -> None:
    """A line that has begun has 10 s."""
    talk = Connection(sim, host)
    await talk.ask("name")
    talk.send("na")
    await sim.sleep(0.05)
    begun = talk.wire.last_heard
    await sim.sleep(10.0 + MARGIN)
    closed_after(sim, talk, 10.0 + begun)


async def errors(sim: Simulation, host: str) -> None:
    """The 20th error within a minute closes the connection; each delays the next request by 1 s."""
    talk = Connection(sim, host)
    begun = sim.time.now
    for count in range(1, 21):
        reply = await talk.ask("nonsense", 5.0)
        is_last = "too many errors" in reply
        sim.judge.check(is_last == (count == 20), f"error {count}: {reply}")
    sim.judge.check(sim.time.now - begun >= 18.9, f"20 errors in {sim.time.now - begun:.3f} s")


async def addresses(sim: Simulation, host: str) -> None:
    """An address has 32 connections at once."""
    talks = [Connection(sim, host) for _ in range(33)]
    replies = []
    for talk in talks:
        try:
            replies.append(await talk.ask("name"))
        except Gone:
            replies.append("refused")
    if not any(talk.wire.is_cut for talk in talks) and serves(sim, talks[0]):
        served = sum(one.startswith("= yoddd") for one in replies)
        was_short = sim.faults.count["memory"] > 0
        sim.judge.check(served == 32 or was_short, f"{served} of 33 connections are served")
    for talk in talks:
        talk.close()


async def log_ins(sim: Simulation, host: str) -> None:
    """An address has 3 failed log-ins a minute; the next one closes its connection."""
    if not sim.plan.has_store:
        await sim.sleep(1.0)
        return
    talk = Connection(sim, host)
    failed = 0
    while failed < 4:
        reply = await talk.ask("login ann wrong")
        if "busy" in reply:
            await sim.sleep(0.5)
            continue
        failed += 1
        sim.judge.check(reply[0] == "?", reply)
        is_last = "too many failed log-ins" in reply
        sim.judge.check(is_last == (failed == 4), f"failed log-in {failed}: {reply}")


async def unread(sim: Simulation, host: str) -> None:
    """A client that leaves more than the buffer unread has 10 s."""
    talk = Connection(sim, host)
    await talk.ask("name")
    talk.wire.read(wanted=False)
    talk.send("list_commands\n" * 40)
    await sim.sleep(1.0)
    paused = talk.wire.paused_at
    if paused is not None:
        await sim.sleep(10.0 + MARGIN)
        closed_after(sim, talk, paused + 10.0)
    talk.close()


async def name_kept(sim: Simulation, host: str) -> None:
    """The name of an engine that has disconnected is kept for 120 s."""
    name = f"kept{sim.number()}"
    first = Engine(sim, random.Random(0), name, host)
    while not sim.house.has_engine(name):
        await sim.sleep(0.2)
        if first.is_lost or sim.is_ending:
            first.wire.drop()
            return
    first.wire.drop()
    limit = Limit(sim, sim.time.now, 120.0)
    for wait, is_kept in ((limit.before, True), (limit.after, False)):
        if not await wait():
            return
        other = Engine(sim, random.Random(0), name, host.replace("10.", "11.", 1))
        await sim.sleep(0.05)
        refused = "is kept for its engine" in other.refusal
        if not other.wire.is_cut and (refused or sim.house.has_engine(name)):  # not busy
            sim.judge.check(refused == is_kept, f"the name {name}: kept {refused}")
        other.wire.drop()


async def silence(sim: Simulation, host: str) -> None:
    """A WebSocket without an answer to a ping is closed after 90 s; while it watches, after 10."""
    talk = Connection(sim, host, "web")
    await talk.ask("name")
    seconds, number = 90.0, sim.number()
    if number % 3:
        seconds = 10.0
        reply = await talk.ask(f"seek silent{number} game=yodd board=hex2")
        found = reply.split()[1] if reply[0] == "=" else "none"
        talk.is_deaf = True
        talk.follow(f"observe {found}")
        await sim.sleep(0.1)
    talk.is_deaf = True
    limit = Limit(sim, talk.wire.last_heard, seconds)
    if seconds and await limit.before() and (seconds > 10 or talk.follows):
        is_early = talk.wire.closing_at is not None and not talk.wire.is_cut
        sim.judge.check(not is_early, f"a silent WebSocket: closed before {seconds} s")
        if await limit.after() and (seconds > 10 or talk.follows or not talk.wire.is_open):
            closed_after(sim, talk, limit.begun + seconds)
    talk.close()


async def rate(sim: Simulation, host: str) -> None:
    """50 requests are served at once, and then 20 a second."""
    talk, begun = Connection(sim, host), sim.time.now
    talk.send("name\n" * 79)
    await talk.ask("name", 5.0)
    spent = sim.time.now - begun
    sim.judge.check(abs(spent - 1.5) < MARGIN, f"80 requests took {spent:.3f} s")
    talk.close()


async def closing(sim: Simulation, host: str) -> None:
    """A client that does not read the last output has 5 s."""
    talk = Connection(sim, host)
    await talk.ask("name")
    talk.wire.read(wanted=False)
    talk.send("list_commands\nquit\n")
    await sim.sleep(0.1)
    limit = Limit(sim, talk.wire.closing_at or 0.0, 5.0)
    if limit.begun and not talk.wire.is_cut and await limit.before():
        sim.judge.check(talk.wire.is_open, "a closing connection is cut off too early")
        if await limit.after():
            sim.judge.check(not talk.wire.is_open, "a closing connection is still open")
    talk.close()


async def invite(sim: Simulation, host: str) -> None:
    """An invite can be accepted for as long as it says."""
    talk, seconds = Connection(sim, host), 2.5
    reply = await talk.ask(f"seek inviter{sim.number()} game=yodd board=hex2 invite={seconds}")
    if reply[0] != "=":
        talk.close()
        return
    limit, found = Limit(sim, sim.time.now, seconds), reply.split()[1]
    for wait, is_open in ((limit.before, True), (limit.after, False)):
        if await wait():
            listed = await talk.ask(f"games {found}")
            sim.judge.check((f"{found} open" in listed) == is_open, f"{listed}: open {not is_open}")
    talk.close()


async def patient(sim: Simulation, chance: random.Random, number: int) -> None:
    """A human who claims the game of one who is away for 300 s."""
    while not sim.is_ending:
        await sim.sleep(1.0)
        try:
            await _claim(sim, chance, f"10.{number}.9.9")
        except Gone:
            continue


async def _claim(sim: Simulation, chance: random.Random, host: str) -> None:
    mine, other = Connection(sim, host), Connection(sim, host)
    try:
        reply = await mine.ask("seek mia game=yodd board=hex2 clock=none seat=b")
        if reply[0] == "=":
            found, key = reply.split()[1:3]
            reply = await other.ask(f"accept {found} max")
    except Gone:
        reply = "?"
    if reply[0] != "=":
        mine.close()
        other.close()
        return
    mine.follow(f"observe {found} {key}")
    await sim.sleep(chance.random())
    other.close()
    limit = Limit(sim, sim.time.now, 300.0)
    for wait, sign in ((limit.before, "?"), (limit.after, "=")):
        if await wait():
            if not mine.is_open:
                mine = Connection(sim, host)
            reply = await mine.ask(f"claim {key}")
            is_busy = "busy" in reply
            sim.judge.check(is_busy or reply[0] == sign, f"claimed with {reply}, not {sign}")
    mine.close()


async def outsider(sim: Simulation, chance: random.Random, number: int) -> None:
    """A client of a daemon that requires a log-in, which it delays."""
    while not sim.is_ending:
        try:
            talk = Connection(sim, f"10.{number}.8.8")
            limit = Limit(sim, sim.time.now, 10.0)
            for line in ("games", "who", "seek eve", "name"):
                await talk.ask(line)
            if chance.random() < 0.3:
                await talk.ask("login eve token-of-eve")
                await talk.ask("who")
            elif await limit.before():
                is_early = talk.wire.closing_at is not None and not talk.wire.is_cut
                sim.judge.check(not is_early, "closed before the log-in had to be made")
                if await limit.after():
                    closed_after(sim, talk, limit.begun + 10.0)
            talk.close()
        except Gone:
            await sim.sleep(1.0)


PROBES: Final = (
    slow_line,
    errors,
    addresses,
    log_ins,
    unread,
    name_kept,
    silence,
    silence,
    rate,
    closing,
    invite,
)
"""What is measured, in some order."""
