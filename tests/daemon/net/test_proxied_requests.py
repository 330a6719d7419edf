"""HTTP requests and WebSockets of the clients of a trusted proxy, without a network."""

from __future__ import annotations

import attrs
import pytest
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel, capturedLogs
from twisted.web.resource import Resource
from twisted.web.server import Request

from tests.daemon.doubles import make_services
from tests.daemon.pages.browser import UPGRADE, Browser
from yoddd.daemon.base.admission.admission import host_of
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.monitoring import Health
from yoddd.daemon.pages.site import site

ANN, BOB = "203.0.113.1", "203.0.113.2"
PROXY = "127.0.0.1"


class Who(Resource):
    """Replies with the address of the client."""

    isLeaf = True

    def render_GET(self, request: Request) -> bytes:
        return str(host_of(request.getClientAddress())).encode()


class Connection(Browser):
    """A connection to the site."""

    def ask(self, path: str, client: str | None = None, **headers: str) -> str:
        """Send a request for a client of the proxy; return what is written at once."""
        self.send(path, **({} if client is None else {"x_forwarded_for": client}), **headers)
        return self.said()

    def said(self) -> str:
        text: bytes = self.transport.value()
        return text.decode()

    def status(self, path: str, client: str | None = None, **headers: str) -> int:
        return int(self.ask(path, client, **headers)[9:12])


class Daemon:
    """The site, and the connections to it."""

    def __init__(self, *proxies: str, **limits: object) -> None:
        self.clock = MemoryReactorClock()
        numbers = Limits(**limits)  # type: ignore[arg-type]  # attrs checks them
        self.services = make_services(self.clock, numbers)
        settings = self.services.settings
        settings.value = attrs.evolve(settings.value, trusted_proxies=proxies)
        pages = {b"who": Who(), b"healthz": Health(is_ready=True), b"readyz": Health()}
        self.site = site(self.services, Origins(), pages)

    def connect(self, peer: str | None = PROXY) -> Connection:
        return Connection(self.site, peer)


@pytest.fixture
def behind() -> Daemon:
    return Daemon(f"{PROXY}/32", per_address=2)


def test_client_of_a_trusted_proxy_is_the_one_that_it_names(behind: Daemon) -> None:
    connection = behind.connect()
    assert connection.ask("/who", f"10.0.0.1, {ANN}").endswith(ANN)
    assert connection.ask("/who", "2001:db8::1").endswith("2001:db8::1")
    assert connection.ask("/who").endswith(PROXY)
    assert connection.ask("/who", forwarded=f"for={BOB}").endswith(BOB)
    assert behind.connect(None).ask("/who", ANN).endswith(ANN)
    assert [connection.status("/who", one) for one in ("unknown", ANN)] == [400, 200]
    for _ in range(5):  # one that is reused counts for no client in between
        assert behind.connect().status("/who", ANN) == 200


@pytest.mark.parametrize("proxies", [(), ("10.0.0.0/8",)])
def test_header_of_another_peer_is_ignored(proxies: tuple[str, ...]) -> None:
    daemon = Daemon(*proxies)
    for peer in (PROXY, BOB):
        assert daemon.connect(peer).ask("/who", ANN).endswith(peer)
        assert daemon.connect(peer).status("/who", "unknown") == 200


def test_websockets_of_one_client_leave_those_of_others(behind: Daemon) -> None:
    held = [behind.connect() for _ in range(3)]
    assert [one.status("/ws", ANN, **UPGRADE) for one in held] == [101, 101, 503]
    assert behind.connect().status("/", ANN) == 503
    assert behind.connect().status("/", BOB) == 200
    assert behind.connect().status("/ws", BOB, **UPGRADE) == 101
    hosts = [one.host for one in behind.services.connections.by_number.values()]
    assert hosts == [ANN, ANN, BOB]
    held[0].disconnect()
    assert held[2].status("/ws", ANN, **UPGRADE) == 101


def test_request_waits_for_the_share_of_its_client_alone(behind: Daemon) -> None:
    share = behind.services.admission.share_of(ANN)
    assert share is not None
    share.charge(1.0)
    held, other, lost = behind.connect(), behind.connect(), behind.connect()
    assert held.ask("/who", ANN) == lost.ask("/who", ANN) == ""
    lost.disconnect()
    assert other.ask("/who", BOB).endswith(BOB)
    for _ in range(20):
        behind.clock.advance(1)
    assert held.said().endswith(ANN)
    assert lost.said() == ""


def test_exempt_peer_with_the_header_is_warned_of_once() -> None:
    def warnings() -> list[str]:
        return [event["name"] for event in logged if event["log_level"] is LogLevel.warn]

    with capturedLogs() as logged:
        daemon = Daemon()
        daemon.connect(BOB).ask("/who", ANN)
        daemon.connect().ask("/who")
        assert warnings() == []
        for _ in range(3):
            daemon.connect().ask("/who", ANN)
        daemon.connect().ask("/who", forwarded=f"for={BOB}")
        assert warnings() == ["x-forwarded-for"]
        Daemon(PROXY).connect().ask("/who", ANN)
        assert warnings() == ["x-forwarded-for"]


# -- without free places ---------------------------------------------------------------------------


@pytest.mark.parametrize("is_behind", [False, True])
def test_health_is_answered_where_no_place_is_free(*, is_behind: bool) -> None:
    daemon = Daemon(*[PROXY] * is_behind, connections=4, reserved=2)
    client = ANN if is_behind else None
    for number in range(2):
        host = f"203.0.113.{10 + number}"
        if is_behind:
            assert daemon.connect().status("/ws", host, **UPGRADE) == 101
        else:
            daemon.connect(host)
    assert daemon.connect(None if is_behind else ANN).status("/who", client) == 503
    for path, status in (("/healthz", 200), ("/readyz", 503)):
        asked = daemon.connect(None if is_behind else ANN)
        assert asked.status(path, client) == status
        asked.disconnect()
    assert daemon.connect(PROXY).status("/who") == 200


def test_health_beyond_the_places_is_limited_in_number_and_time() -> None:
    daemon = Daemon(connections=4, reserved=2)
    for number in range(2):
        daemon.connect(f"203.0.113.{10 + number}")
    first, second, third = (daemon.connect(ANN) for _ in range(3))
    assert (first.said(), third.said()[9:12]) == ("", "503")
    daemon.clock.advance(9.9)
    assert not first.transport.is_aborted()
    daemon.clock.advance(0.2)
    assert first.transport.is_aborted()
    first.disconnect()
    second.disconnect()
    assert daemon.connect(ANN).status("/healthz") == 200
