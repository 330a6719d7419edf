"""Joint ratings by the Bradley-Terry model with a first-move advantage.

The one who begins, with rating ``r_i``, beats the other with probability

    1 / (1 + 10 ** (-(r_i - r_j + first) / 400))

The ratings and ``first`` are those under which the games are likeliest, the ratings with a weak
normal prior so that one who won every game has a rating at all; they add up to 0. The covariance is
the inverse of the information at that point. `rate_groups` rates within groups: the difference of
two ratings is finite only if each has won against the other, be it through others (L. R. Ford,
American Mathematical Monthly 64, 1957). Sources: R. A. Bradley and M. E. Terry, Biometrika 39
(1952); R. R. Davidson and R. J. Beaver, Biometrics 33 (1977) for the order effect; A. Agresti,
"Categorical Data Analysis" for the example that ours is tested against.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import attrs

from yoddd.referee.stats.elo import Z95, Interval

SCALE: Final = 400 / math.log(10)
"""Elo of one unit of log odds."""

PRIOR: Final = 1000.0
"""Standard deviation, in Elo, of the prior of a rating."""

_STEPS: Final = 100
_CONVERGED: Final = 1e-9

_SINGULAR: Final = 1e-12
"""The part of the largest entry of an information below which a pivot counts as 0."""

_Matrix = list[list[float]]


@attrs.frozen
class Bout:
    """Games that ``first``, who began, won and lost against ``second``; both are indices."""

    first: int
    second: int
    won: int
    lost: int


@attrs.frozen
class Ratings:
    """The ratings of all entrants, in Elo.

    Attributes:
        elo: by entrant; they add up to 0.
        first: the first-move advantage.
        covariance: of the ratings and, last, of ``first``; rows of Elo squared.
        groups: by `rate_groups`: entrants that have met, be it through others, in classes. Ratings
            compare those of one class, the best first; each class has won every game against those
            behind it.
    """

    elo: tuple[float, ...]
    first: float
    covariance: tuple[tuple[float, ...], ...]
    groups: tuple[tuple[tuple[int, ...], ...], ...] = ()

    def interval(self, entrant: int) -> Interval:
        """A rating with its 95 % interval."""
        return _interval(self.elo[entrant], self.covariance[entrant][entrant])

    def information(self, one: int, other: int) -> float:
        """The reduction of the sum of the variances of all ratings by one game of two entrants.

        It counts by the part of a bit that the result tells, roughly: against one who has lost
        every game the next loss tells nothing, however wide the interval of the rating still is.
        """
        chance = _chance((self.elo[one] - self.elo[other]) / SCALE)
        quality = chance * (1 - chance) / SCALE**2
        shift = [row[one] - row[other] + row[-1] for row in self.covariance]
        variance = shift[one] - shift[other] + shift[-1]
        length = sum(part * part for part in shift[:-1])
        open_part = 4 * chance * (1 - chance)
        return open_part * quality * length / (1 + quality * variance)

    @property
    def first_interval(self) -> Interval:
        """The advantage of the first move, with its interval."""
        return _interval(self.first, self.covariance[-1][-1])


def _interval(value: float, variance: float) -> Interval:
    error = Z95 * math.sqrt(max(0.0, variance))
    return Interval(value, value - error, value + error)


def rate_entrants(entrants: int, bouts: Iterable[Bout], prior: float = PRIOR) -> Ratings:
    """Rate ``entrants`` by their bouts.

    Args:
        entrants: how many there are.
        bouts: what they did; several of the same two add up.
        prior: standard deviation of the prior in Elo; infinite for none, where every rating has to
            follow from the games.
    """
    return _fit(entrants, list(bouts), {}, prior)


def rate_groups(entrants: int, bouts: Iterable[Bout]) -> Ratings:
    """Rate entrants within the classes that their games compare; in each the ratings add up to 0.

    The rating of an entrant that is alone in its class is 0 and says nothing.
    """
    games = list(bouts)
    beaten: list[set[int]] = [set() for _ in range(entrants)]
    met: list[set[int]] = [set() for _ in range(entrants)]
    for bout in games:
        for winner, loser, won in (
            (bout.first, bout.second, bout.won),
            (bout.second, bout.first, bout.lost),
        ):
            if won:
                beaten[winner].add(loser)
                met[winner].add(loser)
                met[loser].add(winner)
    # Two are in one class if they are above the same ones, themselves among them.
    below = [_reach(one, beaten) for one in range(entrants)]
    joint = rate_entrants(entrants, [one for one in games if below[one.first] == below[one.second]])
    classes: dict[frozenset[int], list[int]] = {}
    for one in sorted(range(entrants), key=lambda one: -joint.elo[one]):
        classes.setdefault(below[one], []).append(one)
    groups: dict[frozenset[int], list[tuple[int, ...]]] = {}
    for found in sorted(classes.values(), key=lambda found: -len(below[found[0]])):
        groups.setdefault(_reach(found[0], met), []).append(tuple(found))
    rows = [_centre_classes(row, classes.values()) for row in (joint.elo, *joint.covariance)]
    columns = [_centre_classes(column, classes.values()) for column in zip(*rows[1:], strict=True)]
    return Ratings(
        tuple(rows[0]),
        joint.first,
        tuple(map(tuple, columns)),
        tuple(sorted(map(tuple, groups.values()), key=lambda group: -sum(map(len, group)))),
    )


def _reach(start: int, links: list[set[int]]) -> frozenset[int]:
    """The entrants that links lead to from one, and itself."""
    seen, todo = {start}, [start]
    while todo:
        found = links[todo.pop()] - seen
        seen |= found
        todo += found
    return frozenset(seen)


def _centre_classes(values: Sequence[float], classes: Iterable[list[int]]) -> list[float]:
    """The values of entrants less the mean of their class; what follows them stays."""
    found = list(values)
    for members in classes:
        mean = sum(values[one] for one in members) / len(members)
        for one in members:
            found[one] -= mean
    return found


def rate_anchored(
    entrants: int, bouts: Iterable[Bout], anchors: Mapping[int, float], prior: float = PRIOR
) -> Ratings:
    """Rate entrants as `rate_entrants` does, with some ratings given and fixed.

    Args:
        entrants: how many there are.
        bouts: what they did.
        anchors: the given ratings in Elo, by entrant; at least one. The prior's mean is their mean.
        prior: standard deviation of the prior in Elo, finite.

    Returns:
        The ratings; the covariance of a given one is 0.
    """
    return _fit(entrants, list(bouts), anchors, prior)


def _fit(entrants: int, bouts: list[Bout], anchors: Mapping[int, float], prior: float) -> Ratings:
    """Rate entrants by Newton's method, halving a step until it finds a likelier fit."""
    fit = _Fit(entrants, bouts, anchors, prior)
    for _ in range(_STEPS):
        step = _solve(fit.information(), [[value] for value in fit.slope()])
        fit.advance([change for (change,) in step])
        if max(abs(change) for (change,) in step) < _CONVERGED:
            break
    free = fit.free
    unit = [[float(row == column) for column in free] for row in free]
    constant = 0.0 if anchors else 1 / entrants
    covariance = [[0.0] * (entrants + 1) for _ in range(entrants + 1)]
    for row, values in zip(free, _solve(fit.information(), unit), strict=True):
        for column, value in zip(free, values, strict=True):
            both = row < entrants and column < entrants
            covariance[row][column] = (value - constant * both) * SCALE**2
    *ratings, first = (value * SCALE for value in fit.theta)
    elo = tuple(anchors.get(entrant, value) for entrant, value in enumerate(ratings))
    return Ratings(elo, first, tuple(map(tuple, covariance)))


class _Fit:
    """A fit of ratings and, last, of the first-move advantage, in units of log odds.

    Attributes:
        theta: the fit so far.
        free: the indices of what is not given.
    """

    def __init__(
        self, entrants: int, bouts: list[Bout], anchors: Mapping[int, float], prior: float
    ) -> None:
        given = {entrant: elo / SCALE for entrant, elo in anchors.items()}
        mean = sum(given.values()) / len(given) if given else 0.0
        # Given ratings, and the means of the priors of all else.
        self._middles = [given.get(index, mean) for index in range(entrants)] + [0.0]
        self._weight = (SCALE / prior) ** 2 if math.isfinite(prior) else 0.0
        self._bouts = bouts
        # Without a given rating, all add up to 0.
        self._centred = not given
        self.theta = self._middles.copy()
        self.free = [index for index in range(entrants + 1) if index not in given]

    def advance(self, step: list[float]) -> None:
        """Move by the largest of the step, its half, its quarter, … that finds a likelier fit."""
        scale, before, start = 1.0, self._loss(), self.theta
        while scale >= _CONVERGED:
            self.theta = start.copy()
            for index, change in zip(self.free, step, strict=True):
                self.theta[index] += scale * change
            if self._loss() <= before:
                break
            scale /= 2

    def _odds(self, bout: Bout) -> float:
        return self.theta[bout.first] - self.theta[bout.second] + self.theta[-1]

    def _loss(self) -> float:
        """Minus the logarithm of the likelihood."""
        pairs = zip(self.theta, self._middles, strict=True)
        total = self._weight * sum((value - middle) ** 2 for value, middle in pairs) / 2
        for bout in self._bouts:
            odds = self._odds(bout)
            games = bout.won + bout.lost
            total += games * (max(odds, 0.0) + math.log1p(math.exp(-abs(odds)))) - bout.won * odds
        return total

    def slope(self) -> list[float]:
        """The gradient of the logarithm of the likelihood."""
        pairs = zip(self.theta, self._middles, strict=True)
        found = [self._weight * (middle - value) for value, middle in pairs]
        for bout in self._bouts:
            gap = bout.won - (bout.won + bout.lost) * _chance(self._odds(bout))
            found[bout.first] += gap
            found[bout.second] -= gap
            found[-1] += gap
        if self._centred:
            found = _centre(found)
        return [found[index] for index in self.free]

    def information(self) -> _Matrix:
        """The information; a constant added to all ratings, if none is given, counts as 1."""
        size = len(self.theta)
        found = [[self._weight * (row == column) for column in range(size)] for row in range(size)]
        for bout in self._bouts:
            chance = _chance(self._odds(bout))
            amount = (bout.won + bout.lost) * chance * (1 - chance)
            signs = ((bout.first, 1), (bout.second, -1), (size - 1, 1))
            for row, one in signs:
                for column, other in signs:
                    found[row][column] += one * other * amount
        if self._centred:
            columns = [_centre(list(column)) for column in zip(*found, strict=True)]
            found = [_centre(list(row)) for row in zip(*columns, strict=True)]
            for row_of_rating in found[:-1]:
                row_of_rating[:-1] = [value + 1 / (size - 1) for value in row_of_rating[:-1]]
        return [[found[row][column] for column in self.free] for row in self.free]


def _centre(values: list[float]) -> list[float]:
    """The values of ratings less their mean, and that of the first-move advantage."""
    mean = sum(values[:-1]) / (len(values) - 1)
    return [*(value - mean for value in values[:-1]), values[-1]]


def _solve(matrix: _Matrix, right: _Matrix) -> _Matrix:
    """Solve for a symmetric matrix without negative eigenvalues, by Gauss and Jordan's method."""
    size = len(matrix)
    least = _SINGULAR * max(matrix[index][index] for index in range(size))
    rows = [[*row, *more] for row, more in zip(matrix, right, strict=True)]
    for index in range(size):
        pivot = rows[index][index]
        if pivot <= least:
            rows[index] = [0.0] * len(rows[index])
            continue
        top = [value / pivot for value in rows[index]]
        for place, row in enumerate(rows):
            factor = row[index]
            if place != index and factor:
                rows[place] = [v - factor * t for v, t in zip(row, top, strict=True)]
        rows[index] = top
    return [row[size:] for row in rows]


def _chance(odds: float) -> float:
    """The logistic function, without the overflow of its plain form."""
    return 0.5 * (1 + math.tanh(0.5 * odds))
