"""The vectors of won positions against the rules and the exact solver."""

from __future__ import annotations

import pytest

from tests.kernel.endgames import swept
from tests.support.games import again
from tests.support.vectors import FOLDER
from yoddd.kernel import NativePosition, solve
from yoddd.notation import format_position, format_turn, parse_position, parse_turn
from yoddd.rules import Position, PositionLike, Turn

LINES = [
    line
    for line in (FOLDER / "won.txt").read_text(encoding="ascii").splitlines()
    if not line.startswith("#")
]
BOARDS = sorted({tuple(line.split()[:2]) for line in LINES})
FEW = 5
"""The most empty cells of a position whose every turn is solved by proof-number search."""
MEMORY = 1 << 20


def read(line: str) -> tuple[PositionLike, list[str]]:
    where, _, winning = line.split(" ; ")
    return parse_position(where), winning.split()


def of(board: tuple[str, str]) -> list[str]:
    """The lines of a game and board."""
    return [line for line in LINES if tuple(line.split()[:2]) == board]


def wins(position: PositionLike, turn: Turn) -> bool:
    """Whether a turn wins, by proof-number search."""
    after = again(NativePosition, position)
    after.play(turn)
    outcome = after.outcome()
    winner = (
        solve(after, memory=MEMORY, method="search").winner if outcome is None else outcome.winner
    )
    return winner is position.player


def test_won_turns_lead_to_the_position_and_winning_turns_are_legal() -> None:
    for line in LINES:
        where, turns, winning = line.split(" ; ")
        position = Position(parse_position(where).rules)
        for token in turns.split():
            turn = parse_turn(token, position.rules, position.player)
            assert position.illegality(turn) is None, line
            position.play(turn)
        assert format_position(position) == where
        legal = [format_turn(turn, position.rules) for turn in position.legal_turns()]
        chosen = set(winning.split())
        assert [token for token in legal if token in chosen] == winning.split(), line
        assert 0 < len(chosen) <= len(legal) // 3


@pytest.mark.parametrize("board", BOARDS, ids=" ".join)
def test_won_sample_has_all_winning_turns_by_search(board: tuple[str, str]) -> None:
    for line in of(board):
        position, winning = read(line)
        if position.cells.count(None) <= FEW:
            found = [turn for turn in position.legal_turns() if wins(position, turn)]
            assert [format_turn(turn, position.rules) for turn in found] == winning


@pytest.mark.whole
@pytest.mark.parametrize("board", BOARDS, ids=" ".join)
def test_won_positions_have_all_winning_turns_by_sweep(board: tuple[str, str]) -> None:
    for line in of(board)[::3]:  # the maker of the file has swept all of them
        position, winning = read(line)
        found = {value.turn for value in swept(position).turns(position) if value.wins}
        assert {format_turn(turn, position.rules) for turn in found} == set(winning), line
