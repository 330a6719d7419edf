"""The administration of a daemon: orders, reload, drain, health, metrics, the log."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import attrs
import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Peer
from tests.daemon.test_lobby import offer, put
from tests.support.programs import Program
from yoddd.daemon.runs.control import ask_socket

pytestmark = [pytest.mark.process, pytest.mark.whole]

LOCAL = "tcp:0:interface=127.0.0.1"
ALWAYS = ["--set", "log.format=json", "--listen", LOCAL, "--http", LOCAL]


@attrs.define
class Server:
    """A daemon with a configuration file, an admin socket, and a log of JSON lines."""

    process: Program
    folder: Path
    ports: list[int]
    log: Iterator[str]

    def peer(self) -> Peer:
        return Peer(self.ports[0])

    def ask(self, request: str) -> dict[str, Any]:
        return ask_socket(self.folder / "admin", *request.split())

    def admin(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [*YODDD, "admin", "--socket", str(self.folder / "admin"), *words]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def page(self, name: str) -> str:
        with urlopen(f"http://127.0.0.1:{self.ports[1]}/{name}", timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def log_until(self, part: str) -> list[dict[str, object]]:
        """The further lines of the log up to one whose message has ``part``."""
        lines = []
        for line in self.log:
            lines.append(json.loads(line))
            if part in lines[-1]["message"]:
                return lines
        raise AssertionError(lines)


@contextmanager
def serving(folder: Path, *options: str, text: str = "") -> Iterator[Server]:
    (folder / "yoddd.toml").write_text(text)
    admin = ["--set", f"admin={folder / 'admin'}"]
    command = ["serve", "--config", str(folder / "yoddd.toml"), *ALWAYS, *admin, *options]
    with Program([*YODDD, *command]) as process:
        count = 2 + options.count("--listen")
        found = [
            re.search(r"listening on .*?:(\d+)[:/]", process.stdout.readline())
            for _ in range(count)
        ]
        ports = [int(match[1]) for match in found if match]
        assert len(ports) == count, process.rest()
        ports = [ports[0], ports[-1], *ports[1:-1]]
        yield Server(process, folder, ports, process.error_lines())


@pytest.mark.gate
def test_admin_commands_act_on_connections_and_games(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, watcher = server.peer(), server.peer()
        game, _ = offer(host)
        watcher.send(f"observe {game}\n")
        assert watcher.line() == "= "
        listed = json.loads(server.admin("list", "--json").stdout)
        assert [each["kind"] for each in listed["connections"]] == ["tcp", "tcp"]
        assert listed["games"][0].startswith(f"{game} open yodd hex2")
        assert server.admin("broadcast", "tea", "is ready").stdout == "told 1\n"
        assert [watcher.line() for _ in range(2)][1] == "notice tea is ready"
        server.ask("pause")
        assert server.ask("list")["pairing"] == "no game may begin for now"
        assert host.ask("seek ann") == "? busy: no game may begin for now"
        assert host.ask(f"accept {game} bob") == "? busy: no game may begin for now"
        server.ask("resume")
        assert server.admin("abort", game).stderr == f"Error: {game} is not being played\n"
        assert host.ask(f"accept {game} bob").startswith("= ")
        assert watcher.line().startswith(f"game {game} ann bob")
        server.ask(f"abort {game}")
        record = json.loads(watcher.line().removeprefix("record "))
        assert (record["reason"], record["winner"]) == ("void", None)
        number = listed["connections"][0]["number"]
        assert server.ask(f"kick {number}") == {"kicked": number}
        assert host.rest() == b""
        for request in (f"kick {number}", "kick all", "abort t99", "broadcast", "dance"):
            with pytest.raises(ValueError, match=r"no connection|no game|expected"):
                server.ask(request)
        assert (tmp_path / "admin").stat().st_mode & 0o777 == 0o600
        watcher.close()
        host.close()


@pytest.mark.gate
def test_drain_accepts_turns_over_any_connection_and_begins_no_game(tmp_path: Path) -> None:
    with serving(tmp_path, "--set", "drain=3600") as server:
        host, watcher = server.peer(), server.peer()
        game, black = offer(host)
        white = host.ask(f"accept {game} bob").removeprefix("= ")
        put(host, black, "1a1")
        watcher.send(f"observe {game}\n")
        assert watcher.line() == "= "
        assert server.page("readyz") == "ok\n"
        server.process.send_signal(signal.SIGTERM)
        server.log_until("draining")
        told = next(line for _ in range(9) if (line := watcher.line()).startswith("notice"))
        assert told.startswith("notice the server restarts; a game that is over within")
        assert host.ask("seek cid") == "? busy: the server is going down"
        other = server.peer()
        put(other, white, "pass")
        assert server.process.poll() is None
        put(host, black, "pass")
        assert host.rest() == b""
        assert server.process.wait(PATIENCE) == 0
        for peer in (host, watcher, other):
            peer.close()


def test_drain_ends_after_its_time_or_second_signal(tmp_path: Path) -> None:
    for seconds, signals in ((0.2, 1), (3600, 2)):
        with serving(tmp_path, "--set", f"drain={seconds}") as server:
            host = server.peer()
            game, black = offer(host)
            host.ask(f"accept {game} bob")
            put(host, black, "1a1")
            for told in ("draining", "stopped")[:signals]:
                server.process.send_signal(signal.SIGTERM)
                server.log_until(told)
            assert server.process.wait(PATIENCE) == 0
            host.close()


@pytest.mark.gate
def test_interrupt_ends_daemon_without_drain(tmp_path: Path) -> None:
    with serving(tmp_path, "--set", "drain=3600") as server:
        host = server.peer()
        game, black = offer(host)
        host.ask(f"accept {game} bob")
        put(host, black, "1a1")
        server.process.send_signal(signal.SIGINT)
        assert host.rest() == b""
        assert server.process.wait(PATIENCE) == 0
        host.close()


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
    port = listener.getsockname()[1]
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
        peer = Peer(port)
        assert peer.ask("name") == "= yoddd"
        process.send_signal(signal.SIGHUP)
        assert [manager.recv(100) for _ in range(2)] == [b"RELOADING=1", b"READY=1"]
        process.terminate()
        assert manager.recv(100) == b"STOPPING=1"
        assert peer.rest() == b""
        peer.close()
        assert process.wait(PATIENCE) == 0
        # The socket is systemd's: connections made meanwhile wait for the next daemon.
        waiting = socket.create_connection(("127.0.0.1", port), PATIENCE)
        waiting.close()


@pytest.mark.gate
def test_log_verbose_contains_no_secret(tmp_path: Path) -> None:
    with serving(tmp_path, "--verbose", "--set", "drain=0") as server:
        peer = server.peer()
        game, black = offer(peer)
        white = peer.ask(f"accept {game} bob").removeprefix("= ")
        put(peer, black, "1a1")
        peer.ask(f"put {white} nonsense")
        peer.ask("login ann s3cret-token")
        peer.send("quit\n")
        peer.rest()
        peer.close()
        server.process.terminate()
        _, log = server.process.rest()
        assert "closing 1" in log
        for secret in (black, white, "s3cret-token"):
            assert secret not in log


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param(
            "admin={}/nowhere/admin",
            "Error: admin: [Errno 2] No such file or directory",
            marks=pytest.mark.gate,
        ),
        ("admin={}/kept", "Error: admin: Couldn't listen on"),
        ('listen=["tcp:99999:interface=127.0.0.1"]', "Error: tcp:99999:interface=127.0.0.1: "),
    ],
)
def test_serve_unusable_address_is_refused_and_left_alone(
    tmp_path: Path, setting: str, said: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("no socket")
    words = ["--set", 'listen=["tcp:0:interface=127.0.0.1"]', "--set", setting.format(tmp_path)]
    command = [*YODDD, "serve", "--http", "", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(said)
    assert "Traceback" not in done.stderr
    assert kept.read_text() == "no socket"
