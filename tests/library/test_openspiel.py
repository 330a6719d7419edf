"""OpenSpiel's own searches and bots, unmodified, on `State` and `GameType`."""

from __future__ import annotations

import random
import sys
from itertools import count
from typing import Any

import pytest

from tests.support.games import SMALL_RULES, rules_id
from yoddd.extras import ExtraMissing
from yoddd.kernel import solve
from yoddd.library import GameType, State
from yoddd.notation import NotationError
from yoddd.rules import Rules, make_rules

cases = pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)


def random_state(rules: Rules, seed: int, left: int = 0) -> State:
    """A state of a random game, with at most ``left`` empty cells if that is given."""
    rng = random.Random(seed)
    state = GameType(rules).new_initial_state()
    for _ in range(6 if not left else 99):
        empty = state._position.cells.count(None)
        if state.is_terminal() or (left and empty <= left and state._first is None):
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


# -- with OpenSpiel ---------------------------------------------------------------------------


def searches() -> tuple[Any, Any]:
    names = ("mcts", "minimax")
    mcts, minimax = (pytest.importorskip(f"open_spiel.python.algorithms.{name}") for name in names)
    return mcts, minimax


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("game", "board"),
    [("yodd", "hex2"), ("xodd", "square3"), ("odd", "hex2"), ("yoin", "hex2"), ("product", "hex2")],
)
def test_openspiel_alpha_beta_finds_the_value_of_the_solver(
    game: str, board: str, seed: int
) -> None:
    _, minimax = searches()
    rules = make_rules(game, board, {"pie": "off"} if game == "yoin" else {})
    states = (random_state(rules, number, 4) for number in count(1000 * seed))
    state = next(state for state in states if not state.is_terminal())
    value, action = minimax.alpha_beta_search(
        state.get_game(), state=state, maximum_depth=40, value_function=lambda _: 0.0
    )
    assert action in state.legal_actions()
    winner = solve(state._position).winner
    mover = state._position.player
    assert value == (1.0 if winner is mover else -1.0)


def test_openspiel_mcts_proves_a_won_endgame_and_describes_its_search() -> None:
    mcts, _ = searches()
    import numpy as np

    state = random_state(make_rules("odd", "hex2"), 3, 2)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(2))
    bot = mcts.MCTSBot(state.get_game(), 2.0, 300, evaluator, solve=True)
    root = bot.mcts_search(state)
    assert root.outcome is not None
    assert root.children_str(state)
    policy, action = bot.step_with_policy(state)
    assert dict(policy)[action] == 1.0


def test_get_type_is_that_of_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel")
    found = GameType(make_rules("yoin", "hex2")).get_type()
    assert isinstance(found, pyspiel.GameType)
    assert (found.short_name, found.long_name) == ("yoddd_yoin", "Yoin")


# -- without it -------------------------------------------------------------------------------


def test_get_type_without_openspiel_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ExtraMissing, match=r"install .*(\[openspiel\]|open_spiel.*)'"):
        GameType(make_rules("yodd", "hex2")).get_type()


def test_game_has_the_constants_of_a_game_of_openspiel() -> None:
    game = GameType(make_rules("odd", "hex2", {"min_group": 2}))
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1.0, 1.0, 0.0)
    assert game.observation_tensor_size() == 6 * 3 * 3
    assert game.policy_tensor_shape() == (16,)
    assert game.get_parameters() == {"game": "odd", "board": "hex2", "min_group": "2"}


@cases
def test_state_has_the_methods_of_a_state_of_openspiel(rules: Rules) -> None:
    state = random_state(rules, 5)
    mover = state.current_player()
    assert state.legal_actions(mover) == state.legal_actions()
    assert state.legal_actions(1 - mover) == []
    assert sum(state.legal_actions_mask(1 - mover)) == 0
    for action in state.legal_actions():
        assert state.action_to_string(mover, action) == state.action_to_string(action)
        text = state.action_to_string(action)
        assert state.string_to_action(mover, text) == state.string_to_action(text) == action
    with pytest.raises(ValueError, match="'1z9' is no legal action"):
        state.string_to_action("1z9")
    assert not state.is_chance_node()
    assert not state.is_simultaneous_node()
    assert state.is_player_node()
    assert state.chance_outcomes() == []
    assert state.observation_tensor(0) == state.observation_tensor(1) == state.observation_tensor()
    assert state.observation_string(0) == str(state)
    assert state.information_state_string(0) == state.history_str()
    assert state.history_str() == ", ".join(map(str, state.history()))
    assert (state.num_players(), state.num_distinct_actions()) == (2, state.game.actions.size)
    assert (state.move_number(), state.is_initial_state()) == (len(state.history()), False)
    assert state.get_game() is state.game


@cases
def test_undo_action_with_player_and_action_undoes_that_one(rules: Rules) -> None:
    state = random_state(rules, 5)
    before, mover, action = str(state), state.current_player(), state.legal_actions()[0]
    state.apply_action(action)
    with pytest.raises(ValueError, match="is not the last one"):
        state.undo_action(mover, -1)
    assert state.undo_action(mover, action) == action
    assert str(state) == before


def test_returns_of_one_player_are_those_of_the_list() -> None:
    state = random_state(make_rules("odd", "hex2"), 1, 1)
    assert [state.player_return(0), state.player_reward(1)] == [0.0, 0.0]
    state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert [state.player_return(player) for player in (0, 1)] == state.returns() == state.rewards()
    assert not state.is_player_node()


@cases
@pytest.mark.parametrize("seed", range(3))
def test_serialized_state_is_restored(rules: Rules, seed: int) -> None:
    state = random_state(rules, seed)
    again = state.game.deserialize_state(state.serialize())
    assert (str(again), again.history()) == (str(state), state.history())
    assert again.serialize() == state.serialize()


def test_deserialize_state_refuses_another_game_and_illegal_actions() -> None:
    game, other = GameType(make_rules("odd", "hex2")), GameType(make_rules("odd", "hex3"))
    with pytest.raises(NotationError, match="another game"):
        other.deserialize_state(game.new_initial_state().serialize())
    for text in ("\n99", "\nx"):
        with pytest.raises(ValueError, match=r"not legal now|invalid literal"):
            game.deserialize_state(game.new_initial_state().serialize() + text)
