"""The administrator of daemons, and one who lets the lock of a store change hands."""

from __future__ import annotations

import json
import math
import random
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import Deferred

from tests.simulation.connections import Gone
from tests.simulation.daemon import ADMIN
from tests.simulation.page import Asked
from yoddd.daemon.configuration import load

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from yoddd.daemon.play.game_runner import GameRunner

MEASURED: Final = "10."
"""The beginning of the addresses whose limits are measured; no one kicks their connections."""

MARGIN: Final = 0.5
"""Seconds after which what has a time is over."""

GAME: Final = re.compile(r"[trm]\S+ (open|playing|over) .*")
"""A line of the list of games."""


class Order(Asked):
    """A request to the socket of the administrator; one that is `forged` is none."""

    def __init__(self, sim: Simulation, line: str, *, forged: bool = False) -> None:
        super().__init__(sim, ADMIN, f"{line}\n".encode(), line)
        self._word = "" if forged else line.partition(" ")[0]

    def heard(self, data: bytes) -> None:
        """Allow what the daemon now does."""
        super().heard(data)
        if not self.is_heard or self.is_past:
            return
        if self._word == "abort":
            self.sim.judge.game(self.text.split()[1]).ended_by.add("void")
        elif self._word == "broadcast":
            self.sim.judge.broadcast()
        elif self._word == "resume":
            self.sim.judge.paused = math.inf

    def wrote(self, data: bytes) -> None:
        if self.text == "pause" and b"error" not in data and not self.is_past:
            self.sim.judge.paused = self.sim.time.now

    @property
    def is_whole(self) -> bool:
        return b"\n" in self.data

    async def answer(self) -> dict[str, Any]:
        """The answer, which has to be of the request.

        Raises:
            Gone: the connection is lost before.
        """
        await self.done
        lines = self.data.splitlines()
        if not self.is_whole:
            raise Gone("lost")
        found: dict[str, Any] = json.loads(lines[0])
        self.sim.note(f"{self.text} -> {lines[0].decode()[:200]}")
        names = ANSWERS.get(self._word, "error").split()
        is_refused = list(found) == ["error"] and self._word in REFUSED
        fits = is_refused or list(found) == names
        self.sim.judge.check(len(lines) == 1 and fits, f"{self.text} -> {lines}")
        self.drop()
        return found


ANSWERS: Final = {
    "list": "pairing connections engines games",
    "kick": "kicked",
    "pause": "pairing",
    "resume": "pairing",
    "abort": "aborted",
    "broadcast": "told",
}
"""The names in the answer to each order."""

REFUSED: Final = ("kick", "pause", "resume", "abort")
"""The orders that can be refused: a connection is closed by then, a game over, a daemon ends."""


async def administrator(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Pauses, aborts, kicks, broadcasts, revokes, reloads and stops."""
    while not sim.is_ending:
        is_set = "abort" in sim.plan.favours
        await sim.sleep(chance.expovariate(1.0 if is_set else 0.3))
        if sim.house.is_ready and not sim.is_ending:
            what = (
                (abort,)
                if is_set and chance.random() < 0.8
                else (abort, kick, pause, broadcast, reload, revoke, stop, forge)
            )
            with suppress(Gone):
                await chance.choice(what)(sim, chance)


async def abort(sim: Simulation, chance: random.Random) -> None:
    """End one of the games; one that is not played cannot be ended."""
    world, listed = sim.house.world, await _list(sim)
    games = [line.split()[:2] for line in listed["games"]]
    over = []
    if sim.plan.has_store:  # without one, a restart gives their ids to others
        over = [one.id for one in sim.judge.games.values() if one.record is not None]
    games += [[one, "over"] for one in over[-1:]] or [["t999", "absent"]]
    game, word = chance.choice(games)
    found = await Order(sim, f"abort {game}").answer()
    is_wrong = "aborted" in found and (word in ("absent", "over") or game in over)
    is_wrong &= sim.house.world is world
    sim.judge.check(not is_wrong, f"{game} is aborted, which is {word}")


def end(sim: Simulation, runner: GameRunner) -> None:
    """End a game as void, whatever its phase."""
    sim.judge.game(runner.game.id).ended_by.add("void")
    runner.abort("aborted by the administrator")


async def _list(sim: Simulation) -> dict[str, Any]:
    """The answer of the daemon about its connections and games."""
    order = Order(sim, "list")
    found = await order.answer()
    for line in found["games"] if not order.is_past else ():
        sim.judge.check(GAME.fullmatch(line), f"list: {line}")
    return found


async def kick(sim: Simulation, chance: random.Random) -> None:
    """Close a connection: it is not listed any more, unless it is slow to take the last output."""
    world = sim.house.world
    open_ones = (await _list(sim))["connections"]
    found = [one for one in open_ones if not str(one["host"]).startswith(MEASURED)]
    if not found:
        return
    number = chance.choice(found)["number"]
    if await Order(sim, f"kick {number}").answer() != {"kicked": number}:
        return
    await sim.sleep(5.0 + MARGIN)
    left = [one["number"] for one in (await _list(sim))["connections"]]
    is_same = sim.house.world is world and sim.house.is_ready
    sim.judge.check(number not in left or not is_same, f"{number} is kicked and listed")


async def pause(sim: Simulation, chance: random.Random) -> None:
    """Let no game begin for a while; one who does not know that it was resumed asks again."""
    with suppress(Gone):  # it may have been carried out all the same
        await Order(sim, "pause").answer()
    await sim.sleep(chance.expovariate(1.0))
    while sim.judge.paused < math.inf:
        with suppress(Gone):
            if "error" in await Order(sim, "resume").answer():
                return  # it is going down
        await sim.sleep(0.5)


async def broadcast(sim: Simulation, _chance: random.Random) -> None:
    """Tell all spectators something."""
    await Order(sim, "broadcast we go down at noon").answer()


async def forge(sim: Simulation, chance: random.Random) -> None:
    """Send what is no order, as a page that can reach the socket would."""
    line = chance.choice(("GET / HTTP/1.1", "list  ", "pause\x00", "kick x", "abort t999", "stop"))
    await Order(sim, line, forged=True).answer()


async def reload(sim: Simulation, chance: random.Random) -> None:
    """Let the daemon read the configuration again, which may be changed, or broken."""
    daemon = sim.house.daemon
    assert daemon is not None
    old = sim.write("")
    new = re.sub("(?m)^own_games = .*", f"own_games = {chance.randint(10, 40)}", old)
    before, is_broken = daemon._settings.value, chance.random() < 0.3
    sim.write(f"{new}\nunknown = [" if is_broken else new)
    daemon.reload()
    sim.write(old if is_broken else new)
    wanted = before if is_broken else load(sim.sources).settings
    sim.judge.check(daemon._settings.value == wanted, f"{daemon._settings.value}, not {wanted}")


async def revoke(sim: Simulation, chance: random.Random) -> None:
    """Revoke the tokens of an account."""
    if sim.plan.has_store:
        sim.judge.revoke(chance.choice(("dan", "eve")))


async def stop(sim: Simulation, _chance: random.Random) -> None:
    """Let the daemon end as by a signal, and start the next one."""
    house = sim.house
    daemon, world = house.daemon, house.world
    assert daemon is not None
    for model in list(sim.judge.games.values()):
        model.ended_by.add("void")
    sim.note("STOP")
    house.ready_since = -1.0
    is_first, stopped = daemon.drain.running, Deferred.fromCoroutine(daemon.stop())
    if is_first:
        sim.judge.judge_restart()
    await stopped.addTimeout(60, sim.clock, lambda *_: None)
    if house.world is world:  # it has not crashed meanwhile
        house.crash()
        house.boot()


async def standby(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Loses the lock of the daemon that serves, stops it, or crashes the one that stands by."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(0.5))
        house, what = sim.house, chance.random()
        if sim.is_ending or not house.is_ready or house.server is None:
            continue
        other = next(one for one in sim.houses if one is not house)
        if what < 0.6:
            sim.note("LOCK LOST")
            sim.faults.lasts(0.0)
            house.server.end(house.server.holder)
        elif what < 0.8:
            await stop(sim, chance)
        elif other.world is not None:
            other.crash()
            sim.time.callLater(1.0, other.boot)
