"""Endgames that are won have to be won; the positions are those of `tests.bench.endgames`."""

from __future__ import annotations

import pytest

from tests.bench.endgames import loses, read
from tests.support.games import never
from tests.support.vectors import vectors
from yoddd.engine import ENGINES, STRONGEST, Budget
from yoddd.kernel import backend, solve
from yoddd.notation import parse_position

pytestmark = pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")

FEW = vectors("endgames")[:12]
ENOUGH = Budget(playouts=50_000)


@pytest.mark.parametrize(("line", "winner"), FEW)
def test_the_solver_finds_the_winner(line: str, winner: str) -> None:
    position = parse_position(line)
    found = solve(position, memory=1 << 20).winner
    assert found is position.player
    assert "bw"[found] == winner


@pytest.mark.parametrize(("line", "winner"), FEW)
def test_a_won_endgame_stays_won(line: str, winner: str) -> None:
    position = parse_position(line)
    assert "bw"[position.player] == winner
    assert not loses(position, ENGINES[STRONGEST]().search(position, ENOUGH, 1, never).turn)


@pytest.mark.whole
def test_all_of_them_stay_won() -> None:
    engine = ENGINES[STRONGEST]()
    lost = [
        position
        for position in read()
        if loses(position, engine.search(position, ENOUGH, 1, never).turn)
    ]
    assert lost == []
