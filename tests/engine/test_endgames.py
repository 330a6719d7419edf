"""Endgames that are won have to be won."""

from __future__ import annotations

import pytest

from tests.support.games import never
from tests.support.vectors import vectors
from yoddd.engine import ENGINES, STRONGEST, Budget
from yoddd.kernel import backend, solve
from yoddd.notation import parse_position

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

FEW = 12
"""Endgames of the quick suite."""

ENOUGH = Budget(playouts=50_000)


def check_won(line: str) -> None:
    """Check that the turn of the engine keeps the win."""
    position = parse_position(line)
    player = position.player
    position.play(ENGINES[STRONGEST]().search(position, ENOUGH, 1, never).turn)
    outcome = position.outcome()
    winner = solve(position, memory=16 << 20).winner if outcome is None else outcome.winner
    assert winner is player


@pytest.mark.parametrize(("line", "winner"), vectors("endgames")[:FEW])
def test_a_won_endgame_stays_won(line: str, winner: str) -> None:
    assert "bw"[parse_position(line).player] == winner
    check_won(line)


@pytest.mark.whole
@pytest.mark.parametrize(("line", "winner"), vectors("endgames")[FEW:])
def test_every_other_endgame_stays_won(line: str, winner: str) -> None:
    del winner
    check_won(line)
