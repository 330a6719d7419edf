"""The exact solver: its lines, its limits, and finished games; test_sweep has the values."""

import itertools

import pytest

from tests.support.games import outcome_of, play_random
from yoddd.kernel import NativePosition, solve
from yoddd.kernel.solver import Method
from yoddd.notation import parse_position
from yoddd.rules import RESIGN, SWAP, Colour, make_rules

METHODS: tuple[Method, ...] = ("sweep", "compact", "search")


def test_the_line_survives_a_tiny_table() -> None:
    position = NativePosition(make_rules("xodd", "square3"))
    solution = solve(position, memory=1)
    assert solution.winner is solve(position).winner
    for turn in solution.line:
        position.play(turn)


@pytest.mark.parametrize(
    ("line", "at"), [("2/3/2 b 0 1", 1), ("2/1b1/2 w 0 2", 0), ("b1/3/2 w 0 2", None)]
)
@pytest.mark.parametrize("method", METHODS)
def test_in_a_best_line_white_swaps_where_black_wins(
    line: str, at: int | None, method: Method
) -> None:
    position = parse_position(f"yoin hex2 {line}", NativePosition)
    solution = solve(position, method=method)
    assert (solution.winner is Colour.BLACK) is (at is not None)
    assert [turn == SWAP for turn in solution.line].count(True) == (at is not None)
    assert at is None or solution.line[at] == SWAP
    for turn in solution.line:
        position.play(turn)
    assert outcome_of(position).winner is solution.winner


def test_line_after_turn_2_has_no_swap() -> None:
    rules = make_rules("yoin", "hex2")
    positions = [play_random(NativePosition, rules, seed, 4) for seed in range(9)]
    solved = [solve(position, method="search") for position in positions]
    assert {solution.winner for solution in solved} == set(Colour)
    assert not any(SWAP in solution.line for solution in solved)


def test_budgets_end_the_search() -> None:
    position = NativePosition(make_rules("yodd", "hex5"))
    by_nodes = solve(position, nodes=500)
    assert by_nodes.winner is None
    assert by_nodes.line == ()
    assert by_nodes.nodes == 500
    assert solve(position, seconds=0.01).winner is None


def test_stop_flag_ends_the_search() -> None:
    position = NativePosition(make_rules("yodd", "hex5"))
    asked = itertools.count()
    assert solve(position, stop=lambda: next(asked) >= 2).winner is None
    assert next(asked) >= 3
    small = NativePosition(make_rules("yodd", "hex2"))
    assert solve(small, stop=lambda: False, method="search").winner is solve(small).winner


def test_exception_in_the_stop_flag_is_raised() -> None:
    def stop() -> bool:
        raise RuntimeError("out of patience")

    with pytest.raises(RuntimeError, match="out of patience"):
        solve(NativePosition(make_rules("yodd", "hex5")), stop=stop)


def test_finished_games_are_solved_already() -> None:
    position = play_random(NativePosition, make_rules("yodd", "hex2"), 1)
    assert solve(position).winner is outcome_of(position).winner
    resigned = NativePosition(make_rules("yodd", "hex2"))
    resigned.play(RESIGN)
    assert solve(resigned).winner is Colour.WHITE
