"""`State`: a game by single actions, with the methods that OpenSpiel's states have.

Player 0 began as Black and player 1 as White, also after a swap in Yoin.
"""

from __future__ import annotations

from typing import Final

from yoddd.library.actions import ActionSpace
from yoddd.library.board import Board
from yoddd.library.implementation import Implementation
from yoddd.notation import format_position, format_turn
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
from yoddd.rules.games import Options

TERMINAL: Final = -4
"""The player on turn in a finished game, as OpenSpiel has it."""

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
        """Two."""
        return 2

    def num_distinct_actions(self) -> int:
        """The number of actions, legal or not."""
        return self.actions.size

    def max_game_length(self) -> int:
        """No game has more actions: each stone with an end and a pass behind it, and two passes."""
        return 3 * self.rules.geometry.cells + 2 + self.rules.pie

    def observation_tensor_shape(self) -> tuple[int, int, int]:
        """Planes, rows, columns; neighbours lie at the same distances everywhere in a plane."""
        return len(PLANES), self.side, self.side

    def new_initial_state(self) -> State:
        """An empty board."""
        return State(self, Implementation(self.rules))

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
    game: str = "yodd", board: str | None = None, options: Options | None = None
) -> GameType:
    """A game to learn on; the arguments are those of `Board`.

    Raises:
        RulesError: no such game, board or option.
    """
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
        """1 for the winner and -1 for the loser, by player; zeros while the game goes on."""
        outcome = self._position.outcome()
        if outcome is None:
            return [0.0, 0.0]
        winner = self._position.seat_of(outcome.winner)
        return [1.0 if player == winner else -1.0 for player in (0, 1)]

    # -- actions ----------------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty at the end."""
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

    def legal_actions_mask(self) -> list[int]:
        """For each action 1 if it is legal now, else 0."""
        mask = [0] * self.game.actions.size
        for action in self.legal_actions():
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

    def undo_action(self) -> int:
        """Take the last action back and return it.

        Raises:
            CannotUndo: there is none; the past of the position it began at is not its own.
        """
        if not self._history:
            raise CannotUndo("no action to take back")
        if self._first is not None:
            self._first = None
        else:
            turn = self._position.undo()
            # The first stone is the one that was dropped first, whatever the canonical order.
            if turn.stones and self.game.actions.most_stones(self._position) > 1:
                self._first = self.game.actions.stone(self._history[-2])
        self._legal = None
        return self._history.pop()

    def history(self) -> list[int]:
        """The actions so far."""
        return list(self._history)

    def action_to_string(self, action: int) -> str:
        """The action as text."""
        return self.game.actions.name(action)

    def clone(self) -> State:
        """An independent state with the same history."""
        twin = State(self.game, self._position.copy())
        twin._first = self._first
        twin._history = self._history.copy()
        twin._legal = self._legal
        return twin

    def __copy__(self) -> State:
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

    # -- observations -----------------------------------------------------------------------

    def observation_tensor(self) -> list[float]:
        """`PLANES`, flat; the same for both players."""
        return self.game.planes(self._position, self._first)

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
