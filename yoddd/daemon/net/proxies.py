"""The client behind trusted proxies, by the PROXY protocol or by the headers of a request.

With the PROXY protocol a proxy names the client before the first byte of a connection; over HTTP it
does so in ``X-Forwarded-For`` or ``Forwarded``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final

import attrs
from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IAddress,
    IListeningPort,
    IProtocolFactory,
    IStreamServerEndpoint,
)
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.haproxy._wrapper import HAProxyProtocolWrapper, HAProxyWrappingFactory
from twisted.python.failure import Failure
from twisted.web.http_headers import Headers
from zope.interface import directlyProvides, implementer, providedBy

from yoddd.daemon.base.admission.admission import host_of, is_within
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import LOOPBACK

# -- the PROXY protocol ---------------------------------------------------------------------

MOST: Final = 1024
"""Bytes of a header of the PROXY protocol; HAProxy's specification asks for 536."""

_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_UNKNOWN: Final = b"PROXY UNKNOWN\r\n"
_FIXED: Final = 16
"""Bytes of the fixed part of version 2; the last two are the length of the rest."""


def header_length(data: bytes) -> int | None:
    """Return the bytes of the header that ``data`` begins with; None if more has to come.

    Raises:
        ValueError: it begins with none, or one that is too long.
    """
    length = None
    if data.startswith(_SIGNATURE):
        if len(data) >= _FIXED:
            length = _FIXED + int.from_bytes(data[_FIXED - 2 : _FIXED])
    elif data.startswith(b"PROXY "):
        length = data.find(b"\r\n") + 2 if b"\r\n" in data else None
    elif not (_SIGNATURE.startswith(data) or b"PROXY ".startswith(data)):
        raise ValueError("no header of the PROXY protocol")
    if max(length or 0, len(data) if length is None else 0) > MOST:
        raise ValueError("a header that is too long")
    return length if length is None or length <= len(data) else None


class ProxiedConnection(HAProxyProtocolWrapper):
    """A connection that begins with the header of a trusted proxy.

    Twisted's wrapper makes the inner connection before the header, when only the proxy's address is
    known, and serves any peer. This one waits for the header, `limits.handshake` at most.
    """

    factory: ProxyFactory
    transport: Connection
    # Bytes of the header that have come; empty once it is complete.
    _header = b""
    # Whether the inner connection is made; set once the header is complete.
    _is_made = False
    # Aborts the connection if the header stays incomplete; runs until then.
    _timer: DelayedCall | None = None

    def makeConnection(self, transport: Connection) -> None:
        """Wait for the header; abort the connection of a peer that is not trusted."""
        directlyProvides(self, providedBy(transport))
        Protocol.makeConnection(self, transport)
        self.factory.registerProtocol(self)
        if not self.factory.trusts(transport.getPeer()):
            transport.abortConnection()
            return
        limits = self.factory.settings.limits
        self._timer = self.factory.reactor.callLater(limits.handshake, transport.abortConnection)

    def dataReceived(self, data: bytes) -> None:
        """Take the header, and pass on what follows; abort at a header that is malformed."""
        if self._is_made:
            super().dataReceived(data)
            return
        if self._timer is None:  # it is being aborted
            return
        self._header += data
        try:
            length = header_length(self._header)
            if length is None:
                return
            header, rest = self._header[:length], self._header[length:]
            # Twisted expects a space behind UNKNOWN, which the specification does not.
            super().dataReceived(b"PROXY UNKNOWN \r\n" if header == _UNKNOWN else header)
            peer = self.getPeer()
            if peer != self.transport.getPeer():
                # Neither a word nor a UNIX socket, which would be exempt from all limits.
                ipaddress.ip_address(host_of(peer) or "")
        except (ValueError, KeyError):
            self._stop_timer()
            self.transport.abortConnection()
            return
        self._stop_timer()
        if self.disconnecting:  # Twisted refuses the header
            return
        self._header, self._is_made = b"", True
        self.wrappedProtocol.makeConnection(self)  # type: ignore[arg-type]  # relays the rest
        if rest:
            super().dataReceived(rest)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Pass the end on, if the inner connection was made."""
        self._stop_timer()
        if self._is_made:
            super().connectionLost(reason)
        else:
            self.factory.unregisterProtocol(self)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None


class ProxyFactory(HAProxyWrappingFactory):
    """Makes the connections of an endpoint for proxies."""

    protocol = ProxiedConnection  # type: ignore[assignment]  # its own base class
    noisy = False

    def __init__(
        self, inner: IProtocolFactory, reactor: Reactor, settings: CurrentSettings
    ) -> None:
        """Create it; ``inner`` makes what is served to the clients."""
        super().__init__(inner)
        self.reactor = reactor
        self.settings = settings

    def trusts(self, peer: IAddress) -> bool:
        """Return whether a peer may name clients: in ``trusted_proxies``, or this machine."""
        return is_within(host_of(peer), self.settings.value.trusted_proxies or LOOPBACK)


@implementer(IStreamServerEndpoint)
@attrs.frozen(eq=False)
class ProxyEndpoint:
    """The PROXY protocol over another endpoint."""

    inner: IStreamServerEndpoint
    reactor: Reactor
    settings: CurrentSettings

    # The interface of Twisted has the name of the argument.
    def listen(self, protocolFactory: IProtocolFactory) -> Deferred[IListeningPort]:  # noqa: N803
        """Listen at the inner endpoint."""
        factory = ProxyFactory(protocolFactory, self.reactor, self.settings)
        listening: Deferred[IListeningPort] = self.inner.listen(factory)
        return listening


# -- headers of a request -------------------------------------------------------------------

HEADERS: Final = (b"x-forwarded-for", b"forwarded")
"""The headers that name the client; the second counts only without the first."""

_FOR: Final = re.compile(r'(?:^|;)\s*for=("?)([^";]*)\1\s*(?:;|$)', re.IGNORECASE)
"""The pair of ``Forwarded`` with the address (RFC 7239, section 4)."""

_ADDRESS: Final = re.compile(
    r"\[([0-9a-f:.]+)\](?::\d+)?|(\d+(?:\.\d+){3})(?::\d+)?", re.IGNORECASE
)
"""An address in brackets or of IPv4, perhaps with a port."""


def client_of(headers: Headers, peer: str | None, trusts: Callable[[str], bool]) -> str | None:
    """Return the host of the client of a request from a trusted proxy.

    Each proxy adds the address of its own peer on the right, so the client is the right-most one
    that is no trusted proxy. Whatever is left of that may be invented. If all are trusted, it is
    the left-most one, and without a header the proxy itself.

    Args:
        headers: of the request.
        peer: the host of the proxy; None for a UNIX socket.
        trusts: whether an address is that of a trusted proxy.

    Raises:
        ValueError: what a trusted proxy has added is no address.
    """
    name = next((name for name in HEADERS if headers.hasHeader(name)), None)
    if name is None:
        return peer
    text = b",".join(headers.getRawHeaders(name, ())).decode("latin-1")
    host = peer
    for word in reversed(text.split(",")):
        host = _read(word.strip() if name == HEADERS[0] else _for(word))
        if not trusts(host):
            break
    return host


def _for(element: str) -> str:
    found = _FOR.search(element)
    return "" if found is None else found[2].strip()


def _read(word: str) -> str:
    found = _ADDRESS.fullmatch(word)
    host = word if found is None else found[1] or found[2]
    if "%" in host:
        raise ValueError(f"{word}: a zone is of use on one machine only")
    return str(ipaddress.ip_address(host))
