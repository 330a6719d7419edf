"""A daemon and its manager: signals, the drain, systemd, and where it cannot listen."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, until
from tests.daemon.conftest import serving as serving_at
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

HTTP = ("--http", "tcp:0:interface=127.0.0.1")


@contextmanager
def serving(*options: str) -> Iterator[tuple[Daemon, Peer, str, str]]:
    """A daemon, a peer, and both keys of its game, in which White is to move."""
    with serving_at(*HTTP, *options) as daemon:
        host = daemon.peer()
        game, black = host.ask("seek ann board=hex2 seat=b").removeprefix("= ").split()
        white = host.ask(f"accept {game} bob").removeprefix("= ")
        assert host.ask(f"put {black} 1a1") == "= "
        yield daemon, host, black, white
        daemon.hang_up()


def stop(daemon: Daemon, said: str) -> None:
    """Send SIGTERM, and wait until the log says something."""
    daemon.process.send_signal(signal.SIGTERM)
    until(lambda: said in daemon.process.error_text())


@pytest.mark.gate
def test_drain_accepts_turns_over_any_connection_and_begins_no_game() -> None:
    with serving("--set", "drain=3600") as (daemon, host, black, white):
        with urlopen(f"http://{daemon.address.split(':')[0]}:{daemon.ports[0]}/readyz") as page:
            assert page.read() == b"ok\n"
        stop(daemon, "draining")
        assert host.ask("seek cid") == "? busy: the server is going down"
        assert daemon.peer().ask(f"put {white} pass") == "= "
        assert daemon.process.poll() is None
        assert host.ask(f"put {black} pass") == "= "
        assert host.rest() == b""
        assert daemon.process.wait(PATIENCE) == 0


def test_drain_ends_after_a_second_signal() -> None:
    with serving("--set", "drain=3600") as (daemon, *_):
        for told in ("draining", "stopped"):
            stop(daemon, told)
        assert daemon.process.wait(PATIENCE) == 0


@pytest.mark.gate
def test_interrupt_ends_daemon_without_drain() -> None:
    with serving("--set", "drain=3600") as (daemon, host, *_):
        daemon.process.send_signal(signal.SIGINT)
        assert host.rest() == b""
        assert daemon.process.wait(PATIENCE) == 0


@pytest.mark.gate
def test_serve_under_systemd_notifies_and_takes_its_socket(tmp_path: Path) -> None:
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.settimeout(PATIENCE)
    listener = socket.create_server(("127.0.0.1", 0))
    # As systemd does it: the socket is number 3, and the process is told its own id.
    start = (
        "import os, sys; os.dup2(int(sys.argv[1]), 3); os.set_inheritable(3, True);"
        "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1', LISTEN_FDNAMES='text');"
        "os.execv(sys.executable, [sys.executable, '-m', 'yoddd', 'serve', *sys.argv[2:]])"
    )
    options = ["--listen", "systemd:domain=INET:index=0", "--no-http"]
    with (
        manager,
        listener,
        Program(
            [sys.executable, "-c", start, str(listener.fileno()), *options],
            env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify")},
            pass_fds=[listener.fileno()],
        ) as process,
    ):
        assert manager.recv(100) == b"READY=1"
        peer = Peer(listener.getsockname()[1])
        assert peer.ask("name") == "= yoddd"
        process.send_signal(signal.SIGHUP)
        assert [manager.recv(100) for _ in range(2)] == [b"RELOADING=1", b"READY=1"]
        process.terminate()
        assert manager.recv(100) == b"STOPPING=1"
        assert peer.rest() == b""
        peer.close()
        assert process.wait(PATIENCE) == 0
        # The socket is systemd's: connections made meanwhile wait for the next daemon.
        Peer(listener.getsockname()[1]).close()


@pytest.mark.gate
def test_log_verbose_contains_no_secret() -> None:
    with serving("--verbose") as (daemon, host, black, white):
        host.ask(f"put {white} nonsense")
        host.ask("login ann s3cret-token")
        host.ask("quit")
        daemon.process.terminate()
        daemon.process.wait(PATIENCE)
        log = daemon.process.error_text()
    assert "closing 1" in log
    assert not [secret for secret in (black, white, "s3cret-token") if secret in log]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param(
            "admin={}/nowhere/admin",
            "Error: admin: {}/nowhere: No such file or directory",
            marks=pytest.mark.gate,
        ),
        ("admin={}/kept", "Error: admin: {}/kept: Address already in use"),
        ('listen=["tcp:99999:interface=127.0.0.1"]', "Error: tcp:99999:interface=127.0.0.1: "),
        ("store={}/kept", "Error: store: "),
    ],
)
def test_serve_unusable_address_or_store_is_refused_and_left_alone(
    tmp_path: Path, setting: str, said: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("no socket and no database " * 100)
    words = ["--set", 'listen=["tcp:0:interface=127.0.0.1"]', "--set", setting.format(tmp_path)]
    command = [*YODDD, "serve", "--http", "", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(said.format(tmp_path))
    assert "Traceback" not in done.stderr
    assert kept.read_text().startswith("no socket")
