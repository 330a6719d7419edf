"""Analysis and time controls over a real socket."""

from __future__ import annotations

import time

import pytest

from tests.daemon.conftest import PATIENCE, Peer

pytestmark = [pytest.mark.process, pytest.mark.whole]


@pytest.mark.gate
def test_analysis_streams_until_next_line(peer: Peer) -> None:
    peer.ask("set_param engine uct")
    peer.send("5 kata-analyze b 5 maxmoves 2\n")
    assert peer.line() == "=5 "
    first, second = peer.line(), peer.line()
    assert first.startswith("info move ")
    assert second.count("info move ") == 2
    peer.send("6 name\n")
    rest = peer.reply()
    assert all(line.startswith("info move ") for line in rest.splitlines())
    assert peer.reply() == "=6 yoddd"


def test_analysis_ends_at_its_time_limit(peer: Peer) -> None:
    begun = time.monotonic()
    said = peer.ask("analyze b 1 maxtime=0.3").splitlines()
    assert said[0] == "= "
    assert said[-1].startswith("info move ")
    assert time.monotonic() - begun < PATIENCE
    assert peer.ask("history") == "= "


def test_genmove_analyze_reports_and_plays_its_turn(peer: Peer) -> None:
    peer.ask("game yodd hex3")
    *_, last = peer.ask("genmove_analyze b maxtime=0.2").splitlines()
    assert last.startswith("play ")
    assert peer.ask("history") == "= " + last.removeprefix("play ")


def test_time_control_ends_search(peer: Peer) -> None:
    peer.ask("game yodd hex6")
    peer.ask("set_param engine uct")
    peer.ask("kata-time_settings byoyomi 0 0.5 1")
    begun = time.monotonic()
    assert peer.ask("genmove b").startswith("= ")
    assert 0.3 < time.monotonic() - begun < PATIENCE
