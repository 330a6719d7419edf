"""Shared by tests of many packages: small rule sets, random games, positions made by hand."""

import json
import random
from itertools import count
from math import comb
from typing import Any

import attrs
from hypothesis import strategies as st

from yoddd.notation import GameRecord, format_turn, parse_turn
from yoddd.rules import PASS, SWAP, Colour, Outcome, PositionLike, Rules, Stone, Turn, make_rules

Implementation = type[PositionLike]
"""A class that implements `PositionLike`."""

SMALL_RULES = [
    make_rules("yodd", "hex2"),
    make_rules("yodd", "hex3"),
    make_rules("yodd", "hex3", {"end_on_full": "on"}),
    make_rules("yodd", "hex3", {"own_colour": "on"}),
    make_rules("xodd", "square3"),
    make_rules("xodd", "square4"),
    make_rules("xodd", "square4", {"end_on_full": "on", "own_colour": "on"}),
    make_rules("odd", "hex2"),
    make_rules("odd", "hex3", {"min_group": "2"}),
    make_rules("odd", "square4", {"min_group": "3"}),
    make_rules("yoin", "hex2"),
    make_rules("yoin", "hex3"),
    make_rules("yoin", "hex3", {"pie": "off"}),
    make_rules("product", "hex2"),
    make_rules("product", "hex3"),
    make_rules("product", "hex3", {"pie": "on", "one_group": "on", "tie": "black"}),
    make_rules("product", "hex2", {"pie": "on", "tie": "white"}),
]
"""Every game with every option, on boards that a full listing can afford."""

ODD_RULES = [rules for rules in SMALL_RULES if rules.has_pass]
"""Those under the constraint of an odd number of groups."""

SAMPLE = GameRecord(
    id="m1-1",
    game="yodd",
    board="hex3",
    options={"end_on_full": "off", "own_colour": "off"},
    black="Ada",
    white="Grace",
    turns=("1c3", "pass", "pass"),
    times=(0.5, 0.25, 1.0),
    winner="w",
    reason="groups",
    score="W+1",
    started="2030-01-31T12:00:00Z",
    ended="2030-01-31T12:00:02.5Z",
    clock="60+1",
)
"""A record of a whole game, as short as they come; tests change what they are about."""

SWAPPED = attrs.evolve(
    SAMPLE,
    game="yoin",
    board="hex2",
    options={"pie": "on"},
    turns=("b2", "swap", "a1", "a2", "b1", "b3", "c1", "c2"),
    times=(0.1,) * 8,
    winner="b",
    score="W+1",
)
"""Another one, in which Grace plays Black after her swap."""


def outcome_of(position: PositionLike) -> Outcome:
    """The outcome of a finished game."""
    outcome = position.outcome()
    assert outcome is not None
    return outcome


def record_of(position: PositionLike, **changes: Any) -> GameRecord:
    """The record that a referee writes of a finished game, with ``changes``."""
    outcome = outcome_of(position)
    rules = position.rules
    facts: dict[str, Any] = {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": rules.options(),
        "turns": tuple(format_turn(turn, rules) for turn in position.history),
        "times": (0.1,) * len(position.history),
        "winner": position.seat_of(outcome.winner).letter,
        "score": f"{outcome.winner.letter.upper()}+{outcome.score}",
    }
    return attrs.evolve(SAMPLE, **facts | changes)


def rules_id(rules: Rules) -> str:
    options = [f"{name}={text}" for name, text in rules.chosen_options().items()]
    return "-".join([rules.game.name, rules.geometry.name, *options])


def never() -> bool:
    """The stop flag of a search that is never stopped."""
    return False


def seeds() -> st.SearchStrategy[int]:
    return st.integers(0, 2**32 - 1)


def play_random(
    implementation: Implementation, rules: Rules, seed: int, turns: int | None = None
) -> PositionLike:
    """A game of so many random turns, or to its end; passes are rare but do happen."""
    rng = random.Random(seed)
    position = implementation(rules)
    while not position.is_over and (turns is None or position.number <= turns):
        position.play(random_turn(position, rng))
    return position


def won_by_passing(implementation: Implementation, rules: Rules, player: Colour) -> PositionLike:
    """A position after a pass, whose player wins by another one; the last before a random end."""
    for seed in count():
        position = play_random(implementation, rules, seed, rules.geometry.cells // 4)
        while not position.is_over:
            if position.player is player.opponent and position.is_legal(PASS):
                position.play(PASS)
                if position.is_legal(PASS):
                    position.play(PASS)
                    outcome = position.outcome()
                    position.undo()
                    if outcome is not None and outcome.winner is player:
                        return position
                position.undo()
            position.play(random_turn(position, random.Random(seed)))
    raise AssertionError


def random_turn(position: PositionLike, rng: random.Random) -> Turn:
    """A legal turn, each as likely as any other: drawn from all turns until one is legal.

    A list of the legal ones would take many times as long.
    """
    rules = position.rules
    sizes = rules.stones_of_turn(position.number)
    empty = [cell for cell, content in enumerate(position.cells) if content is None]
    colours = [position.player] if rules.only_own else list(Colour)
    single = [Stone(colour, cell) for colour in colours for cell in empty]
    others = [PASS, SWAP]
    alone = len(single) if 1 in sizes else 0
    pairs = comb(len(single), 2) if 2 in sizes else 0
    while True:
        drawn = rng.randrange(len(others) + alone + pairs)
        if drawn < len(others):
            turn = others[drawn]
        else:
            turn = Turn.drop(*rng.sample(single, 1 if drawn < len(others) + alone else 2))
        if position.is_legal(turn):
            return turn


def stones(rules: Rules, text: str) -> list[Stone]:
    """The stones that ``text`` lists, such as ``1c3 2d4``."""
    return [parse_turn(token, rules, Colour.BLACK).stones[0] for token in text.split()]


def set_up(
    implementation: Implementation,
    rules: Rules,
    text: str,
    player: Colour = Colour.BLACK,
    passes: int = 0,
    number: int = 9,
) -> PositionLike:
    """A mid-game position with the stones that ``text`` lists."""
    cells: list[Colour | None] = [None] * rules.geometry.cells
    for stone in stones(rules, text):
        cells[stone.cell] = stone.colour
    return implementation.set_up(rules, cells, player, passes, number)


def again(implementation: Implementation, position: PositionLike) -> PositionLike:
    """The same position without its past, in an implementation."""
    return implementation.set_up(
        position.rules, position.cells, position.player, position.passes, position.number
    )


def turn_of(position: PositionLike, token: str) -> Turn:
    return parse_turn(token, position.rules, position.player)


def wins(position: PositionLike, known: dict[tuple[object, ...], bool]) -> bool:
    """Whether the player to move wins, by exhaustive search."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner is position.player
    key = (position.cells, position.player, position.passes, min(position.number, 3))
    if key not in known:
        known[key] = any(wins_by(position, turn, known) for turn in list(position.legal_turns()))
    return known[key]


def wins_by(position: PositionLike, turn: Turn, known: dict[tuple[object, ...], bool]) -> bool:
    """Whether a turn wins; after a swap, too, it is the other player's move."""
    position.play(turn)
    won = not wins(position, known)
    position.undo()
    return won


def half_turns(position: PositionLike, first: int | None = None) -> list[int]:
    """Every half turn that some legal turn continues with, as the kernel numbers them, in order."""
    cells, found = position.rules.geometry.cells, set[int]()
    for turn in position.legal_turns():
        drops = [stone.colour * cells + stone.cell for stone in turn.stones]
        if first is None:
            found.update(drops or [2 * cells + (1 if turn == PASS else 2)])
        elif first in drops:
            drops.remove(first)
            found.update(drops or [2 * cells])
    return sorted(found)


def match_line(first: str, second: str, **keys: object) -> str:
    """The request for a match of two attached engines."""
    engines = [{"engine": f"tcp:{name}"} for name in (first, second)]
    return f"match {json.dumps({'engine': engines, **keys})}"
