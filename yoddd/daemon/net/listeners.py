"""The ports that the daemon listens on: their endpoint strings, and the service of each."""

from __future__ import annotations

import ipaddress
import os
import re
import shlex
import socket
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.defer import maybeDeferred
from twisted.internet.endpoints import AdoptedStreamServerEndpoint, serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IAddress,
    IListeningPort,
    IProtocolFactory,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import Factory

from yoddd.daemon.base.admission.admission import host_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.async_service import AsyncService
from yoddd.daemon.base.settings import Settings, Tls
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.wire import SESSION, WireProtocol
from yoddd.daemon.net.proxies import ProxyEndpoint
from yoddd.daemon.net.stream_transport import StreamTransport
from yoddd.daemon.net.tls import Certificate, CertificateError, TlsEndpoint
from yoddd.notation import NotationError
from yoddd.notation.text import read_pairs

TLS: Final = "tls:"
_WITH_BACKLOG: Final = ("tcp", "tcp6", "unix")
"""The kinds of endpoints whose backlog can be set; systemd sets that of its own sockets."""

_COLON: Final = re.compile(r"(?<!\\):")
_IPV6: Final = re.compile(
    r"(?P<before>.*?interface=)\[?(?P<address>[0-9A-Fa-f.]*:[0-9A-Fa-f.:]*)\]?(?=:[a-z]|$)"
)
"""An address of IPv6 whose colons are not escaped, in an endpoint string."""


class ListenError(ValueError):
    """A daemon that cannot or must not listen as configured."""


class ClientFactory(Factory[StreamTransport]):
    """Makes the transport of each connection."""

    noisy = False

    def __init__(self, services: Services, wire: WireProtocol = SESSION) -> None:
        """Create it; all connections share ``services`` and speak ``wire``."""
        self.services = services
        self.wire = wire

    def buildProtocol(self, addr: IAddress | None) -> StreamTransport:
        """Return the transport of a new connection."""
        del addr
        protocol = StreamTransport(self.services, self.wire)
        protocol.factory = self
        return protocol


def endpoint(
    reactor: Reactor,
    description: str,
    backlog: int,
    certificate: Certificate | None = None,
    settings: CurrentSettings | None = None,
) -> IStreamServerEndpoint:
    """Return the endpoint that a string describes, such as ``tcp:9633:interface=127.0.0.1``.

    Besides the kinds of Twisted there is ``tls:``, which puts TLS with ``certificate`` over the
    endpoint that follows; ``ssl:`` of Twisted names its own files instead. ``haproxy:`` serves the
    proxies that ``settings`` trust only.

    Raises:
        ListenError: the description is malformed, or needs a certificate and there is none.
    """
    kind, *words = _COLON.split(description)
    try:
        if kind == "tls":
            if certificate is None or certificate.files is None:
                raise ListenError(f"{description}: set tls.certificate and tls.private_key first")
            return TlsEndpoint(
                endpoint(reactor, description.removeprefix(TLS), backlog, None, settings),
                certificate,
            )
        if kind == "haproxy":
            inner = endpoint(reactor, description.removeprefix("haproxy:"), backlog, certificate)
            return ProxyEndpoint(inner, reactor, settings or CurrentSettings())
        if kind == "ssl":
            tcp, certificate = _read_ssl(words)
            return TlsEndpoint(endpoint(reactor, tcp, backlog), certificate)
        read_pairs(word for word in words if "=" in word)
        added = kind in _WITH_BACKLOG and not any(word.startswith("backlog=") for word in words)
        found: IStreamServerEndpoint = serverFromString(
            reactor, f"{description}:backlog={backlog}" if added else description
        )
        if isinstance(found, AdoptedStreamServerEndpoint):
            _check_passed(found)
    except CertificateError as error:
        raise ListenError(str(error)) from None
    except (ValueError, TypeError, LookupError, AttributeError, OSError) as error:
        if isinstance(error, ListenError):
            raise
        raise ListenError(f"{description}: {_why(error, description)}") from None
    return found


def _check_passed(found: AdoptedStreamServerEndpoint) -> None:
    """Refuse a descriptor that is no socket of the stated domain.

    Raises:
        NotationError: it is of another domain or type.
        OSError: it is no socket.
    """
    with socket.socket(fileno=os.dup(found.fileno)) as passed:
        if (passed.family, passed.type) != (found.addressFamily, socket.SOCK_STREAM):
            domain = passed.family.name.removeprefix("AF_")
            raise NotationError(f"the socket there is of domain={domain} and {passed.type.name}")


def _why(error: Exception, description: str) -> str:
    """The reason why an endpoint cannot be made of its description."""
    if isinstance(error, NotationError):
        return error.reason
    found = _IPV6.search(description)
    if found is not None:
        address = found["address"].replace(":", "\\:")
        meant = f"{found['before']}{address}{description[found.end() :]}"
        return f"write {shlex.quote(meant.replace('tcp:', 'tcp6:', 1))} for an address of IPv6"
    if not description.startswith("systemd:"):
        return "expected an endpoint such as tcp:9633:interface=127.0.0.1"
    owner = os.environ.get("LISTEN_PID", str(os.getpid()))
    if owner != str(os.getpid()):
        return f"the sockets are for process {owner} (LISTEN_PID), not for this one, {os.getpid()}"
    if isinstance(error, LookupError):
        which = description.rpartition(":")[2].replace("=", " ")
        return f"no socket of {which} was passed; is yoddd.socket started?"
    if isinstance(error, OSError):
        return f"no socket was passed there: {error.strerror}"
    return "expected systemd:domain=INET:name=NAME, or index=0 and another domain"


def _read_ssl(settings: list[str]) -> tuple[str, Certificate]:
    """Return the TCP endpoint below ``ssl:`` and its certificate, which a reload re-reads."""
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
    key = files["privateKey"]
    tls = Tls(certificate=files.get("certKey", key), private_key=key)
    certificate = Certificate(Settings(), lambda _: tls)
    return ":".join(["tcp", *rest]), certificate


async def listen_at(
    where: IStreamServerEndpoint, description: str, factory: IProtocolFactory, *, public: bool
) -> IListeningPort:
    """Listen at an endpoint; ``description`` is its string.

    Raises:
        ListenError: the endpoint cannot be listened on, or other machines could connect and
            ``public`` is False.
    """
    try:
        port: IListeningPort = await where.listen(factory)
    except CannotListenError as error:
        raise ListenError(f"{description}: {error.socketError}") from None
    except (OSError, OverflowError) as error:  # the latter of a port over 65535
        raise ListenError(f"{description}: {getattr(error, 'strerror', None) or error}") from None
    # The address of the socket, because the string may name a host or a descriptor.
    if not public and not is_local(port):
        await maybeDeferred(port.stopListening)
        raise ListenError(
            f"{description}: other machines could connect and log-in is not required; "
            "add interface=127.0.0.1, or allow it with --public"
        )
    return port


def interface_of(description: str) -> str:
    """Return the interface that an endpoint string names; empty if it names none."""
    words = _COLON.split(description)
    found = (word.removeprefix("interface=") for word in words if word.startswith("interface="))
    return next(found, "").replace("\\:", ":")


def is_local(port: IListeningPort) -> bool:
    """Return whether only this machine can connect to a port."""
    host = host_of(port.getHost())
    return host is None or ipaddress.ip_address(host).is_loopback


def describe(port: IListeningPort) -> str:
    """Return the endpoint string of a port that listens."""
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


def describe_http(port: IListeningPort, *, secure: bool = False) -> str:
    """Return the URL of an HTTP port that listens."""
    where = port.getHost()
    scheme = "https" if secure else "http"
    match where:
        case IPv4Address():
            return f"{scheme}://{where.host}:{where.port}/"
        case IPv6Address():
            return f"{scheme}://[{where.host}]:{where.port}/"
    return f"{scheme} over {describe(port)}"


@attrs.define(eq=False, slots=False)
class PortService(AsyncService):
    """Listens at an endpoint for as long as it runs.

    Attributes:
        certificate: the certificate of its TLS; None without TLS, and before the start.
    """

    _reactor: Reactor
    # An endpoint string; see `endpoint`.
    _description: str
    # Makes the protocol of a connection.
    _factory: IProtocolFactory
    # Those of the daemon; the backlog and whether others may connect need a restart.
    _settings: CurrentSettings
    # The certificate of ``tls:`` endpoints; None if none is configured.
    _configured: Certificate | None = None
    # Receives the port once it listens.
    _listening: Callable[[IListeningPort], None] = lambda _port: None
    certificate: Certificate | None = attrs.field(default=None, init=False)
    # Set while it listens.
    _port: IListeningPort | None = attrs.field(default=None, init=False)

    @property
    def port(self) -> IListeningPort:
        """The port, while it listens.

        Raises:
            RuntimeError: it does not listen.
        """
        if self._port is None:
            raise RuntimeError(f"not listening at {self._description}")
        return self._port

    async def start(self) -> None:
        """Listen.

        Raises:
            ListenError: the endpoint cannot or must not be listened on.
        """
        settings, text = self._settings.value, self._description
        backlog, is_public = settings.limits.backlog, settings.public or settings.login
        where = endpoint(self._reactor, text, backlog, self._configured, self._settings)
        self.certificate = getattr(where, "certificate", None)
        self._port = await listen_at(where, text, self._factory, public=is_public)
        self._listening(self._port)

    async def stop(self) -> None:
        """Stop listening; open connections stay."""
        port, self._port = self._port, None
        if port is not None:
            await maybeDeferred(port.stopListening)
