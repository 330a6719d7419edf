"""The compiled module.

Moves are integers: ``colour * cells + cell`` for a stone, then one each for the end of a turn
(``2 * cells``), a pass and a swap. Colours are 0 and 1, an empty cell -1.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

SOURCE_DIGEST: str
BOARD_BYTES: int

def instruction_sets() -> list[str]: ...
def instruction_set() -> str: ...
def use_instruction_set(name: str) -> None: ...

class Rng:
    """PCG32: the stream of that number of the sequence that a seed names."""

    state: int
    def __init__(self, seed: int, stream: int = 0) -> None: ...
    def next(self) -> int: ...

class Cursor:
    """Walks the legal drops of a position in canonical order."""

    def take(self, limit: int) -> list[list[int]]: ...

class Board:
    """A board with its past, moved by half turns. Only `is_legal` judges; `play` obeys."""

    def __init__(
        self,
        shape: int,
        size: int,
        game: int,
        end_on_full: bool,
        own_colour: bool,
        pie: bool,
        min_group: int,
        one_group: bool,
        tie: int,
    ) -> None: ...
    def copy(self) -> Board: ...
    def set_up(self, cells: Sequence[int], player: int, passes: int, number: int) -> None: ...
    @property
    def cells(self) -> list[int]: ...
    @property
    def player(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def pending(self) -> int | None: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...
    @property
    def hash(self) -> int: ...
    @property
    def count(self) -> tuple[int, int]: ...
    def groups(self, colour: int) -> list[list[int]]: ...
    def score(self) -> tuple[int, int]: ...
    def play(self, move: int) -> None: ...
    def play_turn(self, moves: Sequence[int]) -> None: ...
    def undo(self) -> None: ...
    def undo_turn(self) -> None: ...
    def legal_moves(self) -> list[int]: ...
    def is_legal(self, moves: Sequence[int]) -> bool: ...
    def completable(self, stone: int) -> bool: ...
    def joins(self, stone: int) -> int: ...
    def drops(self) -> Cursor: ...
    def count_turns(self) -> int: ...
    def sample_turn(self, rng: Rng) -> list[int]: ...
    def features(self, after: int | None = None) -> list[int]: ...
    def policy(self, weights: Sequence[float]) -> list[tuple[int, float]]: ...
    def perft(self, depth: int) -> int: ...
    def playout(self, rng: Rng) -> tuple[int, int, int, int, int, list[int]]: ...
    def playouts(self, count: int, seed: int, first: int = 0) -> tuple[int, int]: ...
    def repeat_count(self, count: int) -> int: ...

Values: TypeAlias = list[tuple[list[int], bool, int]]
"""Turns, whether the player who takes them wins, and the turns to the end, 0 if not known."""

class Sweep:
    """The winners of all positions that can follow from an endgame, with distances if wanted."""

    wins: bool
    @staticmethod
    def make(
        board: Board,
        distances: bool,
        threads: int,
        seconds: float,
        stop: Callable[[], bool] | None,
    ) -> Sweep | None: ...
    def covers(self, board: Board) -> bool: ...
    def turns(self, board: Board) -> Values: ...
    def line(self, board: Board) -> Values: ...

class Square5:
    """The table of square5."""

    def __init__(self, data: bytes) -> None: ...
    def turns(self, board: Board) -> Values: ...

def sweep_cost(
    board: Board, empty: int, distances: bool, threads: int
) -> tuple[int, int, float] | None: ...
def solve(
    board: Board,
    nodes: int,
    seconds: float,
    memory: int,
    threads: int,
    leaf: int,
    stop: Callable[[], bool] | None,
) -> tuple[int, int, int, float, list[list[int]]]: ...
def leaf_cells(board: Board, nodes: int, seconds: float, memory: int, threads: int) -> int: ...

Line: TypeAlias = list[list[int]]
Chance: TypeAlias = tuple[float, int, bool, int]
TurnReport: TypeAlias = tuple[Chance, Chance, float, float, int, Line, Line, bool, bool, int]
PlayerReport: TypeAlias = tuple[int, float, float, list[int]]

class Review:
    """The review of a game; review.hpp says what the tuples are."""

    stage: int
    def __init__(self, start: Board, turns: Sequence[Sequence[int]]) -> None: ...
    def solve(
        self,
        memory: int,
        seconds: float,
        nodes: int,
        threads: int,
        table: Callable[[int, Line], Values],
        stop: Callable[[], bool],
    ) -> None: ...
    def wanted(
        self, visits: int, seed: int, stop: Callable[[], bool]
    ) -> list[tuple[int, list[int], int, int]]: ...
    def take(
        self, turn: Sequence[int], value: float, visits: int, lines: Sequence[Line]
    ) -> None: ...
    def report(self) -> tuple[list[TurnReport], list[float], int, list[PlayerReport]]: ...

thresholds: list[float]

class SearchSettings:
    """The settings of a search; see `yoddd.kernel.TreeSettings`."""

    exploration: float
    rave: bool
    rave_bias: float
    rave_playouts: int
    expand_visits: int
    margin_weight: float
    bridges: bool
    transpositions: bool
    weights: Sequence[float]
    value_share: float
    value_fade: float
    barred: Sequence[int]
    memory: int
    threads: int
    def __init__(self) -> None: ...

class PlayLimits:
    """The limits of a turn, none at first."""

    playouts: int
    visits: int
    seconds: float
    counts: bool
    swept: int
    resume: bool
    proves: bool
    def __init__(self) -> None: ...

Considered: TypeAlias = tuple[
    list[list[int]], int, float, float, float, bool, int, int, float, float
]
Report: TypeAlias = tuple[
    list[Considered], int, float, float, float, list[float], list[tuple[int, float]], int
]

class Player:
    """The play of the strongest engine; player.hpp says what the tuples are."""

    bytes_kept: int
    def __init__(self) -> None: ...
    def bytes_for(self, board: Board, limit: int) -> int: ...
    def drop(self) -> None: ...
    def drop_sweeps(self) -> None: ...
    def begin(
        self,
        board: Board,
        turns: Sequence[Sequence[int]],
        settings: SearchSettings,
        seed: int,
        limits: PlayLimits,
        stop: Callable[[], bool],
    ) -> None: ...
    def step(self, stop: Callable[[], bool]) -> bool: ...
    def finish(self) -> None: ...
    def result(self) -> tuple[list[int], int, float, float, int]: ...
    def report(self) -> Report: ...

def draw_turn(
    board: Board,
    weights: Sequence[float],
    lent: Sequence[tuple[int, float]],
    winrate: float,
    spread: float,
    seed: int,
) -> list[int]: ...
