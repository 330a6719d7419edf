"""Many games at once over NumPy arrays (extra ``rl``), stepped by the native kernel.

The arrays are the caller's own, or made here once: nothing is copied on the way, and the
interpreter's lock is not held while the kernel works.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from yoddd.extras import needs_extra
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, make_board
from yoddd.library.implementation import Implementation
from yoddd.library.state import PLANES, GameType, load_game
from yoddd.notation import NotationError, parse_position
from yoddd.rules.games import Options

with needs_extra("yoddd.library.batch", "rl"):
    import numpy as np
    from numpy.typing import NDArray

if TYPE_CHECKING:
    from gymnasium import spaces

    from yoddd.kernel import _native


class GameBatch:
    """Games of one kind, played side by side by single actions as `State` plays one.

    A game that ends begins again within the same `step`: the reward is that of the game that ended,
    mask and observation are those of the next one. With ``restarts=False`` it stays as it is until
    `reset`: no action is legal, `step` ignores its action, and `current_players` is -4. Players are
    numbered as in `State`.

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
        starts: Sequence[str] = (),
        restarts: bool = True,
    ) -> None:
        """So many games, each at its beginning.

        Args:
            count: 1 or more.
            game: a name out of `yoddd.GAMES`.
            board: such as ``hex6``; the game's own where None.
            options: such as ``{"min_group": 3}`` or ``{"min_group": "3"}``.
            threads: among how many threads a call divides the games; they are kept from call to
                call.
            starts: position lines; game i always begins at ``starts[i % len(starts)]``. The empty
                board if there are none.
            restarts: whether a game that ends begins again at once.

        Raises:
            RulesError: no such game, board or option.
            NotationError: a start is malformed, of another game, or over.
            KernelMissing: there is no native kernel.
            ValueError: ``count`` or ``threads`` is less than 1.
        """
        self.game = load_game(game, board, options)
        self.count = count
        boards = [_start(self.game, line) for line in starts] or [make_board(self.game.rules)]
        places, side = self.game.places, self.game.side
        self._games = native().Games(boards, count, places, side, threads, restarts)

    @property
    def num_envs(self) -> int:
        """The number of games, as Gymnasium calls it."""
        return self.count

    def copy(self) -> GameBatch:
        """An independent batch with the same games at the same moments."""
        twin = object.__new__(GameBatch)
        twin.game, twin.count = self.game, self.count
        twin._games = native().Games(self._games)
        return twin

    def __copy__(self) -> GameBatch:
        return self.copy()

    def __deepcopy__(self, _memo: dict[int, Any]) -> GameBatch:
        return self.copy()

    def reset(self, which: NDArray[np.bool_] | None = None, *, seed: int | None = None) -> None:
        """Begin games again.

        Args:
            which: shape ``(count,)``; True for those that begin again. All of them where None.
            seed: has no effect: no game has chance events.
        """
        del seed
        self._games.reset(which)

    def step(
        self,
        actions: NDArray[np.int64],
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Do one action in every game; -1 leaves a game as it is.

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

    @overload
    def legal_actions_mask(self, out: None = None) -> NDArray[np.int8]: ...
    @overload
    def legal_actions_mask(self, out: NDArray[Any]) -> NDArray[Any]: ...
    def legal_actions_mask(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """For each game and action 1 if it is legal now, else 0.

        Args:
            out: shape ``(count, actions)``, of int8 or bool; a new array of int8 where None.

        Returns:
            ``out``.
        """
        if out is None:
            out = np.empty((self.count, self.game.num_distinct_actions()), np.int8)
        self._games.masks(out.view(np.int8) if out.dtype == np.bool_ else out)
        return out

    def random_actions(
        self, draws: NDArray[np.float64], out: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """For each game a legal action, all equally likely; 0 in one that has ended.

        Args:
            draws: shape ``(count,)``; random numbers from 0 to 1, 1 excluded, such as
                ``rng.random(count)``.
            out: shape ``(count,)``; a new array where None.

        Returns:
            ``out``.

        Raises:
            ValueError: a draw is out of bounds.
        """
        out = np.empty(self.count, np.int64) if out is None else out
        self._games.choose(draws, out)
        return out

    def current_players(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """For each game the player on turn, 0 or 1; -4 in one that has ended.

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

    # -- Gymnasium's spaces -------------------------------------------------------------------

    @property
    def single_action_space(self) -> spaces.Discrete:
        """The actions of one game."""
        from gymnasium import spaces

        return spaces.Discrete(self.game.num_distinct_actions())

    @property
    def single_observation_space(self) -> spaces.Box:
        """The planes of one game."""
        from gymnasium import spaces

        return spaces.Box(0, 1, self.game.observation_tensor_shape(), np.int8)

    @property
    def action_space(self) -> spaces.MultiDiscrete:
        """The actions of all games."""
        from gymnasium import spaces

        return spaces.MultiDiscrete([self.game.num_distinct_actions()] * self.count)

    @property
    def observation_space(self) -> spaces.Box:
        """The planes of all games."""
        from gymnasium import spaces

        return spaces.Box(0, 1, (self.count, *self.game.observation_tensor_shape()), np.int8)


def _start(game: GameType, line: str) -> _native.Board:
    position = parse_position(line, Implementation)
    if position.rules != game.rules:
        raise NotationError(f"{line}: not a position of {game!r}")
    if position.is_over:
        raise NotationError(f"{line}: the game is over")
    return board_of(position)
