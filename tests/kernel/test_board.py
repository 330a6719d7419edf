"""Features of the native board alone: hashes, half turns, sampling, size."""

import random
from collections import Counter

import pytest

from tests.support.games import SMALL_RULES, again, play_random, rules_id
from yoddd.kernel import NativePosition
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, make_board, turn_of
from yoddd.rules import Position, Rules, make_rules

_CHI_SQUARE_SLACK = 5  # standard deviations; draws are seeded, so this never flickers


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_hashes_tell_positions_apart(rules: Rules) -> None:
    """Equal hashes only for equal positions, pending stones, passes and players."""
    rng = random.Random(5)
    states: dict[int, tuple[object, ...]] = {}
    for _ in range(60):
        board = make_board(rules)
        while not board.is_over:
            number = min(board.number, 3)
            state = (tuple(board.cells), board.player, board.passes, number, board.pending)
            assert states.setdefault(board.hash, state) == state
            board.play(rng.choice(board.legal_moves()))


@pytest.mark.parametrize(
    ("rules", "turns"),
    [
        (make_rules("yodd", "hex2"), 0),
        (make_rules("yodd", "hex2"), 1),
        (make_rules("yodd", "hex2"), 2),
        (make_rules("yodd", "hex2", {"own_colour": "on"}), 2),
        (make_rules("xodd", "square3"), 2),
        (make_rules("xodd", "square2"), 2),
        (make_rules("odd", "hex2"), 3),
        (make_rules("yoin", "hex2"), 1),
    ],
    ids=lambda value: rules_id(value) if isinstance(value, Rules) else str(value),
)
def test_sampled_turns_are_uniform(rules: Rules, turns: int) -> None:
    position = play_random(Position, rules, 9, turns)
    legal = list(position.legal_turns())
    board, rng = board_of(position), native().Rng(10)
    draws = 200 * len(legal)
    drawn = Counter(turn_of(rules, board.sample_turn(rng)) for _ in range(draws))
    assert set(drawn) <= set(legal)
    chi_square = sum((drawn[turn] - 200) ** 2 / 200 for turn in legal)
    freedom = len(legal) - 1
    assert abs(chi_square - freedom) <= _CHI_SQUARE_SLACK * max(2 * freedom, 1) ** 0.5


def test_sampling_finds_a_lone_legal_turn() -> None:
    """If nearly no turn is legal, the turns are counted instead of tried."""
    position = play_random(Position, make_rules("yodd", "hex3"), 11)
    while position.is_over:
        position.undo()
    board, rng = board_of(position), native().Rng(1)
    legal = set(position.legal_turns())
    assert {turn_of(position.rules, board.sample_turn(rng)) for _ in range(50)} <= legal


def test_nothing_can_be_sampled_from_a_finished_game() -> None:
    board = board_of(play_random(Position, make_rules("odd", "hex2"), 1))
    with pytest.raises(ValueError, match="no legal turn"):
        board.sample_turn(native().Rng(1))


def test_wrong_arguments_are_refused() -> None:
    board = make_board(make_rules("yodd", "hex2"))
    for move in (-1, 17):
        with pytest.raises(ValueError, match="no such"):
            board.play(move)
    board.play(3)
    with pytest.raises(ValueError, match="occupied"):
        board.play(3)
    with pytest.raises(ValueError, match="wrong number of cells"):
        board.set_up([0], 0, 0, 1)
    with pytest.raises(ValueError, match="no such colour"):
        board.set_up([5] * 7, 0, 0, 1)
    with pytest.raises(ValueError, match="no such turn"):
        board.is_legal([])
    with pytest.raises(ValueError, match="no board of this size"):
        native().Board(0, 14, 0, False, False, False, 5, False, 0)


def test_a_position_of_either_kind_becomes_a_board_of_its_own() -> None:
    position = play_random(NativePosition, make_rules("xodd", "square4"), 3, 5)
    mine, plain = board_of(position), board_of(again(Position, position))
    assert mine.hash == plain.hash
    mine.play(mine.legal_moves()[0])
    assert mine.hash != plain.hash == board_of(position).hash
