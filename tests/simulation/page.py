"""Visitors of the page, who read what it tells over HTTP, make accounts and log in."""

from __future__ import annotations

import base64
import json
import math
import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.defer import Deferred

from tests.simulation.archive import Archive, judge_page
from tests.simulation.connections import Connection, Gone
from tests.simulation.daemon import WEB
from tests.simulation.dialogue import ANSWER
from tests.simulation.models import ACCOUNTS
from yoddd.daemon.base.settings import Limits

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from tests.simulation.world import Reactor

PATIENCE: Final = 40.0
"""Seconds after which a reply is not waited for any more."""


BOARDS: Final = (("yodd", "hex2"), ("odd", "square3"), ("yoin", "hex3"), ("odd", "square4"))
"""The games and boards on which rated games are played."""

ARCHIVED: Final = ("/api/ladder", "/api/games", "/api/user/")
"""The addresses whose replies are made of the archive."""


class Asked:
    """A connection with one request, and what has come of the reply.

    Attributes:
        text: the request, for messages.
        data: what has come.
        done: fires when the reply has come, or the connection is lost.
        is_heard: whether the whole request has arrived.
    """

    def __init__(
        self,
        sim: Simulation,
        port: int | str,
        data: bytes,
        text: str,
        host: str = "127.0.0.3",
        *,
        reactor: Reactor | None = None,
    ) -> None:
        if reactor is None and not sim.house.listens(port):
            raise Gone("refused")
        self.data, self.sim, self.text = b"", sim, text
        self.done: Deferred[None] = Deferred()
        self.done.addTimeout(PATIENCE, sim.clock, lambda *_: None)
        self._begun, self._left = sim.time.now, len(data)
        self._wire = sim.connect(port, host, self, reactor)
        # What else than a daemon is asked, such as a run, and where it listens.
        self._asked, self._port = reactor, port
        self._wire.send(data)
        sim.connections.append(self)

    @property
    def is_whole(self) -> bool:
        """Whether the reply has come, whose end is that of the connection unless it shows."""
        return False

    @property
    def is_heard(self) -> bool:
        return self._left <= 0

    @property
    def is_past(self) -> bool:
        """Whether another daemon has taken over from the one that is asked."""
        return self._wire.reactor.is_superseded

    @property
    def is_open(self) -> bool:
        return self._wire.is_open and not self.is_whole

    @property
    def is_served(self) -> bool:
        """Whether what is asked still serves: the daemon, or a run that listens."""
        if self._asked is not None:
            return self._port in self._asked.ports
        return self.sim.house.serves(self._wire)

    @property
    def is_lost(self) -> bool:
        return self._wire.is_cut or self._wire.reactor.is_dead

    def drop(self) -> None:
        self._wire.drop()

    def unanswered(self, calm: float) -> list[str]:
        """The request, if its reply has taken too long."""
        is_late = min(self.sim.time.now - self._begun, calm) > ANSWER
        return [self.text] if is_late and self.is_served else []

    def heard(self, data: bytes) -> None:
        self._left -= len(data)

    def closing(self) -> None: ...
    def wrote(self, data: bytes) -> None: ...

    def took(self, data: bytes) -> None:
        self.data += data
        if self.is_whole:
            self.lost()

    def lost(self) -> None:
        if not self.done.called:
            self.done.callback(None)


class Visit(Asked):
    """One request over HTTP.

    Attributes:
        head: of the reply.
        path: with the query.
        before: the archive when the request came; None before, and where it tells nothing of it.
        after: when the reply began.
    """

    def __init__(
        self,
        sim: Simulation,
        path: str,
        method: str = "GET",
        host: str = "127.0.0.3",
        **fields: str,
    ) -> None:
        self.path = path
        self.before: Archive | None = None
        self.after: Archive | None = None
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        super().__init__(sim, WEB, f"{head}\r\n".encode(), f"{method} {path}", host)
        self.head = ""

    def heard(self, data: bytes) -> None:
        super().heard(data)
        if self.is_heard and self.before is None:
            self.before = self._archive()

    def wrote(self, data: bytes) -> None:
        del data
        if self.after is None:
            self.after = self._archive()

    def _archive(self) -> Archive | None:
        """The archive of the store, if the reply tells of it."""
        is_told = self.path.startswith(ARCHIVED)
        return Archive.read(self.sim.judge) if is_told else None

    def judge(self, found: dict[str, Any]) -> None:
        """Judge what the reply tells of the archive."""
        if self.before is not None and self.after is not None:
            judge_page(self.sim.judge, self.path, found, self.before, self.after)
        elif self.path.startswith("/api/ladder"):
            self.sim.judge.check(found == {"ladders": None}, f"{self.path}: {found}")

    async def reply(self) -> tuple[int, bytes]:
        """The status and the body.

        Raises:
            Gone: the connection is lost before.
        """
        await self.done
        head, _, body = self.data.partition(b"\r\n\r\n")
        if not head or self.is_lost:
            raise Gone("lost")
        self.head = head.decode()
        if b"chunked" in head.lower():
            body = _joined(body)
        return int(head.split()[1]), body


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
                f"/api/ladder?game={chance.choice(BOARDS)[0]}",
                "/api/games",
                "/api/games?limit=2",
                f"/api/games?player={chance.choice((*ACCOUNTS, 'absent'))}",
                f"/api/game/{chance.choice('rt')}{chance.randint(1, 12)}",
                f"/api/user/{chance.choice((*ACCOUNTS, 'absent'))}",
                "leaderboard",
            )
        )
        with suppress(Gone):
            if path == "leaderboard":
                talk = Connection(sim, "127.0.0.3")
                await talk.ask(" ".join(("leaderboard", *chance.choice(BOARDS))))
                talk.close()
            while path.startswith("/"):
                path = await _visit(sim, path)


async def _visit(sim: Simulation, path: str) -> str:
    """Read a page; the path of the one that follows, or an empty text.

    Raises:
        Gone: the connection is lost before.
    """
    visit = Visit(sim, path)
    status, body = await visit.reply()
    sim.note(f"GET {path} -> {status}")
    sim.judge.check(status in (200, 404, 503), f"{path}: {status} {body!r}")
    found = json.loads(body) if path.startswith("/api/") and status == 200 else {}
    if path.startswith("/api/game/") and found:
        told(sim, found["id"], found)
    for one in found.get("games", ()) if path.startswith("/api/games") else ():
        told(sim, one["id"], {name: one[name] for name in ("black", "white", "winner")})
    if found:
        visit.judge(found)
    address, _, query = path.partition("?")
    if address in ("/api/ladder", "/api/games", *(f"/api/user/{one}" for one in ACCOUNTS)):
        known = sim.plan.has_store or address == "/api/ladder"
        sim.judge.check(status == 503 or known == (status == 200), f"{path}: {status}")
    is_page = "limit" in query and found.get("before") is not None
    return f"{address}?limit=2&before={found['before']}" if is_page else ""


def told(sim: Simulation, name: str, record: dict[str, Any]) -> None:
    """Compare what the API tells of a finished game with what its spectators were told."""
    model = sim.judge.games.get(name)
    if model is not None and model.record is not None:
        same = {one: model.record.get(one) for one in record}
        sim.judge.check(record == same, f"{name}: the API has {record}, told {same}")


WINDOW: Final = 3600.0
"""Seconds in which the accounts of an address are counted."""


class Member:
    """One who has an account, or makes one.

    Attributes:
        name: of the account that is being made; another one once it was revoked.
        token: of the account; None before it was told.
        cookie: of the browser; None without a session.
        ticket: of its pages.
    """

    def __init__(self, sim: Simulation, chance: random.Random, number: int) -> None:
        self.sim, self.chance, self.host = sim, chance, f"172.16.{number}.7"
        # When accounts were made, and when one may have been, by daemon.
        self._made: list[tuple[object, float]] = []
        self._tried: list[object] = []
        self.begin()

    def begin(self) -> None:
        """Make another account from now on."""
        self.name = f"m{self.sim.number()}"
        self.token: str | None = None
        self.cookie, self.ticket = "", ""

    async def session(self, method: str, words: str = "", **fields: str) -> dict[str, Any]:
        """Ask for the session of the browser; empty if that is refused.

        Raises:
            Gone: the connection is lost before.
        """
        if self.cookie:
            fields["Cookie"] = self.cookie
        visit = Visit(
            self.sim, f"/api/session{words}", method, self.host, Origin="http://localhost", **fields
        )
        is_new, world = "register" in words, self.sim.house.world
        self._tried += [world] * is_new
        status, body = await visit.reply()
        self.sim.note(f"{visit.text} {fields.get('Cookie', '')} -> {status} {body.decode()[:200]}")
        self.sim.judge.check(status in (200, 401, 409, 429, 503), f"{visit.text}: {status}")
        if is_new:
            self._judge_number(world, status)
        if status != 200 or visit.is_past:
            return {}
        for line in visit.head.splitlines():
            if line.lower().startswith("set-cookie:"):
                self.cookie = line.partition(":")[2].partition(";")[0].strip()
        found: dict[str, Any] = json.loads(body)
        if found["ticket"]:
            self.ticket = found["ticket"]
            self.sim.judge.grants[self.ticket] = self.name
        return found

    def _judge_number(self, world: object, status: int) -> None:
        """Ten accounts an hour can be made from one address."""
        sim, most = self.sim, Limits().registrations
        if status == 200:
            self._made.append((world, sim.time.now))
        made = [when for one, when in self._made if one is world and when > sim.time.now - WINDOW]
        sim.judge.check(len(made) <= most, f"{len(made)} accounts made from {self.host}")
        is_full = self._tried.count(world) > most
        sim.judge.check(status != 429 or is_full, f"no account for {self.host}: made {made}")

    async def register(self) -> None:
        """Make the account, whose answer can be lost: its token is not known then."""
        found = await self.session("POST", f"?register={self.name}")
        if found:
            self.sim.judge.check(found["user"] == self.name, f"made {self.name}: {found}")
            self.token = found["token"]
            self.sim.judge.grants[found["token"]] = self.name
        else:
            self.begin()

    async def log_in(self) -> None:
        """Log the browser in, rightly or wrongly."""
        right = self.chance.random() < 0.8
        secret = self.token if right else self.chance.choice(("wrong", self.ticket))
        text = base64.b64encode(f"{self.name}:{secret}".encode()).decode()
        found = await self.session("POST", Authorization=f"Basic {text}")
        is_ended = self.sim.judge.ended_at(str(self.token)) < math.inf
        self.sim.judge.check(not found or (right and not is_ended), f"logged in by {secret}")

    async def look(self) -> None:
        """Ask whose the session is."""
        found = await self.session("GET")
        user = found.get("user")
        is_ended = self.sim.judge.ended_at(self.ticket) < math.inf
        text = f"{self.ticket} is of {user}, not of {self.name}"
        self.sim.judge.check(user is None or (user == self.name and not is_ended), text)

    async def log_out(self) -> None:
        """Log the browser out: its ticket is void, and its pages are closed."""
        if self.cookie and await self.session("DELETE"):
            self.sim.judge.end_grant(self.ticket)
            self.cookie = ""

    async def ask(self) -> None:
        """Log in by the protocol, by what fits and what does not, and ask for what is one's own."""
        sim, chance = self.sim, self.chance
        talk = Connection(sim, self.host, chance.choice(("text", "web", "page")))
        others = [one for one in sim.judge.grants if sim.judge.grants[one] != self.name]
        good = [self.token, self.token, self.ticket or self.token]
        secret = chance.choice((*good, "wrong", chance.choice(others)))
        reply = await talk.ask(f"login {chance.choice((self.name, self.name.upper()))} {secret}")
        for line in (f"seek {self.name} game=yodd board=hex2 rated=yes", "seek ann", "who"):
            await talk.ask(line)
        sim.spawn(_linger(sim, talk, chance.choice((0.5, 3.0, 9.0))))
        if reply[0] == "=" and chance.random() < 0.1:
            sim.judge.revoke(self.name)
            self.begin()


async def _linger(sim: Simulation, talk: Connection, seconds: float) -> None:
    """Stay logged in while another log-in comes."""
    await sim.sleep(seconds)
    talk.close()


async def member(sim: Simulation, chance: random.Random, number: int) -> None:
    """Makes accounts, and logs in to them in a browser and beside it."""
    one = Member(sim, chance, number)
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(1.0))
        with suppress(Gone):
            if one.token is None:
                await one.register()
            elif chance.random() < 0.05:
                for _ in range(12):
                    one.begin()
                    await one.register()
            else:
                await chance.choice((one.ask, one.ask, one.log_in, one.look, one.log_out))()
