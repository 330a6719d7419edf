"""The pacer: queries of one address take turns, and those of two do not wait for each other."""

from __future__ import annotations

from typing import Any, cast

import pytest
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.defer import Deferred
from twisted.web.server import Request

from yoddd.daemon.pages.json_resource import Pacer


class FakeRequest:
    """A request from a host; None for a UNIX socket."""

    def __init__(self, host: str | None) -> None:
        self.host = host

    def getClientAddress(self) -> Any:
        return UNIXAddress(b"x") if self.host is None else IPv4Address("TCP", self.host, 1)


def request(host: str | None) -> Request:
    return cast("Request", FakeRequest(host))


@pytest.mark.parametrize("host", ["198.51.100.7", None])
def test_pacer_runs_the_queries_of_one_address_one_by_one(host: str | None) -> None:
    pacer = Pacer()
    started: list[Deferred[str]] = []

    def query() -> Deferred[str]:
        started.append(Deferred())
        return started[-1]

    ends: list[str] = []
    for _ in range(3):
        pacer.run(request(host), query).addCallback(ends.append)
    other = pacer.run(request("203.0.113.9"), query)
    assert len(started) == 2
    started[0].callback("one")
    assert len(started) == 3
    started[1].callback("other")
    assert other.called
    started[2].callback("two")
    started[3].callback("three")
    assert ends == ["one", "two", "three"]
    assert pacer._locks == {}


def test_pacer_query_that_fails_lets_the_next_one_run() -> None:
    pacer = Pacer()

    def fail() -> Deferred[str]:
        raise RuntimeError("out of luck")

    failures: list[Any] = []
    pacer.run(request("198.51.100.7"), fail).addErrback(failures.append)
    assert len(failures) == 1
    assert pacer._locks == {}
