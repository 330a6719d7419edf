"""The measures of a design report, and its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from yoddd.cli import main
from yoddd.design import DesignReport, examine, plan, run
from yoddd.design.page import design_html
from yoddd.design.report import (
    comes_from_behind,
    decided,
    drama,
    lead_changes,
    share,
    shortest_game,
)
from yoddd.design.selfplay import GamePlan, PlayedGame, Purpose
from yoddd.kernel import backend
from yoddd.library.puzzles import parse_puzzles, shipped
from yoddd.rules import Colour, make_rules

pytestmark = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

HEX2 = make_rules("yodd", "hex2")


@pytest.fixture(scope="module")
def report() -> DesignReport:
    made = plan(HEX2, games=20, playouts=16, seed=3)
    return examine(made, map(run, made.tasks))


def played(*rates: float | None, won: bool) -> PlayedGame:
    return PlayedGame(
        plan=GamePlan(purpose=Purpose.SELF_PLAY, rules=HEX2, playouts=(4, 4), seed="1"),
        turns=(),
        won=won,
        winner=Colour.BLACK if won else Colour.WHITE,
        score="B+1",
        rates=rates,
        branching=(),
        final=(),
        copied=None,
    )


def test_measures_of_a_game_that_turns_twice() -> None:
    game = played(0.6, 0.4, 0.18, 0.7, 0.95, won=True)
    assert lead_changes(game) == 2
    # Behind by 0.2 and by 0.64, of which the roots are 0.447 and 0.8.
    assert drama(game) == pytest.approx(0.6236, abs=1e-4)
    assert decided(game) == pytest.approx(4 / 6)
    assert not comes_from_behind(game)
    assert comes_from_behind(played(0.6, 0.6, 0.9, 0.3, won=True))


def test_measures_of_the_loser_are_those_of_the_winner_from_the_other_side() -> None:
    one, other = played(0.6, 0.4, 0.8, won=True), played(0.4, 0.6, 0.2, won=False)
    for measure in (lead_changes, drama, decided, comes_from_behind):
        assert measure(one) == pytest.approx(measure(other))


def test_measures_of_a_game_without_a_doubt() -> None:
    game = played(0.95, 0.95, None, 0.99, won=True)
    assert (lead_changes(game), drama(game), decided(game)) == (0, 0.0, 0.0)


def test_share_has_the_interval_of_wilson() -> None:
    found = share([True] * 8 + [False] * 2)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)


@pytest.mark.parametrize(
    ("game", "board", "options", "turns"),
    [
        ("yodd", "hex4", {}, 3),  # a stone and two passes
        ("xodd", "square5", {}, 3),
        ("odd", "hex3", {}, 19),
        ("product", "hex3", {}, 10),
    ],
)
def test_shortest_game_of_the_rules(
    game: str, board: str, options: dict[str, str], turns: int
) -> None:
    assert shortest_game(make_rules(game, board, options)) == turns


@pytest.mark.whole
def test_examine_counts_all_parts(report: DesignReport) -> None:
    assert list(report.first) == [0, 1, 4, 16]
    assert list(report.ladder) == [0, 1, 4, 16, 64]
    assert report.ladder[0].value == 0
    assert sum(report.lengths.values()) == 20
    assert report.branching[0] == 14
    assert len(report.first_turns) == 14
    assert 0 <= report.pie <= 0.5
    # All cells but the middle one are images of each other.
    assert len({round(value, 9) for value in report.black}) <= 2
    assert len(report.mirrors) == 8


@pytest.mark.whole
def test_design_html_loads_nothing_and_shows_every_part(report: DesignReport) -> None:
    (puzzle,) = parse_puzzles([shipped().splitlines()[0]])
    page = design_html(report, [puzzle])
    assert not re.findall(r"src=|href=(?!\"#)|url\(|@import", page)
    for heading in ("Fairness", "Skill", "First turns", "Mirrors", "Sample games", "Puzzles"):
        assert f"<h2>{heading}</h2>" in page
    assert "yoddd report yodd@hex2 --games 20 --playouts 16 --seed 3" in page
    assert puzzle.turns[0] in page


@pytest.mark.process
@pytest.mark.whole
def test_report_is_the_same_with_any_number_of_processes(tmp_path: Path) -> None:
    pages = []
    for processes in ("1", "2"):
        out = tmp_path / f"{processes}.html"
        options = ["--games", "10", "--playouts", "4", "--processes", processes, "--out", str(out)]
        found = CliRunner().invoke(main, ["report", "yodd@hex3", *options])
        assert found.exit_code == 0, found.output
        assert found.stdout == f"report {out}\n"
        pages.append(out.read_text(encoding="utf-8"))
    assert pages[0] == pages[1]


def test_report_of_a_board_of_another_game_is_refused() -> None:
    found = CliRunner().invoke(main, ["report", "yodd@square4"])
    assert found.exit_code == 2
    assert "square4" in found.stderr
