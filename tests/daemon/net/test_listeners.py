"""Endpoint strings, and the addresses of ports that listen."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor as installed
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint, UNIXServerEndpoint
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.conftest import make_certificate
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.net.listeners import (
    ListenError,
    describe,
    describe_http,
    endpoint,
    is_local,
    listen_at,
)
from yoddd.daemon.net.port_service import PortService
from yoddd.daemon.net.tls import TlsEndpoint

reactor = cast("Reactor", installed)


@pytest.mark.parametrize(
    ("address", "text", "url", "local"),
    [
        (
            IPv4Address("TCP", "10.0.0.1", 9),
            "tcp:9:interface=10.0.0.1",
            "http://10.0.0.1:9/",
            False,
        ),
        (IPv6Address("TCP", "::1", 9), r"tcp6:9:interface=\:\:1", "http://[::1]:9/", True),
        (IPv6Address("TCP", "::", 9), r"tcp6:9:interface=\:\:", "http://[::]:9/", False),
        (UNIXAddress("/run/y"), "unix:/run/y", "http over unix:/run/y", True),
    ],
)
def test_describe_names_the_address_of_a_port(
    address: IAddress, text: str, url: str, local: bool
) -> None:
    port = SimpleNamespace(getHost=lambda: address)
    assert describe(cast("Any", port)) == text
    assert describe_http(cast("Any", port)) == url
    assert describe_http(cast("Any", port), secure=True) == url.replace("http", "https", 1)
    assert is_local(cast("Any", port)) is local


def test_endpoint_has_the_backlog_unless_the_string_sets_one() -> None:
    memory = cast("Reactor", MemoryReactorClock())
    for text, backlog in [("tcp:9", 7), ("tcp:9:backlog=3", 3)]:
        found = endpoint(memory, text, 7)
        assert isinstance(found, TCP4ServerEndpoint)
        assert found._backlog == backlog
    found = endpoint(memory, "unix:/run/y", 7)
    assert isinstance(found, UNIXServerEndpoint)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tls:tcp:9", "set tls.certificate"),
        ("ssl:9", "privateKey=FILE is missing"),
        ("ssl:9:privateKey=/nowhere", "No such file"),
        ("tcp:many", "tcp:many"),
        ("carrier-pigeon:9", "carrier-pigeon"),
        ("127.0.0.1:9633", "expected an endpoint such as tcp:9633:interface=127.0.0.1"),
    ],
)
def test_endpoint_with_a_mistake_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ListenError, match=problem):
        endpoint(cast("Reactor", MemoryReactorClock()), text, 7)


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize("where", ["tcp:0", "tcp6:0", "ssl:0:privateKey={0}/key.pem"])
@ensureDeferred
async def test_listen_at_public_address_without_login_is_refused(
    where: str, tmp_path: Path
) -> None:
    make_certificate(tmp_path)
    description = where.format(tmp_path)
    if "ssl" in where:
        description += f":certKey={tmp_path}/cert.pem"
    found = endpoint(reactor, description, 5)
    assert isinstance(found, TlsEndpoint) is ("ssl" in where)
    with pytest.raises(ListenError, match="could connect and log-in is not required"):
        await listen_at(found, description, Factory(), public=False)
    port = await listen_at(found, description, Factory(), public=True)
    await maybeDeferred(port.stopListening)


# -- ports as services ----------------------------------------------------------------------


class Recorder:
    """Keeps the ports that begin to listen."""

    def __init__(self) -> None:
        self.ports: list[Any] = []

    def service(self, text: str, *, public: bool = False) -> PortService:
        settings = CurrentSettings(Settings(public=public))
        return PortService(reactor, text, Factory(), settings, None, self.ports.append)


@ensureDeferred
async def test_port_service_listens_between_start_and_stop(tmp_path: Path) -> None:
    recorder = Recorder()
    service = recorder.service(f"unix:{tmp_path}/socket")
    service.startService()
    await service.ready
    (port,) = recorder.ports
    assert service.port is port
    assert describe(port) == f"unix:{tmp_path}/socket"
    assert (tmp_path / "socket").exists()
    await service.stopService()
    with pytest.raises(RuntimeError, match="not listening"):
        _ = service.port
    assert not (tmp_path / "socket").exists()
    assert service.certificate is None


@pytest.mark.process
@pytest.mark.gate
@ensureDeferred
async def test_port_service_fails_its_start_for_a_port_in_use() -> None:
    recorder = Recorder()
    first = recorder.service("tcp:0:interface=127.0.0.1")
    first.startService()
    await first.ready
    number = recorder.ports[0].getHost().port
    second = recorder.service(f"tcp:{number}:interface=127.0.0.1")
    second.startService()
    with pytest.raises(ListenError, match="Address already in use"):
        await second.ready
    assert len(recorder.ports) == 1
    await second.stopService()
    await first.stopService()
