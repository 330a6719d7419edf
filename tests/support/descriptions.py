"""Whole descriptions of games, drawn: as many facts and options as their format allows."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from typing import Any

import attrs
from hypothesis import strategies as st

from yoddd.rules import GAMES, Game, Rules, RulesError
from yoddd.rules.description import DescriptionError, read_game
from yoddd.rules.game import rules_of

Table = dict[str, Any]
Draw = Callable[[list[Any]], Any]
"""Chooses one of some values."""

TIES = ["size", "ascending", "stones", "odd"]
SMALL_BOARDS = ["hex2", "hex3", "square2", "square3", "square4"]
FIRST = int(os.environ.get("YODDD_TEST_SEED", "0"))
"""The first seed of the games that the whole suite draws; the watch has others each day."""


def seeds_of(part: int) -> range:
    """A hundred seeds."""
    return range(FIRST + 100 * part, FIRST + 100 * part + 100)


def table_of(choose: Draw, board: str) -> Table:
    """A description for a board whose keys are all known and may not go together."""

    def some(table: Table, key: str, values: list[Any]) -> None:
        if choose([True, False]):
            table[key] = choose(values)

    turn: Table = {"stones": choose([[1, 1], [1, 2], [2, 2]]), "colour": choose(["own", "either"])}
    some(turn, "first", [1, 2])
    some(turn, "first_colour", ["own", "either"])
    if choose([True, False]):
        turn["groups"] = choose(["odd", "even"])
        turn["pass"] = choose(["free", "forced"])
        some(turn, "full_ends", [True, False])
        if turn["groups"] == "even":
            turn["first"] = 2
    score: Table = {"count": choose(["points", "largest", "smallest", "product", "area"])}
    if score["count"] == "points":
        some(score, "value", ["one", "size", "less", "square", "odd", "large"])
        if score.get("value") in {"less", "large"}:
            score["k"] = choose([1, 2, 3, 4, 7])
    elif score["count"] != "area":
        some(score, "lone", [0, 1])
    score["wins"] = choose(["more", "fewer", "odd", "even"])
    if score["wins"] in {"more", "fewer"}:
        ties = [tie for tie in TIES if choose([True, False])]
        ties += choose([["black"], ["white"], []])
        if ties or choose([True, False]):
            score["ties"] = ties
    shape = "hex" if board.startswith("hex") else "square"
    table: Table = {"format": 1, "name": "drawn", "title": "Drawn", "designer": "Chance"}
    table |= {"boards": {shape: [2, 4]}, "board": board, "turn": turn, "score": score}
    some(table, "pie", [True, False])
    table["options"] = _options(choose, turn, score)
    return table


def _options(choose: Draw, turn: Table, score: Table) -> Table:
    """Options that change facts to others, whatever they are."""
    options: Table = {}
    if choose([True, False]):
        options["pie"] = {"sets": "pie", "words": {"off": False, "on": True}}
    if turn.get("pass") and choose([True, False]):
        words = {"kind": ["either", "free"], "strict": ["own", "forced"]}
        words["usual"] = [turn["colour"], turn["pass"]]
        options["manner"] = {"sets": ["turn.colour", "turn.pass"], "words": words}
    if "k" in score and choose([True, False]):
        options["least"] = {"sets": "score.k", "range": [1, 9]}
    if score["wins"] in {"more", "fewer"} and choose([True, False]):
        words = {"usual": score.get("ties", []), "last": ["white"], "sorted": ["ascending"]}
        options["tie"] = {"sets": "score.ties", "words": words}
    return options


def rules_from(choose: Draw, board: str) -> Rules | None:
    """The rules of a drawn description with drawn options; None where that is refused."""
    try:
        game = read_game(json.dumps(table_of(choose, board)), "drawn.json")
        words = {one.name: choose(list(one.choices)) for one in game.options}
        return rules_of(game, None, words)
    except (DescriptionError, RulesError):
        return None


def known_rules(choose: Draw, board: str) -> Rules | None:
    """The rules of a game that comes with the program, with drawn options."""
    game = choose(list(GAMES.values()))
    try:
        return rules_of(
            game, board, {one.name: str(choose(list(one.choices))) for one in game.options}
        )
    except RulesError:
        return None


def random_rules(seed: int, boards: list[str] | None = None) -> Rules:
    """The first rules that are accepted of those that a seed draws."""
    rng = random.Random(seed)
    while True:
        source = rng.choice([known_rules, rules_from, rules_from, rules_from])
        rules = source(rng.choice, rng.choice(boards or SMALL_BOARDS))
        if rules is not None:
            return rules


TITLE = 'T]\\ "<b>&é:$x'
"""A title that every format has to escape."""


def drawn_game(seed: int) -> tuple[Game, Rules]:
    """A game that does not come with the program, and its rules with some options."""
    rng = random.Random(seed)
    while True:
        rules = rules_from(rng.choice, rng.choice(SMALL_BOARDS))
        if rules is not None:
            game = attrs.evolve(rules.game, title=TITLE, designer=TITLE)
            return game, attrs.evolve(rules, game=game)


def drawn_rules(boards: list[str] | None = None) -> st.SearchStrategy[Rules]:
    """Rules of drawn descriptions, on a drawn small board."""
    return st.integers(0, 2**32).map(lambda seed: random_rules(seed, boards))
