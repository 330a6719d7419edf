"""The light board against the reference, step by step."""

from __future__ import annotations

import random

import pytest

from tests.support.halfturns import HalfTurns
from yoddd.rules import Position, Turn, make_rules

VARIANTS = [
    ("yodd", "hex2", {}),
    ("yodd", "hex3", {}),
    ("yodd", "hex3", {"own_colour": "on"}),
    ("yodd", "hex2", {"end_on_full": "on"}),
    ("xodd", "square3", {}),
    ("xodd", "square4", {"own_colour": "on", "end_on_full": "on"}),
    ("odd", "hex3", {"min_group": "2"}),
    ("odd", "square4", {}),
    ("yoin", "hex3", {}),
    ("yoin", "hex2", {"pie": "off"}),
    ("product", "hex2", {}),
]


def turns_by_halves(state: HalfTurns) -> set[Turn]:
    turns = set()
    for move in state.moves():
        after = state.copy()
        after.apply(move)
        if after.first is None:
            turns.add(state.turn([move]))
        else:
            turns |= {state.turn([move, second]) for second in after.moves()}
    return turns


@pytest.mark.parametrize(("game", "board", "options"), VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_half_turns_spell_exactly_the_legal_turns(
    game: str, board: str, options: dict[str, str], seed: int
) -> None:
    rng = random.Random(seed)
    position = Position(make_rules(game, board, options))
    while not position.is_over:
        state = HalfTurns(position)
        legal = list(position.legal_turns())
        assert turns_by_halves(state) == set(legal)
        assert state.total == len(position.groups())
        position.play(rng.choice(legal))
    assert HalfTurns(position).is_over
    outcome = position.outcome()
    assert outcome is not None
    assert HalfTurns(position).winner() is outcome.winner


@pytest.mark.parametrize(("game", "board", "options"), VARIANTS)
def test_a_state_moved_by_halves_stays_equal_to_the_reference(
    game: str, board: str, options: dict[str, str]
) -> None:
    rng = random.Random(7)
    position = Position(make_rules(game, board, options))
    state = HalfTurns(position)
    while not state.is_over:
        moves = []
        player = state.player
        moves.append(rng.choice(state.moves()))
        state.apply(moves[0])
        if state.first is not None:
            moves.append(rng.choice(state.moves()))
            state.apply(moves[1])
        assert position.player is player
        position.play(state.turn(moves))
        assert state.total == len(position.groups())
        assert state.player is position.player
    assert position.is_over
