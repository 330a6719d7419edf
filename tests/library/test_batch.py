"""A batch of games is so many single ones."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.support.games import SMALL_RULES, play_random, rules_id
from yoddd.kernel import backend
from yoddd.library import GameType, State
from yoddd.notation import NotationError, format_position, parse_position
from yoddd.rules import Position, Rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

if backend().is_native:
    from yoddd.library.batch import GameBatch

_COUNT = 5
RULES = SMALL_RULES[0]


def batch_of(rules: Rules, count: int = _COUNT, threads: int = 1) -> GameBatch:
    options = dict(rules.chosen_options())
    return GameBatch(count, rules.game.name, rules.geometry.name, options, threads=threads)


def compare(batch: GameBatch, states: list[State]) -> None:
    masks, players = batch.legal_actions_mask(), batch.current_players()
    observations = batch.observation_tensor()
    for i, state in enumerate(states):
        assert masks[i].tolist() == state.legal_actions_mask()
        assert players[i] == state.current_player()
        assert observations[i].ravel().tolist() == state.observation_tensor()


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_a_batch_plays_as_single_states_do(rules: Rules) -> None:
    rng = random.Random(3)
    game = GameType(rules)
    batch = batch_of(rules, threads=2)
    states = [game.new_initial_state() for _ in range(_COUNT)]
    ended = 0
    for _ in range(60):
        compare(batch, states)
        actions = [rng.choice(state.legal_actions()) for state in states]
        rewards, done = batch.step(np.array(actions))
        for i, action in enumerate(actions):
            states[i].apply_action(action)
            assert rewards[i].tolist() == states[i].returns()
            assert done[i] == states[i].is_terminal()
            if done[i]:
                states[i] = game.new_initial_state()
                ended += 1
    assert ended


def test_an_illegal_action_is_refused_and_nothing_changes() -> None:
    batch = batch_of(RULES)
    before = batch.observation_tensor()
    for wrong in (-2, batch.game.actions.end, batch.game.actions.size, 10**12):
        with pytest.raises(ValueError, match=f"action {wrong} is not legal in game 3"):
            batch.step(np.array([0, 0, 0, wrong, 0]))
    assert (batch.observation_tensor() == before).all()


def test_step_by_minus_one_leaves_games_as_they_are() -> None:
    batch, moved = batch_of(RULES, threads=2), np.arange(_COUNT) % 2 == 0
    single, before = batch.copy(), batch.observation_tensor()
    actions = np.arange(_COUNT)
    rewards, done = batch.step(np.where(moved, actions, -1))
    single.step(actions)
    planes = np.where(moved[:, None, None, None], single.observation_tensor(), before)
    assert (batch.observation_tensor() == planes).all()
    assert not rewards.any()
    assert not done.any()
    batch.step(np.where(moved, -1, actions))
    assert (batch.observation_tensor() == single.observation_tensor()).all()


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64])
def test_actions_are_taken_in_any_whole_numbers_and_order(kind: type[np.integer[Any]]) -> None:
    batch, other = batch_of(RULES), batch_of(RULES)
    wanted = np.arange(_COUNT)
    batch.step(wanted)
    other.step(np.arange(2 * _COUNT, dtype=kind)[::2] // 2)
    assert (batch.observation_tensor() == other.observation_tensor()).all()


class Foreign:
    """An array of another library: DLPack is all that it has."""

    def __init__(self, values: Any) -> None:
        self.array = np.asarray(values)

    def __dlpack__(self, **given: Any) -> Any:
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_actions_are_taken_in_a_list_and_by_dlpack() -> None:
    batch, wanted = batch_of(RULES), batch_of(RULES)
    whole = list(range(_COUNT))
    wanted.step(np.arange(_COUNT))
    for given in (whole, tuple(whole), Foreign(np.array(whole, np.int32))):
        batch.reset()
        batch.step(given)
        assert (batch.observation_tensor() == wanted.observation_tensor()).all()
    only = np.arange(_COUNT) < 2
    batch.reset(Foreign(only))
    wanted.reset(only)
    assert (batch.observation_tensor() == wanted.observation_tensor()).all()
    draws = np.linspace(0, 0.9, _COUNT).astype(np.float32)
    assert (batch.random_actions(Foreign(draws)) == wanted.random_actions(draws)).all()


JAX = """
import jax.numpy as jnp, numpy as np
from yoddd.library.batch import GameBatch

batch = GameBatch(2, "odd", "hex2")
batch.step(jnp.array([3, 10]))
assert batch.observation_tensor()[:, 1:3].sum() == 2
batch.reset(jnp.array([True, False]))
assert batch.observation_tensor()[:, 1:3].sum() == 1
batch.step(batch.random_actions(jnp.array([0.0, 0.9])))
try:
    batch.step(jnp.array([1.9, 2.0]))
except TypeError as error:
    print(error)
"""


@pytest.mark.process
@pytest.mark.whole
def test_arrays_of_jax_are_taken_and_its_floats_refused() -> None:
    if find_spec("jax") is None:
        pytest.skip("needs jax")
    done = subprocess.run(
        [sys.executable, "-c", JAX], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout == "actions: expected integers, not float32\n", done.stderr


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (np.full(_COUNT, 1.9), "float64"),
        (np.ones(_COUNT, np.bool_), "bool"),
        ([1.0] * _COUNT, "float64"),
        ([2**70] * _COUNT, "object"),
        ("a", "wrong shape"),
        (["a"] * _COUNT, "<U1"),
        (Foreign(np.zeros(_COUNT, np.float32)), "float32"),
    ],
)
def test_actions_that_are_no_integers_are_refused(given: Any, named: str) -> None:
    batch = batch_of(RULES)
    before = batch.observation_tensor()
    with pytest.raises((TypeError, ValueError), match=f"^actions: .*{named}"):
        batch.step(given)
    assert (batch.observation_tensor() == before).all()


def test_an_unsigned_action_beyond_the_signed_ones_is_not_legal() -> None:
    actions = np.array([0, 0, 2**64 - 1, 0, 0], np.uint64)
    with pytest.raises(ValueError, match=f"action {2**64 - 1} is not legal in game 2"):
        batch_of(RULES).step(actions)


def test_which_games_begin_again_is_told_by_bools() -> None:
    with pytest.raises(TypeError, match=r"^which: expected bools, not int64$"):
        batch_of(RULES).reset([0, 2, 0, 0, 0])


def test_arrays_of_the_caller_are_written_in_place() -> None:
    batch = batch_of(RULES)
    rewards, done = np.full((_COUNT, 2), 9, np.float32), np.ones(_COUNT, np.bool_)
    mask = np.full((_COUNT, batch.game.actions.size), 9, np.int8)
    paid, over = batch.step(np.zeros(_COUNT, np.int64), rewards, done)
    assert paid is rewards
    assert over is done
    assert not rewards.any()
    assert not done.any()
    assert batch.legal_actions_mask(mask) is mask
    assert set(mask.ravel().tolist()) == {0, 1}
    planes = np.full(batch.observation_tensor().shape, 9, np.int8)
    assert batch.observation_tensor(planes) is planes
    assert (planes == batch.observation_tensor()).all()


def test_arrays_that_do_not_fit_are_refused() -> None:
    batch = batch_of(RULES)
    actions = batch.game.actions.size
    with pytest.raises(ValueError, match="wrong shape"):
        batch.step(np.zeros(_COUNT + 1, np.int64))
    with pytest.raises(ValueError, match="wrong shape"):
        batch.legal_actions_mask(np.zeros((_COUNT, actions + 1), np.int8))
    with pytest.raises(TypeError):
        batch.legal_actions_mask(np.zeros((_COUNT, actions), np.float64))
    with pytest.raises(TypeError):
        batch.legal_actions_mask(np.zeros((actions, _COUNT), np.int8).T)
    for count, threads in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="at least one"):
            batch_of(RULES, count, threads)


def test_several_threads_may_ask_one_batch() -> None:
    batch = batch_of(RULES, 50, threads=3)

    def play(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(100):
            mask = batch.legal_actions_mask()
            choice = (rng.random(mask.shape) * mask).argmax(axis=1)
            try:
                batch.step(choice)
            except ValueError:
                continue  # the other thread has stepped in between

    workers = [threading.Thread(target=play, args=(seed,)) for seed in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    rewards, done = batch.step(batch.legal_actions_mask().argmax(axis=1))
    assert (rewards.sum(axis=1) == 0).all()
    assert done.shape == (50,)


# -- resets, starts and copies ----------------------------------------------------------------


def ended(batch: GameBatch) -> None:
    """Play the first legal action in every game until all have ended."""
    for _ in range(batch.game.max_game_length()):
        batch.step(batch.legal_actions_mask().argmax(axis=1))


def test_a_batch_that_does_not_restart_keeps_ended_games_until_reset() -> None:
    batch = GameBatch(3, "odd", "hex2", restarts=False)
    ended(batch)
    assert batch.current_players().tolist() == [-4] * 3
    assert not batch.legal_actions_mask().any()
    planes = batch.observation_tensor()
    rewards, done = batch.step(np.array([99, -1, 0]))
    assert not rewards.any()
    assert done.all()
    assert (batch.observation_tensor() == planes).all()
    batch.reset(np.array([True, False, True]), seed=7)
    assert batch.current_players().tolist() == [0, -4, 0]
    with pytest.raises(ValueError, match="action 99 is not legal in game 2"):
        batch.step(np.array([0, 99, 99]))


def test_a_partial_reset_leaves_the_other_games() -> None:
    batch = batch_of(RULES)
    start = batch.observation_tensor()
    batch.step(np.arange(_COUNT))
    played = batch.observation_tensor()
    which = np.arange(_COUNT) % 2 == 0
    batch.reset(which)
    assert (batch.observation_tensor() == np.where(which[:, None, None, None], start, played)).all()
    with pytest.raises(ValueError, match="wrong shape"):
        batch.reset(np.ones(_COUNT + 1, np.bool_))


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_games_begin_at_their_starts_again_and_again(rules: Rules) -> None:
    positions = [play_random(Position, rules, seed, 2) for seed in (1, 2)]
    lines = [format_position(position) for position in positions]
    states = [State(GameType(rules), parse_position(line)) for line in lines]
    options = dict(rules.chosen_options())
    batch = GameBatch(4, rules.game.name, rules.geometry.name, options, starts=lines)
    for _ in range(3):
        masks, planes = batch.legal_actions_mask(), batch.observation_tensor()
        for i in range(4):
            assert masks[i].tolist() == states[i % 2].legal_actions_mask()
            assert planes[i].ravel().tolist() == states[i % 2].observation_tensor()
        batch.step(batch.legal_actions_mask().argmax(axis=1))
        batch.reset()


def test_starts_that_do_not_fit_are_refused() -> None:
    for line, problem in (
        ("yodd hex3 3/4/5/4/3 b 0 1", "not a position of"),
        ("yodd hex2 2/1b1/2 w 2 4", "the game is over"),
        ("yodd hex2", "placement is missing"),
    ):
        with pytest.raises(NotationError, match=problem):
            GameBatch(1, "yodd", "hex2", starts=[line])


@pytest.mark.parametrize("copied", [GameBatch.copy, copy.copy, copy.deepcopy])
def test_a_copy_of_a_batch_is_equal_and_independent(copied: Callable[[Any], Any]) -> None:
    batch = batch_of(RULES)
    batch.step(np.arange(_COUNT))
    twin = copied(batch)
    compare_batches(batch, twin)
    before = batch.observation_tensor()
    twin.step(twin.legal_actions_mask().argmax(axis=1))
    assert (batch.observation_tensor() == before).all()
    batch.step(batch.legal_actions_mask().argmax(axis=1))
    compare_batches(batch, twin)


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 — our own bytes


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
@pytest.mark.parametrize("restarts", [True, False])
def test_a_pickled_batch_plays_on_as_the_batch_does(rules: Rules, restarts: bool) -> None:
    game = rules.game.name, rules.geometry.name, dict(rules.chosen_options())
    batch, rng = GameBatch(40, *game, threads=2, restarts=restarts), np.random.default_rng(4)
    for _ in range(30):
        twin = pickled(batch)
        compare_batches(batch, twin)
        actions = batch.random_actions(rng.random(batch.count))
        for one, other in zip(batch.step(actions), twin.step(actions), strict=True):
            assert (one == other).all()
        compare_batches(batch, twin)
    batch.reset()
    twin.reset()
    compare_batches(batch, twin)


def test_a_pickled_batch_begins_again_at_its_starts() -> None:
    start = "yodd hex2 2/3/1b w 0 2"
    batch = GameBatch(2, "yodd", "hex2", starts=[start])
    twin = pickled(batch)
    twin.step([batch.game.actions.pass_] * 2)
    twin.reset()
    compare_batches(batch, twin)


def test_a_vector_environment_is_pickled_with_its_games() -> None:
    from yoddd.library.vector import VectorGames

    envs = VectorGames(_COUNT, "yodd", "hex2")
    envs.reset()
    envs.step(np.arange(_COUNT))
    twin = pickled(envs)
    compare_batches(envs.batch, twin.batch)


@pytest.mark.parametrize(
    "change",
    [
        lambda game: ([0], *game[1:]),
        lambda game: ([7] * len(game[0]), *game[1:]),
        lambda game: (game[0], 2, *game[2:]),
        lambda game: (*game[:2], 3, *game[3:]),
        lambda game: (*game[:4], 10**6, *game[5:]),
        lambda game: ([0] * len(game[0]), *game[1:4], 0, *game[5:]),
    ],
)
def test_a_malformed_saved_game_is_refused(change: Callable[[Any], Any]) -> None:
    batch = batch_of(RULES)
    batch.step(np.arange(_COUNT))
    before, saved = batch.observation_tensor(), batch._games.save()
    with pytest.raises(ValueError, match=r"saved game|number of cells"):
        batch._games.load([change(saved[0]), *saved[1:]])
    with pytest.raises(ValueError, match="more or fewer"):
        batch._games.load(saved[1:])
    assert (batch.observation_tensor() == before).all()


def compare_batches(batch: GameBatch, other: GameBatch) -> None:
    assert (batch.count, batch.game.rules) == (other.count, other.game.rules)
    assert (batch.observation_tensor() == other.observation_tensor()).all()
    assert (batch.legal_actions_mask() == other.legal_actions_mask()).all()
    assert (batch.current_players() == other.current_players()).all()


def test_a_mask_may_be_of_bools() -> None:
    batch = batch_of(RULES)
    out = np.empty((_COUNT, batch.game.actions.size), np.bool_)
    assert batch.legal_actions_mask(out) is out
    assert (out == batch.legal_actions_mask()).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_random_actions_are_the_nth_legal_ones(threads: int) -> None:
    batch, rng = batch_of(RULES, 40, threads), np.random.default_rng(2)
    for _ in range(6):
        draws = rng.random(batch.count)
        legal = [np.flatnonzero(row) for row in batch.legal_actions_mask()]
        wanted = [row[int(draw * len(row))] for row, draw in zip(legal, draws, strict=True)]
        actions = batch.random_actions(draws)
        assert actions.tolist() == wanted
        batch.step(actions)
    for wrong in (-0.1, 1.0, np.nan):
        with pytest.raises(ValueError, match=r"draw 2 is not in \[0, 1\)"):
            batch.random_actions(np.array([0.0, 0.5, wrong, *[0.0] * 37]))


def test_random_actions_of_ended_games_are_zero() -> None:
    batch = GameBatch(3, "odd", "hex2", restarts=False)
    ended(batch)
    assert batch.random_actions(np.full(3, 0.9)).tolist() == [0, 0, 0]


@pytest.mark.process
@pytest.mark.whole
def test_a_batch_with_threads_plays_on_in_a_forked_process() -> None:
    batch = batch_of(RULES, 50, threads=2)
    batch.step(np.zeros(50, np.int64))
    child = os.fork()
    if child == 0:  # without the parent's threads
        batch.step(batch.random_actions(np.zeros(50)))
        os._exit(int(not batch.legal_actions_mask().any()))
    assert os.waitpid(child, 0)[1] == 0
    batch.step(batch.random_actions(np.zeros(50)))


def test_spaces_are_those_of_gymnasium() -> None:
    batch = batch_of(RULES)
    assert batch.num_envs == _COUNT
    assert batch.observation_space.contains(batch.observation_tensor())
    assert batch.single_observation_space.contains(batch.observation_tensor()[0])
    assert batch.single_action_space.n == batch.game.actions.size
    assert batch.action_space.shape == (_COUNT,)
