"""Many games at once over NumPy arrays (extra ``rl``), stepped by the native kernel.

The arrays are the caller's own, or made here once: nothing is copied on the way, and the
interpreter's lock is not held while the kernel works.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, overload, runtime_checkable

from yoddd.extras import needs_extra
from yoddd.kernel import best_position
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, make_board
from yoddd.library.state import PLANES, GameType, load_game
from yoddd.notation import NotationError, parse_position
from yoddd.rules import Rules
from yoddd.rules.games import Options

with needs_extra("yoddd.library.batch", "rl"):
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from gymnasium import spaces

    from yoddd.kernel import _native


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array that other libraries can read: of JAX, PyTorch, or NumPy itself."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        """The memory of the array, as a capsule."""

    def __dlpack_device__(self) -> tuple[Any, Any]:
        """The kind and the number of the device that holds it."""


Values: TypeAlias = ArrayLike | SupportsDLPack

_TAKEN: Final = {
    np.bool_: ("b", "bools"),
    np.int64: ("iu", "integers"),
    np.float64: ("iuf", "numbers"),
}
"""The kinds of NumPy that are taken for each type of the kernel, and how they are called."""

_GREATEST: Final = 2**63 - 1
"""Greater unsigned integers would be negative ones in the kernel."""


class GameBatch:
    """Games of one kind, played side by side by single actions as `State` plays one.

    A game that ends begins again within the same `step`: the reward is that of the game that ended,
    mask and observation are those of the next one. With ``restarts=False`` it stays as it is until
    `reset`: no action is legal, `step` ignores its action, and `current_players` is -4. Players are
    numbered as in `State`.

    An array that is handed in to be written must have the shape that is said, else a ValueError is
    raised, and be contiguous, of the type and with as many dimensions, else a TypeError.

    A batch can be copied, and pickled: `copy.copy` and `pickle` keep its games at their moments.

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
        """Begin ``count`` games.

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
        self._begin(load_game(game, board, options), count, tuple(starts), threads, restarts)

    def _begin(
        self, game: GameType, count: int, starts: tuple[str, ...], threads: int, restarts: bool
    ) -> None:
        self.game = game
        self.count = count
        self._made = (starts, threads, restarts)
        boards = [_start(game, line) for line in starts] or [make_board(game.rules)]
        self._games = native().Games(boards, count, game.places, game.side, threads, restarts)

    def __repr__(self) -> str:
        return f"<GameBatch of {self.count}: {self.game.rules!r}>"

    @property
    def num_envs(self) -> int:
        """The number of games, as Gymnasium calls it."""
        return self.count

    def copy(self) -> GameBatch:
        """An independent batch with the same games at the same moments."""
        twin = object.__new__(GameBatch)
        twin.game, twin.count, twin._made = self.game, self.count, self._made
        twin._games = native().Games(self._games)
        return twin

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return _restored, (self.game.rules, self.count, *self._made, self._games.save())

    def __copy__(self) -> GameBatch:
        return self.copy()

    def __deepcopy__(self, _memo: dict[int, Any]) -> GameBatch:
        return self.copy()

    def reset(self, which: Values | None = None, *, seed: int | None = None) -> None:
        """Begin games again.

        Args:
            which: shape ``(count,)``, of bools; True for those that begin again. All of them where
                None.
            seed: has no effect: no game has chance events.

        Raises:
            TypeError: ``which`` holds something else than bools.
            ValueError: there are more or fewer than games.
        """
        del seed
        self._games.reset(None if which is None else self._taken("which", which, np.bool_))

    def _taken(self, name: str, values: Values, kind: type[np.generic]) -> NDArray[Any]:
        """The value that a caller gives for each game, as an array of NumPy."""
        # Arrays of other libraries come by DLPack, and those of devices are refused there.
        if isinstance(values, SupportsDLPack) and not isinstance(values, np.ndarray):
            array = np.from_dlpack(values)
        else:
            array = np.asarray(values)
        if array.shape != (self.count,):
            raise ValueError(f"{name}: wrong shape {array.shape}; there are {self.count} games")
        expected, said = _TAKEN[kind]
        if array.dtype.kind not in expected:
            raise TypeError(f"{name}: expected {said}, not {array.dtype}")
        if array.dtype.kind == "u" and array.max() > _GREATEST:
            raise ValueError(f"action {array.max()} is not legal in game {array.argmax()}")
        return array.astype(kind, copy=False)

    def step(
        self,
        actions: Values,
        rewards: NDArray[np.float32] | None = None,
        done: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Do one action in every game; -1 leaves a game as it is.

        Args:
            actions: shape ``(count,)``; a sequence of integers, or an array of integers of any
                type, of NumPy or, by DLPack, of another library. Contiguous int64 is not copied.
            rewards: shape ``(count, 2)``; receives 1 for the winner and -1 for the loser, by player
                where a game ended, else zeros. A new array where None.
            done: shape ``(count,)``; receives whether the game ended. A new array where None.

        Returns:
            ``rewards`` and ``done``.

        Raises:
            ValueError: an action is not legal, or there are more or fewer than games; no game has
                changed.
            TypeError: they are no integers.
        """
        paid = np.empty((self.count, 2), np.float32) if rewards is None else rewards
        over = np.empty(self.count, np.bool_) if done is None else done
        self._games.step(self._taken("actions", actions, np.int64), paid, over)
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
        self, draws: Values, out: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """For each game a legal action, all equally likely; 0 in one that has ended.

        Args:
            draws: shape ``(count,)``; random numbers from 0 to 1, 1 excluded, such as
                ``rng.random(count)``.
            out: shape ``(count,)``; a new array where None.

        Returns:
            ``out``.

        Raises:
            ValueError: a draw is out of bounds, or there are more or fewer than games.
            TypeError: they are no numbers.
        """
        out = np.empty(self.count, np.int64) if out is None else out
        self._games.choose(self._taken("draws", draws, np.float64), out)
        return out

    def current_players(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """For each game the player to move, 0 or 1; -4 in a game that has ended.

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


def _restored(
    rules: Rules,
    count: int,
    starts: tuple[str, ...],
    threads: int,
    restarts: bool,
    saved: list[_native.SavedGame],
) -> GameBatch:
    """The batch that another process has pickled."""
    batch = object.__new__(GameBatch)
    batch._begin(GameType(rules), count, starts, threads, restarts)
    batch._games.load(saved)
    return batch


def _start(game: GameType, line: str) -> _native.Board:
    position = parse_position(line, best_position())
    if position.rules != game.rules:
        raise NotationError(f"{line}: not a position of {game!r}")
    if position.is_over:
        raise NotationError(f"{line}: the game is over")
    return board_of(position)
