"""`VectorGames`: a `GameBatch` as a vector environment of Gymnasium (extra ``rl``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from yoddd.extras import needs_extra
from yoddd.rules.games import Options

with needs_extra("yoddd.library.vector", "rl"):
    import numpy as np
    from gymnasium.vector import AutoresetMode, VectorEnv
    from numpy.typing import NDArray

    from yoddd.library.batch import GameBatch, Values

Planes = NDArray[np.int8]
Infos = dict[str, Any]


class VectorGames(VectorEnv[Planes, NDArray[np.int64], NDArray[Any]]):
    """Games of two players in which a single agent chooses every action.

    The reward is that of the player who has acted: 1 for a win, -1 for a loss, and 0 while the game
    goes on. The infos have ``action_mask``, the legal actions of each game as bools, and
    ``player``, who is on turn.

    Attributes:
        batch: the games.
    """

    def __init__(
        self,
        num_envs: int,
        game: str = "yodd",
        board: str | None = None,
        options: Options | None = None,
        *,
        threads: int = 1,
        starts: Sequence[str] = (),
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        """Create the environments; see `GameBatch` for the other arguments.

        Args:
            num_envs: how many games.
            game: a name out of `yoddd.GAMES`.
            board: such as ``hex6``; the game's own where None.
            options: such as ``{"min_group": 3}``.
            threads: among how many threads a call divides the games.
            starts: position lines.
            autoreset_mode: SAME_STEP begins a game that ends again in the same step, and its last
                observation is in ``final_obs``; with DISABLED call `reset` with the option
                ``reset_mask``.

        Raises:
            RulesError: no such game, board or option.
            ValueError: an argument is not accepted; NEXT_STEP is no mode here.
        """
        if autoreset_mode is AutoresetMode.NEXT_STEP:
            raise ValueError("autoreset_mode: expected SAME_STEP or DISABLED")
        self.batch = GameBatch(
            num_envs, game, board, options, threads=threads, starts=starts, restarts=False
        )
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": autoreset_mode}
        self.single_action_space = self.batch.single_action_space
        self.single_observation_space = self.batch.single_observation_space
        self.action_space = self.batch.action_space
        self.observation_space = self.batch.observation_space
        self._restarts = autoreset_mode is AutoresetMode.SAME_STEP

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: Infos | None = None
    ) -> tuple[Planes, Infos]:
        """Begin games again: all, or those that ``options["reset_mask"]`` says.

        Args:
            seed: of the spaces' samples; the games themselves have no chance events.
            options: may have ``reset_mask``, a bool for each game.
        """
        if isinstance(seed, int):
            self.action_space.seed(seed)
        self.batch.reset((options or {}).get("reset_mask"))
        return self.batch.observation_tensor(), self._infos()

    def step(
        self, actions: Values
    ) -> tuple[Planes, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Do one action in every game: observations, rewards, terminations, truncations, infos.

        Raises:
            ValueError: an action is not legal; no game has changed.
        """
        players = self.batch.current_players()
        rewards, over = self.batch.step(actions)
        played = np.take_along_axis(rewards, np.maximum(players, 0)[:, None].astype(np.intp), 1)
        planes, infos = self.batch.observation_tensor(), {}
        if self._restarts and over.any():
            infos = {"final_obs": _objects(planes, over), "_final_obs": over.copy()}
            self.batch.reset(over)
            planes = self.batch.observation_tensor()
        truncations = np.zeros(self.num_envs, np.bool_)
        return planes, played[:, 0].astype(np.float64), over, truncations, infos | self._infos()

    def _infos(self) -> Infos:
        mask = np.empty((self.num_envs, self.batch.game.num_distinct_actions()), np.bool_)
        return {
            "action_mask": self.batch.legal_actions_mask(mask),
            "player": self.batch.current_players(),
        }


def _objects(planes: Planes, chosen: NDArray[np.bool_]) -> NDArray[np.object_]:
    """The chosen observations, each by itself, and None for the others; as Gymnasium has them."""
    found = np.full(len(planes), None, np.object_)
    for index in np.flatnonzero(chosen):
        found[index] = planes[index].copy()
    return found
