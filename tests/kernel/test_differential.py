"""Reference and kernel in lockstep through random games of drawn descriptions, on every board."""

import os
import random

import pytest

from tests.support.descriptions import random_rules
from tests.support.games import half_turns, outcome_of
from yoddd.board import Shape, sizes_of
from yoddd.kernel import NativePosition
from yoddd.kernel.position import board_of, turn_of
from yoddd.rules import (
    Colour,
    Position,
    PositionLike,
    Rules,
    Stone,
    Turn,
    make_rules,
)

pytestmark = pytest.mark.invariant

_GAMES = int(os.environ.get("YODDD_TEST_GAMES", "8"))
"""How many random games of each kind the quick tests play; `make sanitize` wants fewer."""

_SMALL_BOARDS = [
    *(f"{Shape.HEX}{size}" for size in (2, 3)),
    *(f"{Shape.SQUARE}{size}" for size in (2, 3, 4)),
]
_SMALL = [random_rules(seed, _SMALL_BOARDS) for seed in range(24)]
_BOARDS = [
    random_rules(3 * size + part, [f"{shape}{size}"])
    for shape in Shape
    for size in sizes_of(shape)
    for part in range(3)
]
"""Drawn games, three on every board there is."""


def agree(plain: PositionLike, fast: PositionLike) -> None:
    assert fast.cells == plain.cells
    assert (fast.player, fast.passes, fast.number) == (plain.player, plain.passes, plain.number)
    assert fast.groups() == plain.groups()
    assert fast.count() == plain.count()
    assert fast.is_full == plain.is_full
    assert fast.is_over == plain.is_over
    assert fast.outcome() == plain.outcome()
    assert fast.history == plain.history


def agree_on_turns(plain: PositionLike, fast: PositionLike) -> list[Turn]:
    turns = list(plain.legal_turns())
    assert list(fast.legal_turns()) == turns
    assert fast.count_turns() == len(turns)
    assert fast.legal_stones() == plain.legal_stones()
    return turns


def agree_on_single_stones(plain: PositionLike, fast: PositionLike, rng: random.Random) -> None:
    """Legality and completability of some stones, and of some pairs, on boards of any size."""
    cells = plain.rules.geometry.cells
    for _ in range(4):
        stones = [Stone(Colour(rng.randrange(2)), rng.randrange(cells)) for _ in range(2)]
        for turn in (Turn.drop(stones[0]), Turn.drop(*stones)):
            assert fast.illegality(turn) == plain.illegality(turn)
            assert fast.is_legal(turn) == plain.is_legal(turn)
    stone = Stone(Colour(rng.randrange(2)), rng.randrange(cells))
    assert fast.completable(stone) == plain.completable(stone)
    assert fast.legal_seconds(stone) == plain.legal_seconds(stone)


def random_drop(fast: PositionLike, rng: random.Random) -> Turn:
    """A legal turn found by trying, or the first there is."""
    empty = [cell for cell, content in enumerate(fast.cells) if content is None]
    for _ in range(30 if empty else 0):
        stones = [Stone(Colour(rng.randrange(2)), rng.choice(empty)) for _ in range(2)]
        turn = Turn.drop(*stones[: rng.randint(1, 2)])
        if fast.is_legal(turn):
            return turn
    return next(fast.legal_turns())


def lockstep(rules: Rules, seed: int, *, list_all: bool, turns: int = 10**6) -> None:
    rng = random.Random(seed)
    plain, fast = Position(rules), NativePosition(rules)
    hashes = [fast.board.hash]
    while not plain.is_over and plain.number <= turns:
        if list_all:
            turn = rng.choice(agree_on_turns(plain, fast))
        else:
            agree_on_single_stones(plain, fast, rng)
            turn = random_drop(fast, rng)
        for position in (plain, fast):
            position.play(turn)
        hashes.append(fast.board.hash)
        agree(plain, fast)
        # The hash depends on the position alone, not on how it came about.
        assert board_of(plain).hash == fast.board.hash
        if rng.random() < 0.2:
            assert fast.undo() == plain.undo() == turn
            hashes.pop()
            agree(plain, fast)
            assert fast.board.hash == hashes[-1]
            for position in (plain, fast):
                position.play(turn)
            hashes.append(fast.board.hash)
    while plain.history:
        assert fast.board.hash == hashes.pop()
        assert fast.undo() == plain.undo()
        agree(plain, fast)
    assert fast.board.hash == hashes.pop() == NativePosition(rules).board.hash


@pytest.mark.parametrize("rules", _SMALL, ids=str)
def test_whole_games_on_small_boards(rules: Rules) -> None:
    for seed in range(_GAMES):
        lockstep(rules, seed, list_all=True)


@pytest.mark.parametrize("rules", _BOARDS[::9], ids=str)
def test_openings_on_some_boards(rules: Rules) -> None:
    lockstep(rules, 1, list_all=False, turns=12)


@pytest.mark.whole
@pytest.mark.parametrize("rules", _BOARDS, ids=str)
def test_games_on_every_board(rules: Rules) -> None:
    lockstep(rules, 2, list_all=False, turns=24 if rules.geometry.cells > 90 else 10**6)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["hex9", "hex10", "hex13", "square16", "square22", "square25"])
def test_crowded_boards_where_labels_are_shared(name: str) -> None:
    """Fill the board and take everything back: labels and their sharing survive."""
    rules = make_rules("odd", name)
    rng = random.Random(3)
    for _ in range(3):
        plain, fast = Position(rules), NativePosition(rules)
        while not fast.is_over:
            turn = random_drop(fast, rng)
            fast.play(turn)
            plain._cells[turn.stones[0].cell] = turn.stones[0].colour
            # On average less than a stone is taken back for each that is placed, or it never ends.
            if rng.random() < 0.1:
                for _ in range(rng.randint(1, 8)):
                    if fast.history:
                        plain._cells[fast.undo().stones[0].cell] = None
                fast.board.play(rng.choice(fast.board.legal_moves()))
                fast.board.undo()
            if rng.random() < 0.1:
                plain._groups = None
                assert fast.groups() == plain.groups()
                assert fast.count() == plain.count()
        plain._groups = None
        assert fast.groups() == plain.groups()
        assert fast.outcome() == plain.outcome()


@pytest.mark.parametrize("rules", _SMALL, ids=str)
def test_half_turns_agree(rules: Rules) -> None:
    """Every half turn against the turns of the reference that it begins or ends."""
    rng = random.Random(4)
    for _ in range(_GAMES):
        plain, fast = Position(rules), NativePosition(rules).board
        hashes, seen = [], []
        while not plain.is_over:
            made: list[int] = []
            while fast.number == plain.number:
                moves = half_turns(plain, made[0] if made else None)
                assert sorted(fast.legal_moves()) == moves
                assert fast.pending == (made[0] if made else None)
                assert fast.player == plain.player
                hashes.append(fast.hash)
                seen.append(moves)
                made.append(rng.choice(moves))
                fast.play(made[-1])
            plain.play(turn_of(rules, made))
        assert fast.is_over
        assert fast.score()[0] == outcome_of(plain).winner
        assert len(set(hashes)) == len(hashes)
        while hashes:
            fast.undo()
            assert fast.hash == hashes.pop()
            assert sorted(fast.legal_moves()) == seen.pop()
        with pytest.raises(ValueError, match="nothing to take back"):
            fast.undo()
