"""The games and searches that a design report needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

import attrs

from yoddd.design.selfplay import RANDOM, FirstTurnPlan, GamePlan, Mirror, Purpose
from yoddd.rules import Colour, Rules, Stone, Turn

MIRRORS: Final = tuple(
    Mirror(rotates, exchanges) for rotates in (True, False) for exchanges in (False, True)
)

_FACTOR: Final = 4
"""Each strength of the ladder has so many times the playouts of the one below."""

_STRENGTHS: Final = 4
"""The strengths of the ladder between random play and the strength of self-play."""

_FIRST_TURN: Final = 20
"""A first turn is judged with so many times the playouts of a turn."""

_FEWEST: Final = 10
"""The fewest games of a part of the report."""


@attrs.frozen(kw_only=True)
class Plan:
    """A plan of a report.

    Attributes:
        rules: the game, the board and the options.
        games: how many of self-play.
        playouts: of each of their turns.
        seed: of everything.
        strengths: of the ladder in playouts a turn, ascending from `RANDOM`.
        tasks: the searches of first turns and the games.
    """

    rules: Rules
    games: int
    playouts: int
    seed: int
    strengths: tuple[int, ...]
    tasks: tuple[FirstTurnPlan | GamePlan, ...]


def plan(rules: Rules, games: int, playouts: int, seed: int) -> Plan:
    """The plan of a report.

    A fifth of ``games`` is played besides at each lower strength, as many between neighbours of
    the ladder, and a twentieth by each mirror in each seat.
    """
    strengths = _strengths(playouts)
    less, least = max(_FEWEST, games // 5), max(_FEWEST, games // 20)
    tasks: Iterable[FirstTurnPlan | GamePlan] = itertools.chain(
        _first_turns(rules, playouts, seed),
        _self_play(rules, playouts, games, seed),
        *(_self_play(rules, strength, less, seed) for strength in strengths if strength < playouts),
        _ladder(rules, strengths, less, seed),
        _mirrors(rules, playouts, least, seed),
    )
    return Plan(
        rules=rules,
        games=games,
        playouts=playouts,
        seed=seed,
        strengths=strengths,
        tasks=tuple(tasks),
    )


def _strengths(playouts: int) -> tuple[int, ...]:
    below = {playouts // _FACTOR**n for n in range(1, _STRENGTHS + 1)}
    return tuple(sorted({RANDOM, *below, playouts, playouts * _FACTOR}))


def without_pie(rules: Rules) -> Rules:
    """The same rules, but that no turn may be answered with a swap."""
    return attrs.evolve(rules, pie=False)


def _first_turns(rules: Rules, playouts: int, seed: int) -> list[FirstTurnPlan]:
    """A search for each first turn of one stone, only one of those that symmetry maps on others."""
    plain = without_pie(rules)
    colours = (Colour.BLACK,) if rules.only_own else tuple(Colour)
    return [
        FirstTurnPlan(
            rules=plain,
            turn=Turn.drop(Stone(colour, cell)),
            playouts=playouts * _FIRST_TURN,
            seed=f"{seed} first turn {colour.letter}{cell}",
        )
        for colour in colours
        for cell in range(plain.geometry.cells)
        if cell == min(image[cell] for image in plain.geometry.symmetries)
    ]


def _self_play(rules: Rules, playouts: int, games: int, seed: int) -> list[GamePlan]:
    return [
        GamePlan(
            purpose=Purpose.SELF_PLAY,
            rules=rules,
            playouts=(playouts, playouts),
            seed=f"{seed} self-play {playouts} {number}",
        )
        for number in range(games)
    ]


def _ladder(rules: Rules, strengths: tuple[int, ...], games: int, seed: int) -> list[GamePlan]:
    """Games of neighbours, who take turns in beginning."""
    return [
        GamePlan(
            purpose=Purpose.LADDER,
            rules=rules,
            playouts=(low, high) if number % 2 else (high, low),
            seed=f"{seed} ladder {low} {number}",
        )
        for low, high in itertools.pairwise(strengths)
        for number in range(games)
    ]


def _mirrors(rules: Rules, playouts: int, games: int, seed: int) -> list[GamePlan]:
    mirrors = [mirror for mirror in MIRRORS if mirror.exchanges or not rules.only_own]
    # On a board without a middle cell the one who begins has no first turn that is its own image.
    seats = (False, True) if rules.geometry.cells % 2 else (False,)
    plain = without_pie(rules)
    return [
        GamePlan(
            purpose=Purpose.MIRROR,
            rules=plain,
            playouts=(playouts, playouts),
            mirror=mirror,
            mirrors_first=first,
            seed=f"{seed} {mirror.title} {first} {number}",
        )
        for mirror in mirrors
        for first in seats
        for number in range(games)
    ]
