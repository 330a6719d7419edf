"""The registered games pass OpenSpiel's own tests and are played by its algorithms."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import unittest
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import PATIENCE, Program
from yoddd.library import load_game
from yoddd.rules import GAMES

pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel")
pytest.importorskip("yoddd.openspiel")

pytestmark = pytest.mark.gate
BOARDS = {"xodd": "square3"}
NAMES = pytest.mark.parametrize("name", list(GAMES))


def load(name: str, board: str | None = None) -> Any:
    return pyspiel.load_game(f"yoddd_{name}(board={board or BOARDS.get(name, 'hex2')})")


def test_load_game_reads_board_and_options() -> None:
    game = pyspiel.load_game("yoddd_yodd(board=hex4,own_colour=True)")
    assert game.num_distinct_actions() == 2 * 37 + 2
    assert game.game.rules == load_game("yodd", "hex4", {"own_colour": True}).rules
    assert game.get_parameters() == {"board": "hex4", "own_colour": True, "end_on_full": False}
    assert pyspiel.load_game("yoddd_product(tie=white)").game.rules.options()["tie"] == "white"


@pytest.mark.parametrize("params", ["board=hex99", "min_group=3", "end_on_full=3"])
def test_load_game_refuses_what_the_rules_do(params: str) -> None:
    with pytest.raises(pyspiel.SpielError):
        pyspiel.load_game(f"yoddd_yodd({params})")


@NAMES
def test_registered_game_passes_the_random_simulation_of_openspiel(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=3, serialize=True, verbose=False)


@pytest.mark.whole
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


# -- in other processes -------------------------------------------------------------------------


@NAMES
def test_registered_game_copied_or_pickled_is_the_same(name: str) -> None:
    game = load(name)
    again = pickle.loads(pickle.dumps(game))  # noqa: S301 — our own bytes
    for twin in (again, copy.copy(game), copy.deepcopy(game)):
        assert type(twin) is type(game)
        assert str(twin) == str(game)
        assert twin.game.rules == game.game.rules
        assert str(twin.new_initial_state()) == str(game.new_initial_state())


@pytest.mark.whole
@pytest.mark.process
def test_registered_game_pickled_is_read_where_nothing_was_imported() -> None:
    game = pyspiel.load_game("yoddd_yodd(board=hex2,own_colour=True)")
    state = game.new_initial_state()
    state.apply_action(3)
    read = "import pickle, sys; print(*pickle.load(sys.stdin.buffer), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", read],
        input=pickle.dumps((game, state)),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().splitlines() == [str(game), str(state)]


# Each step keeps its checkpoint: OpenSpiel overwrites the others while actors read them, and waits
# indefinitely for an actor that has failed.
ALPHA_ZERO = """
import sys
import yoddd.openspiel
from open_spiel.python.algorithms.alpha_zero import alpha_zero

if __name__ == "__main__":  # the processes of AlphaZero import this file
    alpha_zero.alpha_zero(alpha_zero.Config(
        game=sys.argv[1], path=sys.argv[2], max_steps=10, actors=1, evaluators=0,
        learning_rate=1e-3, weight_decay=1e-4, decouple_weight_decay=False, train_batch_size=16,
        replay_buffer_size=32, replay_buffer_reuse=2, checkpoint_freq=1, evaluation_window=4,
        eval_levels=2, uct_c=1.4, max_simulations=4, policy_alpha=1.0, policy_epsilon=0.25,
        temperature=1.0, temperature_drop=4, nn_model="mlp", nn_width=16, nn_depth=1,
        observation_shape=None, output_size=None, verbose=False, quiet=True))
"""


@pytest.mark.whole
@pytest.mark.process
def test_registered_game_is_trained_on_by_alpha_zero_of_openspiel(tmp_path: Path) -> None:
    # Not imported here: JAX starts threads, after which no test may fork.
    for needed in ("jax", "flax", "optax", "chex"):
        if find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    script, out = tmp_path / "train.py", tmp_path / "out"
    script.write_text(ALPHA_ZERO, "utf-8")
    command = [sys.executable, str(script), "yoddd_yodd(board=hex3)", str(out)]
    with Program(command, stdout=subprocess.DEVNULL, new_session=True) as learner:
        try:
            assert learner.wait(2 * PATIENCE) == 0, learner.error_text()
        finally:  # its processes outlive a parent that is killed, unless their group is
            with suppress(ProcessLookupError):
                os.killpg(learner.pid, signal.SIGKILL)
    steps = [json.loads(line) for line in (out / "learner.jsonl").read_text("utf-8").splitlines()]
    assert [step["step"] for step in steps] == list(range(1, 11))
    assert all(step["loss"]["sum"] > 0 for step in steps)
    assert (out / "checkpoint-10").is_dir()
