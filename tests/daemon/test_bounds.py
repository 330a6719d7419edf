"""Bounds on what one peer can take from the others: work and memory, over real sockets."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from wsproto.events import Ping

from tests.daemon.conftest import PATIENCE, Daemon, Peer, serving, until
from tests.daemon.test_websocket_vectors import Messages
from tests.support.programs import Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

FAR = "127.0.0.2"
"""An address that is not exempt in these tests."""

STRANGERS = (f"127.0.1.{last}" for last in range(1, 255))
"""More of them: each has its own share of the daemon, which no test before has spent."""

NEAR = "exempt=['127.0.0.1/32']"

MIB = 1 << 20


@contextmanager
def guarded(*limits: str) -> Iterator[Daemon]:
    """A daemon to which ``FAR`` is a stranger."""
    words = [word for limit in (NEAR, *limits) for word in ("--set", f"limits.{limit}")]
    with serving(*words) as daemon:
        yield daemon
        daemon.hang_up()


@pytest.fixture(scope="module")
def guard() -> Iterator[Daemon]:
    """A daemon to which all but 127.0.0.1 are strangers; ``ports`` has that of HTTP."""
    http = ("--http", "tcp:0:interface=127.0.0.1")
    with serving("--set", f"limits.{NEAR}", "--set", "limits.share=0.05", *http) as daemon:
        yield daemon
        daemon.hang_up()


# -- long requests --------------------------------------------------------------------------


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


def test_perft_of_large_board_takes_little_memory(daemon: Daemon) -> None:
    peer = daemon.peer()
    assert peer.ask("game yodd hex13") == "= "
    before = daemon.memory()
    peer.send("perft 99\n")
    for _ in range(20):
        time.sleep(0.1)
        assert daemon.memory() - before < 64 * MIB  # 0.4 for each of 99 depths
    peer.send("# interrupt\n")
    assert peer.reply() == "? interrupted"


# -- lines, frames and requests -------------------------------------------------------------


def output(stream: socket.socket) -> bytes:
    """Take the bytes that have arrived so far."""
    stream.setblocking(False)
    found = b""
    with suppress(BlockingIOError):
        while data := stream.recv(1 << 16):
            found += data
    stream.settimeout(PATIENCE)
    return found


def test_blank_lines_during_request_delay_no_other(guard: Daemon) -> None:
    flooder = guard.peer(next(STRANGERS))
    flooder.send("game yodd hex4\nperft 99\n")
    assert flooder.reply() == "= "
    flooder.send(b"\n" * 40_000 + b"# interrupt\n")
    assert guard.peer().ask("name") == "= yoddd"
    assert output(flooder.socket) == b""
    assert flooder.reply() == "? interrupted"


def test_websocket_pings_delay_no_other(guard: Daemon) -> None:
    flooder = Messages(guard.ports[0], next(STRANGERS))
    flooder.stream.sendall(flooder.frames.send(Ping()) * 50_000)
    assert guard.peer().ask("name") == "= yoddd"
    assert len(output(flooder.stream)) < 2 * 50_000
    flooder.stream.close()


def test_pipelined_http_requests_delay_no_other(guard: Daemon) -> None:
    source = (next(STRANGERS), 0)
    with socket.create_connection(("127.0.0.1", guard.ports[0]), PATIENCE, source) as flooder:
        flooder.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3000)
        assert guard.peer().ask("name") == "= yoddd"
        assert output(flooder).count(b"HTTP/1.1 200") < 3000


# -- matches --------------------------------------------------------------------------------


def test_openings_of_a_match_are_judged_off_the_reactor(guard: Daemon) -> None:
    matcher = guard.peer()
    opening = "1a1/1b1,2c1/" + "/".join(["pass"] * 3)
    matcher.send(f"match ann bob board=hex13 openings={';'.join(['1a1'] * 3000)}\n")
    assert guard.peer().ask("name") == "= yoddd"
    assert output(matcher.socket) == b""
    assert matcher.reply() == "= \nerror not attached: ann, bob (attached: none)"
    bad = matcher.ask(f"match ann bob board=hex13 openings={opening}")
    assert bad.startswith("? syntax error: opening 1: ")


# -- memory ---------------------------------------------------------------------------------


def test_trees_of_all_sessions_stay_within_the_budget_and_end_with_them() -> None:
    with guarded("trees=64") as daemon:
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


# -- the end --------------------------------------------------------------------------------

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
OPTIONS = ("serve", "--listen", "tcp:0:interface=127.0.0.1", "--set", "drain=0")


@pytest.mark.gate
def test_sigterm_ends_daemon_with_perft() -> None:
    with serving("--set", "drain=1") as daemon:
        peer = daemon.peer()
        peer.send("perft 99\n")
        assert daemon.peer().ask("name") == "= yoddd"
        start = time.monotonic()
        daemon.process.terminate()
        daemon.process.wait(PATIENCE)
        assert time.monotonic() - start < PATIENCE
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
