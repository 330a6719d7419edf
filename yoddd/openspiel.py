"""The games in OpenSpiel's registry (extra ``openspiel``).

>>> import pyspiel, yoddd.openspiel  # doctest: +SKIP
>>> game = pyspiel.load_game("yoddd_yodd(board=hex4)")  # doctest: +SKIP

Importing this module registers ``yoddd_yodd``, ``yoddd_xodd``, ``yoddd_odd``, ``yoddd_yoin`` and
``yoddd_product`` as games that are written in Python. Their parameters are the board and the
options; bools are written ``True`` and ``False``. Actions, players and observations are those of
`yoddd.library.State`. Games and states can be copied and pickled; a process that reads one need
import nothing first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from yoddd.extras import needs_extra
from yoddd.library import GameType, State
from yoddd.library.openspiel import game_type
from yoddd.rules import GAMES, Rules, RulesError, make_rules

with needs_extra("yoddd.openspiel", "openspiel"):
    import numpy as np
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame

Parameters = Mapping[str, str | int]


class RegisteredGame(pyspiel.Game):
    """A game with its board and options, as ``pyspiel.load_game`` makes it.

    Attributes:
        game: the game of the library.
    """

    NAME = "yodd"
    """The name in `yoddd.GAMES`; each game has a subclass."""

    def __init__(self, params: Parameters | None = None) -> None:
        """Create the game that some parameters ask for.

        Raises:
            pyspiel.SpielError: no such board or option.
        """
        self.game = GameType(_rules(self.NAME, dict(params or {})))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_distinct_actions(),
            max_chance_outcomes=0,
            num_players=self.game.num_players(),
            min_utility=self.game.min_utility(),
            max_utility=self.game.max_utility(),
            utility_sum=self.game.utility_sum(),
            max_game_length=self.game.max_game_length(),
        )
        super().__init__(self.game.get_type(), info, dict(params or {}))

    def new_initial_state(self) -> RegisteredState:
        """An empty board."""
        return RegisteredState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """The observer of the planes, or of the actions so far where perfect recall is wanted."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return Observer(self.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        # By a function of this module, so that another process registers the games when it reads.
        return load_game, (str(self),)


def load_game(text: str) -> RegisteredGame:
    """The registered game that a text such as ``yoddd_yodd(board=hex4)`` describes.

    Raises:
        pyspiel.SpielError: no such game, board or option.
    """
    game: RegisteredGame = pyspiel.load_game(text)
    return game


def _rules(name: str, params: dict[str, str | int]) -> Rules:
    board = params.pop("board", None)
    try:
        return make_rules(name, None if board is None else str(board), params)
    except RulesError as error:
        raise pyspiel.SpielError(str(error)) from None


class RegisteredState(pyspiel.State):
    """A state of OpenSpiel that holds one of the library.

    Attributes:
        held: the state of the library.
    """

    def __init__(self, game: RegisteredGame) -> None:
        """Begin on an empty board."""
        super().__init__(game)
        self.held: State = game.game.new_initial_state()

    def current_player(self) -> int:
        """0 for the player who began as Black, else 1; ``pyspiel.PlayerId.TERMINAL`` at the end."""
        return self.held.current_player()

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self.held.is_terminal()

    def returns(self) -> list[float]:
        """1 for the winner and -1 for the loser, by player; zeros until the game ends."""
        return self.held.returns()

    def _legal_actions(self, player: int) -> list[int]:
        return self.held.legal_actions(player)

    def _apply_action(self, action: int) -> None:
        self.held.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.held.action_to_string(player, action)

    def __str__(self) -> str:
        return str(self.held)


class Observer:
    """An observer as OpenSpiel's ``PyObserver`` wants it.

    Attributes:
        tensor: the planes, flat.
        dict: the same memory by planes, rows and columns, as ``observation``.
    """

    def __init__(self, game: GameType, params: Any) -> None:
        """Create it with empty planes.

        Raises:
            ValueError: parameters are given; there are none.
        """
        if params:
            raise ValueError(f"an observation has no parameters: {params}")
        self.tensor = np.zeros(game.observation_tensor_size(), np.float32)
        self.dict = {"observation": self.tensor.reshape(game.observation_tensor_shape())}

    def set_from(self, state: RegisteredState, player: int) -> None:
        """Write the planes of a state; they are the same for both players."""
        self.tensor[:] = state.held.observation_tensor(player)

    def string_from(self, state: RegisteredState, player: int) -> str:
        """The position line of a state; the same for both players."""
        return state.held.observation_string(player)


def _register() -> dict[str, type[RegisteredGame]]:
    made = {}
    for name, game in GAMES.items():
        made[name] = type(f"{game.title}Game", (RegisteredGame,), {"NAME": name})
        pyspiel.register_game(game_type(game), made[name])
    return made


REGISTERED: Final = _register()
"""The class of each game by the name in `yoddd.GAMES`."""
