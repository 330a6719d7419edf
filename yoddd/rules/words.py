"""The rules of a game in English, from its facts alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yoddd.rules.facts import Facts

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
_TIES: Final = {
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
        yield f"{'If that is equal, too' if number else 'If both count the same'}: {_TIES[tie]}."
