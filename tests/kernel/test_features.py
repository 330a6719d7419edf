"""The features of positions against plain counting by the reference."""

from __future__ import annotations

import itertools
import operator
import random
from typing import TYPE_CHECKING

import pytest

from tests.support.games import SMALL_RULES, rules_id
from yoddd.kernel import (
    FEATURES,
    NativePosition,
    TreeSettings,
    best_turn,
    draw_turn,
    factors_after,
    policy,
    sample,
)
from yoddd.kernel.position import board_of
from yoddd.rules import Colour, Position, PositionLike, Rules, Stone, make_rules

if TYPE_CHECKING:
    from yoddd.kernel import _native

RULES = [
    *SMALL_RULES,
    make_rules("yodd", "hex6"),
    make_rules("xodd", "square9"),
    pytest.param(make_rules("xodd", "square23"), marks=pytest.mark.whole),
]


def merged(groups: list[frozenset[int]], links: list[tuple[int, int]]) -> int:
    """By how much the number of groups falls if the links are made."""
    parts = [{number} for number in range(len(groups))]
    for one, other in links:
        first = next(part for part in parts if one in part)
        second = next(part for part in parts if other in part)
        if first is not second:
            parts.remove(second)
            first |= second
    return len(groups) - len(parts)


def counted(position: PositionLike, colour: Colour) -> list[int]:
    """The features of a colour, by their description."""
    around = position.rules.geometry.neighbours
    cells = position.cells
    stones = {cell for cell, content in enumerate(cells) if content is colour}
    groups = [frozenset(group.cells) for group in position.groups() if group.colour is colour]
    beside = {
        cell: [n for n, group in enumerate(groups) if group & set(around[cell])]
        for cell, content in enumerate(cells)
        if content is None
    }
    near = {cell: found for cell, found in beside.items() if found}
    common = [pair for found in near.values() for pair in itertools.combinations(found, 2)]
    twice = [pair for pair in common if common.count(pair) > 1]
    widest = max(map(len, around))
    found = {
        "groups": len(groups),
        "closed": len(groups) - len({group for found in near.values() for group in found}),
        "stones": len(stones),
        "rim": sum(len(around[cell]) < widest for cell in stones),
        "pairs": sum(len(stones & set(around[cell])) for cell in stones) // 2,
        "fringe": len(near),
        "joins": sum(len(found) - 1 for found in near.values()),
        "linked": merged(groups, twice),
        "linkable": merged(groups, common),
    }
    return [found[name] for name in FEATURES]


def played(rules: Rules, seed: int) -> Position:
    """A position of a random game."""
    rng = random.Random(seed)
    position = Position(rules)
    for _ in range(rng.randrange(1, rules.geometry.cells)):
        if position.is_over:
            break
        turns = list(itertools.islice(position.legal_turns(), 40))
        position.play(rng.choice(turns))
    return position


def check_features_after(board: _native.Board, stones: list[int]) -> None:
    """Each stone's features beside those of the position with it."""
    for stone in stones:
        found = board.features(stone)
        board.play(stone)
        assert found == board.features(), stone
        board.undo()


def scattered(seed: int) -> Position:
    """A position with more groups of a colour than a word of the kernel has bits."""
    rng = random.Random(seed)
    rules = make_rules("odd", "square15")
    cells = [
        rng.choice((*[Colour.BLACK] * 8, Colour.WHITE, None)) if sum(divmod(cell, 15)) % 2 else None
        for cell in range(rules.geometry.cells)
    ]
    position = Position.set_up(rules, cells, Colour.BLACK, 0, 9)
    assert counted(position, Colour.BLACK)[0] > 64
    return position


def test_features_of_many_groups_equal_those_counted_by_the_reference() -> None:
    position = scattered(1)
    board = board_of(position)
    assert board.features() == counted(position, Colour.BLACK) + counted(position, Colour.WHITE)
    check_features_after(board, [s for s in range(2 * 225) if board.cells[s % 225] < 0])


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_features_equal_those_counted_by_the_reference(rules: Rules) -> None:
    for seed in range(4):
        position = played(rules, seed)
        expected = counted(position, Colour.BLACK) + counted(position, Colour.WHITE)
        assert board_of(position).features() == expected


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_policy_of_its_own_weighs_the_factors_after_each_half_turn(rules: Rules) -> None:
    rng = random.Random(2)
    row = [rng.uniform(-0.3, 0.3) for _ in range(len(FEATURES) + 2)]
    weights = (*[0.0] * len(row), *row) * (rules.geometry.cells + 1)
    for seed in range(4):
        position = played(rules, seed)
        if position.is_over:
            continue
        board = board_of(position)
        swap = 2 * rules.geometry.cells + 2
        worths = {}
        for move, factors in factors_after(position).items():
            board.play(move)
            assert factors == leads(board)
            board.undo()
            sign = (1 - 2 * position.player) * (-1 if move == swap else 1)
            worths[move] = sign * sum(map(operator.mul, row, factors))
        most = max(worths.values())
        expected = {move: pytest.approx(worth - most, abs=1e-4) for move, worth in worths.items()}
        assert policy(position, weights) == expected


def test_levels_draw_by_the_value_where_the_policy_is_another_one() -> None:
    rng = random.Random(3)
    position = NativePosition(make_rules("yodd", "hex3"))
    row, other = ([rng.uniform(-1, 1) for _ in range(len(FEATURES) + 2)] for _ in range(2))
    value, both = tuple(row * 20), tuple([*row, *other] * 20)
    drawn = [
        draw_turn(position, weights=weights, winrates={}, winrate=0.5, spread=1.0, seed=seed)
        for weights in (value, both)
        for seed in range(30)
    ]
    assert drawn[:30] == drawn[30:]


def leads(board: _native.Board) -> list[int]:
    """The factors of a board: Black's features less White's, and whose turn it is."""
    features, count = board.features(), len(FEATURES)
    player = 1 - 2 * board.player
    differences = map(operator.sub, features[:count], features[count:])
    return [*differences, player, player * (board.pending is not None)]


def test_sample_in_the_middle_of_a_turn_has_the_first_stone() -> None:
    position = NativePosition(make_rules("yodd", "hex3"))
    stones = FEATURES.index("stones")
    whole, half = sample(position), sample(position, Stone(Colour.WHITE, 9))
    assert whole[-3:] == (19, 1, 0)
    assert half[-3:] == (18, 1, 1)
    assert (whole[len(FEATURES) + stones], half[len(FEATURES) + stones]) == (0, 1)


def test_search_refuses_weights_of_another_board() -> None:
    position = NativePosition(make_rules("yodd", "hex3"))
    with pytest.raises(ValueError, match="weights for another board"):
        best_turn(position, TreeSettings(weights=(0.0,) * 7), playouts=1, seed=1)


@pytest.mark.parametrize("policy_of_its_own", [False, True])
def test_search_values_what_the_weights_value(*, policy_of_its_own: bool) -> None:
    """With weights that only count stones, a search of the value alone prefers its own colour."""
    position = NativePosition(make_rules("odd", "hex3"))
    row = [0.0] * (len(FEATURES) + 2)
    row[FEATURES.index("stones")] = 2.0
    rows = [*row, *[0.0] * len(row)] if policy_of_its_own else row
    settings = TreeSettings(weights=tuple(rows * 20), value_share=1.0, memory=16 << 20)
    turn = best_turn(position, settings, playouts=2000, seed=1)
    assert [stone.colour for stone in turn.stones] == [Colour.BLACK]


def test_search_follows_a_policy_of_its_own() -> None:
    """A policy that all but rules out white stones leaves black ones, though the value is flat."""
    position = NativePosition(make_rules("odd", "hex3"))
    row = [0.0] * (len(FEATURES) + 2)
    policy_row = row.copy()
    policy_row[FEATURES.index("stones")] = 20.0
    settings = TreeSettings(weights=tuple([*row, *policy_row] * 20), memory=16 << 20)
    for seed in range(8):
        turn = best_turn(position, settings, playouts=100, seed=seed)
        assert [stone.colour for stone in turn.stones] == [Colour.BLACK]


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_features_after_a_stone_are_those_of_the_position_with_it(rules: Rules) -> None:
    cells = rules.geometry.cells
    rng = random.Random(1)
    for seed in range(6):
        board = board_of(played(rules, seed))
        drawn = rng.sample(range(2 * cells), min(2 * cells, 100))
        check_features_after(board, [stone for stone in drawn if board.cells[stone % cells] < 0])


@pytest.mark.parametrize("game", ["yodd", "yoin"])
def test_policy_is_the_softmax_of_the_values_after_each_half_turn(game: str) -> None:
    rules = make_rules(game, "hex4", {"pie": "off"} if game == "yoin" else {})
    cells, width = rules.geometry.cells, len(FEATURES) + 2
    rng = random.Random(2)
    weights = [rng.uniform(-1, 1) for _ in range((cells + 1) * width)]

    def logit(position: PositionLike, move: int) -> float:
        """The learned value after a half turn, for Black, by its description."""
        after = board_of(position)
        after.play(move)
        counts, empty = after.features(), after.cells.count(-1)
        player = 1 if after.player == 0 else -1
        pending = player if rules.two_stones and move < 2 * cells else 0
        own, other = counts[: len(FEATURES)], counts[len(FEATURES) :]
        inputs = [*(a - b for a, b in zip(own, other, strict=True)), player, pending]
        row = weights[empty * width : (empty + 1) * width]
        return sum(a * b for a, b in zip(inputs, row, strict=True))

    for seed in range(4):
        position = played(rules, seed)
        if position.is_over:
            continue
        sharp = min(6.9, max(1.0, 10 * position.cells.count(None) / cells))
        sign = sharp if position.player is Colour.BLACK else -sharp
        moves = board_of(position).legal_moves()
        expected = {move: sign * logit(position, move) for move in moves}
        most = max(expected.values())
        found = policy(position, weights)
        assert found == pytest.approx({m: v - most for m, v in expected.items()}, abs=1e-3)


def test_policy_after_a_first_stone_is_about_what_may_follow() -> None:
    position = NativePosition(make_rules("yodd", "hex3"))
    position.play(next(position.legal_turns()))
    first = next(turn for turn in position.legal_turns() if len(turn.stones) > 1).stones[0]
    found = policy(position, [0.0] * 20 * (len(FEATURES) + 2), first)
    followers = {(stone.colour, stone.cell) for stone in position.legal_seconds(first)}
    assert {divmod(move, 19) for move in found if move < 38} == followers
    assert set(found.values()) == {0.0}


def test_policy_refuses_weights_of_another_board() -> None:
    with pytest.raises(ValueError, match="weights for another board"):
        policy(NativePosition(make_rules("yodd", "hex3")), [0.0])
