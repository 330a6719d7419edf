"""The review of a game: every turn judged against the best one.

The judgement itself is the kernel's: ``kernel/src/judgement.cpp``.
"""

from __future__ import annotations

import enum
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import attrs

from yoddd.engine import (
    ENGINES,
    NO_TABLES,
    STRONGEST,
    Budget,
    Insight,
    Searcher,
    StopFlag,
    Tables,
    analyze,
    values_of,
)
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, moves_of, turn_of
from yoddd.rules import Colour, PositionLike, Turn, TurnKind

if TYPE_CHECKING:
    from yoddd.kernel import _native


class Grade(enum.StrEnum):
    """The error of a turn; `SOUND` is none."""

    SOUND = "sound"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


GRADES = tuple(Grade)
"""By their numbers in the kernel, the least first."""


def thresholds() -> Mapping[Grade, float]:
    """The least loss of an error, the greatest first."""
    return dict(reversed([*zip(GRADES[1:], native().thresholds, strict=True)]))


@attrs.frozen
class Chance:
    """The chance of winning, for one participant.

    Attributes:
        value: 0 to 1; 0 or 1 if it is exact.
        visits: of the search that estimated it; 0 if it is exact.
        exact: whether it is proven.
        distance: turns to the end of the game by best play of both sides, if that is known.
    """

    value: float
    visits: int = 0
    exact: bool = False
    distance: int | None = None


ATTEMPTS: Final = 3
"""How often the end of a game is solved from the beginning after an interruption."""

_LAST_ROUND: Final = 4
"""The stage of the one search that comes by itself, and so is not spread."""

_EVEN: Final = 0.5


class ReviewInterrupted(Exception):
    """A review was told to stop."""


class Each(Protocol):
    """Applies a function to all items, in order; ``map`` and the ``map`` of an executor do."""

    def __call__(self, function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
        """The results."""


def _never() -> bool:
    return False


@attrs.frozen(kw_only=True)
class ExactLimits:
    """The limits of exact solving in a review, for each game.

    Attributes:
        tables: those of small boards, which have no limit.
        memory: bytes of a sweep.
        seconds: the longest expected time of a sweep; 0 for no sweep and no proof search. The
            expectation does not depend on the machine's load, so that the same positions are solved
            again.
        nodes: the most nodes of the proof search of a position with too many empty cells for a
            sweep; 0 for none.
        threads: how many threads work on it.
    """

    tables: Tables = NO_TABLES
    memory: int = 256 << 20
    seconds: float = 10.0
    nodes: int = 50_000
    threads: int = 1


@attrs.frozen(kw_only=True)
class ReviewSettings:
    """The engine and the limits of a review; the same settings make the same review.

    Attributes:
        engine: makes a searcher; each position gets its own.
        visits: of each search.
        memory: bytes of each search.
        seed: of the searches.
        exact: the limits of what is solved.
        each: applies the search to all positions, one after the other or in several threads.
        stop: polled; true interrupts the review. It is pickled if ``each`` pickles.
    """

    engine: Callable[[], Searcher] = ENGINES[STRONGEST]
    visits: int = 5000
    memory: int = 64 << 20
    seed: int = 0
    exact: ExactLimits = attrs.Factory(ExactLimits)
    each: Each = map
    stop: StopFlag = _never


@attrs.frozen(kw_only=True)
class TurnReview:
    """The judgement of one turn.

    Attributes:
        number: of the turn in the game.
        player: the colour to move.
        seat: the participant: the colour that they began with.
        turn: the turn.
        best: the chance of the participant after the best turn.
        played: the same after the turn that was played.
        loss: the chance that was given away.
        accuracy: 0 to 100.
        grade: the error.
        better: the better turn and the line that follows; empty if there is none.
        refutation: the opponent's best reply to an error and the line that follows.
        only: whether it was the only turn that wins, of enough that were legal.
        turning: whether the error made the other participant the one who is more likely to win.
    """

    number: int
    player: Colour
    seat: Colour
    turn: Turn
    best: Chance
    played: Chance
    loss: float
    accuracy: float
    grade: Grade
    better: tuple[Turn, ...]
    refutation: tuple[Turn, ...]
    only: bool
    turning: bool


@attrs.frozen
class PlayerReview:
    """The turns of one participant together.

    Attributes:
        turns: their number.
        accuracy: 0 to 100; None without a turn.
        average_loss: the mean of the chances that were given away; None likewise.
        errors: the number of turns of each grade but `Grade.SOUND`.
    """

    turns: int
    accuracy: float | None
    average_loss: float | None
    errors: Mapping[Grade, int]


@attrs.frozen
class GameReview:
    """The review of a game.

    Attributes:
        start: the position before the first turn.
        turns: the judgements of the turns.
        chances: of the participant who began as Black, before the first turn and after every turn.
        exact_from: the number of turns after which the positions are solved; None if none is.
        players: by seat.
    """

    start: PositionLike
    turns: tuple[TurnReview, ...]
    chances: tuple[float, ...]
    exact_from: int | None
    players: Mapping[Colour, PlayerReview]

    @property
    def turning_points(self) -> tuple[TurnReview, ...]:
        """The turns that made the other participant the one who is more likely to win."""
        return tuple(turn for turn in self.turns if turn.turning)


def review_game(
    start: PositionLike, turns: Sequence[Turn], settings: ReviewSettings | None = None
) -> GameReview:
    """Judge every turn of a game.

    A resignation is not judged, and ends the turns.

    Args:
        start: the position before the first turn; it is left as it is.
        turns: legal one after the other.
        settings: what it is made with.

    Raises:
        IllegalTurn: a turn is illegal.
        ReviewInterrupted: the settings say stop.
    """
    return Reviewer(start, turns, settings or ReviewSettings()).review()


# -- searches -------------------------------------------------------------------------------


@attrs.frozen
class _Search:
    """A search that a review needs, which another machine may do."""

    position: PositionLike
    visits: int
    seed: int


_Estimate = tuple[Turn, float, int, list[tuple[Turn, ...]]]
"""The turn that a search chose, the chance of the player, visits, and the lines considered."""


def _estimate(
    engine: Callable[[], Searcher], memory: int, stop: StopFlag, search: _Search
) -> _Estimate:
    insights: list[Insight] = []
    budget = Budget(visits=search.visits, memory=memory)
    found = analyze(engine(), search.position, budget, search.seed, stop, insights.append)
    lines = [candidate.line for candidate in insights[-1].candidates]
    value = _EVEN if found.winrate is None else found.winrate
    return found.turn, value, max(found.visits, found.playouts, 1), lines


class Reviewer:
    """Reviews one game, as `review_game` does; after an interruption it continues."""

    def __init__(
        self, start: PositionLike, turns: Sequence[Turn], settings: ReviewSettings
    ) -> None:
        """Play the turns; the parameters and errors are those of `review_game`."""
        self._turns = tuple(
            itertools.takewhile(lambda turn: turn.kind is not TurnKind.RESIGN, turns)
        )
        self._positions = [start.copy()]
        for turn in self._turns:
            self._positions.append(_after(self._positions[-1], turn))
        self._rules, self._settings = start.rules, settings
        self._review = native().Review(board_of(start), self._moves(self._turns))
        self._attempt = 0
        self._is_solved = False

    def review(self) -> GameReview:
        """Make the review; after an interruption finished work is kept.

        Raises:
            ReviewInterrupted: the settings say stop.
        """
        if not self._is_solved:
            self._solve()
        while self._search():
            pass
        turns, chances, first, players = self._review.report()
        self._check()
        return GameReview(
            self._positions[0],
            tuple(map(self._turn, range(len(turns)), turns)),
            tuple(chances),
            None if first < 0 else first,
            dict(zip(Colour, map(_player, players), strict=True)),
        )

    @property
    def stage(self) -> int:
        """The number of the searches that go on: 0 to 3 for those of `ReviewSettings.each`."""
        stage: int = self._review.stage
        return stage

    def _check(self) -> None:
        """Refuse results that were found after the settings said stop."""
        if self._settings.stop():
            raise ReviewInterrupted

    def _solve(self) -> None:
        self._attempt += 1
        limits, stop = self._settings.exact, self._settings.stop
        seconds = limits.seconds if self._attempt <= ATTEMPTS else 0
        numbers = (limits.memory, seconds, limits.nodes, limits.threads)
        limits.tables.find(self._rules, stop)  # so that what follows finds it solved
        # Without a way back to the review, which nothing would free then.
        table = functools.partial(_tabled, self._positions, limits.tables)
        self._review.solve(*numbers, table, stop)
        self._check()
        self._is_solved = True

    def _search(self) -> bool:
        """Make the searches of a stage; whether there were any."""
        settings, review = self._settings, self._review
        wanted = review.wanted(settings.visits, settings.seed, settings.stop)
        self._check()
        searches = []
        for at, moves, visits, seed in wanted:
            position = self._positions[at]
            if moves:
                position = _after(position, turn_of(self._rules, moves))
            searches.append(_Search(position, visits, seed))
        each = settings.each if review.stage < _LAST_ROUND else map
        search = functools.partial(_estimate, settings.engine, settings.memory, settings.stop)
        for turn, value, visits, lines in each(search, searches):
            self._check()
            moves = moves_of(self._rules, turn)
            review.take(moves, value, visits, [self._moves(line) for line in lines])
        return bool(wanted)

    def _moves(self, turns: Iterable[Turn]) -> _native.Line:
        return [moves_of(self._rules, turn) for turn in turns]

    def _turn(self, at: int, report: _native.TurnReport) -> TurnReview:
        best, played, loss, accuracy, grade, better, refutation, only, turning, seat = report
        position = self._positions[at]
        return TurnReview(
            number=position.number,
            player=position.player,
            seat=Colour(seat),
            turn=self._turns[at],
            best=_chance(best),
            played=_chance(played),
            loss=loss,
            accuracy=accuracy,
            grade=GRADES[grade],
            better=self._line(better),
            refutation=self._line(refutation),
            only=only,
            turning=turning,
        )

    def _line(self, line: _native.Line) -> tuple[Turn, ...]:
        return tuple(turn_of(self._rules, moves) for moves in line)


def _tabled(
    positions: Sequence[PositionLike], tables: Tables, at: int, more: _native.Line
) -> _native.Values:
    """The values of a position by a table, as the kernel has them."""
    position = positions[at]
    rules = position.rules
    for moves in more:
        position = _after(position, turn_of(rules, moves))
    values = values_of(tables, position)
    return [(moves_of(rules, one.turn), one.wins, one.distance or 0) for one in values]


def _after(position: PositionLike, turn: Turn) -> PositionLike:
    after = position.copy()
    after.play(turn)
    return after


def _chance(chance: _native.Chance) -> Chance:
    value, visits, exact, distance = chance
    return Chance(value, visits, exact, None if distance < 0 else distance)


def _player(player: _native.PlayerReport) -> PlayerReview:
    turns, accuracy, loss, errors = player
    counts = dict(zip(GRADES[1:], errors, strict=True))
    return PlayerReview(turns, accuracy if turns else None, loss if turns else None, counts)
