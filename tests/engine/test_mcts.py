"""The ``mcts`` engine: what it remembers, how it keeps time, and when it asks the solver."""

from __future__ import annotations

import itertools

import pytest

from tests.support.engines import reported
from tests.support.games import never
from yoddd.engine import ENGINES, Budget, Insight, Searcher, SearchResult, analyze
from yoddd.engine.mcts import MctsSearcher
from yoddd.kernel import backend
from yoddd.notation import parse_position, parse_turn
from yoddd.rules import PASS, Position, PositionLike, Turn, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

PLENTY = Budget(playouts=2000)


def think(searcher: Searcher, position: PositionLike, budget: Budget = PLENTY) -> SearchResult:
    return searcher.search(position, budget, 1, never)


def expected(searcher: MctsSearcher, position: PositionLike) -> tuple[Turn, ...]:
    """The line that the searcher expects from ``position``."""
    return reported(searcher, position, PLENTY)[1].candidates[0].line


def followed() -> tuple[MctsSearcher, PositionLike]:
    """A searcher that has searched, and the position after the two turns that it expects."""
    position = Position(make_rules("yodd", "hex4"))
    searcher = MctsSearcher()
    for turn in expected(searcher, position)[:2]:
        position.play(turn)
    return searcher, position


def test_tree_is_kept_through_own_turn_and_reply() -> None:
    searcher, position = followed()
    found = think(searcher, position)
    assert found.playouts == 2000
    assert found.visits > 2000
    assert think(MctsSearcher(), position).visits < found.visits


def test_visits_that_are_kept_count_towards_the_limit() -> None:
    searcher, position = followed()
    found = think(searcher, position, Budget(visits=1000))
    assert found.visits >= 1000
    assert found.playouts < 1000


def test_same_requests_give_the_same_answers_with_a_kept_tree() -> None:
    games = []
    for _ in range(2):
        position = Position(make_rules("yodd", "hex3"))
        searcher = MctsSearcher()
        for _ in range(4):
            position.play(think(searcher, position, Budget(playouts=300)).turn)
        games.append(position.history)
    assert games[0] == games[1]


def replayed(position: PositionLike, *turns: str) -> PositionLike:
    for token in turns:
        position.play(parse_turn(token, position.rules, position.player))
    return position


@pytest.mark.parametrize(
    "other",
    [
        replayed(Position(make_rules("yodd", "hex3")), "1a1"),
        replayed(Position(make_rules("yodd", "hex3")), "1c3"),
        replayed(Position(make_rules("yodd", "hex3")), "2a1", "2a2"),
        replayed(Position(make_rules("yodd", "hex4")), "1c3", "1c4"),
        replayed(Position(make_rules("yodd", "hex3", {"end_on_full": "on"})), "1c3", "1c4"),
        replayed(parse_position("yodd hex3 3/4/b4/4/3 w 0 2"), "1c2"),
    ],
    ids=["undone", "the same", "another", "board", "rules", "set up"],
)
def test_tree_is_not_kept_for_a_position_that_does_not_follow(other: PositionLike) -> None:
    searcher = MctsSearcher()
    think(searcher, replayed(Position(make_rules("yodd", "hex3")), "1c3"))
    assert think(searcher, other) == think(MctsSearcher(), other)


@pytest.mark.whole
def test_long_analysis_with_a_full_tree_finds_lines_all_along() -> None:
    seen: list[Insight] = []
    position = Position(make_rules("yodd", "hex6"))
    budget = Budget(playouts=10**9, memory=16 << 20, resume=True)

    def ended() -> bool:
        return bool(seen) and seen[-1].visits > 300_000

    analyze(MctsSearcher(), position, budget, 1, ended, seen.append)
    # A turn that has just become the best one may have no reply until the next report.
    lines = [len(one.candidates[0].line) for one in seen]
    assert all(max(pair) > 1 for pair in itertools.pairwise(lines))


def test_another_size_of_the_tree_begins_again() -> None:
    position = Position(make_rules("yodd", "hex3"))
    searcher = MctsSearcher()
    position.play(think(searcher, position).turn)
    small = Budget(playouts=500, memory=1 << 20)
    assert think(searcher, position, small) == think(MctsSearcher(), position, small)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_search_without_time_still_runs_the_fewest_visits(seconds: float) -> None:
    position = replayed(Position(make_rules("yodd", "hex8")), "1c4")
    found = think(MctsSearcher(), position, Budget(seconds=seconds))
    assert position.is_legal(found.turn)
    assert found.turn != PASS
    assert found.visits >= 32


def test_no_first_turn_is_won_where_it_can_be_swapped() -> None:
    found = think(MctsSearcher(), Position(make_rules("yoin", "hex2")), Budget(playouts=2000))
    assert found.winrate is not None
    assert found.winrate < 0.9


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_visits_limit_every_engine(name: str) -> None:
    position = Position(make_rules("yodd", "hex3"))
    assert think(ENGINES[name](), position, Budget(visits=30)).playouts <= 30


def test_report_has_ownership_and_first_stones() -> None:
    position = replayed(Position(make_rules("yodd", "hex3")), "1c3")
    _, last = reported(MctsSearcher(), position, PLENTY)
    assert last.visits >= 2000
    assert len(last.ownership) == 19
    assert last.ownership[9] == -1.0  # c3 is Black's, and White is to move
    assert all(-1 <= owned <= 1 for owned in last.ownership)
    assert last.margin is not None
    assert last.spread is not None
    assert last.spread > 0
    assert sum(one.visits for one in last.candidates) <= last.visits
    for one in last.candidates:
        assert (one.first is None) == (one.turn == PASS)
        assert one.first is None or one.visits <= one.first.visits
    of_best = [
        one for one in last.candidates if one.turn.stones[:1] == last.candidates[0].turn.stones[:1]
    ]
    assert len(of_best) > 1  # the best first stone with several second ones


def test_the_margin_is_that_of_the_side_to_move() -> None:
    ahead = parse_position("yodd hex4 b2b/5/2w3/3b3/6/5/b1wb w 0 6")
    best = reported(MctsSearcher(), ahead, PLENTY)[1].candidates[0]
    assert best.margin is not None
    assert best.margin > 0.5
    assert best.winrate > 0.65
    assert best.spread is not None
    assert 0 < best.spread < 3


def test_resumed_search_continues_its_tree() -> None:
    position = replayed(Position(make_rules("yodd", "hex4")), "1c3")
    searcher = MctsSearcher()
    more = Budget(playouts=300, resume=True)
    for least in (300, 600, 900):
        assert least <= think(searcher, position, more).visits < least + 100


@pytest.mark.parametrize("seed", range(4))
def test_search_stopped_at_once_reports_the_turn_that_it_plays(seed: int) -> None:
    position = Position(make_rules("yodd", "hex4"))
    found, report = reported(MctsSearcher(), position, PLENTY, seed, lambda: True)
    assert found.turn in [one.turn for one in report.candidates]
