"""Listening ports as services."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from twisted.internet.defer import maybeDeferred
from twisted.internet.interfaces import IListeningPort, IProtocolFactory

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.async_service import AsyncService
from yoddd.daemon.net.listeners import endpoint, listen_at
from yoddd.daemon.net.tls import Certificate


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
