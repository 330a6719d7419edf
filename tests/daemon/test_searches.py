"""Many searches at once, over real sockets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from tests.daemon.conftest import Daemon, Peer, serving, until
from tests.support.programs import YODDD, Program

pytestmark = [pytest.mark.process, pytest.mark.whole]

ENDLESS = "game yodd hex6\nset_param playouts 10000000\ngenmove\n"


@pytest.fixture(scope="module")
def narrow_daemon() -> Iterator[Daemon]:
    with serving("--threads", "1", "--queue", "2") as daemon:
        yield daemon


@pytest.fixture
def narrow(narrow_daemon: Daemon) -> Iterator[Daemon]:
    """A daemon with one search at a time and two that may wait; none is left by a test before."""
    yield narrow_daemon
    narrow_daemon.hang_up()
    peer = narrow_daemon.peer()
    assert peer.ask("game yodd hex2") == "= "
    assert peer.ask("set_param playouts 1") == "= "
    until(lambda: peer.ask("genmove").startswith("= "))  # not before all others have ended
    narrow_daemon.hang_up()


def endless_search(daemon: Daemon) -> Peer:
    """A peer whose search without end has begun, as its first report shows."""
    peer = daemon.peer()
    peer.send("game yodd hex6\nset_param playouts 10000000\ngenmove_analyze b 5\n")
    assert [peer.reply(), peer.reply()] == ["= ", "= "]
    assert peer.line() == "= "
    assert peer.line().startswith("info move ")
    return peer


def test_searches_of_hundred_clients_are_all_answered(daemon: Daemon) -> None:
    peers = [daemon.peer() for _ in range(100)]
    for peer in peers:
        peer.send("game yodd hex3\nset_param playouts 300\ngenmove\ngenmove\nhistory\n")
    for peer in peers:
        assert [peer.reply(), peer.reply()] == ["= ", "= "]
        first, second, history = (peer.reply().removeprefix("= ") for _ in range(3))
        assert history == f"{first} {second}"


@pytest.mark.gate
def test_search_of_closed_connection_ends(narrow: Daemon) -> None:
    endless_search(narrow)
    narrow.hang_up()
    patient = narrow.peer()
    patient.send("game yodd hex3\nset_param playouts 50\ngenmove\n")
    assert [patient.reply()[:2] for _ in range(3)] == ["= "] * 3


@pytest.mark.gate
def test_interrupt_is_answered_with_best_turn(narrow: Daemon) -> None:
    peer = narrow.peer()
    peer.send(ENDLESS + "history\n# interrupt\n")
    assert [peer.reply(), peer.reply()] == ["= ", "= "]
    turn = peer.reply()
    assert peer.reply() == turn
    assert turn not in {"= ", "= pass", "= resign"}


@pytest.fixture
def gtp() -> Iterator[Callable[[str], str]]:
    """Asks a ``yoddd gtp``."""
    with Program([*YODDD, "gtp"], stdin=True) as process:

        def ask(request: str) -> str:
            process.stdin.write(f"{request}\n")
            lines: list[str] = []
            while "\n" not in lines:
                lines.append(process.stdout.readline())
                assert lines[-1], process.error_text()
            return "".join(lines).rstrip("\n")

        yield ask


GAME = (
    "game odd hex4",
    "set_param playouts 50",
    "set_param seed 1",
)


def visits_after_a_pause(ask: Callable[[str], str], reply: str, requests: int) -> int:
    """Visits of a search of 50 playouts for the third turn, so many requests after the first turn.

    Requests that leave the position alone leave pondering alone.
    """
    ask("clear_board")
    ask("genmove")
    for _ in range(requests):
        assert ask("name") == "= yoddd"
    assert ask(f"play w {reply}") == "= "
    found = re.findall(r"rootInfo visits (\d+)", ask("genmove_analyze b rootInfo true"))
    return int(found[-1])


def check_pondering(ask: Callable[[str], str]) -> None:
    for line in GAME:
        assert ask(line) == "= "
    ask("genmove")
    reply = ask("reg_genmove").removeprefix("= ")
    assert visits_after_a_pause(ask, reply, 100) < 200
    assert ask("set_param ponder on") == "= "
    # For as long as it takes, each time twice as long.
    requests = 10
    while visits_after_a_pause(ask, reply, requests) < 1000:
        requests *= 2
        assert requests < 100_000


def test_gtp_pondering_counts_for_next_turn(gtp: Callable[[str], str]) -> None:
    check_pondering(gtp)


@pytest.mark.gate
def test_gtp_quit_while_pondering_writes_no_error() -> None:
    with Program([*YODDD, "gtp"], stdin=True) as process:
        process.stdin.write("set_param playouts 50\nset_param ponder on\ngenmove\n")
        assert any(line.startswith(("= 1", "= 2")) for line in process.stdout)
        process.stdin.write("name\nquit\n")
        _, said = process.rest()
    assert (process.returncode, said) == (0, "")
