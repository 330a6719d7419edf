"""The registered games pass OpenSpiel's own tests and are played by its algorithms."""

from __future__ import annotations

import unittest
from typing import Any

import pytest

from yoddd.kernel import solve
from yoddd.library import load_game
from yoddd.rules import GAMES

pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel")
pytest.importorskip("yoddd.openspiel")

BOARDS = {"xodd": "square3"}
NAMES = pytest.mark.parametrize("name", list(GAMES))


def load(name: str, board: str | None = None) -> Any:
    return pyspiel.load_game(f"yoddd_{name}(board={board or BOARDS.get(name, 'hex2')})")


def test_load_game_reads_board_and_options() -> None:
    game = pyspiel.load_game("yoddd_yodd(board=hex4,own_colour=True)")
    assert game.num_distinct_actions() == 2 * 37 + 2
    assert game.game.rules == load_game("yodd", "hex4", {"own_colour": True}).rules
    assert game.get_parameters() == {"board": "hex4", "own_colour": True, "end_on_full": False}
    assert pyspiel.load_game("yoddd_product(tie=white)").game.rules.tie == "white"


@pytest.mark.parametrize("params", ["board=hex99", "min_group=3", "end_on_full=3"])
def test_load_game_refuses_what_the_rules_do(params: str) -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game(f"yoddd_yodd({params})")


@NAMES
def test_registered_game_passes_the_random_simulation_of_openspiel(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=3, serialize=True, verbose=False)


@pytest.mark.slow
@NAMES
def test_registered_game_passes_the_api_test_of_openspiel(name: str) -> None:
    api = pytest.importorskip("open_spiel.integration_tests.api_test")
    case: Any = type("Partial", (api.EnforceAPIOnPartialTreeBase,), {})
    case.game = load(name)
    case.game_name = case.game.get_type().short_name
    case._expected_exception = None
    outcome = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(outcome)
    assert outcome.testsRun >= 5
    assert outcome.failures + outcome.errors == []


def test_registered_game_is_played_by_bots_in_cpp_and_python() -> None:
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    game = load("odd")
    bots = [
        mcts.MCTSBot(game, 2.0, 20, mcts.RandomRolloutEvaluator(1)),
        pyspiel.make_uniform_random_bot(1, 7),
    ]
    assert sorted(pyspiel.evaluate_bots(game.new_initial_state(), bots, 3)) == [-1.0, 1.0]


def test_registered_game_is_learned_by_agents_in_an_rl_environment() -> None:
    rl = pytest.importorskip("open_spiel.python.rl_environment")
    learner = pytest.importorskip("open_spiel.python.algorithms.tabular_qlearner")
    environment = rl.Environment("yoddd_odd(board=hex2)")
    actions = environment.action_spec()["num_actions"]
    agents = [learner.QLearner(player, actions) for player in (0, 1)]
    step = environment.reset()
    while not step.last():
        step = environment.step([agents[step.observations["current_player"]].step(step).action])
    for agent in agents:
        agent.step(step)
    assert sorted(step.rewards) == [-1.0, 1.0]


def test_registered_game_is_solved_by_minimax() -> None:
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    state = load("odd").new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    winner = solve(state.held.position).winner
    value, _ = minimax.alpha_beta_search(
        state.get_game(), state=state, maximum_depth=20, value_function=lambda _: 0.0
    )
    mover = state.held.position.player
    assert value == (1.0 if winner is mover else -1.0)


@NAMES
def test_registered_state_observes_what_the_library_does(name: str) -> None:
    state = load(name).new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[-1])
    if state.is_terminal():
        state.held.undo_action()
    tensor = state.observation_tensor(0) if not state.is_terminal() else None
    assert tensor is None or tensor == state.held.observation_tensor()
    assert str(state.clone()) == str(state)
