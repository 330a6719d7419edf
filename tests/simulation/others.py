"""The administrator of daemons, and one who lets the lock of a store change hands."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from yoddd.daemon.play.game_runner import GameRunner

MEASURED: Final = "10."
"""The beginning of the addresses whose limits are measured; no one kicks their connections."""


async def administrator(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Pauses, aborts, kicks, revokes, reloads and drains."""
    while not sim.is_ending:
        is_set = "abort" in sim.plan.favours
        await sim.sleep(chance.expovariate(1.0 if is_set else 0.3))
        if sim.house.is_ready and not sim.is_ending:
            what = (
                (abort,)
                if is_set and chance.random() < 0.8
                else (abort, kick, pause, announce, revoke, stop)
            )
            await chance.choice(what)(sim, chance)


async def abort(sim: Simulation, chance: random.Random) -> None:
    """End one of the games."""
    found = sim.house.games()
    if found:
        end(sim, chance.choice(found))


def end(sim: Simulation, runner: GameRunner) -> None:
    """End a game as void."""
    sim.judge.game(runner.game.id).ended_by.add("void")
    runner.abort("aborted by the administrator")


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
    sim.judge.notices += 1
    for runner in sim.house.games():
        runner.notice("we go down at noon")
    if not {"claim", "crowd"} & {*sim.plan.favours}:  # the configuration has other limits
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
    house = sim.house
    daemon, world = house.daemon, house.world
    assert daemon is not None
    for model in list(sim.judge.games.values()):
        model.ended_by.add("void")
    sim.note("STOP")
    house.ready_since = -1.0
    await Deferred.fromCoroutine(daemon.stop()).addTimeout(60, sim.clock, lambda *_: None)
    if house.world is world:  # it has not crashed meanwhile
        house.crash()
        house.boot()


async def standby(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Loses the lock of the daemon that serves, stops it, or crashes the one that stands by."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(0.5))
        house, what = sim.house, chance.random()
        if sim.is_ending or not house.is_ready or house.lock is None:
            continue
        other = next(one for one in sim.houses if one is not house)
        if what < 0.6:
            sim.note("LOCK LOST")
            sim.faults.lasts(0.0)
            house.lock.holder = None
        elif what < 0.8:
            await stop(sim, chance)
        elif other.world is not None:
            other.crash()
            sim.time.callLater(1.0, other.boot)
