"""Analysis and time controls over a real socket."""

from __future__ import annotations

import pytest

from tests.daemon.conftest import Peer

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
