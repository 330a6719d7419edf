"""Certificates that can be reloaded, and the time limit of a handshake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.daemon.conftest import make_certificate
from yoddd.daemon.base.settings import Settings, Tls
from yoddd.daemon.net.tls import Certificate, CertificateError


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
