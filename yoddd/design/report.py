"""Evaluation of the games of a design report.

Most measures are those of C. Browne, "Automatic Generation and Evaluation of Recombination Games"
(2008), chapter 6, with the engine's winrates as evaluations.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs
import scipy

from yoddd.design.plan import Plan
from yoddd.design.selfplay import FirstTurn, Mirror, PlayedGame, Purpose
from yoddd.kernel import NativePosition
from yoddd.referee.stats.elo import Interval, elo_of
from yoddd.referee.stats.ratings import Bout, Ratings, rate_entrants
from yoddd.rules import PASS, Colour, Rules, Turn

DECIDED: Final = 0.9
"""The winrate from which a game counts as decided, if it stays there."""

STEP: Final = 0.6
"""The score of one step of skill."""

_PASSES: Final = 2
_SHORTEST: Final = 6
_SHORTEST_NODES: Final = 20_000


@attrs.frozen
class MirrorResult:
    """The result of a mirror.

    Attributes:
        mirror: the way it copies.
        first: whether it begins, with a stone in the centre.
        won: the share of games that it has won.
        copied: the share of its answers that were copies; others were the engine's.
    """

    mirror: Mirror
    first: bool
    won: Interval
    copied: float


@attrs.frozen(kw_only=True)
class DesignReport:
    """A description of a game by its self-play.

    Attributes:
        plan: of the games.
        first: the share of games that the participant who begins wins, by strength in playouts.
        ladder: Elo above random play, by strength in playouts.
        lengths: how many games of the main strength had so many turns.
        branching: the mean number of legal turns before turn 1, 2, … as long as half of the games
            of the main strength were going on.
        lead_changes: the mean number of times that the side ahead changes.
        lead_change_rate: that number in relation to the number of times that it could.
        drama: the mean of `drama` over the games.
        decided: the mean share of a game after which it is decided.
        from_behind: the share of games whose winner was behind in the second half.
        first_turns: by turn, the chance of the participant who begins; of all turns of one stone.
        pie: the chance of the participant who begins, with a swap after the best choice of a first
            turn.
        black: for each cell the share of games in which it ended black.
        winning: for each cell, by how much that share is higher where Black has won.
        mirrors: results of mirrors.
        shortest: the fewest turns that the rules need to end a game; None if that is not known.
        samples: games for the reader.
    """

    plan: Plan
    first: Mapping[int, Interval]
    ladder: Mapping[int, Interval]
    lengths: Mapping[int, int]
    branching: tuple[float, ...]
    lead_changes: float
    lead_change_rate: float
    drama: float
    decided: float
    from_behind: float
    first_turns: Mapping[Turn, float]
    pie: float
    black: tuple[float, ...]
    winning: tuple[float, ...]
    mirrors: tuple[MirrorResult, ...]
    shortest: int | None
    samples: Mapping[str, PlayedGame]

    @property
    def steps(self) -> float:
        """The length of the ladder: how many steps of 60 % lead from random play to its top."""
        return max(one.value for one in self.ladder.values()) / elo_of(STEP)


def examine(plan: Plan, results: Iterable[PlayedGame | FirstTurn]) -> DesignReport:
    """Evaluate the results of a plan's tasks."""
    done = list(results)
    games = [one for one in done if isinstance(one, PlayedGame)]
    self_play = _by_strength(games)
    main = self_play[plan.playouts]
    first_turns = dict(_spread([one for one in done if isinstance(one, FirstTurn)], plan.rules))
    black, winning = _cells(main)
    return DesignReport(
        plan=plan,
        first={strength: share([g.won for g in of]) for strength, of in self_play.items()},
        ladder=_ladder(plan.strengths, games),
        lengths=_counts(len(game.turns) for game in main),
        branching=_branching(main),
        lead_changes=statistics.fmean(map(lead_changes, main)),
        lead_change_rate=statistics.fmean(
            lead_changes(game) / max(1, len(game.turns) - 1) for game in main
        ),
        drama=statistics.fmean(map(drama, main)),
        decided=statistics.fmean(map(decided, main)),
        from_behind=statistics.fmean(map(comes_from_behind, main)),
        first_turns=first_turns,
        pie=max(min(rate, 1 - rate) for rate in first_turns.values()),
        black=black,
        winning=winning,
        mirrors=tuple(_mirrors(games)),
        shortest=shortest_game(plan.rules),
        samples=_samples(main),
    )


def share(results: Sequence[bool]) -> Interval:
    """A share with its 95 % interval (E. B. Wilson, 1927)."""
    # Imported by its first use, which takes a second.
    found = scipy.stats.binomtest(sum(results), len(results)).proportion_ci(method="wilson")
    return Interval(sum(results) / len(results), float(found.low), float(found.high))


def _by_strength(games: Iterable[PlayedGame]) -> dict[int, list[PlayedGame]]:
    """The games of self-play by their playouts a turn, ascending."""
    found: dict[int, list[PlayedGame]] = {}
    for game in games:
        if game.plan.purpose is Purpose.SELF_PLAY:
            found.setdefault(game.plan.playouts[0], []).append(game)
    return dict(sorted(found.items()))


def _counts(numbers: Iterable[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for number in sorted(numbers):
        found[number] = found.get(number, 0) + 1
    return found


# -- strength -------------------------------------------------------------------------------


def _ladder(strengths: Sequence[int], games: Iterable[PlayedGame]) -> dict[int, Interval]:
    """Elo above random play, from the games between neighbours."""
    places = {strength: place for place, strength in enumerate(strengths)}
    bouts = []
    for game in games:
        if game.plan.purpose is Purpose.LADDER:
            first, second = (places[playouts] for playouts in game.plan.playouts)
            bouts.append(Bout(first, second, int(game.won), int(not game.won)))
    ratings = rate_entrants(len(strengths), bouts)
    return {strength: _above(ratings, place) for strength, place in places.items()}


def _above(ratings: Ratings, place: int) -> Interval:
    """A rating relative to the lowest strength, with the interval of its own rating."""
    own = ratings.interval(place)
    return Interval(*(value - ratings.elo[0] for value in (own.value, own.low, own.high)))


def _mirrors(games: Iterable[PlayedGame]) -> Iterator[MirrorResult]:
    found: dict[tuple[Mirror, bool], list[PlayedGame]] = {}
    for game in games:
        if game.plan.mirror is not None:
            found.setdefault((game.plan.mirror, game.plan.mirrors_first), []).append(game)
    for (mirror, first), played in found.items():
        copied = [game.copied for game in played if game.copied is not None]
        won = share([game.won is first for game in played])
        yield MirrorResult(mirror, first, won, statistics.fmean(copied) if copied else 0.0)


# -- the course of a game -------------------------------------------------------------------


def _rates(game: PlayedGame) -> list[float]:
    """The chance of the participant who began before each turn, and the result."""
    return [*(rate for rate in game.rates if rate is not None), float(game.won)]


def lead_changes(game: PlayedGame) -> int:
    """The number of times that the side ahead, by the search, changes."""
    ahead = [rate > 0.5 for rate in _rates(game)]
    return sum(one != other for one, other in itertools.pairwise(ahead))


def drama(game: PlayedGame) -> float:
    """The mean root of the deficit over the turns before which the winner was behind.

    Browne's "drama (average)": evaluations there run from -1 to 1, so a deficit is the difference
    of the two sides' winrates. 0 if the winner was never behind.
    """
    deficits = [1 - 2 * rate if game.won else 2 * rate - 1 for rate in _rates(game)[:-1]]
    behind = [math.sqrt(deficit) for deficit in deficits if deficit > 0]
    return statistics.fmean(behind) if behind else 0.0


def decided(game: PlayedGame) -> float:
    """The share of the game after which the winner's chance stays above `DECIDED`."""
    rates = [rate if game.won else 1 - rate for rate in _rates(game)]
    open_turns = [turn for turn, rate in enumerate(rates, 1) if rate < DECIDED]
    return (open_turns[-1] if open_turns else 0) / len(rates)


def comes_from_behind(game: PlayedGame) -> bool:
    """Whether the winner was behind at some turn of the second half."""
    rates = _rates(game)
    second = rates[len(rates) // 2 :]
    return min(second) < 0.5 if game.won else max(second) > 0.5


def _branching(games: Sequence[PlayedGame]) -> tuple[float, ...]:
    typical = int(statistics.median(len(game.branching) for game in games))
    return tuple(
        statistics.fmean(g.branching[turn] for g in games if turn < len(g.branching))
        for turn in range(typical)
    )


# -- the board ------------------------------------------------------------------------------


def _spread(found: Iterable[FirstTurn], rules: Rules) -> Iterator[tuple[Turn, float]]:
    """The rates of all first turns, by those of one in each class of symmetry."""
    for one in found:
        (stone,) = one.turn.stones
        for image in rules.geometry.symmetries:
            yield Turn.drop(stone._replace(cell=image[stone.cell])), one.rate


def _cells(games: Sequence[PlayedGame]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The share of games in which each cell ended black, and by how much it is higher for Black.

    Games are counted in all images of the board's symmetries.
    """
    rules = games[0].plan.rules
    of = {colour: [game for game in games if game.winner is colour] for colour in Colour}
    every = _blackness(games, rules)
    if not of[Colour.BLACK] or not of[Colour.WHITE]:
        return every, (0.0,) * len(every)
    won, lost = (_blackness(of[colour], rules) for colour in Colour)
    return every, tuple(one - other for one, other in zip(won, lost, strict=True))


def _blackness(games: Sequence[PlayedGame], rules: Rules) -> tuple[float, ...]:
    cells = rules.geometry.cells
    plain = [sum(game.final[cell] is Colour.BLACK for game in games) for cell in range(cells)]
    images = rules.geometry.symmetries
    return tuple(
        sum(plain[image[cell]] for image in images) / (len(images) * len(games))
        for cell in range(cells)
    )


def shortest_game(rules: Rules) -> int | None:
    """The fewest turns in which a game can end; None if a short search does not find it.

    A game without passes takes as many turns as fill the board.
    """
    if not rules.has_pass:
        return 1 + math.ceil((rules.geometry.cells - 1) / rules.game.max_stones)
    budget = iter(range(_SHORTEST_NODES))
    start = NativePosition(rules)
    return next((turns for turns in range(1, _SHORTEST) if _ends(start, turns, budget)), None)


def _ends(position: NativePosition, depth: int, budget: Iterator[int]) -> bool:
    """Whether the game can be over after ``depth`` turns; False when the budget is spent."""
    if position.is_over or not depth:
        return position.is_over
    full = position.cells.count(None) <= depth * position.rules.game.max_stones
    # A board that stays open ends the game by two passes only.
    must_pass = not full and depth <= _PASSES - position.passes
    for turn in (PASS,) if must_pass else position.legal_turns():
        if next(budget, None) is None:
            return False
        if position.illegality(turn) is None:
            after = position.copy()
            after.play(turn)
            if _ends(after, depth - 1, budget):
                return True
    return False


def _samples(games: Sequence[PlayedGame]) -> dict[str, PlayedGame]:
    """Games that stand out, each one once."""
    chosen = {
        "shortest": min(games, key=lambda game: len(game.turns)),
        "longest": max(games, key=lambda game: len(game.turns)),
        "most changes of the lead": max(games, key=lambda game: (lead_changes(game), drama(game))),
        "least drama": min(games, key=lambda game: (drama(game), decided(game))),
    }
    if len(chosen["shortest"].turns) == len(chosen["longest"].turns):
        del chosen["shortest"], chosen["longest"]
    return chosen
