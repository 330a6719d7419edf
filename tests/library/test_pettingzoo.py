"""The environment passes PettingZoo's own tests and keeps its promises."""

from __future__ import annotations

import sys
from typing import Any

import pytest

pytest.importorskip("pettingzoo")

from gymnasium.error import DependencyNotInstalled
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as state_test
from pettingzoo.test.state_test import test_state_space as state_space_test

from yoddd.library.pettingzoo import RawEnv, env


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("game", "board"),
    [("yodd", "hex3"), ("xodd", "square3"), ("odd", "hex2"), ("yoin", "hex2"), ("product", "hex2")],
)
def test_the_api_test_of_pettingzoo_passes(game: str, board: str) -> None:
    api_test(env(game, board), num_cycles=200)


@pytest.mark.filterwarnings("ignore")
def test_the_seed_test_of_pettingzoo_passes() -> None:
    seed_test(lambda: env("yodd", "hex2"), num_cycles=30)


def make(render_mode: str | None = None) -> Any:
    return env("yodd", "hex3", render_mode=render_mode)


def test_the_render_test_of_pettingzoo_passes(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(make)
    assert capsys.readouterr().out.count("yodd hex3 ") > 5


def test_the_state_tests_of_pettingzoo_pass() -> None:
    state_space_test(make())
    state_test(env("odd", "hex2"), 20)


@pytest.mark.parametrize("mode", ["rgb", "HUMAN", ""])
def test_an_unknown_render_mode_is_refused(mode: str) -> None:
    with pytest.raises(ValueError, match=f"render_mode '{mode}': expected human, rgb_array, ansi"):
        make(mode)


def test_human_shows_each_change_once(capsys: pytest.CaptureFixture[str]) -> None:
    game = make("human")
    game.reset()
    game.step(9)
    game.step(0)
    texts = capsys.readouterr().out.split("\n\n")
    assert [text.splitlines()[-1] for text in texts[:-1]] == [
        "yodd hex3 3/4/5/4/3 b 0 1",
        "yodd hex3 3/4/2b2/4/3 w 0 2",
        "yodd hex3 3/4/2b2/4/3 w 0 2 1a1,",
    ]
    assert [text.count("X") for text in texts[:-1]] == [0, 1, 2]


def test_rgb_array_shows_the_first_stone_of_a_turn() -> None:
    game = make("rgb_array")
    game.reset()
    pictures = [game.render()]
    for action in (9, 0):
        game.step(action)
        pictures.append(game.render())
    assert {picture.shape for picture in pictures} == {pictures[0].shape}
    assert len({picture.tobytes() for picture in pictures}) == 3


def test_rgb_array_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    game = make("rgb_array")
    game.reset()
    with pytest.raises(DependencyNotInstalled, match=r"install .*\[png\]'"):
        game.render()


def test_state_is_the_observation_of_both_agents() -> None:
    game = make()
    game.reset()
    for agent in game.possible_agents:
        assert (game.state() == game.observe(agent)["observation"]).all()
    assert game.state_space.contains(game.state())


def test_an_agent_is_on_turn_for_both_of_its_stones() -> None:
    game = RawEnv("yodd", "hex3", render_mode="ansi")
    game.reset()
    game.step(9)
    assert game.agent_selection == "player_1"
    assert game.observe("player_0")["action_mask"].sum() == 0
    game.step(0)
    assert game.agent_selection == "player_1"
    assert str(game.render()).endswith(" 1a1,")


def test_the_winner_is_rewarded_and_both_leave() -> None:
    game = RawEnv("yodd", "hex2")
    game.reset()
    for action in (3, game.game.actions.pass_, game.game.actions.pass_):
        game.step(action)
    assert game.rewards == {"player_0": -1.0, "player_1": 1.0}
    assert all(game.terminations.values())
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(0)
    for _ in range(2):
        game.step(None)
    assert game.agents == []
    game.close()


def test_an_illegal_action_loses_and_none_is_no_action() -> None:
    guarded = env("yodd", "hex2")
    guarded.reset()
    guarded.step(guarded.unwrapped.game.actions.pass_)
    assert guarded.rewards["player_0"] == -1
    raw = RawEnv("yodd", "hex2")
    raw.reset()
    with pytest.raises(ValueError, match="has to act"):
        raw.step(None)
