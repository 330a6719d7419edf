"""Perfect play at the end of a game: when a sweep is made, kept and believed."""

from __future__ import annotations

import time

import pytest

from tests.kernel.endgames import cost_of, random_endgame, swept
from tests.support.engines import reported
from tests.support.games import never, outcome_of, rules_id
from yoddd.engine import Budget
from yoddd.engine.levels import LEVELS, Levelled
from yoddd.engine.mcts import MctsSearcher
from yoddd.kernel import NativePosition, backend, solve
from yoddd.library.puzzles import parse_puzzles, shipped
from yoddd.notation import parse_position
from yoddd.protocol.commands.analysis import AnalysisOptions, ReportWriter
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.reports import parse_report
from yoddd.rules import SWAP, PositionLike, Rules, Turn, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

HEX4 = make_rules("yodd", "hex4")
RULES = [
    HEX4,
    make_rules("xodd", "square5", {"own_colour": "on"}),
    make_rules("odd", "hex4"),
    make_rules("yoin", "hex4"),
    make_rules("product", "hex4"),
]
AMPLE = Budget(seconds=20)
FEW = Budget(playouts=100)


def is_proven(position: PositionLike, budget: Budget) -> bool:
    """Whether a search knows how far the end is."""
    return reported(MctsSearcher(), position, budget)[1].candidates[0].distance is not None


def judged(rules: Rules, seed: int, empty: int) -> tuple[NativePosition, list[Turn], list[Turn]]:
    """A position, its turns that win, and those that lose."""
    position = random_endgame(rules, seed, empty)
    turns = swept(position).turns(position)
    wins = [one.turn for one in turns if one.wins]
    return position, wins, [one.turn for one in turns if not one.wins]


def memory_of(rules: Rules, empty: int) -> int:
    """The bytes of a sweep without distances."""
    return cost_of(rules, empty, distances=False).memory


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_engine_plays_perfectly_to_the_end_from_one_sweep(rules: Rules) -> None:
    position = random_endgame(rules, 3, 12)
    judge = swept(position)
    searchers = MctsSearcher(), MctsSearcher()
    begun = position.number
    while not position.is_over:
        best = judge.turns(position)[0]
        # With so few playouts only a sweep that is kept knows the best turn.
        budget = AMPLE if position.number < begun + 2 else Budget(playouts=1)
        found, _ = reported(searchers[position.player], position, budget)
        assert found.turn == best.turn
        position.play(found.turn)


def test_lost_position_is_lost_as_late_as_possible() -> None:
    for seed in range(9):
        position = random_endgame(HEX4, seed, 8)
        solution = solve(position)
        if solution.winner is not position.player:
            break
    found = MctsSearcher().search(position, AMPLE, 1, never)
    assert found.winrate == 0.0
    position.play(found.turn)
    after = solve(position)
    assert after.winner is position.player
    assert solution.distance == (after.distance or 0) + 1


def test_report_says_what_is_proven_and_how_far_the_end_is() -> None:
    position = random_endgame(HEX4, 1, 9)
    found, report = reported(MctsSearcher(), position, AMPLE)
    values = swept(position).turns(position)[:100]
    candidates = report.candidates[: len(values)]
    assert [(one.turn, one.winrate, one.distance) for one in candidates] == [
        (value.turn, float(value.wins), value.distance) for value in values
    ]
    assert candidates[0].turn == found.turn
    assert len(candidates[0].line) == candidates[0].distance
    options = AnalysisOptions({}, None, frozenset())
    spelling = Spelling(position.rules, in_gogui=False)
    line = ReportWriter(options, spelling, position.player).line(report)
    word = "won" if candidates[0].winrate else "lost"
    assert f" proven {word} distance {candidates[0].distance} order 0 pv " in line
    read = parse_report(line, position.rules, position.player)
    assert [one.distance for one in read] == [
        one.distance for one in report.candidates[: len(read)]
    ]


def test_white_swaps_where_black_wins() -> None:
    position = parse_position("yoin hex2 2/1b1/2 w 0 2")
    assert MctsSearcher().search(position, AMPLE, 1, never).turn == SWAP
    first = parse_position("yoin hex2 2/3/2 b 0 1", on=NativePosition)
    assert not is_proven(first, AMPLE)


@pytest.mark.parametrize(
    "budget",
    [
        Budget(playouts=2200),
        Budget(visits=100),
        Budget(seconds=1e-4),
        Budget(seconds=-1),
        Budget(seconds=20, memory=1 << 16),
    ],
    ids=["playouts", "visits", "seconds", "no time", "memory"],
)
def test_no_sweep_is_made_beyond_its_limits(budget: Budget) -> None:
    assert not is_proven(random_endgame(HEX4, 2, 17), budget)


def test_no_sweep_follows_one_that_took_all_the_time() -> None:
    position, seconds = random_endgame(HEX4, 2, 16), 2.0
    waits = [seconds]

    def stop() -> bool:
        if waits:
            time.sleep(waits.pop())
        return False

    found = MctsSearcher().search(position, Budget(seconds=seconds), 1, stop)
    assert not waits
    assert found.winrate not in {0.0, 1.0}
    assert MctsSearcher().search(position, AMPLE, 1, never).winrate == 1.0


@pytest.mark.parametrize("level", [7, 8, 9, 10])
@pytest.mark.parametrize("seconds", [None, 5])
@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_levels_that_search_prove_what_takes_a_moment(
    rules: Rules, seconds: float | None, level: int
) -> None:
    position, wins, _ = next(
        found for found in (judged(rules, seed, 13) for seed in range(50)) if found[1] and found[2]
    )
    searcher = Levelled(MctsSearcher(), LEVELS[level - 1])
    found = searcher.search(position, Budget(seconds=seconds), 1, never)
    assert found.turn in wins
    assert found.winrate == 1.0


def test_search_of_many_playouts_proves_its_turn_by_sweeps_of_later_positions() -> None:
    position, wins, _ = next(
        found for found in (judged(HEX4, seed, 14) for seed in range(50)) if found[1] and found[2]
    )
    # Too little memory for a sweep of the position itself.
    small = memory_of(HEX4, 12) // 2 + 1
    found, report = reported(MctsSearcher(), position, Budget(playouts=20_000, memory=small))
    assert found.turn in wins
    assert found.winrate == 1.0
    assert report.candidates[0].distance is None


@pytest.mark.parametrize("rules", RULES[:2], ids=rules_id)
def test_winner_by_a_compact_sweep_keeps_the_win_to_the_end(rules: Rules) -> None:
    position, wins, _ = next(
        found for found in (judged(rules, seed, 12) for seed in range(50)) if found[1]
    )
    winner, searcher = position.player, MctsSearcher()
    # Too little for a sweep with distances.
    small = Budget(seconds=20, memory=memory_of(rules, 12) // 2 + 1)
    found, report = reported(searcher, position, small)
    assert found.turn in wins
    assert (found.winrate, report.candidates[0].distance) == (1.0, None)
    while not position.is_over:
        mine = position.player is winner
        turn = reported(searcher, position, FEW)[0].turn
        position.play(turn if mine else next(iter(position.legal_turns())))
    assert outcome_of(position).winner is winner


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_engine_wins_where_the_sweep_of_the_position_itself_takes_too_much(rules: Rules) -> None:
    position, wins, _ = next(
        found for found in (judged(rules, seed, 14) for seed in range(50)) if found[1] and found[2]
    )
    later = memory_of(rules, 14 - rules.stones_of_turn(position.number)[-1])
    assert later < memory_of(rules, 14)
    found, report = reported(MctsSearcher(), position, Budget(seconds=5, memory=later // 2 + 1))
    assert found.turn in wins
    assert report.candidates[0].distance is None


@pytest.mark.whole
@pytest.mark.parametrize("budget", [Budget(), Budget(playouts=2201)], ids=["none", "playouts"])
def test_full_strength_solves_every_puzzle_that_a_quick_sweep_solves(budget: Budget) -> None:
    starts = [(puzzle, puzzle.start()) for puzzle in parse_puzzles(shipped().splitlines())]
    quick = [one for one in starts if one[1].cells.count(None) in {14, 15}]
    assert len(quick) == 104
    for puzzle, position in quick:
        assert puzzle.is_solved_by(MctsSearcher().search(position, budget, 1, never).turn)


def test_stopped_sweep_leaves_the_turn_to_the_tree() -> None:
    position = random_endgame(HEX4, 2, 16)
    found = MctsSearcher().search(position, AMPLE, 1, lambda: True)
    assert position.is_legal(found.turn)
    assert found.winrate not in (0.0, 1.0)
