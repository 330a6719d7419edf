"""Readings of the rules: the play of an engine that takes one fact of a game or of a board wrong.

They are made from the facts of the game by changing one at a time. The same readings recognise an
engine (`yoddd.referee.conformance.recognition`) and play as one in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Any, Final

import attrs

from yoddd.board import Geometry, Shape
from yoddd.rules import Colour, PositionLike, Rules, Stone
from yoddd.rules.facts import PARITIES, Facts
from yoddd.rules.groups import find_groups
from yoddd.rules.scoring import COUNTS, TIES

Cells = list[Colour | None]
Near = tuple[tuple[int, ...], ...]
Stones = tuple[Stone, ...]
Moves = tuple[tuple[Colour, str], ...]
"""Turns as tokens with their players, and `UNDO` for one that is taken back."""

UNDO: Final = "undo"

PAIR: Final = 2
"""The most stones of a turn."""

_SECOND: Final = 2
"""The number of the turn that may be a swap."""


@attrs.frozen
class Law:
    """All that an engine has to take right of one game on one board.

    Attributes:
        facts: the facts of its description.
        near: the neighbours of each cell.
        labels: the name of each cell.
        placing: for each cell of a position line the cell that it is read as.
        first: the stones of the first turn, the fewest and the most.
        slow: the number of turns that drop as many stones as the first.
        counted: the groups whose number has a parity: ``all``, ``own``, ``other``, or ``joint`` of
            both colours together.
        moment: when it has it: ``end`` of the turn, also after ``each`` stone, or ``apart``
            for each of two stones as if it were the only one.
        loose: what may leave any number of groups: ``drop``, ``pass``; empty if nothing may.
        mixed: the colours of two stones: ``any``, ``same``, ``other``.
        early: whether the first turn may be a pass.
        barred: whether no turn may be a pass.
        again: whether a pass may follow a pass.
        passes: in succession, that end the game.
        swap: ``once``, ``never``, ``later`` as well, ``moved`` to the mirror image, ``turned``
            into a white stone.
        tracked: whether a bare stone has the colour that the number of the turn implies.
        undone: whether `undo` takes back the number of the turn.
        most: the number of sizes that a product multiplies.
        scored: the colours whose counts are added where a parity wins: ``both``, ``black``,
            ``white``.
        reverse: whether ties are decided the other way around.
    """

    facts: Facts
    near: Near
    labels: tuple[str, ...]
    placing: tuple[int, ...]
    first: tuple[int, int]
    slow: int = 1
    counted: str = "all"
    moment: str = "end"
    loose: str = ""
    mixed: str = "any"
    early: bool = False
    barred: bool = False
    again: bool = True
    passes: int = 2
    swap: str = "once"
    tracked: bool = False
    undone: bool = True
    most: int = 2
    scored: str = "both"
    reverse: bool = False


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


def law_of(rules: Rules) -> Law:
    """The rules as they are."""
    board, facts = rules.geometry, rules.facts
    cells = tuple(range(board.cells))
    return Law(facts, board.neighbours, board.labels, cells, (facts.first, facts.first))


# -- play ------------------------------------------------------------------------------------------


class Player:
    """A game as one law sees it.

    Attributes:
        law: the law.
        cells: the content of each cell.
        number: of the turn about to be played, from 1.
        passes: in succession up to now.
        mover: the colour on turn, as it follows from the turns.
    """

    def __init__(self, law: Law) -> None:
        """Begin with the empty board."""
        self.law = law
        self.cells: Cells = [None] * len(law.near)
        self.number, self.passes, self.mover = 1, 0, Colour.BLACK
        self._past: list[tuple[Cells, int, int, Colour]] = []
        # For each player that is asked about: groups by cell, their number, and how stones count.
        self._known: dict[Colour, _Groups] = {}
        self._index = {label: cell for cell, label in enumerate(law.labels)}

    def set_up(self, position: PositionLike) -> None:
        """Begin with a position that is given as a line."""
        for cell, content in enumerate(position.cells):
            self.cells[self.law.placing[cell]] = content
        self.number, self.passes = position.number, position.passes
        self.mover = position.player

    def read(self, token: str, player: Colour) -> Stones | str | None:
        """The stones of a turn, or its word; None if there is no such cell."""
        if token in {"pass", "swap"}:
            return token
        own = self.mover if self.law.tracked else player
        found = []
        for part in token.split(","):
            colour = Colour(int(part[0]) - 1) if part[:1] in {"1", "2"} else own
            cell = self._index.get(part[1:] if part[:1] in {"1", "2"} else part)
            if cell is None:
                return None
            found.append(Stone(colour, cell))
        return tuple(sorted(found))

    def allows(self, player: Colour, turn: Stones | str | None) -> bool:
        """Whether the turn is legal."""
        if turn is None or self.is_over:
            return False
        if isinstance(turn, str):
            return self._allows_pass(player) if turn == "pass" else self._allows_swap(player)
        return len(turn) in self.sizes and self.fits(player, turn)

    def _allows_swap(self, player: Colour) -> bool:
        late = self.law.swap == "later" and self.number > 1
        due = self.number == _SECOND and player is Colour.WHITE and self.law.swap != "never"
        return self.law.facts.pie and (due or late)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        facts = self.law.facts
        full = None not in self.cells
        if facts.has_pass:
            return self.passes >= self.law.passes or (facts.full_ends and full)
        return full

    @property
    def sizes(self) -> range:
        """The numbers of stones of this turn."""
        least, most = self.law.first if self.number <= self.law.slow else self.law.facts.stones
        return range(least, most + 1)

    def fits(self, player: Colour, stones: Stones) -> bool:
        """Whether so many stones may be dropped: cells, colours, and groups allow them."""
        law = self.law
        if len({stone.cell for stone in stones}) < len(stones):
            return False
        if any(self.cells[stone.cell] is not None for stone in stones):
            return False
        kind = law.facts.first_colour if self.number == 1 else law.facts.colour
        if kind == "own" and any(stone.colour is not player for stone in stones):
            return False
        if law.mixed != "any" and len(stones) == PAIR:
            same = stones[0].colour is stones[1].colour
            if same is not (law.mixed == "same"):
                return False
        return law.facts.parity is None or law.loose == "drop" or self._has_parity(player, stones)

    def _has_parity(self, player: Colour, stones: Stones) -> bool:
        groups = self._groups(player)
        wanted = self.law.facts.parity
        before = groups.total
        if self.law.moment == "apart":
            return (before + sum(groups.added((one,)) for one in stones)) % 2 == wanted
        if (before + groups.added(stones)) % 2 != wanted:
            return False
        return self.law.moment == "end" or (before + groups.added(stones[:1])) % 2 == wanted

    def is_unsure(self, player: Colour, stones: Stones) -> bool:
        """Whether the order of two stones decides if they may be dropped, which no turn shows."""
        if self.law.moment != "each" or self.law.facts.parity is None:
            return False
        groups = self._groups(player)
        return len({groups.added((one,)) % 2 for one in stones}) == PAIR

    def _allows_pass(self, player: Colour) -> bool:
        law, facts = self.law, self.law.facts
        if not facts.has_pass or law.barred or (self.passes and not law.again):
            return False
        if self.number == 1:
            return law.early
        free = facts.parity is None or law.loose == "pass"
        if not free and self._groups(player).total % 2 != facts.parity:
            return False
        return facts.passing != "forced" or not any(self.drops(player))

    def drops(self, player: Colour, size: int | None = None) -> Iterator[Stones]:
        """The legal drops, or those of so many stones."""
        empty = [cell for cell, content in enumerate(self.cells) if content is None]
        stones = [Stone(colour, cell) for colour in Colour for cell in empty]
        for many in self.sizes if size is None else (size,):
            for turn in combinations(stones, many):
                if self.fits(player, turn):
                    yield turn

    @property
    def total(self) -> int:
        """The number of groups."""
        return len(find_groups(self.law.near, self.cells))

    def _groups(self, player: Colour) -> _Groups:
        found = self._known.get(player)
        if found is None:
            found = self._known[player] = _Groups(self.law, self.cells, player)
        return found

    def play(self, player: Colour, turn: Stones | str) -> None:
        """Play a turn, whatever it is."""
        self._past.append((self.cells.copy(), self.number, self.passes, self.mover))
        self._known = {}
        self.passes = self.passes + 1 if turn == "pass" else 0
        self.number += 1
        if turn == "swap":
            self._swap()
        else:
            self.mover = player.opponent
        for stone in turn if not isinstance(turn, str) else ():
            self.cells[stone.cell] = stone.colour

    def _swap(self) -> None:
        stones = [(cell, one) for cell, one in enumerate(self.cells) if one is not None]
        for cell, colour in stones if self.law.swap in {"moved", "turned"} else ():
            if self.law.swap == "turned":
                self.cells[cell] = colour.opponent
            else:
                self.cells[cell], self.cells[-1 - cell] = None, colour
        if self.law.tracked:
            self.mover = self.mover.opponent

    def follow(self, moves: Moves) -> None:
        """Play turns, whatever they are, and take turns back."""
        for player, token in moves:
            if token == UNDO:
                self.undo()
            else:
                self.play(player, self.read(token, player) or ())

    def undo(self) -> None:
        """Take the last turn back."""
        self._known = {}
        number = self.number
        self.cells, self.number, self.passes, self.mover = self._past.pop()
        if not self.law.undone:
            self.number = number

    def score(self) -> str:
        """The winner and the margin, as `final_score` answers; empty if nothing decides."""
        law, facts = self.law, self.law.facts
        groups = find_groups(law.near, self.cells)
        sizes = [sorted(one.size for one in groups if one.colour is colour) for colour in Colour]
        counts = [self._count(one) for one in sizes]
        if facts.by_parity:
            both = {"both": sum(counts), "black": counts[0], "white": counts[1]}[law.scored]
            return "B+1" if both % 2 == (facts.wins == "odd") else "W+1"
        lead = (counts[0] - counts[1]) * (1 if facts.wins == "more" else -1)
        sign = -1 if law.reverse else 1
        leads = (lead, *(sign * TIES[tie](*sizes) for tie in facts.ties))
        decisive = next((one for one in leads if one), 0)
        return f"{'B' if decisive > 0 else 'W'}+{abs(decisive)}" if decisive else ""

    def _count(self, sizes: list[int]) -> int:
        facts, most = self.law.facts, self.law.most
        if facts.count == "product" and most != PAIR:
            return prod([*[facts.lone] * most, *sizes][-most:])
        return COUNTS[facts.count](sizes, facts)


class _Groups:
    """The groups that count for a player, and by how much stones change their number."""

    def __init__(self, law: Law, cells: Cells, player: Colour) -> None:
        self._near = law.near
        other = player.opponent
        seen: Mapping[str, tuple[Colour | None, Colour | None]] = {
            "all": (player, other),
            "joint": (player, player),
            "own": (player, None),
            "other": (None, other),
        }
        self._as = dict(zip((player, other), seen[law.counted], strict=True))
        self._cells = [None if one is None else self._as[one] for one in cells]
        groups = find_groups(law.near, self._cells)
        self._owner = {cell: n for n, group in enumerate(groups) for cell in group.cells}
        self.total = len(groups)

    def _touched(self, cell: int, colour: Colour) -> set[int]:
        cells, owner = self._cells, self._owner
        return {owner[other] for other in self._near[cell] if cells[other] is colour}

    def added(self, stones: Stones) -> int:
        """By how much the number of groups grows."""
        seen = [
            (one.cell, colour) for one in stones if (colour := self._as[one.colour]) is not None
        ]
        if not seen:
            return 0
        cell, colour = seen[0]
        first = self._touched(cell, colour)
        grown = 1 - len(first)
        if len(seen) == PAIR:
            other, second_colour = seen[1]
            second = self._touched(other, second_colour)
            joined = len(second)
            if colour is second_colour and (other in self._near[cell] or first & second):
                joined = len(second - first) + 1
            grown += 1 - joined
        return grown


# -- readings --------------------------------------------------------------------------------------

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
    ("first turn", "the second turn, too, drops as many stones as the first", {"slow": 2}),
    ("parity", "the groups of the player's own colour alone are counted", {"counted": "own"}),
    ("parity", "the groups of the other player's colour alone are counted", {"counted": "other"}),
    ("parity", "stones of both colours form groups together", {"counted": "joint"}),
    ("parity", "drops may leave any number of groups", {"loose": "drop"}),
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
    ("swap", "Black is on turn after a swap", {"tracked": True}),
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
        (1, 1): ("second stone", "a turn drops one stone only"),
        (1, 2): ("second stone", "a turn may drop one or two stones"),
        (2, 2): ("second stone", "a turn has to drop two stones"),
    },
    "turn.colour": {
        "own": ("colour", "only stones of the player's own colour may be dropped"),
        "either": ("colour", "stones of both colours may be dropped"),
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
        ("first turn", "the first turn may drop two stones", {"first": (facts.stones[0], most)}),
        ("first turn", "the first turn has to drop two stones", {"first": (most, most)}),
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
