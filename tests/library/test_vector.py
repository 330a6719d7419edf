"""The vector environment: Gymnasium's five values, its autoreset and its own wrappers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from yoddd.kernel import backend

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

if backend().is_native:
    from yoddd.library.vector import VectorGames

COUNT = 4


def choose(infos: dict[str, Any], rng: np.random.Generator) -> Any:
    mask = infos["action_mask"]
    return (rng.random(mask.shape) * mask).argmax(axis=1)


@pytest.mark.parametrize("game", ["yodd", "odd", "yoin", "product"])
def test_vector_games_follow_the_batch(game: str) -> None:
    rng = np.random.default_rng(1)
    envs = VectorGames(COUNT, game, "hex2")
    planes, infos = envs.reset(seed=1)
    episodes = 0
    for _ in range(60):
        assert envs.observation_space.contains(planes)
        assert infos["action_mask"].dtype == np.bool_
        players = infos["player"]
        actions = choose(infos, rng)
        planes, rewards, over, truncated, infos = envs.step(actions)
        assert rewards.shape == (COUNT,)
        assert rewards.dtype == np.float64
        assert not truncated.any()
        assert (np.abs(rewards) == over).all()
        assert set(players.tolist()) <= {0, 1}
        assert ("final_obs" in infos) == over.any()
        for i in np.flatnonzero(over):
            assert infos["_final_obs"][i]
            final = infos["final_obs"][i]
            assert envs.single_observation_space.contains(final)
            assert final[1:3].sum() > planes[i][1:3].sum() == 0
        episodes += int(over.sum())
    assert episodes


def test_vector_games_reward_is_that_of_the_player_who_acted() -> None:
    envs = VectorGames(2, "yodd", "hex2")
    envs.reset()
    pass_ = envs.batch.game.actions.pass_
    for actions in ([3, 10], [pass_] * 2):
        envs.step(np.array(actions))
    _, rewards, over, _, infos = envs.step(np.array([pass_] * 2))
    # Black passes last. The first game has one black stone, so that White has fewer groups.
    assert (rewards.tolist(), over.tolist()) == ([-1.0, 1.0], [True, True])
    assert infos["player"].tolist() == [0, 0]


def test_vector_games_without_autoreset_wait_for_the_mask() -> None:
    envs = VectorGames(2, "odd", "hex2", autoreset_mode=AutoresetMode.DISABLED)
    _, infos = envs.reset()
    for _ in range(7):
        planes, _, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
    assert over.all()
    assert "final_obs" not in infos
    again, infos = envs.reset(options={"reset_mask": np.array([False, True])})
    assert (again[0] == planes[0]).all()
    assert again[1][1:3].sum() == 0
    assert infos["player"].tolist() == [-4, 0]


def test_vector_games_refuse_the_mode_that_they_lack() -> None:
    with pytest.raises(ValueError, match="expected SAME_STEP or DISABLED"):
        VectorGames(2, autoreset_mode=AutoresetMode.NEXT_STEP)


def test_vector_games_illegal_action_is_refused() -> None:
    envs = VectorGames(2, "odd", "hex2")
    envs.reset()
    with pytest.raises(ValueError, match="action 15 is not legal in game 1"):
        envs.step(np.array([0, 15]))
