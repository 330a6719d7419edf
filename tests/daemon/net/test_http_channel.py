"""The HTTP channel, without a network."""

from __future__ import annotations

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from tests.daemon.pages.browser import UPGRADE, Browser
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.site import site

REQUEST = b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n"


def responses(browser: Browser) -> int:
    sent: bytes = browser.transport.value()
    return sent.count(b"HTTP/1.1 200 OK")


@pytest.fixture
def reactor() -> MemoryReactorClock:
    return MemoryReactorClock()


@pytest.fixture
def browser(reactor: MemoryReactorClock) -> Browser:
    made = Browser(site(make_services(reactor), Origins()), "192.0.2.1")
    assert isinstance(made.channel, GuardedChannel)
    return made


def test_pipelined_requests_wait_while_the_client_does_not_read(browser: Browser) -> None:
    browser.channel.dataReceived(REQUEST)
    assert responses(browser) == 1
    browser.channel.pauseProducing()
    browser.channel.dataReceived(5 * REQUEST)
    assert responses(browser) == 2
    browser.channel.resumeProducing()
    assert responses(browser) == 6
    browser.channel.dataReceived(REQUEST)
    assert responses(browser) == 7


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-More: 1\r\n 2\r\n\r\n", b"400 Bad Request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-More: 1\r\n\t2\r\n\r\n", b"400 Bad Request"),
        (b"GET /icon.svg HTTP/1.0\r\n\r\n", b"200 OK"),
        (REQUEST, b"200 OK"),
    ],
)
def test_request_without_its_host_or_with_a_folded_header_is_malformed(
    browser: Browser, request_: bytes, status: bytes
) -> None:
    browser.channel.dataReceived(request_)
    assert browser.transport.value().split(b"\r\n")[0].partition(b" ")[2] == status
    assert browser.transport.value().count(b"HTTP/1.") == 1


def test_request_that_waits_for_the_share_of_its_address_is_not_cut_off(
    reactor: MemoryReactorClock, browser: Browser
) -> None:
    browser.channel.charge(2.0)
    browser.channel.dataReceived(REQUEST)
    waited = 0
    while not responses(browser):
        reactor.advance(1)
        waited += 1
        assert not browser.transport.disconnecting
    assert waited > Limits().slow_line


def test_request_that_stays_incomplete_is_cut_off(
    reactor: MemoryReactorClock, browser: Browser
) -> None:
    browser.channel.charge(1.0)
    browser.channel.dataReceived(REQUEST[:-2])
    for _ in range(60):
        reactor.advance(1)
    assert browser.transport.disconnecting


LIMIT = GuardedChannel.totalHeadersSize
LINE = b"GET / HTTP/1.1"
HOST = b"Host: localhost"


def request_with(*headers: bytes, address: bytes = b"/") -> bytes:
    return b"\r\n".join([b"GET %s HTTP/1.1" % address, HOST, *headers, b"", b""])


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (request_with(address=b"/?" + b"x" * (LIMIT - 1 - len(LINE + HOST))), 200),
        (request_with(address=b"/?" + b"x" * (LIMIT - len(LINE))), 414),
        (b"GET /" + b"x" * 10 * LIMIT, 414),
        (request_with(b"Cookie: " + b"x" * (LIMIT - 8 - len(LINE + HOST))), 200),
        (request_with(b"Cookie: " + b"x" * (LIMIT - 7 - len(LINE + HOST))), 431),
        (LINE + b"\r\n" + b"x" * 10 * LIMIT, 431),
        (request_with(*[b"X: " + b"x" * 997] * 17), 431),
        (request_with(*[b"X: 1"] * 498), 200),
        (request_with(*[b"X: 1"] * 499), 431),
        (b"\r\n" + 3 * request_with(*[b"X: 1"] * 400), 200),
        (request_with(b"Content-Length: 5") + b"hello", 413),
    ],
)
def test_request_over_a_limit_is_answered_with_its_status_before_the_connection_ends(
    reactor: MemoryReactorClock, browser: Browser, request_: bytes, status: int
) -> None:
    for start in range(0, len(request_), 1000):
        browser.channel.dataReceived(request_[start : start + 1000])
    browser.channel.dataReceived(b"x" * LIMIT)
    assert browser.reply().status == status
    assert browser.transport.is_half_closed == (status != 200)
    assert not browser.transport.disconnecting
    reactor.advance(Limits().slow_line + 1)
    assert browser.transport.is_aborted()


@pytest.mark.parametrize("scheme", ["http", "https", "HTTP"])
@pytest.mark.parametrize(
    ("target", "path"),
    [("", "/"), ("/", "/"), ("?modules", "/?modules"), ("/icon.svg", "/icon.svg"), ("/no", "/no")],
)
def test_absolute_address_is_served_as_its_path_at_its_host(
    browser: Browser, scheme: str, target: str, path: str
) -> None:
    answers = [
        browser.get(path),
        browser.get(f"{scheme}://localhost:9680{target}", host="elsewhere.example"),
    ]
    for answer in answers:  # the second may have changed between the two
        del answer.headers["date"]
    assert answers[0] == answers[1]
    assert browser.get(f"{scheme}://elsewhere.example{target}").status == 421


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_absolute_address_opens_a_websocket_for_pages_of_its_host(
    browser: Browser, scheme: str
) -> None:
    address = f"{scheme}://localhost/ws"
    refused = browser.get(address, origin="http://127.0.0.1", host="127.0.0.1", **UPGRADE)
    assert refused.status == 403
    assert browser.get(address, origin="http://localhost", host="x", **UPGRADE).status == 101


@pytest.mark.parametrize("rest", [b"", b"\x03\x01\x02\n\x01\0", b"\x03" + b"x" * 2 * LIMIT])
def test_tls_to_a_plain_port_is_closed_at_once(browser: Browser, rest: bytes) -> None:
    browser.channel.dataReceived(b"\x16" + rest)
    assert browser.transport.is_aborted()
    assert not browser.transport.value()
