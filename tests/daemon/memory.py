"""A whole daemon without a network: connections are in memory, and time is fake."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.fake_time import WorldAtOnce, world_of
from tests.daemon.lobby.journals import DirectJournal
from tests.daemon.net.doubles import MemoryTransport
from tests.daemon.net.websocket.test_transport import FAR, Client
from tests.daemon.pages.browser import Browser
from yoddd.daemon import composition
from yoddd.daemon.base.admission.places import Network
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.store import journal
from yoddd.daemon.base.world import World
from yoddd.daemon.configuration import Sources, load
from yoddd.daemon.connections.search_pool import Job, JobKind, SearchPool, Work
from yoddd.daemon.pages import site
from yoddd.daemon.play.game_services import GameServices
from yoddd.daemon.service import make_service
from yoddd.store.pruning import prune_games

__all__ = ["FAR", "Browser"]

OTHER = "203.0.113.9"
MIB = 1 << 20


class Journal(DirectJournal):
    """A store of its own for each daemon, and what is deleted from it."""

    is_large = False

    def __init__(self, world: World, url: Any) -> None:
        folder = Path(url.database)
        folder.mkdir()
        super().__init__(folder)
        self.world = world_of(world.reactor)
        self.url = url
        self.pruned: list[tuple[Any, ...]] = []

    def open(self, *_: object) -> Deferred[None]:
        """Open for good since the beginning."""
        return succeed(None)

    def do(self, change: Callable[..., Any], *args: Any, **words: Any) -> Any:
        if change is prune_games:
            self.pruned.append(args)
        return super().do(change, *args, **words)


class Pool(SearchPool):
    """Queues searches and runs none.

    Attributes:
        seconds: those of the latest search.
    """

    seconds: float | None = None

    def submit(
        self,
        owner: object,
        work: Work,
        kind: JobKind = JobKind.ONCE,
        seconds: float | None = None,
        client: object = None,
        network: Network | None = None,
    ) -> Job:
        del network
        self.seconds = seconds
        return Job(owner, work, kind, client=client)


class Peer:
    """A client of the text port or of an analysis port."""

    def __init__(self, clock: MemoryReactorClock, factory: Any, host: str = FAR) -> None:
        self.clock = clock
        self.transport = MemoryTransport(host)
        self.protocol = factory.buildProtocol(IPv4Address("TCP", host, 5))
        self.protocol.makeConnection(self.transport)

    def ask(self, text: str = "") -> str:
        """Send lines; return all that was received since the last call."""
        self.send(text)
        return self.take()

    def send(self, text: str) -> None:
        """Send lines, or none."""
        if text:
            self.protocol.dataReceived(f"{text}\n".encode())
            self.clock.advance(0)

    def take(self) -> str:
        """All that was received since the last call."""
        found = bytes(self.transport.value()).decode()
        self.transport.clear()
        return found

    def is_closed(self) -> bool:
        return self.transport.disconnecting or self.transport.is_aborted()


class MemoryDaemon:
    """A daemon with its configuration file."""

    def __init__(self, folder: Path, values: dict[str, Any]) -> None:
        self.folder = folder
        self.file = folder / "yoddd.toml"
        self.write(values)
        self.clock = MemoryReactorClock()
        sources = Sources(self.file)
        self.settings = CurrentSettings(load(sources).settings)
        self.daemon = make_service(
            WorldAtOnce(cast("Reactor", self.clock)), self.settings, lambda _: None, sources
        )
        self.daemon.startService()
        factories: list[Any] = [one[1] for one in self.clock.tcpServers]
        self.text, self.analysis, self.web = factories
        self.services = self.text.wrappedFactory.services if self.is_tls else self.text.services
        # Whatever is kept by address is there before a reload.
        earlier = Browser(self.web, FAR)
        earlier.send("/icon.svg")
        earlier.disconnect()

    @property
    def is_tls(self) -> bool:
        return hasattr(self.text, "wrappedFactory")

    def write(self, values: dict[str, Any]) -> None:
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in (BASE | values).items()]
        self.file.write_text("".join(lines))

    @property
    def journal(self) -> Journal:
        """The store, if the daemon has one."""
        found: Journal = cast("Any", self.services.session.services.accounts)._journal
        return found

    @property
    def games(self) -> GameServices:
        """The games that are offered or played."""
        return self.daemon.drain._games

    def peer(self, host: str = FAR) -> Peer:
        return Peer(self.clock, self.text, host)

    def socket(self, target: str = "/ws") -> Client:
        client = Client(self.clock, self.services, target, self.web)
        client.take()
        return client

    def seconds(self, is_over: Callable[[], object]) -> float | None:
        """The time until something is the case; None for never."""
        begin = self.clock.seconds()
        for _ in range(8000):
            if is_over():
                return self.clock.seconds() - begin
            self.clock.advance(0.25)
        return None


class Talk:
    """A dialogue as the protocol writes it: a request, then its reply.

    ``ann: games`` is a request of a peer who is called Ann, and ``ann:`` asks for what it has
    received since; ``ann@home`` connects from the host that is called so. In a reply ``$key`` names
    a word, which stands for that from then on, and ``*`` is anything.
    """

    def __init__(self, daemon: MemoryDaemon, hosts: Mapping[str, str] | None = None) -> None:
        """Talk to a daemon from some ``hosts``; peers without one are far away."""
        self.daemon = daemon
        self.peers: dict[str, Peer] = {}
        self.words: dict[str, str] = {}
        self._hosts = hosts or {}

    def __call__(self, *lines: str) -> None:
        """Send each request, and compare its reply."""
        for said, wanted in zip(lines[::2], lines[1::2], strict=True):
            name, _, request = said.partition(":")
            self.send(name, request.strip())
            self.receive(name, wanted)

    def send(self, name: str, text: str) -> None:
        """Send lines, or none."""
        if name not in self.peers:
            host = self._hosts.get(name.rpartition("@")[2], FAR)
            self.peers[name] = self.daemon.peer(host)
        self.peers[name].send(Template(text).substitute(self.words))

    def receive(self, name: str, wanted: str) -> None:
        """Compare what a peer has received since the last time."""
        found = self.peers[name].take().strip()
        pattern = re.escape(Template(wanted.strip()).safe_substitute(self.words))
        pattern = re.sub(r"\\\$(\w+)", r"(?P<\1>\\S+)", pattern).replace(r"\*", ".*")
        match = re.fullmatch(pattern, found, re.DOTALL)
        assert match, f"{name}\n{found}\nand not\n{wanted}"
        self.words |= match.groupdict()


BASE: dict[str, Any] = {
    "listen": ["tcp:1"],
    "analysis": ["tcp:2"],
    "http": "tcp:3",
    "public": True,
    "watchdog": 0,
    "limits.exempt": [],
}

ASSETS = cache(site.load_assets)


@pytest.fixture
def daemons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., MemoryDaemon]]:
    """Start daemons with some settings, each in a folder of its own."""
    made: list[MemoryDaemon] = []
    monkeypatch.setattr(site, "load_assets", ASSETS)
    monkeypatch.setattr(journal, "Journal", Journal)
    monkeypatch.setattr(composition, "SearchPool", Pool)

    def make(values: dict[str, Any], kind: type[MemoryDaemon] = MemoryDaemon) -> MemoryDaemon:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        monkeypatch.chdir(folder)
        made.append(kind(folder, values))
        return made[-1]

    yield make
    for one in made:
        one.daemon.drain.skip()
        one.daemon.stopService()
        one.clock.advance(1)
