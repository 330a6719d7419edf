"""The winner of a finished game: one function for each way of counting groups.

Each takes the groups and the options, and returns the winner and the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Protocol

from yoddd.rules.values import Colour, Group


class ScoreOptions(Protocol):
    """The options that decide who wins, as `Rules` has them."""

    @property
    def min_group(self) -> int:
        """Odd: the least size of a group that counts."""

    @property
    def one_group(self) -> bool:
        """Product: whether a colour with fewer than two groups gets groups of one stone."""

    @property
    def tie(self) -> str:
        """Product: ``stones``, ``black`` or ``white``, who wins at equal products."""


def tally(groups: Sequence[Group], larger_than: int = 0) -> tuple[int, int]:
    """The numbers of Black's and White's groups of more than ``larger_than`` stones."""
    sizes = [(group.colour, group.size) for group in groups]
    return (
        sum(colour is Colour.BLACK and size > larger_than for colour, size in sizes),
        sum(colour is Colour.WHITE and size > larger_than for colour, size in sizes),
    )


def fewest_groups(groups: Sequence[Group], _options: ScoreOptions) -> tuple[Colour, int]:
    """Yodd and Xodd: fewer groups win. The total is odd, so the counts differ."""
    black, white = tally(groups)
    return (Colour.BLACK if black < white else Colour.WHITE), abs(black - white)


def parity_of_large_groups(groups: Sequence[Group], options: ScoreOptions) -> tuple[Colour, int]:
    """Odd: Black wins iff the groups of at least ``min_group`` stones are odd in number."""
    large = sum(group.size >= options.min_group for group in groups)
    return (Colour.BLACK if large % 2 else Colour.WHITE), 1


def fewest_groups_by_size(groups: Sequence[Group], _options: ScoreOptions) -> tuple[Colour, int]:
    """Yoin: the smallest n for which the counts of groups bigger than n differ decides.

    A full hexhex board has an odd number of cells, so the sizes cannot all agree and there is one.
    """
    tallies = (tally(groups, larger_than=n) for n in count())
    black, white = next((black, white) for black, white in tallies if black != white)
    return (Colour.BLACK if black < white else Colour.WHITE), abs(black - white)


def product_of_two_largest(groups: Sequence[Group], options: ScoreOptions) -> tuple[Colour, int]:
    """Product: the sizes of a colour's two largest groups are multiplied, the higher product wins.

    A colour with one group has the product zero, with ``one_group`` the size of that group. Of
    equal products that of the fewer stones wins: after every turn their number is odd, so they
    differ; or the colour that ``tie`` names. The margin is the difference in products, or in stones
    where the products are equal.

    Source: World Abstract Games, https://jpneto.github.io/world_abstract_games/product.htm; the
    same in Associação Ludus, http://ludicum.org/en/jogos/jogos-abstratos-produto. Both options are
    those of the server Abstract Play.
    """
    products, stones = [], []
    for colour in Colour:
        sizes = sorted((group.size for group in groups if group.colour is colour), reverse=True)
        largest, second = [*sizes, *[int(options.one_group)] * 2][:2]
        products.append(largest * second)
        stones.append(sum(sizes))
    black, white = products if products[0] != products[1] else reversed(stones)
    winner = Colour.BLACK if black > white else Colour.WHITE
    if products[0] == products[1] and options.tie != "stones":
        winner = Colour.BLACK if options.tie == "black" else Colour.WHITE
    return winner, abs(black - white)
