"""The vectors of solved boards against sweeps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.games import rules_id
from tests.support.vectors import FOLDER
from yoddd.kernel import NativePosition
from yoddd.kernel.sweep import sweep_board
from yoddd.notation import format_position, format_turn, parse_position, parse_turn
from yoddd.rules import Position, Rules, make_rules

LINES = {
    line.split(" ; ")[0]: line
    for line in (FOLDER / "solved.txt").read_text(encoding="ascii").splitlines()
    if not line.startswith("#")
}
QUICK = 9
"""Boards of so many cells are compared in the quick suite."""

_BOARDS = {
    "yodd": ("hex2", "hex3"),
    "xodd": ("square2", "square3", "square4"),
    "odd": ("hex2", "hex3", "square2", "square3", "square4"),
    "yoin": ("hex2", "hex3"),
    "product": ("hex2", "hex3"),
}


def solved_boards() -> Iterator[Rules]:
    """Every game with its options on each small board, the default options first."""
    for game, boards in _BOARDS.items():
        for board in boards:
            start = make_rules(game, board)
            yield start
            for options in _choices(start):
                rules = make_rules(game, board, options)
                if rules.options() != start.options():
                    yield rules


def _choices(rules: Rules) -> Iterator[dict[str, str]]:
    if rules.game.name == "odd":
        for size in range(1, rules.geometry.cells + 1):
            yield {"min_group": str(size)}
    elif rules.has_pass:
        for own in ("off", "on"):
            for full in ("off", "on"):
                yield {"own_colour": own, "end_on_full": full}
    elif rules.game.name == "product":
        yield from ({"pie": "on"}, {"one_group": "on"}, {"one_group": "on", "pie": "on"})
    elif rules.pie:
        yield {"pie": "off"}


def start(rules: Rules) -> str:
    return format_position(Position(rules))


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
def test_vector_first_turns_have_the_values_of_a_sweep(rules: Rules) -> None:
    table = sweep_board(rules)
    assert table is not None
    turns = table.turns(NativePosition(rules))
    for field, wins in zip(LINES[start(rules)].split(" ; ")[3:5], (True, False), strict=True):
        found = [
            f"{format_turn(one.turn, rules)}={one.distance}" for one in turns if one.wins is wins
        ]
        assert field == (" ".join(sorted(found)) or "-")


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_vector_first_turns_are_the_legal_ones(line: str) -> None:
    where, positions, won, wins, losses, *_ = line.split(" ; ")
    position = parse_position(where)
    named = [field.partition("=")[0] for field in f"{wins} {losses}".split() if field != "-"]
    turns = {parse_turn(name, position.rules, position.player) for name in named}
    assert turns == set(position.legal_turns())
    assert len(named) == len(turns)
    assert 0 < int(won) < int(positions)
