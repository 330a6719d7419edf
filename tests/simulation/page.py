"""Visitors of the page, who read over HTTP what the daemon tells of its games."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import Deferred

from tests.simulation.clients import Gone
from tests.simulation.daemon import WEB
from tests.simulation.dialogue import ANSWER
from tests.simulation.invariants import ACCOUNTS

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

PATIENCE: Final = 40.0
"""Seconds after which a reply is not waited for any more."""


class Visit:
    """One request over HTTP."""

    def __init__(self, sim: Simulation, path: str) -> None:
        if not sim.house.listens(WEB):
            raise Gone("refused")
        self._data, self._sim, self._begun, self.path = b"", sim, sim.time.now, path
        self._done: Deferred[None] = Deferred()
        self._done.addTimeout(PATIENCE, sim.clock, lambda *_: None)
        self._wire = sim.connect(WEB, "127.0.0.3", self)
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        self._wire.send(head.encode())
        sim.connections.append(self)

    async def reply(self) -> tuple[int, bytes]:
        """The status and the body.

        Raises:
            Gone: the connection is lost before.
        """
        await self._done
        head, _, body = self._data.partition(b"\r\n\r\n")
        if not head or self._wire.is_cut or self._wire.reactor.is_dead:
            raise Gone("lost")
        if b"chunked" in head.lower():
            body = _joined(body)
        return int(head.split()[1]), body

    @property
    def is_open(self) -> bool:
        return self._wire.is_open

    def unanswered(self, calm: float) -> list[str]:
        """The path, if its reply has taken too long."""
        is_late = min(self._sim.time.now - self._begun, calm) > ANSWER
        return [self.path] if is_late and self._sim.house.serves(self._wire) else []

    def heard(self, data: bytes) -> None: ...
    def closing(self) -> None: ...
    def wrote(self, data: bytes) -> None: ...

    def took(self, data: bytes) -> None:
        self._data += data

    def lost(self) -> None:
        if not self._done.called:
            self._done.callback(None)


def _joined(body: bytes) -> bytes:
    """The bytes of chunks."""
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        whole, body = whole + body[: int(size, 16)], body[int(size, 16) + 2 :]
    return whole


async def visitor(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Reads the pages and the API, and compares them with what the judge has been told."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(2.0))
        path = chance.choice(
            (
                "/readyz",
                "/healthz",
                "/",
                "/metrics",
                "/nowhere",
                "/api/ladder",
                "/api/games",
                f"/api/game/{chance.choice('rt')}{chance.randint(1, 12)}",
                f"/api/user/{chance.choice((*ACCOUNTS, 'absent'))}",
            )
        )
        try:
            status, body = await Visit(sim, path).reply()
        except Gone:
            continue
        sim.note(f"GET {path} -> {status}")
        sim.judge.check(status in (200, 404, 503), f"{path}: {status} {body!r}")
        found = json.loads(body) if path.startswith("/api/") and status == 200 else {}
        if path.startswith("/api/game/") and found:
            told(sim, found["id"], found)
        for one in found.get("games", ()) if path == "/api/games" else ():
            told(sim, one["id"], {name: one[name] for name in ("black", "white", "winner")})
        if path.startswith("/api/user/"):
            known = sim.plan.has_store and path.rpartition("/")[2] in ACCOUNTS
            sim.judge.check(status == 503 or not known or status == 200, f"{path}: {status}")


def told(sim: Simulation, name: str, record: dict[str, Any]) -> None:
    """Compare what the API tells of a finished game with what its spectators were told."""
    model = sim.judge.games.get(name)
    if model is not None and model.record is not None:
        same = {one: model.record.get(one) for one in record}
        sim.judge.check(record == same, f"{name}: the API has {record}, told {same}")
