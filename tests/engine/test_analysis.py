"""Reports of running searches."""

from __future__ import annotations

import pytest

from tests.support.games import never
from yoddd.engine import ENGINES, Budget, Insight, analyze
from yoddd.rules import Position, make_rules

GAMES = [("yodd", "hex3"), ("xodd", "square4"), ("odd", "hex3"), ("yoin", "hex3")]


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize(("game", "board"), GAMES)
def test_reports_are_of_legal_lines_best_first(engine: str, game: str, board: str) -> None:
    position = Position(make_rules(game, board))
    position.play(next(position.legal_turns()))
    searcher = ENGINES[engine]()
    reports: list[Insight] = []
    budget = Budget(playouts=120)
    found = analyze(searcher, position, budget, 3, never, reports.append)
    assert found == searcher.search(position, budget, 3, never)
    last = reports[-1].candidates
    assert last
    assert [one.visits for one in last] == sorted((one.visits for one in last), reverse=True)
    for candidate in last:
        assert candidate.turn == candidate.line[0]
        assert 0 <= candidate.winrate <= 1
        assert 0 <= candidate.prior <= 1
        after = position.copy()
        for turn in candidate.line:
            after.play(turn)


def test_analyze_reports_before_the_end() -> None:
    position = Position(make_rules("yodd", "hex4"))
    reports: list[Insight] = []
    budget = Budget(seconds=3600.0)
    analyze(ENGINES["uct"](), position, budget, 1, lambda: len(reports) > 1, reports.append)
    visits = [report.visits for report in reports]
    assert len(visits) == 3
    assert visits == sorted(visits)
    analyze(ENGINES["uct"](), position, Budget(1000), 1, never, reports.append)
    assert reports[-1].visits >= 1000
