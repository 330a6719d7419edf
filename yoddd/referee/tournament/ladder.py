"""Ladders: joint ratings of all rated games, and the choice of the next pair.

The ratings are those of the Bradley-Terry model with a first-move advantage (see
`yoddd.referee.stats.ratings`), computed from all results at once: they do not depend on the order
of the games, and computing them again changes nothing. No library of Glicko-2 was healthy enough to
build on; a joint fit is sharper than one game after another, and gives an interval as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations
from typing import Final

import attrs

from yoddd.referee.stats.ratings import Bout, Ratings, rate_anchored, rate_entrants

PROVISIONAL: Final = 150.0
"""Half the width in Elo of the widest 95 % interval of a rating that is not provisional."""


@attrs.frozen
class Result:
    """Games that ``black``, who began, won and lost against ``white``."""

    black: str
    white: str
    won: int
    lost: int


@attrs.frozen
class Rank:
    """One line of a ranking.

    Attributes:
        name: of the account.
        elo: the rating. Anchors keep theirs; without any anchor all ratings add up to 0.
        error: half the width of its 95 % interval; 0 for an anchor.
        games: games with a winner.
        won: games won.
        is_anchor: whether the rating is given.
    """

    name: str
    elo: float
    error: float
    games: int
    won: int
    is_anchor: bool = False

    @property
    def is_provisional(self) -> bool:
        """Whether the interval is too wide to rank the account."""
        return self.error > PROVISIONAL


def rank(results: Iterable[Result], anchors: Mapping[str, float]) -> list[Rank]:
    """The accounts with games, the best first.

    Args:
        results: of all games, any number for the same two.
        anchors: given ratings by name; those without games are left out.
    """
    played = [result for result in results if result.won + result.lost]
    if not played:
        return []
    names = sorted({name for result in played for name in (result.black, result.white)})
    ratings = _rate(names, played, anchors)
    ranks = []
    for index, name in enumerate(names):
        interval, score = ratings.interval(index), _score(name, played)
        if name in anchors:
            ranks.append(Rank(name, anchors[name], 0.0, *score, is_anchor=True))
        else:
            ranks.append(Rank(name, interval.value, interval.error, *score))
    return sorted(ranks, key=lambda one: (-one.elo, one.name))


def _rate(names: list[str], results: list[Result], anchors: Mapping[str, float]) -> Ratings:
    number = {name: index for index, name in enumerate(names)}
    bouts = [Bout(number[one.black], number[one.white], one.won, one.lost) for one in results]
    given = {number[name]: elo for name, elo in anchors.items() if name in number}
    if given:
        return rate_anchored(len(names), bouts, given)
    return rate_entrants(len(names), bouts)


def _score(name: str, results: list[Result]) -> tuple[int, int]:
    won = sum(one.won for one in results if one.black == name)
    won += sum(one.lost for one in results if one.white == name)
    games = sum(one.won + one.lost for one in results if name in (one.black, one.white))
    return games, won


def next_pair(
    names: Collection[str],
    results: Iterable[Result],
    anchors: Mapping[str, float],
    begun: Callable[[str, str], int],
) -> tuple[str, str] | None:
    """The pair whose game is the most informative, Black first; None for fewer than two names.

    That is the game after which the variances of all ratings have the least sum (A-optimality).
    With C the joint covariance, d the difference that the game is about, q = p (1 - p) its
    information and v = d'Cd, the sum falls by q |Cd|^2 / (1 + q v), which counts by 4 p (1 - p): a
    game whose winner is known tells nothing of how bad the loser is. Engines that have met
    each other only are uncertain together: of their level a game with an anchor tells most.

    Args:
        names: the accounts that can play.
        results: of all games, any number for the same two.
        anchors: given ratings by name.
        begun: games that the first of two began against the second; the rarer order is chosen.
    """
    pairs = list(combinations(sorted(names), 2))
    if not pairs:
        return None
    played = [result for result in results if result.won + result.lost]
    everyone = sorted({*names, *(name for one in played for name in (one.black, one.white))})
    ratings = _rate(everyone, played, anchors)
    number = {name: index for index, name in enumerate(everyone)}

    def gain(pair: tuple[str, str]) -> tuple[float, int]:
        information = ratings.information(number[pair[0]], number[pair[1]])
        # Equal but for rounding: the pair that has met less often.
        return float(f"{information:.9g}"), -(begun(*pair) + begun(*pair[::-1]))

    first, second = max(pairs, key=gain)
    return (first, second) if begun(first, second) <= begun(second, first) else (second, first)
