"""The review of a game: every turn judged against the best one."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import attrs

from yoddd.engine import ENGINES, STRONGEST, Budget, Insight, Searcher, StopFlag, analyze
from yoddd.library.review.exact import ExactLimits, ExactValues
from yoddd.library.review.judgement import (
    Chance,
    Grade,
    accuracy_of,
    game_accuracy,
    grade_of,
    loss_of,
)
from yoddd.rules import Colour, PositionLike, Turn, TurnKind

CHECKED: Final = 4
"""The most turns that are solved to find one that wins where only the end of the game is solved."""

AGAIN: Final = 4
"""The visits of the searches that decide on an error, as a multiple of the others'."""

LINE: Final = 12
"""The most turns of a line."""

ATTEMPTS: Final = 3
"""How often the end of a game is solved from the beginning after an interruption."""

_EVEN: Final = 0.5
_OTHER_SEED: Final = 1 << 20


class ReviewInterrupted(Exception):
    """A review was told to stop."""


class Each(Protocol):
    """Applies a function to all items, in order; ``map`` and the ``map`` of an executor do."""

    def __call__(self, function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
        """The results."""


def _never() -> bool:
    return False


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


# -- estimates ------------------------------------------------------------------------------


@attrs.frozen
class _Estimate:
    """The result of a search.

    Attributes:
        chance: of the player to move.
        lines: the turns that it considers, best first, each with those expected to follow.
    """

    chance: Chance
    lines: tuple[tuple[Turn, ...], ...]

    @property
    def line(self) -> tuple[Turn, ...]:
        """The best of the lines; empty in a game that is over."""
        return self.lines[0] if self.lines else ()


def _estimate(settings: ReviewSettings, position: PositionLike) -> _Estimate:
    outcome = position.outcome()
    if outcome is not None:
        wins = outcome.winner is position.player
        return _Estimate(Chance.proven(wins=wins, distance=0), ())
    insights: list[Insight] = []
    budget = Budget(visits=settings.visits, memory=settings.memory)
    seed = settings.seed + position.number
    found = analyze(settings.engine(), position, budget, seed, settings.stop, insights.append)
    lines = [candidate.line for candidate in insights[-1].candidates]
    first = next((line for line in lines if line[:1] == (found.turn,)), (found.turn,))
    others = [line for line in lines if line[:1] != (found.turn,)]
    value = _EVEN if found.winrate is None else found.winrate
    return _Estimate(Chance(value, max(found.visits, found.playouts, 1)), (first, *others))


def _after(position: PositionLike, turn: Turn) -> PositionLike:
    after = position.copy()
    after.play(turn)
    return after


# -- judgements -----------------------------------------------------------------------------

_Line = tuple[Turn, ...]


@attrs.frozen
class _Judged:
    """The chances of the player to move, and the lines.

    Attributes:
        best: after the best turn.
        played: after the one that was played.
        better: the best turn's line; empty if it is the one that was played.
        reply: finds the line that follows the turn that was played.
    """

    best: Chance
    played: Chance
    better: Callable[[], _Line]
    reply: Callable[[], _Line]


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
        self._settings = settings
        # The solved end of the game; None before that is done, at the attempt with that number.
        self._solved: ExactValues | None = None
        self._attempt = 0
        # The finished searches by visits, seed and turns up to the position.
        self._found: dict[tuple[int, int, tuple[Turn, ...]], _Estimate] = {}
        # The estimates of the positions that are not known, from the first one on.
        self._estimates: list[_Estimate] = []
        # Where the best turn was not played: those after it and after the one that was, by index.
        self._compared: dict[int, tuple[_Estimate, _Estimate]] = {}

    def review(self) -> GameReview:
        """Make the review; after an interruption finished work is kept.

        Raises:
            ReviewInterrupted: the settings say stop.
        """
        self._solved = self._solved or self._solve()
        self._search()
        turns = tuple(self._judge(at) for at in range(len(self._turns)))
        chances = tuple(self._chance(at) for at in range(len(self._positions)))
        self._check()
        first = self._exact.first
        return GameReview(
            self._positions[0],
            turns,
            chances,
            first if first < len(self._positions) else None,
            {seat: _summary(turns, chances, seat) for seat in Colour},
        )

    def _check(self) -> None:
        """Refuse results that were found after the settings said stop."""
        if self._settings.stop():
            raise ReviewInterrupted

    def _solve(self) -> ExactValues:
        self._attempt += 1
        limits = self._settings.exact
        if self._attempt > ATTEMPTS:
            limits = attrs.evolve(limits, seconds=0)
        solved = ExactValues(self._positions, limits, self._settings.stop)
        self._check()
        return solved

    @property
    def _exact(self) -> ExactValues:
        assert self._solved is not None  # noqa: S101 — `review` solves first
        return self._solved

    def _search(self) -> None:
        """Estimate the positions that are not solved, and search supposed errors once more."""
        settings, first = self._settings, self._exact.first
        self._estimates = self._search_all(settings, self._positions[:first])
        searched = range(max(0, min(first - 1, len(self._turns))))
        missed = [at for at in searched if self._best_turn(at) != self._turns[at]]
        best = self._search_all(settings, [self._after_best(at) for at in missed])
        self._compare(missed, best, [self._estimates[at + 1] for at in missed])
        flawed = [at for at, pair in self._compared.items() if _is_flawed(*pair)]
        visits, seed = AGAIN * settings.visits, settings.seed + _OTHER_SEED
        longer = attrs.evolve(settings, visits=visits, seed=seed)
        best = self._search_all(longer, [self._after_best(at) for at in flawed])
        played = self._search_all(longer, [self._positions[at + 1] for at in flawed])
        self._compare(flawed, best, played)

    def _compare(self, places: list[int], best: list[_Estimate], played: list[_Estimate]) -> None:
        self._compared |= zip(places, zip(best, played, strict=True), strict=True)

    def _search_all(
        self, settings: ReviewSettings, positions: Sequence[PositionLike]
    ) -> list[_Estimate]:
        keys = [(settings.visits, settings.seed, one.history) for one in positions]
        missing = {
            key: one for key, one in zip(keys, positions, strict=True) if key not in self._found
        }
        # No more than a search needs, which another machine may do.
        alone = attrs.evolve(settings, exact=ExactLimits(), each=map)
        found = settings.each(functools.partial(_estimate, alone), tuple(missing.values()))
        for key, estimate in zip(missing, found, strict=True):
            self._check()
            self._found[key] = estimate
        return [self._found[key] for key in keys]

    def _best_turn(self, at: int) -> Turn:
        return self._estimates[at].lines[0][0]

    def _after_best(self, at: int) -> PositionLike:
        return _after(self._positions[at], self._best_turn(at))

    def _chance(self, at: int) -> float:
        """The chance of the participant who began as Black, in a position."""
        position = self._positions[at]
        value = self._value(at).value
        return value if position.seat_of(position.player) is Colour.BLACK else 1 - value

    def _value(self, at: int) -> Chance:
        """The chance of the player to move in a position."""
        known = self._exact.known(at) if at >= self._exact.first else None
        if known is not None:
            return known.chance
        pair = self._compared.get(at - 1)
        return self._estimates[at].chance if pair is None else pair[1].chance

    def _judge(self, at: int) -> TurnReview:
        judged = self._judged(at)
        position, turn = self._positions[at], self._turns[at]
        grade = grade_of(judged.best, judged.played)
        loss = loss_of(judged.best, judged.played)
        flawed = grade is not Grade.SOUND
        known = self._exact.known(at) if at >= self._exact.first else None
        return TurnReview(
            number=position.number,
            player=position.player,
            seat=position.seat_of(position.player),
            turn=turn,
            best=judged.best,
            played=judged.played,
            loss=loss,
            accuracy=accuracy_of(loss),
            grade=grade,
            better=judged.better()[:LINE] if flawed else (),
            refutation=judged.reply()[:LINE] if flawed else (),
            only=known is not None and known.sole and judged.played.value == 1,
            turning=flawed and judged.best.value >= _EVEN > judged.played.value,
        )

    def _judged(self, at: int) -> _Judged:
        if at >= self._exact.first:
            return self._by_values(at)
        if at == self._exact.first - 1:
            return self._before_values(at)
        return self._by_estimates(at)

    def _by_values(self, at: int) -> _Judged:
        """Both positions are known."""
        known, after = self._exact.known(at), self._exact.known(at + 1)
        assert known is not None  # noqa: S101 — all positions from `first` on are
        assert after is not None  # noqa: S101 — likewise
        played = _earlier(after.chance)
        best = known.chance if known.chance.value > played.value else played
        return _Judged(best, played, known.find_line, after.find_line)

    def _before_values(self, at: int) -> _Judged:
        """Judge a turn of which only the position after it is solved."""
        after = self._exact.known(at + 1)
        assert after is not None  # noqa: S101 — all positions from `first` on are
        played = _earlier(after.chance)
        if played.value == 1:
            return _Judged(played, played, tuple, after.find_line)
        best, line = self._best_of(at, played)
        return _Judged(best, played, line, after.find_line)

    def _best_of(self, at: int, played: Chance) -> tuple[Chance, Callable[[], _Line]]:
        """The best of the turns that were considered, instead of one that loses for certain."""
        position = self._positions[at]
        others = [line for line in self._estimates[at].lines if line[0] != self._turns[at]]
        unknown = []
        for line in others[:CHECKED]:
            known = self._exact.winner_after(position, line[0])
            if known is None:
                unknown.append(line[0])
            elif known.chance.value == 0:
                return _earlier(known.chance), _following(line[0], known.find_line)
        for turn in unknown[:1]:
            found = _estimate(self._settings, _after(position, turn))
            return found.chance.opponents, _constant((turn, *found.line))
        return played, tuple

    def _by_estimates(self, at: int) -> _Judged:
        """Neither position is known: compare searches after the best turn and the one played."""
        reply = self._estimates[at + 1]
        after, reply = self._compared.get(at, (reply, reply))
        best, played = after.chance.opponents, reply.chance.opponents
        if best.value <= played.value:
            best = played
        better = (self._best_turn(at), *after.line)
        return _Judged(best, played, _constant(better), _constant(reply.line))


def _is_flawed(best: _Estimate, played: _Estimate) -> bool:
    return grade_of(best.chance.opponents, played.chance.opponents) is not Grade.SOUND


def _earlier(after: Chance) -> Chance:
    """The chance of the player whose turn leads to a known position."""
    distance = None if after.distance is None else after.distance + 1
    return attrs.evolve(after.opponents, distance=distance)


def _constant(line: _Line) -> Callable[[], _Line]:
    return lambda: line


def _following(turn: Turn, find_line: Callable[[], _Line]) -> Callable[[], _Line]:
    return lambda: (turn, *find_line())


def _summary(turns: Sequence[TurnReview], chances: Sequence[float], seat: Colour) -> PlayerReview:
    places = [at for at, turn in enumerate(turns) if turn.seat is seat]
    own = [turns[at] for at in places]
    return PlayerReview(
        turns=len(own),
        accuracy=game_accuracy([turn.accuracy for turn in turns], chances, places),
        average_loss=sum(turn.loss for turn in own) / len(own) if own else None,
        errors={
            grade: sum(turn.grade is grade for turn in own)
            for grade in Grade
            if grade is not Grade.SOUND
        },
    )
