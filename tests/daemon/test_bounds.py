"""Work and memory of searches that do not end, and the end of a daemon with such a search."""

from __future__ import annotations

import sys

import pytest

from tests.daemon.conftest import PATIENCE, YODDD, Daemon, Peer, serving, until
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

MIB = 1 << 20


@pytest.mark.gate
def test_perft_without_end_is_interrupted_and_delays_no_search(daemon: Daemon) -> None:
    monster, other = daemon.peer(), daemon.peer()
    monster.send("game yodd hex4\nperft 99\n")
    assert monster.reply() == "= "
    assert daemon.peer().ask("name") == "= yoddd"
    monster.send("# interrupt\n")
    assert monster.reply() == "? interrupted"
    other.send("game yodd hex3\nset_param playouts 50\ngenmove\n")
    assert [other.reply()[:2] for _ in range(3)] == ["= "] * 3


@pytest.mark.gate
def test_gtp_quit_while_pondering_writes_no_error() -> None:
    with Program([*YODDD, "gtp"], stdin=True) as process:
        process.stdin.write("set_param playouts 50\nset_param ponder on\ngenmove\n")
        assert any(line.startswith(("= 1", "= 2")) for line in process.stdout)
        process.stdin.write("name\nquit\n")
        _, said = process.rest()
    assert (process.returncode, said) == (0, "")


def test_trees_of_all_sessions_stay_within_the_budget_and_end_with_them() -> None:
    with serving("--set", "limits.trees=64") as daemon:
        peers = [daemon.peer() for _ in range(12)]
        before = daemon.memory()
        for peer in peers:
            peer.send("game yodd hex6\nset_param memory 32\nset_param playouts 4000\ngenmove\n")
        for peer in peers:
            assert [peer.reply()[:2] for _ in range(4)] == ["= "] * 4
        assert daemon.memory() - before < 96 * MIB
        for peer in peers:
            peer.send("analyze 50\n")
        for peer in peers:  # each has had a slice of its own
            assert peer.line() == "= "
            assert peer.line().startswith("info ")
        assert daemon.memory() - before < 96 * MIB
        daemon.hang_up()
        until(lambda: daemon.memory() - before < 24 * MIB)


STUCK = """
import sys, time
from yoddd.engine import ENGINES
class Stuck:
    name = "stuck"
    def search(self, position, budget, seed, stop):
        while True:
            pass
ENGINES["stuck"] = Stuck
from yoddd.cli.main import main
sys.argv = ["yoddd", *sys.argv[1:]]
main()
"""
OPTIONS = ("serve", "--listen", "tcp:0:interface=127.0.0.1", "--no-http", "--set", "drain=0")


@pytest.mark.gate
def test_sigterm_ends_daemon_with_perft() -> None:
    with serving("--set", "drain=1") as daemon:
        peer = daemon.peer()
        peer.send("perft 99\n")
        assert daemon.peer().ask("name") == "= yoddd"
        daemon.process.terminate()
        assert daemon.process.wait(PATIENCE) == 0
        daemon.hang_up()


def test_sigterm_ends_daemon_whose_engine_never_returns() -> None:
    with Program([sys.executable, "-c", STUCK, *OPTIONS]) as process:
        port = int(process.stdout.readline().split(":")[1])
        stuck, other = Peer(port), Peer(port)
        assert stuck.ask("set_param engine stuck") == "= "
        stuck.send("genmove\n")
        assert other.ask("name") == "= yoddd"
        stuck.send("# interrupt\n")
        assert stuck.reply() == "? engine failed"
        other.send("set_param playouts 50\ngenmove\n")
        assert [other.reply()[:2], other.reply()[:2]] == ["= ", "= "]
        process.terminate()
        _, errors = process.rest()
    assert process.returncode == 0
    assert "has not returned" in errors
    for peer in (stuck, other):
        peer.close()


def test_sigterm_ends_daemon_that_is_blocked() -> None:
    program = STUCK.replace(
        "from yoddd.cli.main",
        "import yoddd.daemon.serve as s; s.GRACE = 1.0\n"
        "from yoddd.daemon.lifecycle import PoolService\n"
        "PoolService.stop = lambda self: time.sleep(1000)\nfrom yoddd.cli.main",
    )
    with Program([sys.executable, "-c", program, *OPTIONS]) as process:
        process.stdout.readline()
        process.terminate()
        _, errors = process.rest()
    assert process.returncode == 1
    assert "Timeout" in errors
