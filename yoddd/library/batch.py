"""Many games at once over NumPy arrays (extra ``rl``), stepped by the native kernel.

The arrays are the caller's own, or made here once: nothing is copied on the way, and the
interpreter's lock is not held while the kernel works.
"""

from __future__ import annotations

from yoddd.extras import needs_extra
from yoddd.kernel.backend import native
from yoddd.kernel.position import make_board
from yoddd.library.state import PLANES, load_game
from yoddd.rules.games import Options

with needs_extra("yoddd.library.batch", "rl"):
    import numpy as np
    from numpy.typing import NDArray


class GameBatch:
    """Games of one kind, played side by side by single actions as `State` plays one.

    A game that ends begins again within the same `step`: the reward is that of the game that ended,
    mask and observation are those of the next one. Players are numbered as in `State`.

    An array that is handed in to be written must have the shape that is said, else a ValueError is
    raised, and be contiguous, of the type and with as many dimensions, else a TypeError.

    Attributes:
        game: the fixed facts: actions, shapes, rules.
        count: how many games there are.
    """

    def __init__(
        self,
        count: int,
        game: str = "yodd",
        board: str | None = None,
        options: Options | None = None,
        *,
        threads: int = 1,
    ) -> None:
        """So many games, each at its beginning.

        Args:
            count: 1 or more.
            game: a name out of `yoddd.GAMES`.
            board: such as ``hex6``; the game's own where None.
            options: such as ``{"min_group": 3}`` or ``{"min_group": "3"}``.
            threads: among how many threads a call divides the games.

        Raises:
            RulesError: no such game, board or option.
            KernelMissing: there is no native kernel.
            ValueError: ``count`` or ``threads`` is less than 1.
        """
        self.game = load_game(game, board, options)
        self.count = count
        start = make_board(self.game.rules)
        self._games = native().Games(start, count, self.game.places, self.game.side, threads)

    def reset(self) -> None:
        """Begin all games again."""
        self._games.reset()

    def step(
        self,
        actions: NDArray[np.int64],
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Do one action in every game.

        Args:
            actions: shape ``(count,)``; other types and orders than contiguous int64 are converted.
            rewards: shape ``(count, 2)``; receives 1 for the winner and -1 for the loser, by player
                where a game ended, else zeros. A new array where None.
            done: shape ``(count,)``; receives whether the game ended. A new array where None.

        Returns:
            ``rewards`` and ``done``.

        Raises:
            ValueError: an action is not legal, or there are more or fewer than games; no game has
                changed.
        """
        paid = np.empty((self.count, 2), np.float32) if rewards is None else rewards
        over = np.empty(self.count, np.bool_) if done is None else done
        self._games.step(actions, paid, over)
        return paid, over

    def legal_actions_mask(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """For each game and action 1 if it is legal now, else 0.

        Args:
            out: shape ``(count, actions)``; a new array where None.

        Returns:
            ``out``.
        """
        if out is None:
            out = np.empty((self.count, self.game.num_distinct_actions()), np.int8)
        self._games.masks(out)
        return out

    def current_players(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """For each game the player on turn, 0 or 1.

        Args:
            out: shape ``(count,)``; a new array where None.

        Returns:
            ``out``.
        """
        out = np.empty(self.count, np.int8) if out is None else out
        self._games.players(out)
        return out

    def observation_tensor(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """For each game the planes of `State.observation_tensor`.

        Args:
            out: shape ``(count, planes, side, side)``; a new array where None.

        Returns:
            ``out``.
        """
        if out is None:
            out = np.empty((self.count, len(PLANES), self.game.side, self.game.side), np.int8)
        self._games.observe(out)
        return out
