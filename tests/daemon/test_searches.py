"""Many who want a turn at once, over real sockets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.daemon.conftest import Daemon, Peer, serving

pytestmark = pytest.mark.process

ENDLESS = "game yodd hex6\nset_param playouts 10000000\ngenmove\n"


@pytest.fixture
def narrow() -> Iterator[Daemon]:
    """A daemon with one search at a time and two that may wait."""
    with serving("--threads", "1", "--queue", "2") as daemon:
        yield daemon
        daemon.hang_up()


def think_for_ever(daemon: Daemon) -> Peer:
    """A peer whose search has begun, for it says so."""
    peer = daemon.peer()
    peer.send("game yodd hex6\nset_param playouts 10000000\ngenmove_analyze b 5\n")
    assert [peer.reply(), peer.reply()] == ["= ", "= "]
    assert peer.line() == "= "
    assert peer.line().startswith("info move ")
    return peer


@pytest.mark.slow
def test_a_hundred_clients_all_get_their_answers(daemon: Daemon) -> None:
    peers = [daemon.peer() for _ in range(100)]
    for peer in peers:
        peer.send("game yodd hex3\nset_param playouts 300\ngenmove\ngenmove\nhistory\n")
    for peer in peers:
        assert [peer.reply(), peer.reply()] == ["= ", "= "]
        first, second, history = (peer.reply().removeprefix("= ") for _ in range(3))
        assert history == f"{first} {second}"


def test_who_has_had_a_turn_waits_behind_those_who_have_not(narrow: Daemon) -> None:
    running = think_for_ever(narrow)
    greedy, modest = narrow.peer(), narrow.peer()
    for peer in (greedy, modest):
        peer.send("game yodd hex3\nset_param playouts 50\n")
        assert [peer.reply(), peer.reply()] == ["= ", "= "]
    greedy.send("genmove\ngenmove\n")
    assert narrow.peer().ask("name") == "= yoddd"
    modest.send("genmove\n")
    assert narrow.peer().ask("name") == "= yoddd"
    running.send("\n")
    assert running.reply().splitlines()[-1].startswith("play ")
    assert [peer.reply()[:2] for peer in (greedy, modest, greedy)] == ["= ", "= ", "= "]


def test_beyond_the_queue_the_answer_is_busy_and_the_rest_is_served(narrow: Daemon) -> None:
    running = think_for_ever(narrow)
    waiting = [narrow.peer() for _ in range(2)]
    for peer in waiting:
        peer.send(ENDLESS)
        assert [peer.reply(), peer.reply()] == ["= ", "= "]
    late = narrow.peer()
    assert late.ask("genmove") == "? busy: 2 searches wait already"
    assert late.ask("genmove_analyze b 5") == "= \nerror busy: 2 searches wait already"
    assert late.ask("history") == "= "
    assert late.ask("quit") == "= "
    assert late.rest() == b""
    waiting.pop().close()
    running.send("\n")
    assert running.reply().splitlines()[-1].startswith("play ")
    waiting[0].send("# interrupt\n")
    assert waiting[0].reply().startswith("= ")


def test_a_running_search_ends_when_its_peer_leaves(narrow: Daemon) -> None:
    think_for_ever(narrow)
    narrow.hang_up()
    patient = narrow.peer()
    patient.send("game yodd hex3\nset_param playouts 50\ngenmove\n")
    assert [patient.reply()[:2] for _ in range(3)] == ["= "] * 3


def test_an_interrupt_is_answered_with_the_best_turn_so_far(narrow: Daemon) -> None:
    peer = narrow.peer()
    peer.send(ENDLESS + "history\n# interrupt\n")
    assert [peer.reply(), peer.reply()] == ["= ", "= "]
    turn = peer.reply()
    assert peer.reply() == turn
    assert turn not in {"= ", "= pass", "= resign"}
