"""TLS of a real daemon: which cipher suites it agrees to, and a session within."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import pytest

from tests.daemon.conftest import PATIENCE, make_certificate, serving

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.fixture(scope="module", params=["RSA", "ECDSA"])
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A port with a certificate of this kind; only a key of RSA could encrypt the session's."""
    folder = tmp_path_factory.mktemp("tls")
    make_certificate(folder, is_rsa=request.param == "RSA")
    where = f"ssl:0:interface=127.0.0.1:privateKey={folder}/key.pem:certKey={folder}/cert.pem"
    with serving("--listen", where) as daemon:
        yield daemon.ports[0]


def ask(port: int, ciphers: str) -> tuple[str, bytes]:
    """The cipher suite that TLS 1.2 agrees on with these alone, and a reply."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(ciphers)
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as plain,
        context.wrap_socket(plain) as stream,
    ):
        stream.sendall(b"name\n")
        found = stream.cipher()
        assert found is not None
        return found[0], stream.recv(100)


@pytest.mark.parametrize("ciphers", ["AES128-GCM-SHA256", "ECDHE-RSA-AES256-SHA384", "AES256-SHA"])
def test_tls_without_forward_secrecy_or_with_cbc_is_refused(port: int, ciphers: str) -> None:
    with pytest.raises(ssl.SSLError, match="handshake failure"):
        ask(port, ciphers)


def test_tls_1_2_uses_an_authenticated_cipher_with_a_key_of_its_own(port: int) -> None:
    cipher, reply = ask(port, "ALL")
    assert cipher.startswith("ECDHE-")
    assert "GCM" in cipher or "CHACHA20" in cipher
    assert reply == b"= yoddd\n\n"
