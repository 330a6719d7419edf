"""Where the daemon listens."""

from __future__ import annotations

import ipaddress
from typing import Final

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IAddress, IListeningPort, IStreamServerEndpoint
from twisted.internet.protocol import Factory

from yoddd.daemon.client import ClientConnection
from yoddd.daemon.clock import Reactor
from yoddd.daemon.hub import Hub

BACKLOG: Final = 4096
"""Connections that may wait to be accepted; Twisted's 50 loses most of a burst."""


class ListenError(ValueError):
    """An endpoint that cannot or must not be listened on."""


class ClientFactory(Factory[ClientConnection]):
    """Makes a connection's adapter."""

    noisy = False

    def __init__(self, hub: Hub) -> None:
        """All connections share ``hub``."""
        self.hub = hub

    def buildProtocol(self, addr: IAddress | None) -> ClientConnection:
        """The adapter of a new connection."""
        del addr
        protocol = ClientConnection(self.hub)
        protocol.factory = self
        return protocol


def endpoint(reactor: Reactor, description: str, *, public: bool) -> IStreamServerEndpoint:
    """The endpoint that a string describes, such as ``tcp:9633:interface=127.0.0.1``.

    Raises:
        ListenError: a malformed description, or one that other machines could reach although
            ``public`` was not said.
    """
    kind, *settings = description.split(":")
    if kind == "tcp":
        if not public and not _is_loopback(settings):
            raise ListenError(
                f"{description}: other machines could connect and nobody has to log in; "
                "add interface=127.0.0.1, or allow it with --public"
            )
        if not any(word.startswith("backlog=") for word in settings):
            description += f":backlog={BACKLOG}"
    try:
        found: IStreamServerEndpoint = serverFromString(reactor, description)
    except (ValueError, TypeError, KeyError) as error:
        raise ListenError(f"{description}: {error}") from None
    return found


def _is_loopback(settings: list[str]) -> bool:
    hosts = [word.partition("=")[2] for word in settings if word.startswith("interface=")]
    # An IPv6 address is written with its colons escaped, so it arrives here in pieces.
    try:
        return bool(hosts) and ipaddress.ip_address(hosts[-1]).is_loopback
    except ValueError:
        return hosts == ["localhost"] or any(word.startswith("interface=\\") for word in settings)


def describe(port: IListeningPort) -> str:
    """The endpoint string of a port that listens; clients find it by this."""
    where = port.getHost()
    match where:
        case IPv4Address():
            return f"tcp:{where.port}:interface={where.host}"
        case IPv6Address():
            escaped = where.host.replace(":", "\\:")
            return f"tcp6:{where.port}:interface={escaped}"
        case UNIXAddress():
            return f"unix:{where.name.decode() if isinstance(where.name, bytes) else where.name}"
    return str(where)


def describe_http(port: IListeningPort) -> str:
    """The address of a web server that listens, for a browser."""
    where = port.getHost()
    match where:
        case IPv4Address():
            return f"http://{where.host}:{where.port}/"
        case IPv6Address():
            return f"http://[{where.host}]:{where.port}/"
    return f"http over {describe(port)}"
