"""The light board against the reference, step by step."""

from __future__ import annotations

import random

import pytest

from tests.support.games import set_up
from yoddd.engine.halfturns import HalfTurns
from yoddd.rules import Colour, Position, Turn, make_rules

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


@pytest.mark.parametrize(("game", "board", "options"), VARIANTS)
def test_playouts_reach_an_end_and_depend_on_the_seed_alone(
    game: str, board: str, options: dict[str, str]
) -> None:
    start = HalfTurns(Position(make_rules(game, board, options)))
    first = [start.copy().playout(random.Random(seed)) for seed in range(30)]
    again = [start.copy().playout(random.Random(seed)) for seed in range(30)]
    assert first == again
    assert set(first) <= set(Colour)


def test_a_playout_may_begin_in_the_middle_of_a_turn() -> None:
    state = HalfTurns(Position(make_rules("yodd", "hex3")))
    state.apply(state.moves()[0])
    state.apply(state.end)
    state.apply(state.moves()[3])
    assert state.first is not None
    assert state.playout(random.Random(1)) in set(Colour)


def test_moves_of_a_finished_game_are_none() -> None:
    state = HalfTurns(set_up(Position, make_rules("yodd", "hex3"), "1c3", passes=2))
    assert state.is_over
    assert state.moves() == []


def test_playout_from_an_odd_set_up_of_turn_1_drops_a_single_stone_first() -> None:
    position = set_up(Position, make_rules("yodd", "hex3"), "1c3", Colour.BLACK, 0, 1)
    state = HalfTurns(position)
    for seed in range(20):
        first = state.copy()._random_turn(random.Random(seed))
        assert position.is_legal(state.turn(first))
        assert state.copy().playout(random.Random(seed)) in set(Colour)
