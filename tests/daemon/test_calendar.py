"""Games while the daemon is suspended: the simulation sets the calendar."""

from __future__ import annotations

import json
import signal
import time

import pytest

from tests.daemon.conftest import Daemon, Peer, serving

pytestmark = [pytest.mark.process, pytest.mark.whole]

CLOCK = 20
"""Seconds of each clock: long enough for what the machine takes, too."""


def two_humans(daemon: Daemon) -> tuple[Peer, str, str, Peer]:
    """A player, the keys of both, and a spectator of their game after Black's first turn."""
    peer, spectator = daemon.peer(), daemon.peer()
    game, black = peer.ask(f"seek ann board=hex3 seat=b clock={CLOCK}").split()[1:]
    white = peer.ask(f"accept {game} bob").removeprefix("= ")
    spectator.send(f"observe {game}\n")
    assert peer.ask(f"put {black} 1a1") == "= "
    return peer, black, white, spectator


def test_suspended_daemon_charges_no_player_for_it() -> None:
    with serving() as daemon:
        early, late = (two_humans(daemon) for _ in range(2))
        daemon.process.send_signal(signal.SIGSTOP)
        early[0].send(f"put {early[2]} pass\n")
        time.sleep(CLOCK + 1)
        daemon.process.send_signal(signal.SIGCONT)
        late[0].send(f"put {late[2]} pass\n")
        for peer, black, _, spectator in (early, late):
            assert peer.reply() == "= "
            assert peer.ask(f"put {black} resign") == "= "
            record = json.loads(spectator.reply().splitlines()[-1].removeprefix("record "))
            assert record["reason"] == "resign"
            assert max(record["times"]) < CLOCK
        daemon.hang_up()
