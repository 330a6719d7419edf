"""Drawn descriptions: the reference, the kernel and a reading by itself agree on whole games."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.descriptions import drawn_rules, random_rules, seeds_of
from tests.support.reading import Reading, State
from tests.support.reading import Turn as Read
from yoddd.kernel import NativePosition, backend
from yoddd.rules import (
    PASS,
    SWAP,
    Colour,
    Position,
    PositionLike,
    Rules,
    Stone,
    Turn,
)

pytestmark = pytest.mark.invariant

KINDS: list[Any] = [Position, *([NativePosition] if backend().is_native else [])]


def reading_of(rules: Rules) -> Reading:
    facts = {
        key: list(one) if isinstance(one, tuple) else one for key, one in rules.facts.by_key.items()
    }
    return Reading(facts, rules.geometry.neighbours)


def turn_of(turn: Read) -> Turn:
    if isinstance(turn, str):
        return {"pass": PASS, "swap": SWAP}[turn]
    return Turn.drop(*(Stone(Colour(colour), cell) for colour, cell in turn))


def any_turn(rng: random.Random, cells: int) -> Turn:
    """A turn, most likely one that is not legal."""
    stones = [Stone(Colour(rng.randrange(2)), rng.randrange(cells)) for _ in range(2)]
    return rng.choice([PASS, SWAP, Turn.drop(stones[0]), Turn.drop(*stones)])


def agree_on_stones(board: PositionLike, legal: list[Turn]) -> None:
    """Which stones legal turns drop, and which ones together."""
    contained = sorted({one for turn in legal for one in turn.stones})
    assert board.legal_stones() == contained
    partners: dict[Stone, list[Stone]] = {}
    for one, other in (turn.stones for turn in legal if len(turn.stones) == 2):
        partners.setdefault(one, []).append(other)
        partners.setdefault(other, []).append(one)
    for stone in (Stone(colour, cell) for colour in Colour for cell in range(len(board.cells))):
        assert board.completable(stone) is (stone in contained)
        assert board.legal_seconds(stone) == sorted(partners.get(stone, []))


def lockstep(rules: Rules, rng: random.Random) -> None:
    """Play a random game by all of them; each turn is compared with all that they list."""
    reading, cells = reading_of(rules), rules.geometry.cells
    state = State((None,) * cells)
    boards: list[PositionLike] = [kind(rules) for kind in KINDS]
    while not reading.is_over(state):
        turns = reading.turns(state)
        assert turns, state
        legal = [turn_of(turn) for turn in turns]
        odd_one = any_turn(rng, cells)
        for board in boards:
            assert list(board.legal_turns()) == legal
            first = rng.randrange(len(legal) + 2)
            assert list(board.legal_turns(first)) == legal[first:]
            assert board.count_turns() == board.perft(1) == len(legal)
            assert board.is_legal(odd_one) is (odd_one in legal)
            agree_on_stones(board, legal)
            again = type(board).set_up(rules, board.cells, board.player, board.passes, board.number)
            assert list(again.legal_turns()) == legal
        assert len({board.illegality(odd_one) for board in boards}) == 1
        # Passes would end most games at once.
        picked = rng.choice([turn for turn in turns if turn != "pass"] or turns)
        picked = "pass" if "pass" in turns and rng.random() < 0.1 else picked
        state = reading.play(state, picked)
        for board in boards:
            board.play(turn_of(picked))
            assert (board.player, board.passes, board.number) == state[1:]
            assert board.is_over is reading.is_over(state)
    decided = reading.outcome(state.cells)
    assert decided is not None, (rules.facts, state)
    assert decided[1] > 0
    for board in boards:
        outcome = board.outcome()
        assert outcome is not None
        assert (outcome.winner, outcome.score) == decided


@given(drawn_rules(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_drawn_games_are_played_alike_by_reading_reference_and_kernel(
    rules: Rules, rng: random.Random
) -> None:
    lockstep(rules, rng)


@pytest.mark.whole
@pytest.mark.parametrize("part", range(20))
def test_many_drawn_games_are_played_alike(part: int) -> None:
    for seed in seeds_of(part):
        lockstep(random_rules(seed), random.Random(seed))
