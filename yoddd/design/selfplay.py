"""The games of a design report: search against search, random play and mirrors."""

from __future__ import annotations

import enum
import random
from typing import Final

import attrs

from yoddd.board import Geometry
from yoddd.engine import Budget
from yoddd.engine.uniform import UniformSearcher
from yoddd.engine.weights import weights_for
from yoddd.kernel import NativePosition, TreeSearch, TreeSettings
from yoddd.rules import Colour, Rules, Stone, Turn, TurnKind

RANDOM: Final = 0
"""The strength, in playouts, of random play."""

_MEMORY: Final = 64 << 20
_SEEDS: Final = 1 << 32


@attrs.frozen
class Mirror:
    """A way to copy the opponent's turn.

    Attributes:
        rotates: whether it is turned by half a turn about the centre instead of reflected from
            left to right.
        exchanges: whether the stones get the other colour.
    """

    rotates: bool
    exchanges: bool

    @property
    def title(self) -> str:
        """Its name for readers."""
        way = "rotation" if self.rotates else "reflection"
        return f"{way}, colours exchanged" if self.exchanges else way

    def image(self, turn: Turn, geometry: Geometry) -> Turn:
        """The copy of a turn."""
        cells = permutation(geometry, rotates=self.rotates)
        stones = (
            Stone(colour.opponent if self.exchanges else colour, cells[cell])
            for colour, cell in turn.stones
        )
        return Turn.drop(*stones) if turn.kind is TurnKind.DROP else turn


def permutation(geometry: Geometry, *, rotates: bool) -> tuple[int, ...]:
    """The half turn about the centre, or the reflection from left to right, of all cells."""
    if rotates:
        return tuple(reversed(range(geometry.cells)))
    return tuple(cell for row in geometry.rows for cell in reversed(row))


@attrs.frozen(kw_only=True)
class GamePlan:
    """One game that is to be played.

    Attributes:
        purpose: what it counts for.
        rules: the game, the board and the options.
        playouts: of each turn of the participant who begins, then of the other; `RANDOM` for
            random turns.
        mirror: how a participant copies the other one's turns, where that is legal.
        mirrors_first: whether the one who begins does that, after a first turn in the centre.
        seed: of the game.
    """

    purpose: Purpose
    rules: Rules
    playouts: tuple[int, int]
    mirror: Mirror | None = None
    mirrors_first: bool = False
    seed: str


class Purpose(enum.Enum):
    """The parts of the report that games are played for."""

    SELF_PLAY = "self-play"
    LADDER = "ladder"
    MIRROR = "mirror"


@attrs.frozen(kw_only=True)
class PlayedGame:
    """A finished game.

    Attributes:
        plan: as it was planned.
        turns: oldest first.
        won: whether the participant who began has won.
        winner: the colour that won on the final board.
        score: the result as records spell it, such as ``B+3``.
        rates: the chance of the participant who began, before each turn of a search; None before
            other turns.
        branching: the number of legal turns before each turn.
        final: the final content of each cell.
        copied: for a mirror, the share of its answers that were copies.
    """

    plan: GamePlan
    turns: tuple[Turn, ...]
    won: bool
    winner: Colour
    score: str
    rates: tuple[float | None, ...]
    branching: tuple[int, ...]
    final: tuple[Colour | None, ...]
    copied: float | None


@attrs.frozen(kw_only=True)
class FirstTurnPlan:
    """A first turn that is to be judged by a search of the position after it.

    Attributes:
        rules: without the pie rule.
        turn: the turn.
        playouts: of the search.
        seed: of the search.
    """

    rules: Rules
    turn: Turn
    playouts: int
    seed: str


@attrs.frozen
class FirstTurn:
    """A first turn with the chance of the participant who plays it, 0 to 1."""

    turn: Turn
    rate: float


def run(task: GamePlan | FirstTurnPlan) -> PlayedGame | FirstTurn:
    """Carry out one task of a plan; the same task gives the same result.

    Raises:
        KernelMissing: there is no native kernel.
    """
    return judge_first_turn(task) if isinstance(task, FirstTurnPlan) else play_game(task)


def judge_first_turn(plan: FirstTurnPlan) -> FirstTurn:
    """Search the position after a first turn."""
    position = NativePosition(plan.rules)
    position.play(plan.turn)
    tree = _search(position, plan.playouts, _rng(plan.seed))
    return FirstTurn(plan.turn, 1 - tree.result().winrate)


def play_game(plan: GamePlan) -> PlayedGame:
    """Play one game."""
    return _Game(plan).play()


class _Game:
    """A game in progress."""

    def __init__(self, plan: GamePlan) -> None:
        self._plan = plan
        self._rng = _rng(plan.seed)
        self._position = NativePosition(plan.rules)
        # The colour of the participant who began.
        self._first = Colour.BLACK
        self._turns: list[Turn] = []
        self._rates: list[float | None] = []
        self._branching: list[int] = []
        self._copies: list[bool] = []

    def play(self) -> PlayedGame:
        position = self._position
        while not position.is_over:
            self._branching.append(position.count_turns())
            begins = position.player is self._first
            turn, rate = self._choose(begins=begins)
            self._rates.append(rate if begins or rate is None else 1 - rate)
            if turn.kind is TurnKind.SWAP:
                self._first = self._first.opponent
            self._turns.append(turn)
            position.play(turn)
        outcome = position.outcome()
        assert outcome is not None  # noqa: S101 — the game is over
        return PlayedGame(
            plan=self._plan,
            turns=tuple(self._turns),
            won=outcome.winner is self._first,
            winner=outcome.winner,
            score=f"{outcome.winner.letter.upper()}+{outcome.score}",
            rates=tuple(self._rates),
            branching=tuple(self._branching),
            final=tuple(position.cells),
            copied=sum(self._copies) / len(self._copies) if self._copies else None,
        )

    def _choose(self, *, begins: bool) -> tuple[Turn, float | None]:
        """The next turn, and the chance of its player if a search has found it."""
        if self._plan.mirror is not None and begins is self._plan.mirrors_first:
            copy = self._copy(self._plan.mirror)
            if copy is not None:
                return copy, None
        playouts = self._plan.playouts[not begins]
        if playouts == RANDOM:
            seed = self._rng.randrange(_SEEDS)
            found = UniformSearcher().search(self._position, Budget(), seed, _no_stop)
            return found.turn, None
        tree = _search(self._position, playouts, self._rng)
        return tree.best_turn(), tree.result().winrate

    def _copy(self, mirror: Mirror) -> Turn | None:
        """The image of the last turn, or the centre as the first one; None if that is illegal."""
        position = self._position
        if not self._turns:
            centre = position.rules.geometry.cells // 2
            return Turn.drop(Stone(Colour.BLACK, centre))
        image = mirror.image(self._turns[-1], position.rules.geometry)
        legal = position.illegality(image) is None
        self._copies.append(legal)
        return image if legal else None


def _search(position: NativePosition, playouts: int, rng: random.Random) -> TreeSearch:
    settings = TreeSettings(memory=_MEMORY, weights=weights_for(position.rules))
    tree = TreeSearch(position, seed=rng.randrange(_SEEDS), settings=settings)
    tree.run(playouts=playouts)
    return tree


def _rng(seed: str) -> random.Random:
    return random.Random(seed)


def _no_stop() -> bool:
    return False
