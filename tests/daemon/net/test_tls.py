"""Certificates that can be reloaded, and the time limit of a handshake."""

from __future__ import annotations

from pathlib import Path

import pytest
from twisted.internet.testing import MemoryReactorClock

from tests.daemon.conftest import make_certificate
from tests.daemon.doubles import make_services
from yoddd.daemon.base.settings import Limits, Settings, Tls
from yoddd.daemon.net.tls import Certificate, CertificateError, HandshakeTimer


def test_certificate_without_its_files_or_with_another_key_is_refused(tmp_path: Path) -> None:
    tls = Tls(certificate=f"{tmp_path}/cert.pem", private_key=f"{tmp_path}/key.pem")
    with pytest.raises(CertificateError, match="No such file"):
        Certificate(Settings(tls=tls))
    make_certificate(tmp_path)
    text = (tmp_path / "cert.pem").read_text()
    make_certificate(tmp_path)
    (tmp_path / "cert.pem").write_text(text)
    with pytest.raises(CertificateError):
        Certificate(Settings(tls=tls))


def test_handshake_aborts_and_counts_a_connection_after_its_time() -> None:
    clock, aborted = MemoryReactorClock(), list[float]()
    services = make_services(clock, Limits(handshake=5))
    HandshakeTimer(services).begin(lambda: aborted.append(clock.seconds()))
    clock.advance(4)
    assert aborted == []
    clock.advance(1)
    assert aborted == [5]
    assert services.connections.cut_off == {"handshake": 1}


def test_handshake_that_ends_in_time_aborts_nothing() -> None:
    clock = MemoryReactorClock()
    handshake = HandshakeTimer(make_services(clock))
    handshake.end()
    handshake.begin(lambda: pytest.fail("aborted"))
    handshake.end()
    handshake.end()
    assert clock.getDelayedCalls() == []
