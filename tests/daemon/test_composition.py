"""The composition root: contradicting settings, and what the parts share."""

from __future__ import annotations

from typing import Any, cast

import pytest
from twisted.internet.testing import MemoryReactorClock

from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import LadderSettings, Settings
from yoddd.daemon.base.world import World
from yoddd.daemon.composition import compose
from yoddd.daemon.net.listeners import ListenError
from yoddd.protocol.errors import PeerError
from yoddd.protocol.origin import Origin

pytestmark = pytest.mark.gate


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"login": True}, "`login` needs a `store`"),
        ({"ladder": LadderSettings(concurrency=1)}, "a ladder needs a `store`"),
        (
            {"ladder": LadderSettings(concurrency=1, clock="fast"), "store": "games.db"},
            "ladder: ",
        ),
        ({"store": "carrier-pigeon://"}, "store: "),
    ],
)
def test_compose_refuses_settings_that_cannot_work(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(ListenError, match=problem):
        compose(World(cast("Reactor", MemoryReactorClock())), CurrentSettings(Settings(**keys)))


def test_compose_without_a_store_has_no_accounts_and_no_ladder() -> None:
    clock = MemoryReactorClock()
    built = compose(World(cast("Reactor", clock)), CurrentSettings())
    assert (built.ledger, built.ladder) == (None, None)
    assert built.services.session.services.accounts is None
    assert built.services.attach_gate is None
    assert built.services.session_config().services.login_required is False
    assert clock.getDelayedCalls() == []


def test_compose_shares_engines_games_and_limits() -> None:
    built = compose(World(cast("Reactor", MemoryReactorClock())), CurrentSettings())
    services, games = built.services, built.games
    assert services.engines is games.engines
    assert services.session.services.lobby is built.lobby
    assert set(services.streams) == {"match", "observe"}
    games.start_gate.close("closed by the test")
    with pytest.raises(PeerError, match="closed by the test"):
        built.lobby.seek(Origin(), "ann", {})
