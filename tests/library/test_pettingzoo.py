"""The environment passes PettingZoo's own tests and keeps its promises."""

from __future__ import annotations

import copy
import warnings

import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from yoddd.library.pettingzoo import RawEnv, env


@pytest.mark.parametrize(
    ("game", "board"),
    [
        ("yodd", "hex3"),
        ("xodd", "square3"),
        ("odd", "hex2"),
        ("yoin", "hex2"),
        ("product", "hex2"),
    ],
)
def test_the_api_test_of_pettingzoo_passes(game: str, board: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(game, board), num_cycles=200)


def test_the_seed_test_of_pettingzoo_passes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed_test(lambda: env("yodd", "hex2"), num_cycles=30)


def test_an_agent_is_on_turn_for_both_of_its_stones() -> None:
    game = RawEnv("yodd", "hex3", render_mode="ansi")
    game.reset()
    game.step(9)
    assert game.agent_selection == "player_1"
    assert game.observe("player_0")["action_mask"].sum() == 0
    game.step(0)
    assert game.agent_selection == "player_1"
    assert str(game.render()).endswith(" 1a1,")


def test_an_environment_is_rendered_in_the_mode_that_it_was_made_with() -> None:
    shown, silent = env("odd", "hex2", render_mode="ansi"), env("odd", "hex2")
    for game in (shown, silent):
        game.reset()
    assert shown.render() == "odd hex2 2/3/2 b 0 1"
    assert silent.render() is None


def test_copy_of_an_environment_is_independent() -> None:
    game = env("odd", "hex2", {"min_group": 3})
    game.reset()
    game.step(0)
    twin = copy.deepcopy(game)
    twin.step(1)
    assert (game.agent_selection, twin.agent_selection) == ("player_1", "player_0")


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
