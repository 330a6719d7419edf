"""Certificates that can be reloaded, and the time limit of a handshake."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OpenSSL import SSL
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from tests.daemon.conftest import make_certificate
from yoddd.daemon.base.settings import Settings, Tls
from yoddd.daemon.net.tls import Certificate, CertificateError, reason_of

NOW = datetime(2026, 1, 31, tzinfo=UTC)


@given(begins=st.integers(-1000, 1000), days=st.integers(1, 1000))
def test_certificate_outside_its_dates_is_a_problem_that_names_the_date(
    begins: int, days: int
) -> None:
    first, last = NOW + timedelta(begins), NOW + timedelta(begins + days)
    with TemporaryDirectory() as folder:
        make_certificate(Path(folder), begins=first, days=days)
        tls = Tls(certificate=f"{folder}/cert.pem", private_key=f"{folder}/key.pem")
        files = Certificate(Settings(tls=tls)).files
    assert files is not None
    problem = files.problem(NOW) or ""
    assert (files.begins, files.ends) == (first, last)
    assert bool(problem) is not (first <= NOW <= last)
    assert (f"{folder}/cert.pem expired on {last:%Y-%m-%d}" in problem) is (last < NOW)
    assert (f"{folder}/cert.pem is not valid before {first:%Y-%m-%d}" in problem) is (first > NOW)


def test_certificate_without_its_files_or_with_another_key_is_refused(tmp_path: Path) -> None:
    tls = Tls(certificate=f"{tmp_path}/cert.pem", private_key=f"{tmp_path}/key.pem")
    with pytest.raises(CertificateError, match="No such file"):
        Certificate(Settings(tls=tls))
    make_certificate(tmp_path)
    text = (tmp_path / "cert.pem").read_text()
    make_certificate(tmp_path)
    (tmp_path / "cert.pem").write_text(text)
    with pytest.raises(CertificateError, match=r"/key\.pem: key values mismatch$"):
        Certificate(Settings(tls=tls))


@given(
    st.sampled_from([SSL.Error, SSL.SysCallError, SSL.ZeroReturnError, ConnectionDone, OSError]),
    st.lists(st.sampled_from(["certificate verify failed", "unknown ca", "unexpected eof"])),
)
def test_end_of_a_connection_is_told_in_words(kind: type[Exception], reasons: list[str]) -> None:
    queue = [("SSL routines", "", reason) for reason in reasons]
    words: dict[type[Exception], tuple[object, ...]]
    words = {SSL.Error: (queue,), SSL.SysCallError: (104, "ECONNRESET"), OSError: (2, "Gone")}
    error = kind(*words.get(kind, ()))
    text = reason_of(Failure(error))
    assert text
    assert not set("[(") & set(text) or kind is OSError
    assert all(reason in text for reason in reasons) or kind is not SSL.Error
