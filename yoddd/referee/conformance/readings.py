"""Readings of the rules: the play of an engine that takes one fact of a game or of a board wrong.

They are made from the facts of the game by changing one at a time. The same readings recognise an
engine (`yoddd.referee.conformance.recognition`) and play as one in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import attrs

from yoddd.board import Geometry, Shape
from yoddd.referee.conformance.law import PAIR, Law, Near, law_of
from yoddd.rules import Rules
from yoddd.rules.facts import PARITIES, Facts


@attrs.frozen
class Reading:
    """A law, and how it differs from the rules.

    Attributes:
        rule: the short name of what is misread.
        text: how an engine with this reading differs, as a phrase.
        section: of protocol/engine.md, where the rule is.
        law: what it plays by.
    """

    rule: str
    text: str
    section: str
    law: Law

    @property
    def ignores_groups(self) -> bool:
        """Whether it explains any turn, so that only turns without regard to groups show it."""
        return self.law.loose == "drop" or (
            self.rule == "parity" and self.law.facts.groups == "any"
        )


_STEPS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_FALLING: Final = ((1, 1), (-1, -1))
_RISING: Final = ((1, -1), (-1, 1))
_SQUARES: Final = "cells of a hexhex board count as squares, with four neighbours"
_HEXAGONS: Final = "cells of a square board count as hexagons, with six neighbours"
_CORNERS: Final = "cells that touch at a corner count as neighbours"

_NEIGHBOURS: Final = {
    Shape.HEX: (
        (_SQUARES, _STEPS),
        (_SQUARES, _STEPS[:2] + _RISING),
        ("cells side by side in a row of a hexhex board do not touch", _STEPS[2:] + _RISING),
        ("cells touch only side by side in a row", _STEPS[:2]),
        (
            "cells of a hexhex board have eight neighbours",
            (*_STEPS, *_RISING, *_FALLING),
        ),
    ),
    Shape.SQUARE: (
        (_CORNERS, _STEPS + _RISING + _FALLING),
        (_HEXAGONS, _STEPS + _RISING),
        (_HEXAGONS, _STEPS + _FALLING),
        ("cells touch only side by side in a row", _STEPS[:2]),
        ("cells touch only one above the other", _STEPS[2:]),
        ("cells touch at corners only", _RISING + _FALLING),
    ),
}
"""The neighbours by steps in the coordinates (q, r) of a board, by its shape."""

_NEVER_NAMED: Final = 99
"""More passes than end any game."""

_MORE: Final[Sequence[tuple[str, str, Mapping[str, Any]]]] = (
    ("first turn", "the second turn, too, places as many stones as the first", {"slow": 2}),
    ("parity", "the groups of the player's own colour alone are counted", {"counted": "own"}),
    ("parity", "the groups of the other player's colour alone are counted", {"counted": "other"}),
    ("parity", "stones of both colours form groups together", {"counted": "joint"}),
    ("parity", "stones may leave any number of groups", {"loose": "drop"}),
    ("parity", "a pass may leave any number of groups", {"loose": "pass"}),
    (
        "second stone",
        "the number of groups has to be right after the first of two stones as well",
        {"moment": "each"},
    ),
    (
        "second stone",
        "the groups that the second stone joins are counted without the first stone",
        {"moment": "apart"},
    ),
    ("second stone", "both stones have to be of one colour", {"mixed": "same"}),
    ("second stone", "both stones have to be of different colours", {"mixed": "other"}),
    ("pass", "the first turn may be a pass", {"early": True}),
    ("pass", "passing is never allowed", {"barred": True}),
    ("pass", "a pass may not follow a pass", {"again": False}),
    ("end", "the first pass ends the game", {"passes": 1}),
    ("end", "the game goes on after two passes", {"passes": _NEVER_NAMED}),
    ("swap", "swapping is never allowed", {"swap": "never"}),
    ("swap", "swapping is allowed later as well", {"swap": "later"}),
    ("swap", "the stone moves to the opposite cell when sides are swapped", {"swap": "moved"}),
    ("swap", "the stone changes its colour when sides are swapped", {"swap": "turned"}),
    ("swap", "Black is to move after a swap", {"tracked": True}),
    ("score", "the sizes of the three largest groups are multiplied", {"most": 3}),
    ("score", "the size of the largest group alone is counted", {"most": 1}),
    ("score", "the groups of Black alone are counted", {"scored": "black"}),
    ("score", "the groups of White alone are counted", {"scored": "white"}),
    ("ties", "equal counts are decided the other way around", {"reverse": True}),
    ("undo", "`undo` does not take back the number of the turn", {"undone": False}),
)
"""What no description says: the rule, the phrase, and the change of a law."""

_ALWAYS: Final[Mapping[str, Any]] = {"loose": "pass", "early": True}

_FACTS: Final[Mapping[str, Mapping[Any, tuple[str, str]]]] = {
    "turn.first_colour": {
        "own": ("first turn", "the first stone has to be of the player's own colour"),
        "either": ("first turn", "the first stone may be of either colour"),
    },
    "turn.stones": {
        (1, 1): ("second stone", "a turn places one stone only"),
        (1, 2): ("second stone", "a turn may place one or two stones"),
        (2, 2): ("second stone", "a turn has to place two stones"),
    },
    "turn.colour": {
        "own": ("colour", "only stones of the player's own colour may be placed"),
        "either": ("colour", "stones of both colours may be placed"),
    },
    "turn.groups": {
        "any": ("parity", "the number of groups is not looked at"),
        "odd": ("parity", "the number of groups has to be odd"),
        "even": ("parity", "the number of groups has to be even"),
    },
    "turn.full_ends": {
        True: ("end", "a full board ends the game"),
        False: ("end", "a full board does not end the game"),
    },
    "score.count": {
        "points": ("score", "the sum over the groups is counted"),
        "largest": ("score", "the largest group is counted"),
        "smallest": ("score", "the smallest group is counted"),
        "product": ("score", "the sizes of the two largest groups are multiplied"),
        "area": ("score", "the largest group is multiplied by the number of groups"),
    },
    "score.value": {
        "one": ("score", "each group counts one"),
        "size": ("score", "each group counts its stones"),
        "square": ("score", "each group counts the square of its size"),
        "odd": ("score", "groups of even size count two, others one"),
    },
    "score.lone": {
        0: ("score", "a missing group counts as no stones"),
        1: ("score", "a missing group counts as one stone"),
    },
    "score.wins": {
        "more": ("score", "the higher count wins"),
        "fewer": ("score", "the lower count wins"),
        "odd": ("score", "Black wins at an odd count"),
        "even": ("score", "Black wins at an even count"),
    },
}
"""For each value of a fact the rule that is misread, and the phrase."""

_TIES: Final = {
    "size": "the numbers of larger groups decide",
    "ascending": "the sizes in ascending order decide",
    "stones": "fewer stones win",
    "odd": "fewer groups of odd size win",
    "black": "Black wins",
    "white": "White wins",
}
"""What decides between equal counts, as a phrase."""


@cache
def readings(rules: Rules) -> tuple[Reading, ...]:
    """Every reading of the rules that differs in one fact, each of them once."""
    right = law_of(rules)
    found: dict[Law, Reading] = {}
    section = _section(rules)
    for rule, text, law in (*_by_facts(right), *_beside(right), *_by_board(right, rules.geometry)):
        if law != right and law not in found:
            board = "E3.1" if rules.geometry.shape is Shape.HEX else "E3.2"
            where = board if rule in {"neighbours", "orthogonality", "notation"} else section
            found[law] = Reading(rule, text, _SECTIONS.get(rule, where), law)
    return tuple(found.values())


_SECTIONS: Final = {"undo": "E5.2", "rows": "E5.2"}


def _section(rules: Rules) -> str:
    names = ("yodd", "xodd", "odd", "yoin", "product")
    name = rules.game.name
    if rules.has_pass or name not in names:
        return "E4.1" if name in names else "E4"
    return f"E4.{1 + names.index(name)}"


def _by_facts(right: Law) -> Iterator[tuple[str, str, Law]]:
    """Readings that change a fact of the description."""
    for rule, text, change in (*_words(right.facts), *_numbers(right.facts), *_ties(right.facts)):
        yield rule, text, attrs.evolve(right, facts=attrs.evolve(right.facts, **change))


def _words(facts: Facts) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for key, values in _FACTS.items():
        for value, (rule, text) in values.items() if key in facts.by_key else ():
            # All these values are odd where the size is.
            if not (facts.by_parity and value in {"square", "odd"} and key == "score.value"):
                yield rule, text, {key.partition(".")[2]: value}
    if facts.has_pass:
        text = "passing is allowed only without another turn"
        yield "pass", text, {"passing": "forced"}
        return
    yield "pass", "passing is allowed", {"passing": "free", "full_ends": True}
    for parity in PARITIES:
        yield "parity", f"the number of groups has to be {parity}", {"groups": parity}


def _numbers(facts: Facts) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    text = {
        "large": "groups of at least {} stones are counted",
        "less": "each group counts its stones less {}",
    }.get(facts.value if facts.count == "points" else "")
    for k in (facts.k - 1, facts.k + 1) if text else ():
        yield "score", str(text).format(k), {"k": k}


def _ties(facts: Facts) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    never = facts.by_parity or (facts.groups == "odd" and facts.value == "one")
    for tie, text in _TIES.items() if not never else ():
        yield "ties", f"at equal counts {text}", {"ties": (tie,)}


def _beside(right: Law) -> Iterator[tuple[str, str, Law]]:
    """Readings that change what no description says."""
    facts = right.facts
    parity, pair = facts.parity is not None, facts.stones[1] == PAIR
    applies = {
        "slow": facts.stones != (facts.first, facts.first),
        "counted": parity,
        "moment": parity,
        "loose": parity,
        "mixed": pair and facts.colour == "either",
        "early": facts.has_pass,
        "first": facts.first < max(facts.stones),
        "again": facts.has_pass,
        "barred": facts.has_pass,
        "passes": facts.has_pass,
        "swap": facts.pie,
        "tracked": facts.pie and facts.colour == "own",
        "most": facts.count == "product",
        "scored": facts.by_parity,
        "reverse": bool(facts.ties) and not facts.by_parity,
        "undone": facts.stones != (facts.first, facts.first) or facts.pie,
    }
    most = max(facts.stones)
    more = [
        ("pass", "passing is always allowed, in the first turn as well", _ALWAYS),
        ("first turn", "the first turn may place two stones", {"first": (facts.stones[0], most)}),
        ("first turn", "the first turn has to place two stones", {"first": (most, most)}),
    ]
    for rule, text, change in (*_MORE, *more):
        needs_pair = change.get("moment") in {"each", "apart"}
        if all(applies[key] for key in change) and (pair or not needs_pair):
            yield rule, text, attrs.evolve(right, **change)


def _by_board(right: Law, board: Geometry) -> Iterator[tuple[str, str, Law]]:
    """Readings that change the neighbours or the names of cells."""
    rule = "neighbours" if board.shape is Shape.HEX else "orthogonality"
    for text, steps in _NEIGHBOURS[board.shape]:
        yield rule, text, attrs.evolve(right, near=_stepped(board, steps))
    if board.shape is Shape.HEX:
        upper = "rows above the middle of a hexhex board are read like those below it"
        yield rule, upper, attrs.evolve(right, near=_lower_half(board))
    names = {
        "the numbers of cells begin at 0": [f"{one[0]}{int(one[1:]) - 1}" for one in board.labels],
        "the letters of cells leave out i": [_without_i(one) for one in board.labels],
        "letters and numbers of cells are exchanged": _exchanged(board),
    }
    for text, labels in names.items():
        # A square board looks the same with its columns as rows.
        if {*labels} != {*board.labels}:
            yield "notation", text, attrs.evolve(right, labels=tuple(labels))
    up = tuple(cell for row in board.rows[::-1] for cell in row)
    mirrored = tuple(cell for row in board.rows for cell in row[::-1])
    turned = tuple(range(board.cells))[::-1]
    order = {
        "the rows of a position are read upside down": up,
        "the rows of a position are read from right to left": mirrored,
        "the rows of a position are read upside down and from right to left": turned,
    }
    if board.shape is Shape.SQUARE:
        columns = tuple(cell for row in zip(*board.rows, strict=True) for cell in row)
        order["the rows of a position are read as columns"] = columns
    for text, placing in order.items():
        yield "rows", text, attrs.evolve(right, placing=placing)


def _without_i(label: str) -> str:
    return chr(ord(label[0]) + (label[0] >= "i")) + label[1:]


def _exchanged(board: Geometry) -> list[str]:
    """Letters that count the cells of a row (hexhex) or its rows (square)."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [f"{letters[int(one[1:]) - 1]}{ord(one[0]) - 96}" for one in board.labels]


def _stepped(board: Geometry, steps: tuple[tuple[int, int], ...]) -> Near:
    number = {point: cell for cell, point in enumerate(board.axial)}
    return tuple(
        tuple(sorted(number[q + a, r + b] for a, b in steps if (q + a, r + b) in number))
        for q, r in board.axial
    )


def _lower_half(board: Geometry) -> Near:
    """The neighbours of a hexhex board whose upper rows have those that lower rows have."""
    found: list[set[int]] = [set() for _ in board.labels]
    for above, row in enumerate(board.rows, 1):
        for place, cell in enumerate(row):
            beyond = board.rows[above] if above < len(board.rows) else ()
            for other in (*row[place + 1 : place + 2], *beyond[place : place + 2]):
                found[cell].add(other)
                found[other].add(cell)
    return tuple(tuple(sorted(one)) for one in found)
