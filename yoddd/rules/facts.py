"""The facts of a game, of which everything that plays or shows it follows.

A fact is a key with one of a few values, as descriptions of games spell them. This module holds
the keys, the combinations that are refused, the proof that no game ends in a draw, and the rules in
English.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import attrs

Value = bool | int | str | tuple[int, int] | tuple[str, ...]
Given = Mapping[str, Value]
"""The values of some facts, by key."""

COLOURS: Final = ("black", "white")
PARITIES: Final = ("odd", "even")
"""Of the number of groups, by what is left of it when it is halved: 1 for ``odd``."""

_NONE: Final = "none"
_OWN: Final = ("either", "own")
WORDS: Final[Mapping[str, tuple[Any, ...]]] = {
    "pie": (False, True),
    "turn.first": (1, 2),
    "turn.first_colour": _OWN,
    "turn.stones": ((1, 1), (1, 2), (2, 2)),
    "turn.colour": _OWN,
    "turn.groups": ("any", *PARITIES),
    "turn.pass": (_NONE, "free", "forced"),
    "turn.full_ends": (False, True),
    "score.count": ("points", "largest", "smallest", "product", "area"),
    "score.value": ("one", "size", "less", "square", "odd", "large"),
    "score.k": tuple(range(1, 1000)),
    "score.lone": (0, 1),
    "score.wins": ("more", "fewer", *PARITIES),
    "score.ties": ("size", "ascending", "stones", "odd", *COLOURS),
}
"""The values of each key; those of ``score.ties`` are the words of a list."""

DEFAULTS: Final[Given] = {
    "pie": False,
    "turn.first": 1,
    "turn.groups": "any",
    "turn.pass": _NONE,
    "turn.full_ends": False,
    "score.value": "one",
    "score.lone": 0,
    "score.ties": (),
}
"""What is not given; ``turn.first_colour`` is then ``turn.colour``."""

KEYS: Final = tuple(WORDS)
_TIES: Final = "score.ties"
_WITH_K: Final = ("less", "large")
_ALIKE: Final = ("size", "square", "odd")
"""Values that are odd exactly where the size is."""


class FactError(ValueError):
    """A fact that is missing, has no such value, or does not go with the others.

    Attributes:
        key: what is to blame, such as ``turn.pass``.
        reason: what is wrong and what to do.
    """

    def __init__(self, key: str, reason: str) -> None:
        """Store both."""
        super().__init__(f"{key}: {reason}")
        self.key, self.reason = key, reason


@attrs.frozen
class Facts:
    """All facts of a game, its options applied; those without a meaning have one fixed value.

    Attributes:
        pie: whether White may swap sides instead of turn 2.
        first: the stones of the first turn.
        first_colour: ``own`` or ``either``, the colours of these.
        stones: the fewest and the most stones of each later turn.
        colour: ``own`` or ``either``, the colours of these.
        groups: ``any``, ``odd`` or ``even``, the number of all groups when a turn ends.
        passing: ``none``, ``free`` or ``forced``.
        full_ends: whether a full board ends a game with passes at once.
        count: how each colour is counted.
        value: of a group, where its points are counted.
        k: the size that ``value`` refers to.
        lone: the size of a group that is missing.
        wins: which count wins, or the parity of both counts with which Black does.
        ties: what decides between equal counts, in order.
    """

    pie: bool
    first: int
    first_colour: str
    stones: tuple[int, int]
    colour: str
    groups: str
    passing: str
    full_ends: bool
    count: str
    value: str
    k: int
    lone: int
    wins: str
    ties: tuple[str, ...]

    @cached_property
    def parity(self) -> int | None:
        """The number of groups modulo 2 when a turn ends; None if it may be any."""
        return PARITIES[::-1].index(self.groups) if self.groups in PARITIES else None

    @property
    def has_pass(self) -> bool:
        """Whether passing exists; the number of groups then has a parity, and only then."""
        return self.passing != _NONE

    @property
    def by_parity(self) -> bool:
        """Whether the sum of both counts decides, by its parity."""
        return self.wins in PARITIES

    @property
    def is_blind(self) -> bool:
        """Whether exchanging the colours of all stones changes neither turns nor winner."""
        return self.by_parity and self.colour == self.first_colour == "either"

    @property
    def is_fair(self) -> bool:
        """Whether exchanging them together with the players exchanges the winners."""
        return not self.by_parity and not set(COLOURS) & set(self.ties)

    @property
    def values(self) -> tuple[Any, ...]:
        """All of them, in the order of `KEYS`."""
        return attrs.astuple(self, recurse=False)

    @cached_property
    def by_key(self) -> Given:
        """The facts that have a meaning."""
        found = dict(zip(KEYS, self.values, strict=True))
        return {key: value for key, value in found.items() if key not in _idle(found)}

    @cached_property
    def hash(self) -> str:
        """The identity of the rules: SHA-256 of the facts as canonical JSON (RFC 8785)."""
        text = json.dumps(nested(self.by_key), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The facts as the kernel takes them.

        In the order of `KEYS`: a number or truth value is itself, a word its place among the
        values; ``turn.stones`` are two numbers, and of ``score.ties`` the n-th word's place plus
        one is multiplied by the n-th power of 8.
        """
        found: list[int] = []
        for key, value in zip(KEYS, self.values, strict=True):
            if key == _TIES:
                places = [WORDS[key].index(word) + 1 for word in dict.fromkeys(self.ties)]
                found.append(sum(place << 3 * n for n, place in enumerate(places)))
            elif isinstance(value, tuple):
                found += self.stones
            else:
                found.append(WORDS[key].index(value) if isinstance(value, str) else int(value))
        return tuple(found)

    def why_drawless(self, cells: int) -> str:
        """The reason why no game on a board of so many cells ends in a draw.

        Raises:
            FactError: there is none, or a turn may become impossible there.
        """
        if not self.has_pass and self.stones == (2, 2) and (cells - self.first) % 2:
            reason = f"on {cells} cells one is left for a turn of two stones: choose another board"
            raise FactError("turn.stones", reason)
        if self.by_parity:
            return f"Black wins if the sum of both counts is {self.wins}, else White"
        if self.ties and self.ties[-1] in COLOURS:
            return f"at the last, {self.ties[-1].title()} wins"
        if self.groups == "odd" and (self.count, self.value) == ("points", "one"):
            return "the number of groups is odd, so that the counts differ"
        if not self.has_pass and cells % 2:
            if self.ties:
                return f"the board is full and its {cells} cells are an odd number, so that" + (
                    f" equal counts are decided by {' or '.join(self.ties)}"
                )
            even_less = self.value == "less" and self.k % 2 == 0
            if self.count == "points" and (self.value in _ALIKE or even_less):
                return f"the points add up to an odd number, as the {cells} cells do"
        ties = json.dumps([*self.ties, "white"])
        raise FactError(_TIES, f"a game on {cells} cells may end in a draw: expected ties = {ties}")


def difference(here: Facts, there: Facts) -> str:
    """The first fact that differs, with both values; empty if none does."""
    for key, ours, theirs in zip(KEYS, here.values, there.values, strict=True):
        if ours != theirs:
            return f"{key} is {json.dumps(plain(ours))} here and {json.dumps(plain(theirs))} there"
    return ""


def plain(value: Any) -> Any:
    """A value as JSON and TOML read it."""
    return list(value) if isinstance(value, tuple) else value


def nested(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values by key as the table of a description."""
    table: dict[str, Any] = {}
    for key, value in given.items():
        *parents, last = key.split(".")
        part = table.setdefault(parents[0], {}) if parents else table
        part[last] = plain(value)
    return table


def check_value(key: str, value: Any) -> Value:
    """The value of a fact as a description has it.

    Raises:
        FactError: it is none of the values of this key.
    """
    words = WORDS[key]
    if key == _TIES:
        if isinstance(value, list) and all(_is_among(one, words) for one in value):
            return tuple(value)
        raise FactError(key, f"{shown(value)}: expected a list of {' '.join(words)}")
    found = tuple(value) if isinstance(value, list) else value
    if not _is_among(found, words):
        raise FactError(key, f"{shown(value)}: expected {_choice(words)}")
    return found  # one of the words


def _is_among(value: object, words: tuple[Any, ...]) -> bool:
    """Whether it is one of these, and of their type: 1 is not true, nor 1.0 a number of stones."""
    if isinstance(value, tuple) and not all(type(one) is int for one in value):
        return False
    return type(value) is type(words[0]) and value in words


def _choice(words: tuple[Any, ...]) -> str:
    if len(words) > len(WORDS):
        return f"a number from {words[0]} to {words[-1]}"
    texts = [json.dumps(word).strip('"') for word in words]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


def shown(value: object) -> str:
    """A value as an error quotes it: in one line, and not all of a long one; None is no value."""
    longest = 40
    if value is None:
        return "is missing"
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= longest else text[:longest] + "…"


def _idle(values: Given) -> dict[str, str]:
    """The keys without a meaning beside the other facts, and what would give them one."""
    points = values["score.count"] == "points"
    found = {}
    if not points:
        found["score.value"] = 'count = "points"'
    if not points or values["score.value"] not in _WITH_K:
        found["score.k"] = 'value = "less" or "large"'
    if values["score.count"] not in {"largest", "smallest", "product"}:
        found["score.lone"] = 'count = "largest", "smallest" or "product"'
    if values["turn.pass"] == _NONE:
        found["turn.full_ends"] = "passes"
    if values["score.wins"] in PARITIES:
        found["score.ties"] = 'wins = "more" or "fewer"'
    return found


def settle(given: Given) -> Facts:
    """The facts of which some are given.

    Raises:
        FactError: one is missing or has no meaning, or they do not go together.
    """
    values = {**DEFAULTS, **given}
    for key in ("turn.stones", "turn.colour", "score.count", "score.wins"):
        if key not in values:
            raise FactError(key, f"is missing: expected {_choice(WORDS[key])}")
    values.setdefault("turn.first_colour", values["turn.colour"])
    idle = _idle(values)
    for key, wanted in idle.items():
        if key in given:
            raise FactError(key, f"has no meaning without {wanted}: leave it out")
    if "score.k" not in {*values, *idle}:
        raise FactError("score.k", f"is missing: expected {_choice(WORDS['score.k'])}")
    ties = values[_TIES]
    if any(one in COLOURS for one in ties[:-1]):  # type: ignore[index]  # a tuple
        raise FactError(_TIES, "what follows a colour has no meaning: leave it out")
    if (values["turn.pass"] == _NONE) is not (values["turn.groups"] == "any"):
        reason = 'expected "none" with groups = "any", "free" or "forced" with "odd" or "even"'
        raise FactError("turn.pass", f"{values['turn.pass']}: {reason}")
    if values["turn.groups"] == "even" and values["turn.first"] == 1:
        raise FactError("turn.first", "one stone is one group, not an even number: expected 2")
    fixed = {key: DEFAULTS.get(key, 0) for key in idle}
    return Facts(*({**values, **fixed}[key] for key in KEYS))  # type: ignore[arg-type]  # checked


_NUMBER: Final = {1: "one stone", 2: "two stones"}
_HIGHER: Final = {"more": "higher", "fewer": "lower"}
_COUNTS: Final = {
    "largest": "the size of its largest group",
    "smallest": "the size of its smallest group",
    "product": "the product of the sizes of its two largest groups",
    "area": "the size of its largest group times the number of its groups",
}
_VALUES: Final = {
    "one": "the number of its groups",
    "size": "the number of its stones",
    "less": "the sum over its groups of the size less {k}",
    "square": "the sum over its groups of the square of the size",
    "odd": "one point for each of its groups of odd size and two for each other one",
    "large": "the number of its groups of size {k} or more",
}
_BREAKS: Final = {
    "size": "take the smallest n for which the numbers of groups larger than n differ: the colour"
    " with fewer of them wins",
    "ascending": "compare the sizes of the groups in ascending order: at the first difference the"
    " larger one wins, and where one list ends, the longer one",
    "stones": "the colour with fewer stones wins",
    "odd": "the colour with fewer groups of odd size wins",
    "black": "Black wins",
    "white": "White wins",
}


def rules_in_words(facts: Facts) -> Iterator[str]:
    """The sentences of the rules, each a line."""
    yield from _turns(facts)
    yield from _end(facts)
    yield from _score(facts)


def _stones(fewest: int, most: int, colour: str) -> str:
    number = _NUMBER[most] if fewest == most else "one or two stones"
    where = "on an empty cell" if most == 1 else "on empty cells"
    if colour == "own":
        return f"{number} of their own colour {where}"
    one = f"{number} of either colour" if most == 1 else f"{number}, each of either colour,"
    return f"{one} {where}"


def _turns(facts: Facts) -> Iterator[str]:
    yield "Stones stay where they are placed. Connected stones of one colour are a group."
    first = _stones(facts.first, facts.first, facts.first_colour)
    yield f"Black begins and places {first.replace('their', 'its')}."
    later = _stones(*facts.stones, facts.colour)
    yield f"Then the players take turns, beginning with White, and place {later}."
    if facts.groups != "any":
        yield f"At the end of every turn the number of groups, of both colours, is {facts.groups}."
    if facts.passing == "free":
        yield "Instead, from the second turn on, a player may pass."
    if facts.passing == "forced":
        yield "A player who can place no stones passes, and no one else may."
    if facts.pie:
        yield "Instead of turn 2, White may swap: the players exchange their colours."


def _end(facts: Facts) -> Iterator[str]:
    if not facts.has_pass:
        yield "The game ends when the board is full."
    elif facts.full_ends:
        yield "Two passes in a row end the game, and so does a full board."
    else:
        yield "Two passes in a row end the game."


def _score(facts: Facts) -> Iterator[str]:
    count = _COUNTS.get(facts.count) or _VALUES[facts.value].format(k=facts.k)
    lone = ""
    if facts.count in {"largest", "smallest", "product"}:
        lone = f"; a group that is missing has size {facts.lone}"
    yield f"Each colour then counts {count}{lone}."
    if facts.by_parity:
        other = "even" if facts.wins == "odd" else "odd"
        yield f"Black wins if the sum of both counts is {facts.wins}, White if it is {other}."
        return
    yield f"The {_HIGHER[facts.wins]} count wins."
    for number, tie in enumerate(facts.ties):
        yield f"{'If that is equal, too' if number else 'If both count the same'}: {_BREAKS[tie]}."
