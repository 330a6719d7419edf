"""A SQLite store belongs to one daemon at a time, and to its owner alone."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, serving
from tests.daemon.stores import TOKENS, make_store
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]


def start_second(store: Path) -> subprocess.CompletedProcess[bytes]:
    command = [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", "--http", ""]
    return subprocess.run(
        [*command, "--store", str(store)], capture_output=True, timeout=PATIENCE, check=False
    )


@pytest.mark.gate
def test_store_second_daemon_is_refused_and_the_game_of_the_first_goes_on(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    store.chmod(0o644)
    link = tmp_path / "link"
    link.symlink_to(store)
    with serving("--store", str(store)) as daemon:
        ann, bob = daemon.peer(), daemon.peer()
        ann.ask(f"login ann {TOKENS['ann']}")
        bob.ask(f"login bob {TOKENS['bob']}")
        game, key = ann.ask("seek ann board=hex2 seat=b rated=yes").removeprefix("= ").split()
        assert bob.ask(f"accept {game} bob").startswith("= ")
        second = start_second(link)
        assert second.returncode != 0
        told = f"is in use by another daemon (process {daemon.process.pid})"
        assert told in second.stderr.decode()
        assert ann.ask(f"put {key} 1a1") == "= "
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("s*")} == {0o600}
        daemon.hang_up()


@pytest.mark.gate
def test_store_lock_of_a_killed_daemon_is_free(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    command = [*YODDD, "serve", "--listen", "tcp:0:interface=127.0.0.1", "--http", ""]
    with Program([*command, "--store", str(store)]) as first:
        assert first.stdout.readline().startswith("listening")
        first.kill()
    with serving("--store", str(store)) as daemon:
        daemon.check_alive()
