"""The client endpoint strings of listening ports."""

from __future__ import annotations

import pytest
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress

from yoddd.daemon.net.listeners import ListenError, client_endpoint


class Port:
    """A port that listens."""

    def __init__(self, where: IAddress) -> None:
        self.where = where

    def getHost(self) -> IAddress:  # noqa: N802 — Twisted's name
        return self.where


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (IPv4Address("TCP", "10.0.0.1", 9640), "tcp:host=10.0.0.1:port=9640:timeout=5"),
        (IPv6Address("TCP", "fd00::1", 9640), r"tcp:host=fd00\:\:1:port=9640:timeout=5"),
        (UNIXAddress("/run/yoddd/1"), "unix:path=/run/yoddd/1"),
    ],
)
def test_client_endpoint_reaches_the_port(where: IAddress, expected: str) -> None:
    assert client_endpoint(Port(where)) == expected  # type: ignore[arg-type]  # as much of one as is used


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 — the address in question
def test_client_endpoint_of_every_interface_is_refused(host: str) -> None:
    kind = IPv6Address if ":" in host else IPv4Address
    with pytest.raises(ListenError, match=r"set fleet\.address"):
        client_endpoint(Port(kind("TCP", host, 1)))  # type: ignore[arg-type]  # as above
