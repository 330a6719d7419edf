"""The requests that set an engine up, against the specification and the manual."""

from __future__ import annotations

import re

import pytest

from tests.support.js_package import ROOT
from yoddd.protocol.controller import EngineInfo
from yoddd.referee import parse_clock
from yoddd.referee.game.clock import told_settings
from yoddd.referee.game.engine_requests import EngineState, set_up
from yoddd.rules import GAMES, Colour
from yoddd.rules.game import rules_of
from yoddd.rules.games import read_described

NAMES = {
    "describe": "`describe`",
    "game": "`game`",
    "boardsize": "`boardsize`",
    "clear_board": "`clear_board`",
    "set_param memory": "`set_param memory`",
    "set_param playouts": "the parameters",
    "set_param seed": "`set_param seed`",
    "time_settings": "the clock",
    "info_lines": "`info_lines on`",
    "position": "the opening",
}
"""What E5.4 calls each request."""


@pytest.mark.parametrize("without", ["game", "boardsize"])
def test_set_up_sends_what_the_specification_says_in_its_order(
    without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = read_described((ROOT / "docs/examples/games/elea.toml").read_text())
    monkeypatch.setitem(GAMES, game.name, game)
    state = EngineState(
        rules=rules_of(game, "hex3", {}),
        control=parse_clock("60+1"),
        start=None,
        turns=[(Colour.BLACK, "1a1")],
        seed=1,
        params={"playouts": "9"},
        memory=512,
    )
    commands = frozenset({*NAMES, "set_param", "undo"} - {without})
    engine = EngineInfo(name="e", version="1", protocol="2", commands=commands)
    spec = (ROOT / "protocol" / "engine.md").read_text()
    (text,) = re.findall(r"^E5\.4\. (.*?), each only", spec, re.MULTILINE)
    sent = [request.command for request in set_up(engine, state)]
    found = [name for command in sent for name in NAMES if command.startswith(name)]
    assert len(found) == len(sent)
    assert found[-1] == "position"
    places = [text.index(NAMES[name]) for name in found]
    assert places == sorted(places)
    left_out = {"game": {"game", "describe"}, "boardsize": {"boardsize"}}
    assert set(found) == NAMES.keys() - left_out[without]


def test_manual_says_what_engines_are_told_about_clocks() -> None:
    page = (ROOT / "docs" / "reference" / "referee-law.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$", page, re.MULTILINE)
    assert len(rows) >= 6
    for text, gtp, kata in rows:
        control = parse_clock(text)
        assert told_settings(control, {"time_settings"}) == f"time_settings {gtp}"
        assert told_settings(control, {"kata-time_settings"}) == f"kata-time_settings {kata}"
