"""Endpoint strings, and the addresses of ports that listen."""

from __future__ import annotations

import os
import re
import shlex
import socket
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet import endpoints
from twisted.internet import reactor as installed
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import (
    AdoptedStreamServerEndpoint,
    TCP4ServerEndpoint,
    UNIXServerEndpoint,
)
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.testing import MemoryReactorClock
from twisted.python.systemd import ListenFDs

from tests.daemon.conftest import make_certificate
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.net.listeners import (
    ListenError,
    PortService,
    describe,
    describe_http,
    endpoint,
    is_local,
    listen_at,
)
from yoddd.daemon.net.tls import TlsEndpoint
from yoddd.system import name_passed_sockets

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
        ("tcp:0:interface=::1", r"write 'tcp6:0:interface=\\:\\:1' for an address of IPv6"),
        ("127.0.0.1:9633", "expected an endpoint such as tcp:9633:interface=127.0.0.1"),
    ],
)
def test_endpoint_with_a_mistake_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ListenError, match=problem):
        endpoint(cast("Reactor", MemoryReactorClock()), text, 7)


@given(
    st.ip_addresses(v=6).map(str),
    st.booleans(),
    st.sampled_from(["tcp:{}:interface={}", "tcp6:{}:interface={}:backlog=9"]),
)
def test_endpoint_with_an_address_of_ipv6_says_how_it_is_written(
    address: str, in_brackets: bool, form: str
) -> None:
    memory = cast("Reactor", MemoryReactorClock())
    written = form.format(9633, f"[{address}]" if in_brackets else address)
    with pytest.raises(ListenError) as found:
        endpoint(memory, written, 7)
    text = re.sub(".*: write (.*) for an address of IPv6", r"\1", str(found.value))
    (meant,) = shlex.split(text)
    assert vars(endpoint(memory, meant, 7))["_interface"] == address


OWN = str(os.getpid())
PASSED = {"LISTEN_PID": OWN, "LISTEN_FDS": "2"}


@pytest.mark.parametrize("names", [None, "", "one", "one:two", "one:two:three"])
@pytest.mark.parametrize("index", [0, 1])
def test_socket_is_passed_by_index_whatever_its_name(
    monkeypatch: pytest.MonkeyPatch, names: str | None, index: int
) -> None:
    for name, value in (PASSED if names is None else PASSED | {"LISTEN_FDNAMES": names}).items():
        monkeypatch.setenv(name, value)
    name_passed_sockets()
    with ExitStack() as stack:
        passed = [stack.enter_context(socket.socket()) for _ in range(2)]
        descriptors = ListenFDs.fromEnvironment()
        monkeypatch.setattr(descriptors, "_descriptors", [one.fileno() for one in passed])
        monkeypatch.setattr(endpoints._SystemdParser, "_sddaemon", descriptors)
        found = endpoint(reactor, f"systemd:domain=INET:index={index}", 7)
        assert isinstance(found, AdoptedStreamServerEndpoint)
        assert found.fileno == passed[index].fileno()
        if names == "one:two":
            by_name = endpoint(reactor, f"systemd:domain=INET:name={'two' if index else 'one'}", 7)
            assert vars(by_name)["fileno"] == passed[index].fileno()


@pytest.mark.parametrize(
    ("text", "environment", "problem"),
    [
        ("domain=INET:index=0", {}, "no socket of index 0 was passed; is yoddd.socket started"),
        ("domain=INET:name=a", {}, "no socket of name a was passed; is yoddd.socket started"),
        ("domain=INET:index=0", {"LISTEN_PID": "1"}, "for process 1 .LISTEN_PID., not for this"),
        ("domain=INET:index=0", {"LISTEN_PID": OWN}, "no socket of index 0"),
        ("domain=PIGEON:index=0", {}, "no socket of index 0"),
        ("domain=INET", {}, "expected systemd:domain=INET:name=NAME, or index=0"),
        ("domain=INET:index=x", {}, "expected systemd:domain=INET:name=NAME, or index=0"),
        ("index=0", {}, "expected systemd:domain=INET:name=NAME, or index=0"),
    ],
)
def test_socket_that_was_not_passed_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, text: str, environment: dict[str, str], problem: str
) -> None:
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ListenError, match=problem):
        endpoint(reactor, f"systemd:{text}", 7)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ((socket.AF_INET6, socket.SOCK_STREAM), "domain=INET6 and SOCK_STREAM"),
        ((socket.AF_UNIX, socket.SOCK_STREAM), "domain=UNIX and SOCK_STREAM"),
        ((socket.AF_INET, socket.SOCK_DGRAM), "domain=INET and SOCK_DGRAM"),
        (None, "no socket was passed there: Socket operation on non-socket"),
    ],
)
def test_passed_descriptor_of_another_kind_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: tuple[int, int] | None, problem: str
) -> None:
    with socket.socket(*kind) if kind else (tmp_path / "file").open("w") as passed:
        descriptors = ListenFDs([passed.fileno()], ("a",))
        monkeypatch.setattr(endpoints._SystemdParser, "_sddaemon", descriptors)
        with pytest.raises(ListenError, match=problem):
            endpoint(reactor, "systemd:domain=INET:name=a", 7)


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
