"""TLS: a certificate that can be read anew while connections last, and the time for a handshake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from OpenSSL import SSL
from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IListeningPort,
    IOpenSSLContextFactory,
    IProtocolFactory,
    IStreamServerEndpoint,
)
from twisted.internet.ssl import CertificateOptions, TLSVersion
from twisted.protocols.tls import TLSMemoryBIOFactory
from zope.interface import implementer

from yoddd.daemon.connections.services import Services


class CertificateError(ValueError):
    """A certificate or key that cannot be used; the text names the file."""


@implementer(IOpenSSLContextFactory)
class Certificate:
    """A certificate with its chain and key, from PEM files.

    Connections that last keep what they began with; new ones get what was read last.
    """

    def __init__(self, certificate: str, private_key: str) -> None:
        """Read the files.

        Raises:
            CertificateError: they cannot be read, or do not belong together.
        """
        self._files = (Path(certificate), Path(private_key))
        self._context = self._read()

    def reload(self) -> None:
        """Read the files again; if they are not in order, all stays as it was.

        Raises:
            CertificateError: they are not in order.
        """
        self._context = self._read()

    def getContext(self) -> SSL.Context:
        """What a new connection uses; Twisted asks each time."""
        return self._context

    def _read(self) -> SSL.Context:
        certificate, key = self._files
        try:
            first, *chain = x509.load_pem_x509_certificates(certificate.read_bytes())
            private = load_pem_private_key(key.read_bytes(), None)
            # Annotated for OpenSSL's older classes, which it calls deprecated.
            make: Callable[..., CertificateOptions] = CertificateOptions
            context: SSL.Context = make(
                privateKey=private,
                certificate=first,
                extraCertChain=chain,
                raiseMinimumTo=TLSVersion.TLSv1_2,
            ).getContext()
            context.check_privatekey()
        except (OSError, ValueError, TypeError, SSL.Error) as error:
            raise CertificateError(f"{certificate}, {key}: {error}") from None
        return context


@implementer(IStreamServerEndpoint)
@attrs.frozen(eq=False)
class TlsEndpoint:
    """TLS over another endpoint."""

    inner: IStreamServerEndpoint
    certificate: Certificate

    def listen(self, protocolFactory: IProtocolFactory) -> Deferred[IListeningPort]:  # noqa: N803 — Twisted's name
        """Listen there."""
        factory = TLSMemoryBIOFactory(self.certificate, False, protocolFactory)
        listening: Deferred[IListeningPort] = self.inner.listen(factory)
        return listening


class Handshake:
    """The time that a peer has for its handshake."""

    __slots__ = ("_services", "_timer")

    def __init__(self, services: Services) -> None:
        """None is under way."""
        self._services = services
        self._timer: DelayedCall | None = None

    def begin(self, abort: Callable[[], None]) -> None:
        """Call ``abort`` unless it ends in time."""

        def late() -> None:
            self._services.connections.count_cut_off("handshake")
            abort()

        self._timer = self._services.reactor.callLater(self._services.limits.handshake, late)

    def end(self) -> None:
        """It is over, or no longer needed."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
