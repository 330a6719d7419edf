"""Searches that are told what not to play."""

from __future__ import annotations

import pytest

from tests.support.engines import reported
from tests.support.games import never, won_by_passing
from yoddd.engine import LEVELS, Bar, Budget, Level, Levelled, Restriction, Tabled
from yoddd.engine.mcts import MctsSearcher
from yoddd.engine.tables import NO_TABLES
from yoddd.kernel import backend, best_position
from yoddd.notation import format_turn, parse_position, parse_stone
from yoddd.rules import PASS, Colour, Position, PositionLike, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")


def half_turns(rules: Rules, words: str, player: Colour) -> frozenset[int]:
    cells = rules.geometry.cells
    named = {"pass": 2 * cells + 1, "swap": 2 * cells + 2}
    stones = {word: parse_stone(word, rules, player) for word in words.split() if word not in named}
    return frozenset(
        named[word] if word in named else stones[word].colour * cells + stones[word].cell
        for word in words.split()
    )


def bar(rules: Rules, words: str, player: Colour, depth: int = 1, *, allows: bool = False) -> Bar:
    return Bar(player, half_turns(rules, words, player), depth, allows)


def candidates(
    position: PositionLike, *bars: Bar, playouts: int = 3000, searcher: MctsSearcher | None = None
) -> list[tuple[str, ...]]:
    """The lines that a search expects of each turn that it considers."""
    restriction = Restriction.of(position.rules, bars)
    budget = Budget(playouts=playouts, restriction=restriction)
    found, report = reported(Tabled(searcher or MctsSearcher(), NO_TABLES), position, budget)
    assert restriction.permits(position.rules, position.player, found.turn)
    return [
        tuple(format_turn(turn, position.rules) for turn in one.line) for one in report.candidates
    ]


@pytest.mark.parametrize("playouts", [1, 3, 40, 3000])
def test_search_considers_only_what_is_allowed(playouts: int) -> None:
    position = Position(make_rules("odd", "hex5"))
    allowed = bar(position.rules, "1a1 2c3", Colour.BLACK, allows=True)
    found = candidates(position, allowed, playouts=playouts)
    assert {line[0] for line in found} <= {"1a1", "2c3"}
    assert found


@pytest.mark.parametrize("playouts", [1, 3, 40, 3000])
def test_turns_of_two_stones_have_allowed_stones_only(playouts: int) -> None:
    position = parse_position("yodd hex5 5/6/7/8/4b4/8/7/6/5 w 0 2")
    allowed = bar(position.rules, "1a1 2a2 1e1 2e9 1i1", Colour.WHITE, allows=True)
    found = candidates(position, allowed, playouts=playouts)
    for line in found:
        assert set(line[0].split(",")) <= {"1a1", "2a2", "1e1", "2e9", "1i1"}
    assert found


def test_avoided_stones_are_in_no_candidate() -> None:
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    free = {line[0] for line in candidates(position)}
    stones = {stone for turn in free for stone in turn.split(",") if stone != "pass"}
    avoided = bar(position.rules, " ".join(stones), Colour.WHITE)
    found = candidates(position, avoided)
    assert found
    assert not stones & {stone for line in found for stone in line[0].split(",")}


def test_pass_and_swap_can_be_avoided() -> None:
    position = parse_position("yoin hex4 4/5/6/3b3/6/5/4 w 0 2")
    assert any(line[0] == "swap" for line in candidates(position))
    avoided = bar(position.rules, "swap", Colour.WHITE)
    assert all(line[0] != "swap" for line in candidates(position, avoided))
    position = parse_position("yodd hex4 4/5/6/3b3/6/5/4 w 0 2")
    avoided = bar(position.rules, "pass", Colour.WHITE)
    assert all(line[0] != "pass" for line in candidates(position, avoided))


@pytest.mark.parametrize("depth", [1, 4])
def test_bars_end_with_their_depth(depth: int) -> None:
    position = Position(make_rules("odd", "hex4"))
    region = "1a1 2a1 1a2 2a2 1a3 2a3 1a4 2a4"
    bars = [bar(position.rules, region, player, depth, allows=True) for player in Colour]
    (best, *_) = candidates(position, *bars, playouts=20_000)
    allowed = [turn in region.split() for turn in best]
    assert allowed[:depth] == [True] * depth
    if depth == 1:
        assert not all(allowed)


def test_tree_of_another_restriction_is_not_used() -> None:
    position = Position(make_rules("odd", "hex4"))
    searcher = MctsSearcher()
    for word in ("1a1", "2b2"):
        allowed = bar(position.rules, word, Colour.BLACK, allows=True)
        assert [line[0] for line in candidates(position, allowed, searcher=searcher)] == [word]


def test_proven_turns_are_those_allowed() -> None:
    position = parse_position("odd hex2 2/bw1/2 b 0 3 min_group=1")
    every = {format_turn(turn, position.rules) for turn in position.legal_turns()}
    allowed = bar(position.rules, "1a1 2a1", Colour.BLACK, allows=True)
    assert len(every) > 2
    assert {line[0] for line in candidates(position, allowed)} == {"1a1", "2a1"}


@pytest.mark.parametrize("level", [LEVELS[8], LEVELS[9]])
def test_a_pass_that_would_win_but_is_avoided_is_not_played(level: Level) -> None:
    position = won_by_passing(best_position(), make_rules("yodd", "hex4"), Colour.BLACK)
    avoided = Restriction.of(position.rules, [bar(position.rules, "pass", Colour.BLACK)])
    budget = Budget(playouts=50, restriction=avoided)
    assert Levelled(MctsSearcher(), level).search(position, budget, 1, never).turn != PASS
