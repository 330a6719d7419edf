"""The turn in the making, and the parity helper."""

from __future__ import annotations

import pytest

from yoddd.notation import parse_position, parse_stone
from yoddd.rules import Colour, Position, Stone, Turn, make_rules
from yoddd.rules.groups import find_groups
from yoddd.rules.scoring import tally
from yoddd.terminal.draft import Draft, effect_text, verdict_text

YODD = "yodd hex3 2b/1w2/4b/1b2/w2 b 0 6"


def stone(draft: Draft, text: str) -> Stone:
    return parse_stone(text, draft.position.rules, draft.position.player)


def begun(line: str, *stones: str) -> Draft:
    draft = Draft(parse_position(line))
    for text in stones:
        one = stone(draft, text)
        draft.place(one.cell, one.colour)
    return draft


@pytest.mark.parametrize(
    "line",
    [
        YODD,
        "xodd square3 b1w/3/1b1 w 0 4",
        "yodd hex3 3/4/5/4/3 b 0 1",
        "yodd hex2 1b/3/2 w 0 2 own_colour=on",
        "odd hex3 b2/4/2w2/4/3 w 0 3",
        "yoin hex3 b2/4/2w2/4/3 b 0 3",
    ],
)
def test_fits_agree_with_legal_turns(line: str) -> None:
    position = parse_position(line)
    turns = [turn.stones for turn in position.legal_turns() if turn.stones]
    draft = Draft(position)
    assert draft.fits() == {one for stones in turns for one in stones}
    for first in sorted(draft.fits())[::3]:
        draft.stones = (first,)
        pairs = {one for stones in turns if first in stones for one in stones} - {first}
        assert draft.fits() == pairs


def test_effect_agrees_with_the_board() -> None:
    draft = begun(YODD)
    for first in sorted(draft.fits()):
        draft.stones = (first,)
        assert draft.counts() == tally(find_groups(draft.position.rules.geometry, draft.cells))
        for second in sorted(draft.fits())[::5]:
            effect = draft.effect(second)
            assert effect is not None
            cells = draft.cells
            cells[second.cell] = second.colour
            groups = find_groups(draft.position.rules.geometry, cells)
            assert effect.total == len(groups)
            assert effect.after == tally(groups)[second.colour]
            assert effect.legal is draft.position.is_legal(Turn.drop(first, second)) is True


def test_tap_drops_then_recolours_then_removes() -> None:
    draft = begun(YODD)
    cell = draft.position.rules.geometry.cell("a2")
    draft.tap(cell, Colour.BLACK)
    assert list(draft.stones) == [Stone(Colour.BLACK, cell)]
    draft.tap(cell, Colour.BLACK)
    assert list(draft.stones) == [Stone(Colour.WHITE, cell)]
    draft.tap(cell, Colour.BLACK)
    assert list(draft.stones) == []


def test_tap_third_stone_replaces_the_second() -> None:
    draft = begun(YODD, "1a2", "2c1", "1e1")
    assert [one.cell for one in draft.stones] == [
        draft.position.rules.geometry.cell(label) for label in ("a2", "e1")
    ]
    draft.back()
    assert len(draft.stones) == 1


def test_tap_occupied_cell_or_other_colour_changes_nothing() -> None:
    draft = begun(YODD, "1a1")
    assert list(draft.stones) == []
    yoin = begun("yoin hex2 2/3/2 b 0 1")
    yoin.place(0, Colour.WHITE)
    assert list(yoin.stones) == []
    yoin.tap(0, Colour.WHITE)
    assert list(yoin.stones) == [Stone(Colour.BLACK, 0)]
    assert yoin.effect(Stone(Colour.WHITE, 1)) is None


def test_effect_text_describes_the_stone() -> None:
    draft = begun(YODD)
    said = effect_text(draft.effect(stone(draft, "1a3")), odd_total=True)
    assert said == "3 → 4, total 6 even  +1"
    draft.tap(draft.position.rules.geometry.cell("a3"), Colour.BLACK)
    assert effect_text(draft.effect(stone(draft, "2c1")), odd_total=True).endswith("✓")
    assert verdict_text(draft) == "No pass: 6 groups, even"
    draft.back()
    assert verdict_text(draft) == "If both pass now: White wins 2-3"
    assert effect_text(None, odd_total=True) == "-"
    assert (
        effect_text(begun("odd hex2 2/3/2 b 0 1").effect(Stone(Colour.BLACK, 0)), odd_total=False)
        == "0 → 1, total 1"
    )


def test_verdict_text_of_other_and_finished_games() -> None:
    assert verdict_text(Draft(Position(make_rules("yodd")))) == "The board is empty"
    assert verdict_text(begun("odd hex2 b1/3/2 w 0 2")) == "Count when the board is full"
    over = begun("yodd hex2 b1/3/2 b 2 4")
    assert verdict_text(over) == "White has won with 1-0 groups"
    assert over.remaining == 0
    assert over.fits() == frozenset()
