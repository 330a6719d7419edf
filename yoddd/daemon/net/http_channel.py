"""The HTTP transport: Twisted's channel with admission, and limits on slow requests and bodies."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, cast

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHandshakeListener, ISSLTransport
from twisted.internet.protocol import connectionDone
from twisted.internet.task import deferLater
from twisted.internet.tcp import Connection
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel
from twisted.web.server import Request
from zope.interface import implementer

from yoddd.daemon.base.admission.admission import Refused, host_of
from yoddd.daemon.base.process.reactor_share import ReactorShare, Waiting
from yoddd.daemon.connections.services import Services
from yoddd.daemon.net.proxies import HEADERS, client_of
from yoddd.daemon.net.stream_transport import acknowledged, set_socket_options
from yoddd.daemon.net.tls import HandshakeTimer, is_hello

_BUSY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 60\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s"
)
_FOLDED: Final = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_LONG: Final = (
    b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: %d\r\n\r\n%s"
)
_NO_BODY: Final = (
    b"HTTP/1.1 %s\r\nConnection: close\r\nAllow: GET, HEAD, OPTIONS\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
)
_HEALTH: Final = (b"/healthz", b"/readyz")
"""Paths that are served beyond the limits, because their replies cost little."""

_SITE: Final = rb"(?i:https?|wss?)://(?P<host>[^/?#]+)"
"""The beginning of an absolute address, as clients behind a proxy send it, up to the path."""

_ABSOLUTE: Final = re.compile(_SITE + rb"(?P<path>.*)")
_HEALTH_LINE: Final = re.compile(
    rb"(?:GET|HEAD) (?:%s)?(?:%s) HTTP/1\.[01]" % (_SITE, b"|".join(_HEALTH))
)

_BODY_ERROR: Final = b'{"error": "no request here has a body"}'

_LEAST: Final = 16 * 1024
"""Bytes that a client with a full buffer has to read within ``limits.unread_time``.

Unlike a session it may have asked for a large file over a slow network.
"""


class ProxiedRequest(Request):
    """A request, perhaps of a client behind a trusted proxy."""

    def process(self) -> None:
        """Reply, once the channel has found the client."""
        cast("GuardedChannel", self.channel).begin(self, super().process)


@implementer(IHandshakeListener)
class GuardedChannel(HTTPChannel):
    """One HTTP connection, until it becomes a WebSocket.

    It counts as open for the `Admission` from its beginning to its end, also as a WebSocket. The
    connection of a trusted proxy counts for the client of each request while that is answered.

    Attributes:
        host: the host of the client; changes with each request of a trusted proxy.
    """

    log = Logger()
    transport: Connection

    def __init__(self, services: Services) -> None:
        """Create the channel of a connection that is not made yet."""
        super().__init__()
        self._services = services
        # Set by connectionMade, and by `begin`.
        self.host: str | None = None
        # Closes the WebSocket that it has become unless that is needed; None before.
        self._close_websocket: Callable[[], bool] | None = None
        # Whether the peer is a trusted proxy; set by connectionMade.
        self._is_proxied = False
        # The refusal of a connection that may still ask for the health; None once it does.
        self._refusal: bytes | None = None
        # Whether the connection ends with its next reply, because only the health is served; set
        # once.
        self._is_spare = False
        # The time limit of the TLS handshake; runs from the connection to the end of the handshake.
        self._handshake = HandshakeTimer(services)
        # Aborts the connection if a request stays incomplete; runs from its first byte to its end.
        self._slow_timer: DelayedCall | None = None
        # Lines of the request so far, and bytes in them; 0 between two requests.
        self._lines = self._size = 0
        # Whether nothing was received yet.
        self._is_new = True
        # Whether an error was sent and the connection is being closed; set once, and then no
        # further input is parsed.
        self._is_refused = False
        # Whether the transport's buffer is full because the client does not read; set by
        # pauseProducing, cleared by resumeProducing.
        self._is_unread = False
        # Looks whether it reads meanwhile; runs while the buffer is full, and until the connection
        # is closed where nothing is to be read any more.
        self._unread_timer: DelayedCall | None = None
        # The request whose response is sent while the requests behind it have to wait for the
        # client to read; set by requestDone, cleared by resumeProducing.
        self._answered: Request | None = None
        # What the client's address uses of the reactor's time; set by connectionMade, None if it is
        # exempt.
        self._share: ReactorShare | None = None
        # Bytes that came when the address had used up its share; empty otherwise.
        self._early = b""
        # Takes those bytes, or serves the request after `_answered`, once the address may use more
        # time; set meanwhile.
        self._share_timer: Waiting | None = None

    def connectionMade(self) -> None:
        """Admit the connection, or refuse it with 503."""
        super().connectionMade()
        set_socket_options(self.transport, self._services.limits)
        if ISSLTransport.providedBy(self.transport):
            self._handshake.begin(self.transport.abortConnection)
        admission = self._services.admission
        self.host = host_of(self.transport.getPeer())
        self._is_proxied = admission.is_proxy(self.host)
        self._share = None if self._is_proxied else admission.share_of(self.host)
        try:
            admission.admit(self, self.host, is_proxied=self._is_proxied, close=self._make_room)
        except Refused as refused:
            text = f"{refused}\n".encode()
            self._refusal = _BUSY % (len(text), text)
            if admission.spare(self):
                self._is_spare = True
                self._start_slow_timer()
            else:
                self._refuse(self._refusal)

    def handshakeCompleted(self) -> None:
        """Stop the timer of the TLS handshake."""
        self._handshake.end()

    def lineReceived(self, line: bytes) -> None:
        """Read a line of a request, and start the timer of the request."""
        if self._is_refused:
            return
        refusal, self._refusal = self._refusal, None
        if refusal is not None and not _HEALTH_LINE.fullmatch(line):
            self._refuse(refusal)
            return
        self._start_slow_timer()
        self._size += len(line)
        if self._size > self.totalHeadersSize or (line and self._lines == self.maxHeaders):
            self.lineLengthExceeded(line)
            return
        self._lines += bool(self._lines or line)
        if line.startswith((b" ", b"\t")):  # RFC 9112, 5.2: a folded header
            self._refuse(_FOLDED)
        else:
            super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Refuse a request whose lines are too long, or too many."""
        del line
        if not self._is_refused:
            status, text = b"414 URI Too Long", b"the address is too long\n"
            if self._lines:
                status = b"431 Request Header Fields Too Large"
                text = b"the request has too many headers, or cookies: delete those of this site\n"
            self._refuse(_LONG % (status, len(text), text), has_more=True)

    def dataReceived(self, data: bytes) -> None:
        """Read bytes; an incomplete first line starts the timer of the request, too."""
        if self._is_refused:
            return
        is_new, self._is_new = self._is_new, False
        if is_new and is_hello(data):
            self._services.connections.count_cut_off("handshake")
            self.transport.abortConnection()
            return
        self._start_slow_timer()
        if self._share is None:
            super().dataReceived(data)
        elif self._early or self._share.wait() > 0:
            self._early += data
            self.transport.pauseProducing()
            self._wait_for_share()
        else:
            self._share.run(super().dataReceived, data)

    def rawDataReceived(self, data: bytes) -> None:
        """Refuse the body of a request: no resource accepts one, nor the methods that have one."""
        if self._handlingRequest:
            super().rawDataReceived(data)
        elif not self._is_refused:
            reads = self._command in (b"GET", b"HEAD", b"OPTIONS")
            status = b"413 Content Too Large" if reads else b"405 Method Not Allowed"
            text = _NO_BODY % (status, len(_BODY_ERROR), _BODY_ERROR)
            self._refuse(text, has_more=True)

    def allContentReceived(self) -> None:
        """Stop the timer: the request is complete."""
        self._lines = self._size = 0
        self._cancel_slow_timer()
        super().allContentReceived()

    def checkPersistence(self, request: Request, version: bytes) -> bool:
        """Return whether the connection stays open after the reply."""
        return not self._is_spare and bool(super().checkPersistence(request, version))

    def begin(self, request: Request, process: Callable[[], None]) -> None:
        """Call ``process``, which replies, in the name of the client that a trusted proxy names."""
        admission, peer = self._services.admission, host_of(self.transport.getPeer())
        hosts = request.requestHeaders.getRawHeaders(b"host", ())
        if len(hosts) != 1 and (hosts or request.clientproto == b"HTTP/1.1"):
            self._reply(request, HTTPStatus.BAD_REQUEST, "expected one Host")
            return
        if (absolute := _ABSOLUTE.fullmatch(request.uri)) is not None:
            # RFC 9112, 3.2.2: its host counts.
            request.requestHeaders.setRawHeaders(b"host", [absolute["host"]])
            request.uri = b"/" + absolute["path"].removeprefix(b"/")
            request.path = request.uri.partition(b"?")[0]
        if request.path not in _HEALTH:
            admission.used(self)
        if not self._is_proxied:
            if not admission.has_seen_proxy and admission.is_exempt(peer):
                self._warn_of_proxy(request, peer)
            process()
            return
        try:
            self.host = client_of(request.requestHeaders, peer, admission.is_proxy)
            if request.path not in _HEALTH:
                admission.bind(self, self.host, self._make_room)
        except ValueError:
            self._reply(request, HTTPStatus.BAD_REQUEST, "malformed header of the proxy")
            return
        except Refused as refused:
            request.setHeader(b"retry-after", b"60")
            self._reply(request, HTTPStatus.SERVICE_UNAVAILABLE, str(refused))
            return
        if self.host is not None:
            kind = IPv6Address if ":" in self.host else IPv4Address
            request.client = kind("TCP", self.host, 0)
        self._share = admission.share_of(self.host)
        self._process(process)

    def _process(self, process: Callable[[], None]) -> None:
        """Call ``process`` once the client's address may use more time."""
        self._share_timer = None
        if self._share is None:
            process()
        elif self._share.wait() > 0:
            self._share_timer = self._share.later(
                self._services.reactor, lambda: self._process(process)
            )
        else:
            self._share.run(process)

    def _reply(self, request: Request, status: HTTPStatus, text: str) -> None:
        request.setResponseCode(status, status.phrase.encode())
        request.setHeader(b"content-type", b"text/plain; charset=utf-8")
        request.write(f"{text}\n".encode())
        request.finish()

    def _warn_of_proxy(self, request: Request, peer: str | None) -> None:
        for name in HEADERS:
            if request.requestHeaders.hasHeader(name):
                self._services.admission.has_seen_proxy = True
                self.log.warn(
                    "{peer} is exempt from the limits and sends {name}: if it is a proxy, name it "
                    "in `trusted_proxies`, or all its clients are exempt",
                    peer=peer or "a client over a UNIX socket",
                    name=name.decode(),
                )
                return

    def requestDone(self, request: Request) -> None:
        """Serve the next pipelined request, but not while the client leaves responses unread.

        Twisted would serve all requests received so far, whose responses together may be large.
        Nor is one served while the client's address has used up its share of the time.
        """
        if self._is_proxied:
            self._share = None
            self._services.admission.unbind(self)
        wait = 0.0 if self._share is None else self._share.wait()
        if self.persistent and (self._is_unread or wait > 0):
            self._answered = request
            self.setTimeout(self.timeOut)
            if wait > 0:
                self._wait_for_share()
        elif self._share is None:
            super().requestDone(request)
        else:
            self._share.run(super().requestDone, request)

    def charge(self, seconds: float) -> Deferred[None]:
        """Charge the client's address for work in a thread; fires once it may use more time."""
        wait = 0.0
        if self._share is not None:
            self._share.charge(seconds)
            wait = self._share.wait()
        return deferLater(self._services.reactor, wait, lambda: None)

    def _wait_for_share(self) -> None:
        if self._share is not None and self._share_timer is None:
            self._share_timer = self._share.later(self._services.reactor, self._go_on)

    def _go_on(self) -> None:
        self._share_timer = None
        self._serve_next()
        early, self._early = self._early, b""
        if early:
            self.transport.resumeProducing()
            self.dataReceived(early)

    def _serve_next(self) -> None:
        """Serve the request after the last one, unless the client leaves responses unread."""
        request = self._answered
        if request is not None and not self._is_unread:
            self._answered = None
            self.requestDone(request)

    def pauseProducing(self) -> None:
        """Stop reading: the client does not read; cut it off if that goes on."""
        self._is_unread = True
        self._watch_reader()
        super().pauseProducing()

    def _watch_reader(self) -> None:
        if self._unread_timer is None:
            before, services = acknowledged(self.transport), self._services
            self._unread_timer = services.reactor.callLater(
                services.limits.unread_time, self._check_reader, before
            )

    def _check_reader(self, before: int | None) -> None:
        self._unread_timer = None
        now = acknowledged(self.transport)
        if now is None or before is None or now - before < _LEAST:
            self._services.connections.count_cut_off("unread")
            self.transport.abortConnection()
        else:
            self._watch_reader()

    def _stop_watch(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def resumeProducing(self) -> None:
        """Read and serve again: the client has read."""
        self._is_unread = False
        self._stop_watch()
        super().resumeProducing()
        if self._share_timer is None:
            self._serve_next()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Release the connection."""
        self._release()
        super().connectionLost(reason)

    def _make_room(self) -> bool:
        """Close between two requests, or as the WebSocket says."""
        if self._close_websocket is not None:
            closes = self._close_websocket()
        else:
            closes = not self._handlingRequest
            if closes:
                self._services.connections.count_cut_off("room")
                self.transport.abortConnection()
        if closes:
            self._services.admission.release(self)
        return closes

    def become_websocket(
        self,
        receive: Callable[[bytes], None],
        lost: Callable[[Failure], None],
        make_room: Callable[[], bool],
    ) -> None:
        """Pass all further bytes to a WebSocket, and release the connection when it ends.

        Args:
            receive: takes the bytes.
            lost: takes the end of the connection.
            make_room: closes it unless it is needed, and returns whether it does.
        """
        self._close_websocket = make_room
        self._cancel_slow_timer()
        self._stop_watch()
        self.setTimeout(None)

        def end(reason: Failure = connectionDone) -> None:
            self._release()
            lost(reason)

        self.dataReceived = receive  # type: ignore[method-assign,assignment]  # as Twisted does
        self.connectionLost = end  # type: ignore[method-assign]

    def _release(self) -> None:
        self._handshake.end()
        self._cancel_slow_timer()
        self._stop_watch()
        if self._share_timer is not None:
            self._share_timer.cancel()
            self._share_timer = None
        self._services.admission.release(self)

    def _start_slow_timer(self) -> None:
        if self._slow_timer is None:
            services = self._services
            self._slow_timer = services.reactor.callLater(services.limits.slow_line, self._late)

    def _late(self) -> None:
        self._slow_timer = None
        if self._early:  # it is we who hold the rest of the request
            self._start_slow_timer()
            return
        self._services.connections.count_cut_off("slow line")
        self.transport.abortConnection()

    def _cancel_slow_timer(self) -> None:
        if self._slow_timer is not None and self._slow_timer.active():
            self._slow_timer.cancel()
        self._slow_timer = None

    def _refuse(self, answer: bytes, *, has_more: bool = False) -> None:
        """Reply in place of a resource and close, if need be once the client has sent the rest."""
        self._is_refused = True
        self.transport.write(answer)
        if has_more and not ISSLTransport.providedBy(self.transport):
            # A close would reset the connection while bytes are unread, and the reset can overtake
            # the reply. The timer of the request goes on.
            self.transport.loseWriteConnection()
            return
        self._cancel_slow_timer()
        self.transport.loseConnection()
