"""The administrator of the simulation, and clients that measure the limits."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from twisted.internet.defer import Deferred

from tests.simulation.clients import Connection, Gone
from tests.simulation.engines import Engine

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

MEASURED: Final = "10."
"""The beginning of the addresses whose limits are measured; no one kicks their connections."""

MARGIN: Final = 0.1
"""Seconds within which a limit holds."""


async def administrator(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Pauses, aborts, kicks, revokes, reloads and drains."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(0.3))
        if sim.house.is_ready and not sim.is_ending:
            await chance.choice((abort, kick, pause, announce, revoke, stop))(sim, chance)


async def abort(sim: Simulation, chance: random.Random) -> None:
    """End a game as void."""
    found = [live for live in sim.house.games() if live.abort is not None]
    if found:
        live = chance.choice(found)
        sim.judge.game(live.id).ended_by.add("void")
        assert live.abort is not None
        live.abort("aborted by the administrator")


async def kick(sim: Simulation, chance: random.Random) -> None:
    """Close a connection."""
    assert sim.house.daemon is not None
    connections = sim.house.daemon.drain._services.connections.by_number
    found = [n for n, one in sorted(connections.items()) if not str(one.host).startswith(MEASURED)]
    if found:
        connections[chance.choice(found)].disconnect("kicked by the administrator")


async def pause(sim: Simulation, chance: random.Random) -> None:
    """Let no game begin for a while."""
    assert sim.house.daemon is not None
    gate = sim.house.daemon.drain._games.start_gate
    gate.close("no game may begin for now")
    await sim.sleep(chance.expovariate(1.0))
    gate.open()


async def announce(sim: Simulation, _chance: random.Random) -> None:
    """Tell all spectators something, and read the configuration again."""
    assert sim.house.daemon is not None
    for live in sim.house.games():
        live.notice("we go down at noon")
    sim.house.daemon.reload()


async def revoke(sim: Simulation, chance: random.Random) -> None:
    """Revoke the tokens of an account, as another process does."""
    if sim.plan.has_store:
        name = chance.choice(("dan", "eve"))
        sim.judge.rows(
            "UPDATE tokens SET revoked = '2026-11-23T12:00:00.000Z' WHERE account_id = "
            "(SELECT id FROM accounts WHERE folded = ?)",
            name,
        )
        sim.judge.revoke(name)


async def stop(sim: Simulation, _chance: random.Random) -> None:
    """Let the daemon end as by a signal, and start the next one."""
    daemon, world = sim.house.daemon, sim.house.world
    assert daemon is not None
    for model in list(sim.judge.games.values()):
        model.ended_by.add("void")
    sim.note("STOP")
    sim.house.is_ready = False
    await Deferred.fromCoroutine(daemon.stop()).addTimeout(60, sim.time, lambda *_: None)
    if sim.house.world is world:  # it has not crashed meanwhile
        sim.house.crash()
        sim.judge.after_crash()
        sim.house.boot()


async def measure(sim: Simulation, chance: random.Random, number: int) -> None:
    """Measure one limit after the other, each from an address of its own."""
    count = 0
    while not sim.is_ending:
        count += 1
        host = f"{MEASURED}{number}.{count // 200}.{count % 200 + 1}"
        probe = chance.choice((slow_line, errors, addresses, log_ins, unread, name_kept))
        try:
            await probe(sim, host)
        except Gone:
            await sim.sleep(1.0)


def closed_after(sim: Simulation, talk: Connection, when: float) -> None:
    """The daemon closes a connection at a time, unless that was lost before."""
    if talk.wire.is_cut or talk.wire.reactor.is_dead or not sim.house.is_ready:
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
    if not any(talk.wire.is_cut for talk in talks) and sim.house.is_ready:
        served = sum(one.startswith("= yoddd") for one in replies)
        is_whole = served == 32 or talks[0].wire.reactor.is_dead
        was_short = sim.faults.count["memory"] > 0
        sim.judge.check(is_whole or was_short, f"{served} of 33 connections are served")
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
    gone, world = sim.time.now, sim.house.world
    for wait, is_kept in ((119.9, True), (120.1, False)):
        while sim.time.now < gone + wait and not sim.is_ending:
            await sim.sleep(min(5.0, gone + wait - sim.time.now))
        if sim.is_ending or sim.house.world is not world or world is None:
            return
        other = Engine(sim, random.Random(0), name, host.replace("10.", "11.", 1))
        await sim.sleep(0.05)
        if not other.wire.is_cut:
            sim.judge.check(other.was_kept_from == is_kept, f"the name {name} after {wait} s")
        other.wire.drop()
