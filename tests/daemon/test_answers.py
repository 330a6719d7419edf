"""Every request has an answer, also one that is hostile or meets a fault of the daemon."""

from __future__ import annotations

import json
import socket
import sqlite3
import ssl
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, Daemon, Peer, make_certificate, serving
from tests.daemon.stores import TOKENS, make_store
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """``ports`` has those of TLS and HTTP; it must end without a traceback."""
    folder = tmp_path_factory.mktemp("tls")
    make_certificate(folder)
    files = [f"tls.certificate={folder}/cert.pem", f"tls.private_key={folder}/key.pem"]
    sets = [word for one in files for word in ("--set", one)]
    listen = ["--listen", "tls:tcp:0:interface=127.0.0.1", "--http", "tcp:0:interface=127.0.0.1"]
    with serving(*listen, *sets) as daemon:
        yield daemon


# -- TLS --------------------------------------------------------------------------------------


def handshake(port: int, ciphers: str) -> str:
    """The cipher suite that TLS 1.2 agrees on with these alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(ciphers)
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as plain,
        context.wrap_socket(plain) as stream,
    ):
        found = stream.cipher()
        return "" if found is None else found[0]


@pytest.fixture(scope="module")
def rsa_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A port with a certificate of RSA, the only kind whose key could encrypt the session's."""
    folder = tmp_path_factory.mktemp("rsa")
    make_certificate(folder, key="rsa:2048")
    where = f"ssl:0:interface=127.0.0.1:privateKey={folder}/key.pem:certKey={folder}/cert.pem"
    with serving("--listen", where) as daemon:
        yield daemon.ports[0]


@pytest.mark.parametrize("ciphers", ["AES128-GCM-SHA256", "ECDHE-RSA-AES256-SHA384", "AES256-SHA"])
def test_tls_without_forward_secrecy_or_with_cbc_is_refused(rsa_port: int, ciphers: str) -> None:
    with pytest.raises(ssl.SSLError, match="handshake failure"):
        handshake(rsa_port, ciphers)


def test_tls_1_2_uses_an_authenticated_cipher_with_a_key_of_its_own(
    daemon: Daemon, rsa_port: int
) -> None:
    assert handshake(rsa_port, "ALL").startswith("ECDHE-RSA-")
    found = handshake(daemon.ports[0], "ALL")
    assert found.startswith("ECDHE-ECDSA-")
    assert "GCM" in found or "CHACHA20" in found


# -- faults of a command ----------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[Program]:
    """A daemon whose lobby is broken."""
    with Program([sys.executable, Path(__file__).with_name("faulty_server.py")]) as process:
        yield process


@pytest.fixture
def faulty(server: Program) -> Iterator[Peer]:
    client = Peer(int(server.stdout.readline()))
    yield client
    client.close()


def test_fault_of_a_command_is_an_internal_error_and_the_session_goes_on(faulty: Peer) -> None:
    for request in ("attached", "withdraw k", "put k 1a1"):
        assert faulty.ask(request) == "? internal error", request
    assert faulty.ask("resume r1") == "? busy: the store is not available: try again in a moment"
    assert faulty.ask("observe t1") == "= \nerror internal error"
    assert faulty.ask("7 name") == "=7 yoddd"


def test_faults_of_one_place_are_logged_once(faulty: Peer, server: Program) -> None:
    faulty.send("attached\nwithdraw k\n" * 20)
    assert {faulty.reply() for _ in range(40)} == {"? internal error"}
    assert server.error_text().count("Traceback") == 2


# -- a store that is away -----------------------------------------------------------------------


def test_store_locked_for_a_moment_ends_no_game_and_is_answered_busy(tmp_path: Path) -> None:
    path = make_store(tmp_path / "s")
    with serving("--store", str(path)) as daemon:
        ann, bob, cid = (daemon.peer() for _ in range(3))
        for name, peer in (("ann", ann), ("bob", bob), ("cid", cid)):
            assert peer.ask(f"login {name} {TOKENS[name]}") == "= "
        settings = "board=hex2 seat=b rated=yes clock=60"
        game, black = ann.ask(f"seek ann {settings}").removeprefix("= ").split()
        white = bob.ask(f"accept {game} bob").removeprefix("= ")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            ann.send(f"put {black} 1a1\n")
            assert cid.ask(f"seek cid {settings}").startswith("? busy: the store is not available")
            assert bob.ask("resume") == f"= {game}"
            other.execute("ROLLBACK")
        assert ann.reply() == "= "
        assert bob.ask(f"put {white} 2a2,1b3") == "= "
        assert ann.ask(f"put {black} resign") == "= "
        watcher = daemon.peer()
        watcher.send(f"observe {game}\n")
        *_, last = watcher.reply().splitlines()
        record = json.loads(last.removeprefix("record "))
        assert (record["winner"], record["reason"], len(record["turns"])) == ("w", "resign", 2)
        daemon.hang_up()
