"""The vectors of solved boards against tables built here, and against exhaustive search."""

from __future__ import annotations

import functools

import pytest

from tests.bench.solved import solved_boards, vector
from tests.support.games import rules_id
from tests.support.vectors import FOLDER
from yoddd.kernel import backend
from yoddd.kernel.table import Table, build
from yoddd.kernel.table_longest import longest_win
from yoddd.notation import format_position, parse_position, parse_turn
from yoddd.rules import Colour, Position, Rules, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

LINES = {
    line.split(" ; ")[0]: line
    for line in (FOLDER / "solved.txt").read_text(encoding="ascii").splitlines()
    if not line.startswith("#")
}
QUICK = 9
"""Boards of so many cells are compared in the quick suite."""


def start(rules: Rules) -> str:
    return format_position(Position(rules))


@functools.lru_cache(1)
def table(rules: Rules) -> Table:
    return Table(b"".join(build(rules, "yoddd test", threads=2)))


def cases() -> list[object]:
    """Every board of the quick suite, then in the slow one all of square4 and each game on hex3."""
    boards = list(solved_boards())
    slow = [
        rules
        for rules in boards
        if rules.geometry.name == "square4"
        or (rules.geometry.name == "hex3" and not rules.chosen_options())
    ]
    return [
        *(
            pytest.param(rules, id=rules_id(rules))
            for rules in boards
            if rules.geometry.cells <= QUICK
        ),
        *(pytest.param(rules, id=rules_id(rules), marks=pytest.mark.whole) for rules in slow),
    ]


def test_vectors_cover_every_game_and_option_on_every_small_board() -> None:
    assert list(LINES) == [start(rules) for rules in solved_boards()]


@pytest.mark.parametrize("rules", cases())
def test_vector_equals_table(rules: Rules) -> None:
    assert vector(rules, table(rules)) == LINES[start(rules)]


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_vector_first_turns_are_the_legal_ones(line: str) -> None:
    where, positions, won, wins, losses, *_ = line.split(" ; ")
    position = parse_position(where)
    named = [field.partition("=")[0] for field in f"{wins} {losses}".split() if field != "-"]
    turns = {parse_turn(name, position.rules, position.player) for name in named}
    assert turns == set(position.legal_turns())
    assert len(named) == len(turns)
    assert 0 < int(won) < int(positions)


def searched(position: Position) -> tuple[bool, int]:
    """Whether the player on turn wins, and the turns to the end, by exhaustive search."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.winner is position.player, 0
    found = []
    for turn in list(position.legal_turns()):
        position.play(turn)
        won, distance = searched(position)
        found.append((not won, distance + 1))
        position.undo()
    return max(found, key=lambda value: (value[0], -value[1] if value[0] else value[1]))


@pytest.mark.parametrize("options", [{}, {"own_colour": "on"}], ids=str)
def test_longest_win_equals_search_of_every_position(options: dict[str, str]) -> None:
    rules = make_rules("xodd", "square2", options)
    distances = []
    for filling in range(3**4):
        digits = [filling // 3**cell % 3 for cell in range(4)]
        cells = [None if digit == 0 else Colour(digit - 1) for digit in digits]
        try:
            position = Position.set_up(rules, cells, Colour.BLACK, 0, 2)
        except ValueError:
            continue
        won, distance = searched(position)
        distances += [distance] if won else []
    found = longest_win(table(rules))
    assert found is not None
    assert found[0] == max(distances)
    assert searched(found[1]) == (True, found[0])


def test_longest_win_of_a_game_of_fixed_length_is_none() -> None:
    assert longest_win(table(make_rules("yoin", "hex2"))) is None
