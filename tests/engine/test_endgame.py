"""Perfect play at the end of a game: when a sweep is made, kept and believed."""

from __future__ import annotations

import math

import pytest

from tests.kernel.endgames import random_endgame
from tests.support.games import never, rules_id
from yoddd.engine import Budget, Insight, StopFlag, analyze
from yoddd.engine import endgame as endgame_module
from yoddd.engine.endgame import FILLINGS, MEMORY, PACES, SHARE, Endgame, Reach, reach
from yoddd.engine.mcts import MctsSearcher
from yoddd.kernel import NativePosition, Sweep, backend, make_sweep, solve, sweep_cost
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
NO_LIMIT = Reach(None, None, MEMORY, 1)


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The empty cells of every sweep with distances that is made from now on."""
    made: list[int] = []

    def counted(
        position: PositionLike, *, distances: bool, threads: int, seconds: float, stop: StopFlag
    ) -> Sweep | None:
        if distances:
            made.append(position.cells.count(None))
        return make_sweep(
            position, distances=distances, threads=threads, seconds=seconds, stop=stop
        )

    monkeypatch.setattr(endgame_module, "make_sweep", counted)
    return made


def played(searcher: MctsSearcher, position: NativePosition, budget: Budget = AMPLE) -> Turn:
    return searcher.search(position, budget, 1, never).turn


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_engine_plays_perfectly_to_the_end_from_one_sweep(rules: Rules, sweeps: list[int]) -> None:
    position = random_endgame(rules, 3, 12)
    judge = make_sweep(position)
    assert judge is not None
    searchers = MctsSearcher(), MctsSearcher()
    while not position.is_over:
        best = judge.turns(position)[0]
        turn = played(searchers[position.player], position)
        assert turn == best.turn
        position.play(turn)
    assert len(sweeps) == 2


@pytest.mark.parametrize(
    ("distances", "empty", "seconds"),
    [(False, 18, 0.2), (True, 16, 0.2), (False, 19, 1), (True, 17, 1)],
)
def test_sweep_is_within_the_time_of_a_turn(empty: int, seconds: float, *, distances: bool) -> None:
    made = reach(Budget(seconds=seconds), 1, seconds)
    cost = sweep_cost(HEX4, empty, distances=distances)
    assert cost is not None
    assert made.seconds is not None
    assert cost.seconds <= made.seconds
    assert cost.memory <= made.memory


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
    seen: list[Insight] = []
    found = analyze(MctsSearcher(), position, AMPLE, 1, never, seen.append)
    sweep = make_sweep(position)
    assert sweep is not None
    values = sweep.turns(position)[:100]
    candidates = seen[-1].candidates[: len(values)]
    assert [(one.turn, one.winrate, one.distance) for one in candidates] == [
        (value.turn, float(value.wins), value.distance) for value in values
    ]
    assert candidates[0].turn == found.turn
    assert len(candidates[0].line) == candidates[0].distance
    options = AnalysisOptions({}, None, frozenset())
    spelling = Spelling(position.rules, in_gogui=False)
    line = ReportWriter(options, spelling, position.player).line(seen[-1])
    word = "won" if candidates[0].winrate else "lost"
    assert f" proven {word} distance {candidates[0].distance} order 0 pv " in line
    read = parse_report(line, position.rules, position.player)
    assert [one.distance for one in read] == [
        one.distance for one in seen[-1].candidates[: len(read)]
    ]


def test_white_swaps_where_black_wins() -> None:
    position = parse_position("yoin hex2 2/1b1/2 w 0 2")
    assert MctsSearcher().search(position, AMPLE, 1, never).turn == SWAP
    first = parse_position("yoin hex2 2/3/2 b 0 1")
    assert Endgame(float).look(first, NO_LIMIT, never) == ()


@pytest.mark.parametrize(
    "limits",
    [
        Reach(3**12 - 1, None, MEMORY, 1),
        Reach(None, 1e-4, MEMORY, 1),
        Reach(None, -1.0, MEMORY, 1),
        Reach(None, None, 3**8, 1),
    ],
    ids=["fillings", "seconds", "no time", "memory"],
)
def test_no_sweep_is_made_beyond_its_limits(limits: Reach, sweeps: list[int]) -> None:
    position = random_endgame(HEX4, 2, 12)
    assert Endgame(float).look(position, limits, never) == ()
    assert sweeps == []


def compact_only(rules: Rules, empty: int) -> Reach:
    """Limits within which only a compact sweep of so many cells is."""
    full, compact = sweep_cost(rules, empty), sweep_cost(rules, empty, distances=False)
    assert full is not None
    assert compact is not None
    assert compact.memory < full.memory
    return Reach(None, None, compact.memory, 1)


@pytest.mark.parametrize("rules", RULES[:2], ids=rules_id)
def test_winner_by_a_compact_sweep_keeps_the_win_to_the_end(
    rules: Rules, sweeps: list[int]
) -> None:
    position = next(
        found
        for found in (random_endgame(rules, seed, 12) for seed in range(50))
        if solve(found).winner is found.player
    )
    winner = position.player
    endgame = Endgame(float)
    empty = position.cells.count(None)
    best = endgame.look(position, compact_only(rules, empty), never)[0]
    assert (best.wins, best.distance, sweeps) == (True, None, [])
    assert endgame.line(position, best)[0] == best.turn
    while not position.is_over:
        found = endgame.look(position, Reach(0, None, MEMORY, 1), never)
        position.play(found[0].turn if found else next(iter(position.legal_turns())))
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner is winner
    assert sweeps == []


def test_position_lost_by_a_compact_sweep_is_left_to_the_tree() -> None:
    position = next(
        found
        for found in (random_endgame(HEX4, seed, 12) for seed in range(50))
        if solve(found).winner is not found.player
    )
    limits = compact_only(HEX4, position.cells.count(None))
    assert Endgame(float).look(position, limits, never) == ()


def judged(rules: Rules, seed: int, empty: int) -> tuple[NativePosition, list[Turn], list[Turn]]:
    """A position, its turns that win, and those that lose."""
    position = random_endgame(rules, seed, empty)
    sweep = make_sweep(position)
    assert sweep is not None
    turns = sweep.turns(position)
    wins = [one.turn for one in turns if one.wins]
    return position, wins, [one.turn for one in turns if not one.wins]


@pytest.mark.parametrize("rules", RULES, ids=rules_id)
def test_settle_returns_the_first_turn_that_wins(rules: Rules) -> None:
    for seed in range(6):
        position, wins, losses = judged(rules, seed, 11)
        found = Endgame(float).settle(position, [*losses[:3], *wins[:2]], lambda: NO_LIMIT, never)
        assert found == (wins[0] if wins else None, frozenset(losses[:3]))


def test_settle_ends_where_the_limits_allow_no_sweep() -> None:
    position, wins, losses = judged(HEX4, 3, 12)
    turns = [turn for turn in [*losses, *wins] if turn.stones]
    for limits, stop in ((Reach(None, 1e-6, MEMORY, 1), never), (NO_LIMIT, lambda: True)):
        found = Endgame(float).settle(position, turns, lambda limits=limits: limits, stop)  # type: ignore[misc]  # bound now
        assert found == (None, frozenset())


def test_engine_wins_where_the_sweep_of_the_position_itself_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position, wins, _ = next(
        found for found in (judged(HEX4, seed, 14) for seed in range(50)) if found[1]
    )
    monkeypatch.setattr(Endgame, "look", lambda *_: ())
    turn = played(MctsSearcher(), position, Budget(seconds=2))
    assert turn in wins


def test_full_sweep_replaces_the_compact_one() -> None:
    position = random_endgame(HEX4, 3, 12)
    endgame = Endgame(float)
    endgame.look(position, compact_only(HEX4, position.cells.count(None)), never)
    kept = endgame.bytes_kept
    values = endgame.look(position, NO_LIMIT, never)
    assert values[0].distance is not None
    cost = sweep_cost(HEX4, position.cells.count(None))
    assert cost is not None
    assert 0 < kept < endgame.bytes_kept == cost.kept


def test_no_sweep_is_made_for_a_whole_board(sweeps: list[int]) -> None:
    assert Endgame(float).look(NativePosition(HEX4), NO_LIMIT, never) == ()
    assert sweeps == []


def test_stopped_sweep_leaves_the_turn_to_the_tree() -> None:
    position = random_endgame(HEX4, 2, 13)
    assert Endgame(float).look(position, NO_LIMIT, lambda: True) == ()
    found = MctsSearcher().search(position, AMPLE, 1, lambda: True)
    assert position.is_legal(found.turn)


def test_weak_engines_make_no_sweep(sweeps: list[int]) -> None:
    position = random_endgame(HEX4, 2, 12)
    for budget in (Budget(playouts=100), Budget(visits=100), Budget(playouts=100, seconds=5)):
        played(MctsSearcher(), position, budget)
    assert sweeps == []


def test_another_game_makes_another_sweep(sweeps: list[int]) -> None:
    searcher = MctsSearcher()
    for seed in (1, 2):
        played(searcher, random_endgame(HEX4, seed, 8))
    assert len(sweeps) == 2


def test_limits_follow_from_the_budget() -> None:
    assert reach(Budget(), 1000, math.inf) == Reach(FILLINGS, None, MEMORY, 1)
    assert reach(Budget(playouts=1000), 1000, math.inf) == Reach(20_000, None, MEMORY, 1)
    timed = reach(Budget(seconds=2, threads=2, memory=1 << 20), 1 << 62, 2.0)
    assert timed == Reach(None, SHARE * 2, 1 << 20, 2)
    assert reach(Budget(seconds=2, playouts=50), 50, 1.0) == Reach(1000, SHARE, MEMORY, 1)


def test_pace_follows_the_measured_speed_within_bounds() -> None:
    position = random_endgame(HEX4, 2, 12)
    for elapsed, pace in ((0.0, PACES[0]), (1000.0, PACES[1])):
        times = iter((0.0, elapsed))
        endgame = Endgame(lambda times=times: next(times))  # type: ignore[misc]  # bound now
        assert endgame.look(position, NO_LIMIT, never)
        assert endgame.paces[0] == pace
