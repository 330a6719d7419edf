"""Reloading the configuration and the certificates: each key has its effect, or is named.

A daemon on a memory reactor is reloaded to a value of each live key; from then on it behaves as one
that was started with the value, and not as one with the default.
"""

from __future__ import annotations

import atexit
import json
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import attrs
import pytest
from cryptography import x509
from twisted.logger import (
    ILogObserver,
    LogEvent,
    Logger,
    eventAsText,
    globalLogPublisher,
)
from wsproto.events import Ping, TextMessage
from zope.interface import provider

from tests.daemon.conftest import make_certificate
from tests.daemon.memory import FAR, MIB, OTHER, Browser, MemoryDaemon, Peer, Pool
from tests.daemon.pages.browser import basic
from tests.daemon.stores import TOKENS
from yoddd.daemon import service
from yoddd.daemon.base.process import logs
from yoddd.daemon.base.settings import KEYS, Key, lookup

pytestmark = pytest.mark.gate


class Setup(MemoryDaemon):
    """A daemon beside whose configuration are certificates."""

    certificates: ClassVar[dict[str, bytes]]

    def write(self, values: dict[str, Any]) -> None:
        super().write(values)
        # One that was renewed with another key, whose file is another one too.
        old, new = self.certificates["old"], self.certificates["new"]
        mixed = new.partition(b"-----BEGIN PRIVATE")[0] if "tls.private_key" in values else old
        for name, text in {"mixed": mixed, "old": old, "new": new}.items():
            if name == "mixed" or not (self.folder / f"{name}.pem").exists():
                (self.folder / f"{name}.pem").write_bytes(text)


# -- what shows the value of a key --------------------------------------------------------------


def two_peers(world: Setup) -> str:
    return world.peer().ask() + world.peer().ask()


def places(world: Setup) -> list[bool]:
    """Whether three connections of one network are closed for one of another."""
    holders = [world.peer(OTHER) for _ in range(3)]
    world.clock.advance(1)
    world.peer().ask()
    world.clock.advance(1)
    return [one.is_closed() for one in holders]


def later_peer(world: Setup) -> str:
    first = world.peer().ask()
    world.clock.advance(6)
    return first + world.peer().ask()


def time_of_silence(*lines: str) -> Callable[[Setup], object]:
    def watch(world: Setup) -> object:
        peer = world.peer()
        peer.protocol.dataReceived("\n".join(lines).encode())
        return world.seconds(peer.is_closed)

    return watch


def time_of_reply(word: str, *lines: str) -> Callable[[Setup], object]:
    def watch(world: Setup) -> object:
        peer, heard = world.peer(), [""]
        peer.protocol.dataReceived("".join(f"{line}\n" for line in lines).encode())

        def is_over() -> bool:
            heard[0] += peer.ask()
            return word in heard[0]

        return world.seconds(is_over)

    return watch


def answers(*lines: str) -> Callable[[Setup], object]:
    def ask(world: Setup) -> object:
        peer = world.peer()
        return [peer.ask(line) for line in lines], peer.is_closed()

    return ask


def pings(target: str) -> Callable[[Setup], object]:
    def watch(world: Setup) -> object:
        client, found = world.socket(target), []
        client.send(TextMessage(data="1 name"))
        for second in range(40):
            found += [second for one in client.take() if isinstance(one, Ping)]
            world.clock.advance(1)
        return found

    return watch


def silence(target: str) -> Callable[[Setup], object]:
    def watch(world: Setup) -> object:
        client = world.socket(target)
        client.send(TextMessage(data="1 name"))
        return world.seconds(client.below.is_aborted)

    return watch


def messages(target: str, *texts: str) -> Callable[[Setup], object]:
    def ask(world: Setup) -> object:
        client = world.socket(target)
        for text in texts:
            client.send(TextMessage(data=text))
        return [repr(event) for event in client.take()]

    return ask


def page(path: str, **headers: str) -> Callable[[Setup], object]:
    def look(world: Setup) -> object:
        reply = Browser(world.web, FAR).get(path, **headers)
        return reply.status, reply.headers.get("access-control-allow-origin")

    return look


def registrations(world: Setup) -> object:
    browser = Browser(world.web, FAR)
    paths = [f"/api/session?register={name}" for name in ("kim", "lea", "mia")]
    return [browser.get(path, method="POST").status for path in paths]


def first_of_two_sessions(world: Setup) -> object:
    browser = Browser(world.web, FAR)
    words = basic("ann", TOKENS["ann"])
    first, _ = (browser.get("/api/session", method="POST", **words) for _ in "ab")
    cookie = first.headers["set-cookie"].partition(";")[0]
    return browser.get("/api/session", cookie=cookie).values["user"]


def share(world: Setup) -> object:
    peer = world.peer()
    charged = world.services.admission.share_of(FAR)
    assert charged is not None
    charged.charge(1.0)
    peer.protocol.dataReceived(b"name\n")
    return world.seconds(peer.ask)


def pardon(world: Setup) -> object:
    peer = world.peer()
    peer.ask("dance")
    world.clock.advance(3)
    peer.ask("dance")
    return peer.is_closed()


def unread(world: Setup) -> object:
    peer = world.peer()
    cast("Any", peer.transport.producer).pauseProducing()
    (connection,) = world.services.connections.by_number.values()
    connection.send(b"x" * 2000)
    return peer.transport.is_aborted()


def unread_time(world: Setup) -> object:
    peer = world.peer()
    cast("Any", peer.transport.producer).pauseProducing()
    return world.seconds(peer.transport.is_aborted)


def queue(world: Setup) -> object:
    peer = world.peer()
    peer.ask("genmove b\n" + "name\n" * 10)
    return peer.transport.producerState


def close(world: Setup) -> object:
    peer = world.peer()
    peer.ask("quit")
    return world.seconds(peer.transport.is_aborted)


def positions(world: Setup) -> object:
    peer = Peer(world.clock, world.analysis)
    for number in range(5):
        query = {"id": f"q{number}", "game": "yodd", "board": "hex4", "maxVisits": 40}
        peer.ask(json.dumps(query))
    return peer.transport.producerState, peer.ask()


def memory(world: Setup) -> object:
    world.clock.advance(2)
    return world.peer().ask()


def trees(world: Setup) -> object:
    return world.services.trees.begin(cast("Any", world), 64 * MIB)


def offers(world: Setup) -> object:
    peer = world.peer()
    return [peer.ask("seek ann").partition(" ")[0] for _ in range(3)]


def day_offers(world: Setup) -> object:
    peer = world.peer()
    return [peer.ask("seek ann clock=days=1").partition(" ")[0] for _ in range(3)]


def time_of_search(line: str) -> Callable[[Setup], object]:
    def look(world: Setup) -> object:
        world.peer().ask(line)
        return cast("Pool", world.services.pool).seconds

    return look


def challenges(*clocks: str, wait: float = 0.0) -> Callable[[Setup], object]:
    def ask(world: Setup) -> object:
        said = []
        for number, time in enumerate(clocks):
            world.peer(OTHER).ask(f"attach bot{number} open=yes")
            asked = world.peer().ask(f"seek eve{number} against=bot{number} clock={time}")
            said.append(asked if asked.startswith("?") else "accepted")
            world.clock.advance(wait)
        return said

    return ask


def pruned(place: int) -> Callable[[Setup], object]:
    def look(world: Setup) -> object:
        world.clock.advance(60)
        (*_, last) = world.journal.pruned
        if place:
            return last[1]
        age = datetime.now(UTC) - datetime.fromisoformat(last[0])
        return round(age / timedelta(days=1))

    return look


def begin_game(world: Setup) -> tuple[Peer, str, Peer, str]:
    """Two peers and their keys."""
    host, rival = world.peer(), world.peer(OTHER)
    game, black = host.ask("seek ann board=hex2").split()[1:3]
    white = rival.ask(f"accept {game} bob").split()[1]
    host.ask(f"observe {game} {black}")
    rival.ask(f"observe {game} {white}")
    return host, black, rival, white


def claim(world: Setup) -> object:
    host, _, _, white = begin_game(world)
    host.protocol.connectionLost()
    world.clock.advance(60)
    return world.peer(OTHER).ask(f"claim {white}")


def name_kept(world: Setup) -> object:
    engine = world.peer()
    engine.ask("attach bot")
    engine.protocol.connectionLost()
    world.clock.advance(5)
    return world.peer(OTHER).ask("attach bot")


def drain(world: Setup) -> object:
    host, *_ = begin_game(world)
    world.daemon.stopService()
    return world.seconds(host.is_closed)


def common_name(world: Setup) -> object:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing)
    peer = world.peer()
    for _ in range(3):
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            peer.protocol.dataReceived(outgoing.read())
            incoming.write(peer.transport.value())
            peer.transport.clear()
    shown = x509.load_der_x509_certificate(client.getpeercert(binary_form=True) or b"")
    return shown.subject.rfc4514_string()


def time_of_handshake(world: Setup) -> object:
    return world.seconds(world.peer().transport.is_aborted)


def debug_line(world: Setup) -> object:
    written: list[str] = []

    class Begun:
        def beginLoggingTo(self, observers: list[ILogObserver], **_: object) -> None:
            (self.observe,) = observers

    class Lines:
        write = written.append

        def __init__(self, *_: object) -> None:
            """Write to no file."""

        def flush(self) -> None:
            """Do nothing."""

    begun = Begun()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "globalLogBeginner", begun)
        patch.setattr(logs, "LineWriter", Lines)
        patch.setattr(atexit, "register", lambda _: None)
        logs.LogControl(world.settings)
    log = Logger(observer=begun.observe)
    log.debug("a detail")
    log.warn("a key", log_always=True)
    log.error("an error")
    return [line.split("]")[1] for line in written]


@attrs.frozen
class Live:
    """A value of a live key that is not the default, and what shows it.

    Attributes:
        value: the value.
        shows: returns what a daemon does; another with the default.
        base: further keys, before and after the reload.
    """

    value: Any
    shows: Callable[[Setup], object]
    base: dict[str, Any] = attrs.field(factory=dict)


STORE = {"store": "games.db"}
LOGIN = {**STORE, "login": True}
OLD_TLS = {"listen": ["tls:tcp:1"], "tls.certificate": "old.pem"}
ORIGIN = "https://yodd.example"

LIVE: dict[str, Live] = {
    "origins": Live([ORIGIN], page("/ws", origin=ORIGIN)),
    "trusted_proxies": Live([f"{FAR}/32"], page("/icon.svg", **{"x-forwarded-for": "no address"})),
    "cors": Live(["*"], page("/api/facts.json", origin=ORIGIN)),
    "registration": Live(True, registrations, STORE),
    "drain": Live(3, drain),
    "limits.line": Live(64, answers("x" * 100)),
    "limits.message": Live(64, messages("/ws", "x" * 100)),
    "limits.handshake": Live(1, time_of_handshake, OLD_TLS),
    "limits.slow_line": Live(1, time_of_silence("nam")),
    "limits.login": Live(1, time_of_silence(""), LOGIN),
    "limits.login_commands": Live(3, answers("name\n" * 9), LOGIN),
    "limits.login_output": Live(100, answers("help\n" * 9), LOGIN),
    "limits.failed_logins": Live(1, answers("login ann no", "login ann no"), STORE),
    "limits.sessions": Live(1, first_of_two_sessions, STORE),
    "limits.registrations": Live(1, registrations, {**STORE, "registration": True}),
    "limits.ping": Live(5, pings("/ws")),
    "limits.silence": Live(10, silence("/ws")),
    "limits.game_ping": Live(1, pings("/ws/channels")),
    "limits.game_silence": Live(3, silence("/ws/channels")),
    "limits.channels": Live(1, messages("/ws/channels", "1 name", "2 name")),
    "limits.connections": Live(1, two_peers),
    "limits.reserved": Live(0, two_peers, {"limits.connections": 2}),
    "limits.per_network": Live(1, places, {"limits.connections": 4, "limits.reserved": 0}),
    "limits.per_address": Live(1, two_peers),
    "limits.new_per_address": Live(1, two_peers),
    "limits.new_window": Live(5, later_peer, {"limits.new_per_address": 1}),
    "limits.exempt": Live([f"{FAR}/32"], two_peers, {"limits.per_address": 1}),
    "limits.burst": Live(2, answers("name\n" * 9)),
    "limits.rate": Live(1, time_of_reply("?", *["name"] * 9, "dance"), {"limits.burst": 1}),
    "limits.share": Live(0.5, share),
    "limits.errors": Live(2, answers("dance", "dance"), {"limits.error_delay": 0}),
    "limits.error_delay": Live(5, time_of_reply("yoddd", "dance", "name")),
    "limits.error_pardon": Live(1, pardon, {"limits.errors": 2, "limits.error_delay": 0}),
    "limits.unread": Live(1024, unread),
    "limits.unread_time": Live(1, unread_time),
    "limits.queue": Live(2, queue),
    "limits.positions": Live(1, positions),
    "limits.queries": Live(64, positions),
    "limits.close": Live(1, close),
    "limits.memory": Live(1, memory),
    "limits.trees": Live(1, trees),
    "limits.work": Live(1, time_of_search("genmove b")),
    "limits.analysis": Live(1, time_of_search("analyze b 100")),
    "limits.games": Live(1, offers),
    "limits.own_games": Live(1, offers),
    "limits.day_games": Live(1, day_offers),
    "limits.own_day_games": Live(1, day_offers),
    "limits.network_day_games": Live(1, day_offers),
    "limits.challenges": Live(0, challenges("60")),
    "limits.challenge_window": Live(1, challenges("60", "60", wait=2), {"limits.challenges": 1}),
    "limits.challenge_clock": Live(10, challenges("60")),
    "limits.challenge_idle": Live(1, challenges("60+5")),
    "limits.old_games": Live(1, pruned(0), STORE),
    "limits.most_games": Live(5, pruned(1), STORE),
    "limits.claim": Live(1, claim),
    "limits.name_kept": Live(1, name_kept),
    "tls.certificate": Live("new.pem", common_name, OLD_TLS),
    "tls.private_key": Live("new.pem", common_name, {**OLD_TLS, "tls.certificate": "mixed.pem"}),
    "log.level": Live("debug", debug_line),
    "metrics.allow": Live([f"{FAR}/32"], page("/metrics")),
}
"""By each key that a reload changes. A new one is missing here until its effect is listed."""


# -- the tests ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder, found = tmp_path_factory.mktemp("tls"), {}
    for name in ("old", "new"):
        make_certificate(folder, name)
        found[name] = b"".join((folder / f"{one}.pem").read_bytes() for one in ("cert", "key"))
    return found


@pytest.fixture
def make(daemons: Callable[..., Setup], certificates: dict[str, bytes]) -> Callable[..., Setup]:
    """Start daemons that have certificates."""
    return partial(daemons, kind=type("WithCertificates", (Setup,), {"certificates": certificates}))


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The texts of the log."""
    lines: list[str] = []

    @provider(ILogObserver)
    def observe(event: LogEvent) -> None:
        if event["log_namespace"].startswith("yoddd.daemon.service"):
            lines.append(eventAsText(event, includeTimestamp=False, includeSystem=False))

    globalLogPublisher.addObserver(observe)
    yield lines
    globalLogPublisher.removeObserver(observe)


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if key.live])
def test_reload_of_a_live_key_has_the_effect_of_a_restart(
    name: str, make: Callable[..., Setup], log: list[str]
) -> None:
    case = LIVE[name]
    without = case.shows(make(case.base))
    started = case.shows(make({**case.base, name: case.value}))
    world = make(case.base)
    world.write({**case.base, name: case.value})
    world.daemon.reload()
    assert log[-1] == f"configuration reloaded: {name}"
    assert case.shows(world) == started
    assert started != without


OTHERS = {bool: True, int: 7, float: 7.0, str: "other", tuple: ["tcp:9"]}
CHOSEN = {"public": False, "ladder.board": "hex2", "ladder.clock": "9"}
RESTART = [key for key in KEYS.values() if not key.live]


@pytest.mark.parametrize("key", RESTART, ids=lambda key: key.name)
def test_reload_of_another_key_names_it_as_one_that_needs_a_restart(
    key: Key, make: Callable[..., Setup], log: list[str]
) -> None:
    base = {"store": "games.db"} if key.name.startswith(("login", "ladder")) else {}
    world = make(base)
    before = world.settings.value
    now = lookup(before, key.name)
    words = [word for word in key.words if word != now]
    value = words[0] if words else CHOSEN.get(key.name, OTHERS[type(now)])
    world.write({**base, key.name: value})
    world.daemon.reload()
    assert log == [
        f"{key.name} changes only with a restart",
        "configuration reloaded: nothing new",
    ]
    assert world.settings.value == before


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"limits.unknown": 1}, "unknown key"),
        ({"limits.rate": 0}, "expected 0.01 or more"),
        ({"registration": True}, "`registration` needs a `store`"),
        ({"tls.certificate": "none.pem"}, "No such file"),
        ({"tls.private_key": "new.pem"}, "old.pem, new.pem: "),
        ({"tls.certificate": ""}, "tls: needs `tls.certificate`"),
        ({"login": True}, "`login` needs a `store`"),
    ],
)
def test_reload_of_anything_invalid_changes_nothing(
    values: dict[str, Any], problem: str, make: Callable[..., Setup], log: list[str]
) -> None:
    world = make(OLD_TLS)
    before = world.settings.value
    # The file of the certificate is another one, which is not read again either.
    (world.folder / "old.pem").write_bytes((world.folder / "new.pem").read_bytes())
    if values == {"tls.private_key": "new.pem"}:
        (world.folder / "new.pem").write_text("rubbish")
    world.write({**OLD_TLS, "drain": 1, **values})
    world.daemon.reload()
    assert log[-1].startswith("the old configuration stays: ")
    assert problem in log[-1]
    assert world.settings.value is before
    assert common_name(world) == "CN=old"


def test_reload_reads_certificates_of_unchanged_names_again(
    make: Callable[..., Setup], log: list[str]
) -> None:
    world = make(OLD_TLS)
    (world.folder / "old.pem").write_bytes((world.folder / "new.pem").read_bytes())
    world.daemon.reload()
    assert log == ["certificate reloaded", "configuration reloaded: nothing new"]
    assert common_name(world) == "CN=new"


@pytest.mark.parametrize("level", KEYS["log.level"].words)
def test_log_at_any_level_shows_the_warnings_of_keys_at_a_reload(
    level: str, make: Callable[..., Setup], log: list[str]
) -> None:
    world = make({"log.level": level})
    assert " a key\n" in cast("list[str]", debug_line(world))
    world.write({"log.level": level, "ladder.games": 0})
    world.daemon.reload()
    assert log[0] == "ladder.games is now named ladder.concurrency"


@pytest.mark.parametrize(
    ("begins", "problem"), [(-9, "expired on"), (9, "is not valid before"), (-1, "")]
)
def test_certificate_outside_its_dates_is_named_at_the_start_and_at_a_reload(
    begins: int, problem: str, tmp_path: Path, daemons: Callable[..., Setup], log: list[str]
) -> None:
    make_certificate(tmp_path, begins=datetime.now(UTC) + timedelta(begins))
    text = b"".join((tmp_path / f"{one}.pem").read_bytes() for one in ("cert", "key"))
    kind = type("WithThat", (Setup,), {"certificates": {"old": text, "new": text}})
    world = daemons(OLD_TLS, kind=kind)
    world.daemon.reload()
    named = [line for line in log if line.startswith("the certificate ")]
    assert len(named) == (2 if problem else 0)
    assert all(f"old.pem {problem} " in line for line in named)
    metrics = Browser(world.web).get("/metrics").body.decode()
    assert 'yoddd_certificate_expires_timestamp_seconds{file="old.pem"} ' in metrics


def test_reload_reports_its_beginning_and_end(
    make: Callable[..., Setup], monkeypatch: pytest.MonkeyPatch
) -> None:
    states: list[str] = []
    monkeypatch.setattr(service, "notify", states.append)
    world = make({})
    world.daemon.reload()
    world.write({"unknown": 1})
    world.daemon.reload()
    assert states == ["RELOADING=1", "READY=1"] * 2
