"""The daemon and a match below the filter of a container.

tests/test_walk.py has the same facts below the filter of the unit.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import ENGINE_COMMAND, PATIENCE, YODDD, serving
from tests.support import seccomp

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
]

CUP = """
name = "Cup"
board = "hex3"
affinity = true
clock = "600"
[each]
memory = 1024
cpu = 60
files = 100
{more}
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
SLICES = """
from yoddd.daemon.base.process.reactor_runner import request_short_slices
print(request_short_slices())
"""
LIMITED = [sys.executable, seccomp.__file__]
"""The words that run a command below the filter."""


def run(words: list[str]) -> str:
    """The output of a program, which has to succeed."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_filter_refuses_with_an_error_what_nothing_else_would() -> None:
    # Without it the first call succeeds, and the second has a bad address.
    text = run([*LIMITED, sys.executable, "-c", REFUSED])
    assert text.split() == ["EPERM", "EPERM"]


def test_short_slices_are_granted_as_without_a_filter() -> None:
    words = [sys.executable, "-c", SLICES]
    assert run([*LIMITED, *words]) == run(words)


def test_daemon_serves_searches_and_stops(tmp_path: Path) -> None:
    paths = ["--store", str(tmp_path / "store"), "--set", f"admin={tmp_path / 'admin'}"]
    with serving("--http", "tcp:0:interface=127.0.0.1", *paths, below=LIMITED) as daemon:
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
        admin = [*YODDD, "admin", "--socket", str(tmp_path / "admin")]
        assert "tcp" in run([*admin, "list"])
        assert run([*admin, "broadcast", "tea", "is ready"]) == "told 0\n"
        daemon.hang_up()


def test_match_is_played_within_the_limits_that_can_be_kept(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    engine = shlex.join(ENGINE_COMMAND)
    gtp = shlex.join([*YODDD, "gtp", "--board", "hex3"])
    words = [*LIMITED, *YODDD, "tournament", str(file), "--out", str(tmp_path / "run")]
    file.write_text(CUP.format(engine=engine, gtp=gtp, more="processes = 50"), encoding="utf-8")
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "cannot limit processes: the system allows neither PID namespaces" in done.stderr
    file.write_text(CUP.format(engine=engine, gtp=gtp, more=""), encoding="utf-8")
    run(words)
    records = (tmp_path / "run" / "games.jsonl").read_text(encoding="utf-8").splitlines()
    reasons = [json.loads(line)["reason"] for line in records]
    assert len(reasons) == 2
    assert set(reasons) <= {"groups", "resign"}, reasons
