"""The daemon, a match, and a controller's engine below the filters of the files of docs/deploy."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import ENGINE_COMMAND, PATIENCE, YODDD, Peer, serving
from tests.support import seccomp
from tests.support.programs import Program

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
]

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "docs" / "deploy" / "yoddd.service"
CUP = """
name = "Cup"
board = "hex3"
affinity = true
clock = "600"
[each]
memory = 1024
cpu = 60
files = 100
processes = 50
[[engine]]
engine = "{engine}"
name = "one"
[[engine]]
engine = "{gtp}"
name = "two"
params = {{ seconds = 0.1 }}
"""
REFUSED = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: libc.unshare(0), lambda: libc.swapoff(None)):
    call()
    print(errno.errorcode[ctypes.get_errno()])
"""
# As systemd does it: the socket is number 3, and the process is told its own id.
ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="text")
os.execv(sys.argv[2], sys.argv[2:])
"""
ACTIVATED = [*YODDD, "serve", "--listen", "systemd:domain=INET:name=text", "--no-http"]
SLICES = """
from yoddd.daemon.base.scheduling import request_short_slices
print(request_short_slices())
"""


def below(name: str | Path) -> list[str]:
    return [sys.executable, seccomp.__file__, str(name)]


@pytest.fixture(params=["unit", "container"])
def limited(request: pytest.FixtureRequest) -> list[str]:
    """The words that run a command below a filter."""
    if request.param == "container":
        return below(seccomp.DOCKER)
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd")
    return below(UNIT)


def run(words: list[str], given: str = "") -> str:
    """The output of a program, which has to succeed."""
    done = subprocess.run(
        words, input=given, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_filter_of_unit_refuses_with_an_error_and_ends_nothing() -> None:
    assert seccomp.unit_keys(UNIT)["SystemCallErrorNumber"] == ["EPERM"]


def test_filter_refuses_what_nothing_else_would(limited: list[str]) -> None:
    # Without it the first call succeeds, and the second has a bad address.
    text = run([*limited, sys.executable, "-c", REFUSED])
    assert text.split() == ["EPERM", "EPERM"]


def test_short_slices_are_granted_as_without_a_filter(limited: list[str]) -> None:
    words = [sys.executable, "-c", SLICES]
    assert run([*limited, *words]) == run(words)


@pytest.mark.parametrize("has_store", [False, True], ids=["memory", "store"])
def test_daemon_serves_searches_and_stops(
    limited: list[str], tmp_path: Path, *, has_store: bool
) -> None:
    store = ["--store", str(tmp_path / "store")] if has_store else []
    options = ["--http", "tcp:0:interface=127.0.0.1", "--set", f"admin={tmp_path / 'admin'}"]
    with serving(*options, *store, below=limited) as daemon:
        peer = daemon.peer()
        assert peer.ask("boardsize 4") == "= "
        assert peer.ask("set_param seconds 0.2") == "= "
        assert peer.ask("genmove b").startswith("= ")
        game, key = peer.ask("seek ann board=hex3 seat=b").removeprefix("= ").split()
        other = daemon.peer().ask(f"accept {game} bob").removeprefix("= ")
        assert peer.ask(f"put {key} 1c1") == "= "
        assert peer.ask(f"put {other} resign") == "= "
        with urlopen(f"http://127.0.0.1:{daemon.ports[0]}/healthz", timeout=PATIENCE) as page:
            assert page.read() == b"ok\n"
        assert "tcp" in run([*YODDD, "admin", "--socket", str(tmp_path / "admin"), "list"])
        daemon.hang_up()


def test_daemon_takes_the_socket_of_the_other_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd")
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "notify"))
    manager.settimeout(PATIENCE)
    with socket.create_server(("127.0.0.1", 0)) as listener, manager:
        with Program(
            [sys.executable, "-c", ACTIVATE, str(listener.fileno()), *below(UNIT), *ACTIVATED],
            env={**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify")},
            pass_fds=[listener.fileno()],
        ) as daemon:
            assert manager.recv(100) == b"READY=1"
            peer = Peer(listener.getsockname()[1])
            assert peer.ask("name") == "= yoddd"
            peer.close()
            daemon.terminate()
            _, errors = daemon.rest()
        assert daemon.returncode == 0, errors


def test_match_with_limits_is_played(limited: list[str], tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    engine = shlex.join(ENGINE_COMMAND)
    gtp = shlex.join([*YODDD, "gtp", "--board", "hex3"])
    file.write_text(CUP.format(engine=engine, gtp=gtp), encoding="utf-8")
    run([*limited, *YODDD, "tournament", str(file), "--out", str(tmp_path / "run")])
    records = (tmp_path / "run" / "games.jsonl").read_text(encoding="utf-8").splitlines()
    reasons = [json.loads(line)["reason"] for line in records]
    assert len(reasons) == 2
    assert set(reasons) <= {"groups", "resign"}, reasons


def test_engine_of_a_controller_searches(limited: list[str]) -> None:
    text = run(
        [*limited, *YODDD, "gtp", "--board", "hex4"], "set_param seconds 0.2\ngenmove b\nquit\n"
    )
    set_up, turn, end = text.split("\n\n")[:3]
    assert (set_up, end) == ("= ", "= ")
    assert len(turn) > len("= ")
