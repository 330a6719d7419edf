"""Where the daemon listens."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IAddress,
    IListeningPort,
    IProtocolFactory,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import Factory

from yoddd.daemon.base.admission import host_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.daemon.net.tls import Certificate, CertificateError, TlsEndpoint

TLS: Final = "tls:"
_QUEUES: Final = ("tcp", "tcp6", "unix")
"""The kinds whose queue of connections that wait we set; systemd sets that of its own."""

_COLON: Final = re.compile(r"(?<!\\):")


class ListenError(ValueError):
    """An endpoint that cannot or must not be listened on."""


class ClientFactory(Factory[StreamTransport]):
    """Makes a connection's adapter."""

    noisy = False

    def __init__(self, services: Services) -> None:
        """All connections share ``services``."""
        self.services = services

    def buildProtocol(self, addr: IAddress | None) -> StreamTransport:
        """The adapter of a new connection."""
        del addr
        protocol = StreamTransport(self.services)
        protocol.factory = self
        return protocol


def endpoint(
    reactor: Reactor, description: str, backlog: int, certificate: Certificate | None = None
) -> IStreamServerEndpoint:
    """The endpoint that a string describes, such as ``tcp:9633:interface=127.0.0.1``.

    Besides Twisted's kinds there is ``tls:``, which puts TLS with ``certificate`` over what
    follows; ``ssl:`` of Twisted names its own files instead.

    Raises:
        ListenError: a malformed description, or one that needs a certificate where there is none.
    """
    kind, *settings = _COLON.split(description)
    try:
        if kind == "tls":
            if certificate is None:
                raise ListenError(f"{description}: set tls.certificate and tls.private_key first")
            return TlsEndpoint(
                endpoint(reactor, description.removeprefix(TLS), backlog), certificate
            )
        if kind == "ssl":
            inner, certificate = _read_ssl(settings)
            return TlsEndpoint(endpoint(reactor, inner, backlog), certificate)
        if kind in _QUEUES and not any(word.startswith("backlog=") for word in settings):
            description += f":backlog={backlog}"
        found: IStreamServerEndpoint = serverFromString(reactor, description)
    except CertificateError as error:
        raise ListenError(str(error)) from None
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, ListenError):
            raise
        raise ListenError(f"{description}: {error}") from None
    return found


def _read_ssl(settings: list[str]) -> tuple[str, Certificate]:
    """Twisted's ``ssl:`` as an endpoint without TLS, and its certificate, which we can reload."""
    files = {}
    rest = []
    for word in settings:
        name, _, value = word.partition("=")
        if name in ("privateKey", "certKey"):
            files[name] = value.replace("\\:", ":")
        else:
            rest.append(word)
    if "privateKey" not in files:
        raise ListenError("ssl: privateKey=FILE is missing")
    certificate = Certificate(files.get("certKey", files["privateKey"]), files["privateKey"])
    return ":".join(["tcp", *rest]), certificate


async def listen_at(
    where: IStreamServerEndpoint, description: str, factory: IProtocolFactory, *, public: bool
) -> IListeningPort:
    """Listen at the endpoint that ``description`` has described.

    Raises:
        ListenError: it cannot be done, or other machines could connect although ``public`` is not
            said.
    """
    try:
        port: IListeningPort = await where.listen(factory)
    except CannotListenError as error:
        raise ListenError(f"{description}: {error.socketError}") from None
    except (OSError, OverflowError) as error:  # the latter of a port over 65535
        raise ListenError(f"{description}: {getattr(error, 'strerror', None) or error}") from None
    # Asked of the socket itself: whatever the endpoint, it knows where it can be reached.
    if not public and not is_local(port):
        await maybeDeferred(port.stopListening)
        raise ListenError(
            f"{description}: other machines could connect and nobody has to log in; "
            "add interface=127.0.0.1, or allow it with --public"
        )
    return port


def is_local(port: IListeningPort) -> bool:
    """Whether only this machine can connect to a port."""
    host = host_of(port.getHost())
    return host is None or ipaddress.ip_address(host).is_loopback


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


def client_endpoint(port: IListeningPort) -> str:
    """The endpoint string by which a client reaches a port.

    Raises:
        ListenError: the port listens on every interface: which of them is meant?
    """
    where = port.getHost()
    match where:
        case IPv4Address() | IPv6Address() if not ipaddress.ip_address(where.host).is_unspecified:
            escaped = where.host.replace(":", "\\:")
            return f"tcp:host={escaped}:port={where.port}:timeout=5"
        case UNIXAddress():
            return describe(port).replace("unix:", "unix:path=")
    raise ListenError(f"{describe(port)}: set fleet.address, by which the others reach it")


def describe_http(port: IListeningPort, *, secure: bool = False) -> str:
    """The address of a web server that listens, for a browser."""
    where = port.getHost()
    scheme = "https" if secure else "http"
    match where:
        case IPv4Address():
            return f"{scheme}://{where.host}:{where.port}/"
        case IPv6Address():
            return f"{scheme}://[{where.host}]:{where.port}/"
    return f"{scheme} over {describe(port)}"
