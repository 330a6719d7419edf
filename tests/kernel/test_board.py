"""Features of the native board alone: hashes, half turns, size."""

import random

import pytest

from tests.support.games import SMALL_RULES, again, play_random, rules_id
from yoddd.kernel import NativePosition, TreeSettings, best_turn, draw_turn, policy
from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of, make_board
from yoddd.rules import Position, Rules, make_rules


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
        native().Board(0, 14, make_rules("yodd").facts.numbers)
    for place, key in ((1, "turn.first"), (7, "turn.pass"), (14, "score.ties")):
        facts = list(make_rules("yodd").facts.numbers)
        facts[place] = 7
        with pytest.raises(ValueError, match=f"cannot play {key}"):
            native().Board(0, 5, facts)


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_kernel_on_a_finished_game_has_no_turn_and_chooses_none(rules: Rules) -> None:
    for seed in range(5):
        position = play_random(NativePosition, rules, seed, 999)
        assert position.is_over
        assert not policy(position, ())
        board = board_of(position)
        assert board.perft(1) == board.count_turns() == len(board.legal_moves()) == 0
        with pytest.raises(ValueError, match="the game is over"):
            draw_turn(position, winrates={}, winrate=0.5, spread=1.0, seed=seed)
        with pytest.raises(ValueError, match="the game is over"):
            best_turn(position, TreeSettings(memory=1 << 20), playouts=10, seed=seed)


def test_a_position_of_either_kind_becomes_a_board_of_its_own() -> None:
    position = play_random(NativePosition, make_rules("xodd", "square4"), 3, 5)
    mine, plain = board_of(position), board_of(again(Position, position))
    assert mine.hash == plain.hash
    mine.play(mine.legal_moves()[0])
    assert mine.hash != plain.hash == board_of(position).hash
