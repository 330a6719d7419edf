"""The features of positions against plain counting by the reference."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.games import SMALL_RULES, rules_id
from yoddd.kernel import FEATURES, NativePosition, TreeSearch, TreeSettings, backend, sample
from yoddd.kernel.position import board_of
from yoddd.rules import Colour, Position, PositionLike, Rules, Stone, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

RULES = [
    *SMALL_RULES,
    make_rules("yodd", "hex6"),
    make_rules("xodd", "square9"),
    make_rules("xodd", "square23"),
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


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_features_equal_those_counted_by_the_reference(rules: Rules) -> None:
    for seed in range(4):
        position = played(rules, seed)
        expected = counted(position, Colour.BLACK) + counted(position, Colour.WHITE)
        assert board_of(position).features() == expected


def test_features_after_undo_are_those_before() -> None:
    position = NativePosition(make_rules("yodd", "hex4"))
    rng = random.Random(3)
    before = []
    while not position.is_over:
        before.append(board_of(position).features())
        position.play(rng.choice(list(position.legal_turns())))
    while before:
        position.undo()
        assert board_of(position).features() == before.pop()


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
        TreeSearch(position, seed=1, settings=TreeSettings(weights=(0.0,) * 7))


def test_search_values_what_the_weights_value() -> None:
    """With weights that only count stones, a search of the value alone prefers its own colour."""
    position = NativePosition(make_rules("odd", "hex3"))
    row = [0.0] * (len(FEATURES) + 2)
    row[FEATURES.index("stones")] = 2.0
    settings = TreeSettings(weights=tuple(row * 20), value_share=1.0, memory=16 << 20)
    tree = TreeSearch(position, seed=1, settings=settings)
    tree.run(playouts=2000)
    assert [stone.colour for stone in tree.best_turn().stones] == [Colour.BLACK]


def test_search_with_weights_is_the_same_for_the_same_seed() -> None:
    position = NativePosition(make_rules("yodd", "hex4"))
    weights = tuple(random.Random(1).uniform(-1, 1) for _ in range(38 * (len(FEATURES) + 2)))
    settings = TreeSettings(weights=weights, memory=16 << 20)

    def found() -> list[tuple[int, float]]:
        tree = TreeSearch(position, seed=5, settings=settings)
        tree.run(playouts=500)
        return [(half.visits, half.value) for half in tree.half_turns()]

    assert found() == found()
