"""The HTTP channel, without a network."""

from __future__ import annotations

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from tests.daemon.pages.browser import Browser
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.net.http_channel import GuardedChannel
from yoddd.daemon.net.websocket.upgrade import Origins
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
