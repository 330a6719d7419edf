"""The table of who may set what in a match that a daemon plays."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from yoddd.referee.adjudication import Adjudication
from yoddd.referee.config import ConfigError, EngineConfig, OpeningsConfig, TournamentConfig
from yoddd.referee.game_setup import WaitLimits
from yoddd.referee.openings import Opening
from yoddd.referee.plan import Adjudicate, Format, OnCrash
from yoddd.referee.setting_rights import (
    RIGHTS,
    Setter,
    check_at_daemon,
    engine_leaves,
    leaves,
    refusal,
)

ENGINES = (EngineConfig(engine="tcp:ann"), EngineConfig(engine="tcp:bob"))


def test_rights_cover_each_key_of_a_tournament_once() -> None:
    keys = [name for name, _, _ in leaves(TournamentConfig())]
    keys += [name for name, _, _ in engine_leaves(EngineConfig())]
    assert sorted(keys) == sorted(RIGHTS)


def test_rights_that_a_peer_lacks_have_a_reason() -> None:
    for key, right in RIGHTS.items():
        assert bool(right.why) is (right.setter is not Setter.PEER), key


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("adjudication.solve", {"adjudication": Adjudication(solve=5)}),
        ("adjudicate", {"adjudicate": Adjudicate.TABLES}),
        ("concurrency", {"concurrency": 2}),
        ("affinity", {"affinity": True}),
        ("listen", {"listen": "tcp:0"}),
        ("attempts", {"attempts": 2}),
        ("format", {"format": Format.KNOCKOUT}),
        ("rounds", {"rounds": 2}),
        ("limits.reply", {"limits": WaitLimits(reply=1)}),
        ("limits.launch", {"limits": WaitLimits(launch=1)}),
        ("limits.move", {"limits": WaitLimits(move=1)}),
        ("engine.memory", {"engine": (attrs.evolve(ENGINES[0], memory=5), ENGINES[1])}),
        ("engine.restart", {"engine": (ENGINES[0], attrs.evolve(ENGINES[1], restart=True))}),
    ],
)
def test_check_at_daemon_refuses_a_setting_for_runs_with_its_reason(
    key: str, settings: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError) as refused:
        check_at_daemon(TournamentConfig(**{"engine": ENGINES, **settings}))
    assert str(refused.value) == refusal(key, RIGHTS[key])
    assert refusal(key, RIGHTS[key]).startswith(f"{key}: not in a match that a daemon plays: ")


def test_check_at_daemon_takes_what_peers_and_clients_may_set() -> None:
    config = TournamentConfig(
        engine=(attrs.evolve(ENGINES[0], params={"playouts": "5"}), EngineConfig(engine="./bot")),
        name="cup",
        pairs=3,
        seed=5,
        opening=(Opening(("1a1",)),),
        openings=OpeningsConfig(generate=3),
        adjudication=Adjudication(turns=9, agree=5),
        limits=WaitLimits(resume=5, absence=9),
        on_crash=OnCrash.VOID,
        wait=9,
    )
    check_at_daemon(config)


def test_check_at_daemon_refuses_three_engines() -> None:
    with pytest.raises(ConfigError, match="daemon: 3 engines, expected two"):
        check_at_daemon(TournamentConfig(engine=(*ENGINES, EngineConfig(engine="tcp:cid"))))
