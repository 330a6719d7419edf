"""TLS: a certificate that can be reloaded, and the time limit of a handshake."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final, cast

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
from twisted.internet.ssl import AcceptableCiphers, CertificateOptions, TLSVersion
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from yoddd.daemon.base.clock import iso
from yoddd.daemon.base.settings import Settings, Tls
from yoddd.daemon.connections.services import Services
from yoddd.notation.text import describe_error

CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""The suites of TLS 1.2, in OpenSSL's notation: a fresh key for each connection, and no CBC.

Those of TLS 1.3 are all of this kind, and need not be listed.
"""


def is_hello(data: bytes) -> bool:
    """Whether the first bytes of a connection are of a TLS handshake, which a plain port ends."""
    return data[:1] == b"\x16"


def reason_of(failure: Failure) -> str:
    """The reason for which a connection has ended, in words."""
    return describe(failure.value) if failure.value else failure.getErrorMessage()


def describe(error: BaseException) -> str:
    """The text of an error, also of those of OpenSSL."""
    if isinstance(error, SSL.SysCallError):
        return str(error.args[-1])
    if isinstance(error, SSL.Error):  # its argument is OpenSSL's queue of errors
        queue = error.args[0] if error.args else ()
        return ", ".join(words[-1] for words in queue) or "end of the TLS connection"
    return str(error)


class CertificateError(ValueError):
    """A certificate or key that cannot be used; the message names the files."""


@attrs.frozen
class Files:
    """The content of the files of a certificate.

    Attributes:
        name: the file of the certificate.
        begins: when it begins to be valid.
        ends: when it expires.
        context: what a new connection gets.
    """

    name: str
    begins: datetime
    ends: datetime
    context: SSL.Context

    def problem(self, now: datetime) -> str | None:
        """The reason why clients refuse the certificate at a moment; None if there is none."""
        if now > self.ends:
            return f"the certificate {self.name} expired on {iso(self.ends)}: renew it, then reload"
        if now < self.begins:
            return (
                f"the certificate {self.name} is not valid before {iso(self.begins)}: "
                "check the clock of this machine, or replace it and reload"
            )
        return None


@implementer(IOpenSSLContextFactory)
class Certificate:
    """A certificate with its chain and key, from PEM files.

    Attributes:
        files: replaced by a reload; an old connection keeps its context. None if the settings name
            no certificate.
    """

    def __init__(
        self, settings: Settings, names: Callable[[Settings], Tls] = lambda one: one.tls
    ) -> None:
        """Read the files.

        Args:
            settings: the settings at the start.
            names: returns the names of the files.

        Raises:
            CertificateError: they cannot be read, or the key is not that of the certificate.
        """
        self._names = names
        self.files = self.read(settings)

    def getContext(self) -> SSL.Context:
        """Return the context of a new connection; Twisted calls this for each."""
        return cast("Files", self.files).context  # no port of TLS listens without one

    def read(self, settings: Settings) -> Files | None:
        """Return what is in the files that ``settings`` name; None if they name none.

        Raises:
            CertificateError: as for the constructor.
        """
        tls = self._names(settings)
        if not tls.certificate:
            return None
        certificate, key = Path(tls.certificate), Path(tls.private_key or tls.certificate)
        try:
            first, *chain = x509.load_pem_x509_certificates(certificate.read_bytes())
            private = load_pem_private_key(key.read_bytes(), None)
            # Its annotations name deprecated classes of OpenSSL.
            make: Callable[..., CertificateOptions] = CertificateOptions
            context: SSL.Context = make(
                privateKey=private,
                certificate=first,
                extraCertChain=chain,
                raiseMinimumTo=TLSVersion.TLSv1_2,
                acceptableCiphers=AcceptableCiphers.fromOpenSSLCipherString(CIPHERS),
            ).getContext()
            context.check_privatekey()
        except OSError as error:
            raise CertificateError(describe_error(error)) from None
        except (ValueError, TypeError, SSL.Error) as error:
            raise CertificateError(f"{certificate}, {key}: {describe(error)}") from None
        begins, ends = first.not_valid_before_utc, first.not_valid_after_utc
        return Files(str(certificate), begins, ends, context)


@implementer(IStreamServerEndpoint)
@attrs.frozen(eq=False)
class TlsEndpoint:
    """TLS over another endpoint."""

    inner: IStreamServerEndpoint
    certificate: Certificate

    def listen(self, protocolFactory: IProtocolFactory) -> Deferred[IListeningPort]:  # noqa: N803 — Twisted's name
        """Listen at the inner endpoint."""
        factory = TLSMemoryBIOFactory(self.certificate, False, protocolFactory)
        listening: Deferred[IListeningPort] = self.inner.listen(factory)
        return listening


class HandshakeTimer:
    """The time limit of a TLS handshake."""

    __slots__ = ("_services", "_timer")

    def __init__(self, services: Services) -> None:
        """Create it; the time starts with `begin`."""
        self._services = services
        # Runs between `begin` and `end`.
        self._timer: DelayedCall | None = None

    def begin(self, abort: Callable[[], None]) -> None:
        """Start the time; calls ``abort`` if `end` is not called within ``limits.handshake``."""

        def late() -> None:
            self._services.connections.count_cut_off("handshake")
            abort()

        self._timer = self._services.reactor.callLater(self._services.limits.handshake, late)

    def end(self) -> None:
        """Stop the time: the handshake is done, or the connection is lost."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
