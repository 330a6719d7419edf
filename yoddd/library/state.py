"""`State`: a game by single actions, with the methods of OpenSpiel's states and games.

They are those of its Python API 2.0 that a deterministic game of two players with perfect
information has; its bots and searches run on them. No class of OpenSpiel is needed or subclassed,
except for `GameType.get_type`.

Player 0 began as Black and player 1 as White, also after a swap in Yoin.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Final

from yoddd.kernel import best_position
from yoddd.library.actions import ActionSpace
from yoddd.library.board import Board
from yoddd.library.openspiel import game_type
from yoddd.notation import NotationError, format_position, format_turn, parse_position
from yoddd.rules import (
    PASS,
    SWAP,
    CannotUndo,
    Colour,
    PositionLike,
    Rules,
    Stone,
    Turn,
    make_rules,
)
from yoddd.rules.game import Options
from yoddd.rules.games import load_game_file

TERMINAL: Final = -4
"""The player to move in a finished game, as OpenSpiel has it."""

PLANES: Final = (
    "on board",
    "black stones",
    "white stones",
    "first stone of this turn",
    "Black to move",
    "one pass before",
)
"""The meaning of each plane of an observation."""


class GameType:
    """The constants of a game on a board.

    Attributes:
        rules: game, board and options.
        actions: what the numbers of actions mean.
        places: for each cell its place in a plane of ``side * side`` values.
    """

    def __init__(self, rules: Rules) -> None:
        """The game of `load_game`, from its rules."""
        self.rules = rules
        self.actions = ActionSpace(rules)
        self.places = self._grid()

    def __repr__(self) -> str:
        return f"GameType({self.rules!r})"

    def _grid(self) -> list[int]:
        """For each cell its place in a plane; a hexhex board leans in a rhombus."""
        axial = self.rules.geometry.axial
        left, top = min(q for q, _ in axial), min(r for _, r in axial)
        return [(r - top) * self.side + q - left for q, r in axial]

    @property
    def side(self) -> int:
        """The number of rows and of columns of a plane."""
        return len(self.rules.geometry.rows)

    def num_players(self) -> int:
        """The number of players, which is two."""
        return 2

    def num_distinct_actions(self) -> int:
        """The number of actions, legal or not."""
        return self.actions.size

    def max_game_length(self) -> int:
        """The limit of a game: each stone with an end and a pass after it, and two passes."""
        return 3 * self.rules.geometry.cells + 2 + self.rules.pie

    def observation_tensor_shape(self) -> tuple[int, int, int]:
        """Planes, rows, columns; neighbours lie at the same distances everywhere in a plane."""
        return len(PLANES), self.side, self.side

    def observation_tensor_size(self) -> int:
        """The number of values of an observation."""
        return len(PLANES) * self.side * self.side

    def policy_tensor_shape(self) -> tuple[int]:
        """One value for each action."""
        return (self.num_distinct_actions(),)

    def min_utility(self) -> float:
        """The loser's return."""
        return -1.0

    def max_utility(self) -> float:
        """The winner's return."""
        return 1.0

    def utility_sum(self) -> float:
        """The sum of both returns."""
        return 0.0

    def get_parameters(self) -> dict[str, str]:
        """The arguments of `load_game` that make this game."""
        rules = self.rules
        return {"game": rules.game.name, "board": rules.geometry.name, **rules.chosen_options()}

    def get_type(self) -> Any:
        """The ``pyspiel.GameType`` of the game.

        Raises:
            ExtraMissing: OpenSpiel is not installed.
        """
        return game_type(self.rules.game)

    def new_initial_state(self) -> State:
        """An empty board."""
        return State(self, best_position()(self.rules))

    def deserialize_state(self, text: str) -> State:
        """The state that `State.serialize` has written.

        Raises:
            NotationError: the position is malformed or belongs to another game.
            ValueError: an action is no number, or not legal.
        """
        line, _, actions = text.partition("\n")
        position = parse_position(line, best_position(), self.rules.game)
        if position.rules != self.rules:
            raise NotationError(f"a state of another game than {self!r}")
        state = State(self, position)
        for action in actions.split():
            state.apply_action(int(action))
        return state

    def planes(self, position: PositionLike, first: Stone | None) -> list[float]:
        """The observation, flat: rows from the top, as on the screen."""
        area = self.side * self.side
        planes = [0.0] * (len(PLANES) * area)
        for place, content in zip(self.places, position.cells, strict=True):
            planes[place] = 1.0
            if content is not None:
                planes[(1 + content) * area + place] = 1.0
        if first is not None:
            for plane in (1 + first.colour, 3):
                planes[plane * area + self.places[first.cell]] = 1.0
        for plane, said in ((4, position.player is Colour.BLACK), (5, position.passes == 1)):
            if said:
                planes[plane * area : (plane + 1) * area] = [1.0] * area
        return planes


def load_game(
    game: str | PathLike[str] = "yodd", board: str | None = None, options: Options | None = None
) -> GameType:
    """A game to learn on; the arguments are those of `Board`.

    The path of a file, such as ``many.toml``, adds its game: from then on everything here takes it
    by its name.

    Raises:
        RulesError: no such game, board or option.
        DescriptionError: the file is refused.
        OSError: it cannot be read.
    """
    if isinstance(game, PathLike) or Path(game).name != game or "." in game:
        game = load_game_file(game).name
    return GameType(make_rules(game, board, options))


class State:
    """One moment of a game, between turns or after the first of two stones."""

    def __init__(self, game: GameType, position: PositionLike) -> None:
        """Begin at a position between turns; the state owns it."""
        self.game = game
        self._position = position
        self._first: Stone | None = None
        self._history: list[int] = []
        self._legal: list[int] | None = None

    # -- whose turn -------------------------------------------------------------------------

    def current_player(self) -> int:
        """0 for the player who began as Black, else 1; `TERMINAL` at the end."""
        position = self._position
        return TERMINAL if position.is_over else int(position.seat_of(position.player))

    def is_terminal(self) -> bool:
        """Whether the game has ended."""
        return self._position.is_over

    def returns(self) -> list[float]:
        """1 for the winner and -1 for the loser, by player; zeros until the game ends."""
        outcome = self._position.outcome()
        if outcome is None:
            return [0.0, 0.0]
        winner = self._position.seat_of(outcome.winner)
        return [1.0 if player == winner else -1.0 for player in (0, 1)]

    def player_return(self, player: int) -> float:
        """The return of one player."""
        return self.returns()[player]

    def rewards(self) -> list[float]:
        """The rewards of the last action: all rewards come with the end."""
        return self.returns()

    def player_reward(self, player: int) -> float:
        """The reward of one player."""
        return self.returns()[player]

    def is_player_node(self) -> bool:
        """Whether a player is to move."""
        return not self.is_terminal()

    def is_chance_node(self) -> bool:
        """Return False: no game has chance events."""
        return False

    def is_simultaneous_node(self) -> bool:
        """Return False: players act in turn."""
        return False

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return an empty list: no game has chance events."""
        return []

    def num_players(self) -> int:
        """The number of players, which is two."""
        return self.game.num_players()

    def num_distinct_actions(self) -> int:
        """The number of actions, legal or not."""
        return self.game.num_distinct_actions()

    def get_game(self) -> GameType:
        """The game."""
        return self.game

    # -- actions ----------------------------------------------------------------------------

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions, ascending; empty at the end, and for a player who is not to move."""
        if player is not None and player != self.current_player():
            return []
        if self._legal is None:
            self._legal = self._seconds(self._first) if self._first else self._firsts()
        return list(self._legal)

    def _firsts(self) -> list[int]:
        """The actions that a turn may begin with."""
        actions, position = self.game.actions, self._position
        found = [actions.drop(stone) for stone in position.legal_stones()]
        found += [actions.pass_] if position.is_legal(PASS) else []
        if actions.swap is not None and position.is_legal(SWAP):
            found.append(actions.swap)
        return found

    def _seconds(self, first: Stone) -> list[int]:
        """The actions that may follow the first stone of a turn."""
        actions, position = self.game.actions, self._position
        found = [actions.drop(stone) for stone in position.legal_seconds(first)]
        return found + ([actions.end] if position.is_legal(Turn.drop(first)) else [])

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """For each action 1 if it is legal now, for ``player`` if one is given, else 0."""
        mask = [0] * self.game.actions.size
        for action in self.legal_actions(player):
            mask[action] = 1
        return mask

    def apply_action(self, action: int) -> None:
        """Apply ``action``.

        Raises:
            ValueError: it is not legal now.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal now")
        turn = self._completed(action)
        if turn is None:
            self._first = self.game.actions.stone(action)
        else:
            self._position.play(turn)
            self._first = None
        self._history.append(int(action))  # NumPy's numbers are accepted, too
        self._legal = None

    def _completed(self, action: int) -> Turn | None:
        """The turn that an action completes; None for the first of two stones."""
        actions = self.game.actions
        if action == actions.pass_:
            return PASS
        if action == actions.swap:
            return SWAP
        if self._first is not None:
            more = () if action == actions.end else (actions.stone(action),)
            return Turn.drop(self._first, *more)
        if actions.most_stones(self._position) == 1:
            return Turn.drop(actions.stone(action))
        return None

    def undo_action(self, player: int | None = None, action: int | None = None) -> int:
        """Take the last action back and return it.

        Args:
            player: whose action it is; it follows from the action and is not checked.
            action: which one it is; any if None.

        Raises:
            CannotUndo: there is none; the past of the position it began at is not its own.
            ValueError: the last action is another one.
        """
        del player
        if not self._history:
            raise CannotUndo("no action to take back")
        if action is not None and action != self._history[-1]:
            raise ValueError(f"action {action} is not the last one")
        if self._first is not None:
            self._first = None
        else:
            turn = self._position.undo()
            # The first stone is the one that was placed first, whatever the canonical order.
            if turn.stones and self.game.actions.most_stones(self._position) > 1:
                self._first = self.game.actions.stone(self._history[-2])
        self._legal = None
        return self._history.pop()

    def history(self) -> list[int]:
        """The actions so far."""
        return list(self._history)

    def history_str(self) -> str:
        """The actions so far as text."""
        return ", ".join(map(str, self._history))

    def move_number(self) -> int:
        """The number of actions so far."""
        return len(self._history)

    def is_initial_state(self) -> bool:
        """Whether no action was applied yet."""
        return not self._history

    def action_to_string(self, player: int, action: int | None = None) -> str:
        """The action as text; called with one argument, that is the action.

        Raises:
            ValueError: there is no such action.
        """
        return self.game.actions.name(player if action is None else action)

    def string_to_action(self, player: int | str, text: str | None = None) -> int:
        """The action of a text; called with one argument, that is the text.

        Raises:
            ValueError: it is the text of no legal action.
        """
        wanted = player if text is None else text
        for action in self.legal_actions():
            if self.action_to_string(action) == wanted:
                return action
        raise ValueError(f"{wanted!r} is no legal action")

    def serialize(self) -> str:
        """The state as text, for `GameType.deserialize_state`: its first position, its actions."""
        first = self.clone()
        for _ in self._history:
            first.undo_action()
        return "\n".join(map(str, [first, *self._history]))

    def clone(self) -> State:
        """An independent state with the same history."""
        twin = State(self.game, self._position.copy())
        twin._first = self._first
        twin._history = self._history.copy()
        twin._legal = self._legal
        return twin

    def __copy__(self) -> State:
        return self.clone()

    def __deepcopy__(self, _memo: dict[int, Any]) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        # A board can be pickled between processes with different implementations.
        board = Board._of(self._position)  # noqa: SLF001 — its neighbour
        return _restore, (self.game, board, self._first, self._history)

    def child(self, action: int) -> State:
        """The state after an action.

        Raises:
            ValueError: it is not legal now.
        """
        state = self.clone()
        state.apply_action(action)
        return state

    # -- what is there ------------------------------------------------------------------------

    @property
    def position(self) -> PositionLike:
        """The position after the last whole turn; it must not be changed."""
        return self._position

    @property
    def first_stone(self) -> Stone | None:
        """The first stone of the turn in progress; None between turns."""
        return self._first

    @property
    def cells(self) -> tuple[Colour | None, ...]:
        """The content of every cell by index, with the first stone of the turn in progress."""
        cells = list(self._position.cells)
        if self._first is not None:
            cells[self._first.cell] = self._first.colour
        return tuple(cells)

    # -- observations -----------------------------------------------------------------------

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """`PLANES`, flat; the same for both players."""
        del player
        return self.game.planes(self._position, self._first)

    def observation_string(self, player: int | None = None) -> str:
        """The position line, followed by the first stone of a turn; the same for both."""
        del player
        return str(self)

    def information_state_string(self, player: int | None = None) -> str:
        """The actions so far; the same for both players."""
        del player
        return self.history_str()

    def __repr__(self) -> str:
        return f"<State {self}>"

    def __str__(self) -> str:
        line = format_position(self._position)
        if self._first is None:
            return line
        return f"{line} {format_turn(Turn.drop(self._first), self.game.rules)},"


# No class method: Twisted, once imported, has its own way to pickle those, which fails.
def _restore(game: GameType, board: Board, first: Stone | None, history: list[int]) -> State:
    state = State(game, board._position)  # noqa: SLF001 — its neighbour
    state._first, state._history = first, history  # noqa: SLF001 — its own class
    return state
