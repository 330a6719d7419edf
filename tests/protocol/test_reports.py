"""The lines of an analysis: written, read back, and read from other engines."""

from __future__ import annotations

import pytest

from yoddd.engine import Candidate, FirstStone, Insight
from yoddd.notation import NotationError, parse_turn
from yoddd.protocol.commands.analysis import AnalysisOptions, ReportWriter
from yoddd.protocol.coordinates import Spelling
from yoddd.protocol.grammar import LINE_LIMIT
from yoddd.protocol.reports import parse_report
from yoddd.rules import PASS, SWAP, Colour, make_rules

YODD = make_rules("yodd", "hex4")
SPELLING = Spelling(YODD, in_gogui=False)
YOIN = make_rules("yoin", "hex3")


def test_parse_report_reads_what_format_report_writes() -> None:
    one, two = (parse_turn(text, YODD, Colour.WHITE) for text in ("1c3,2d4", "1a1"))
    told = (
        Candidate(
            one, 120, 0.25, 0.5, (one, PASS, two), 1.5, FirstStone(150, 0.5, 0.25), None, 2.25
        ),
        Candidate(PASS, 3, 0.125, 0.0625, (PASS,)),
    )
    insight = Insight(told, visits=123, margin=0.5, ownership=(0.5,) * 37, spread=1.75)
    options = AnalysisOptions({}, None, frozenset(("rootinfo", "ownership")))
    line = ReportWriter(options, SPELLING, Colour.WHITE).line(insight)
    assert "rootInfo visits 123 winrate 0.500000 scoreLead 0.500 scoreStdev 1.750" in line
    assert line.count("0.500") > 37
    assert parse_report(line, YODD, Colour.WHITE) == told


def test_format_report_fills_the_line_limit() -> None:
    turns = [parse_turn(f"1{cell},2d4", YODD, Colour.WHITE) for cell in ("a1", "b2", "c3")]
    told = tuple(
        Candidate(turn, 1_000_000 - number, 0.25, 0.5, (turn,) * 16, 1.5)
        for number, turn in enumerate(turns * 40)
    )
    options = AnalysisOptions({}, None, frozenset(("rootinfo", "ownership")))
    insight = Insight(told, visits=123, ownership=(0.5,) * 37)
    line = ReportWriter(options, SPELLING, Colour.WHITE).line(insight)
    assert LINE_LIMIT - 300 < len(line) <= LINE_LIMIT
    assert "rootInfo visits 123" in line
    assert line.endswith("0.500")
    shown = parse_report(line, YODD, Colour.WHITE)
    assert shown == told[: len(shown)]


def test_parse_report_bare_cells_after_swap_are_the_movers() -> None:
    line = "info move swap visits 4 winrate 0.5 prior 0.5 order 0 pv swap a1 a2"
    (found,) = parse_report(line, YOIN, Colour.WHITE)
    assert found.turn == SWAP
    assert [turn.stones[0].colour for turn in found.line[1:]] == [Colour.WHITE, Colour.BLACK]


def test_parse_report_unknown_and_missing_keys_are_accepted() -> None:
    line = (
        "info move 1a1 visits 1 utility 0.3 winrate 0.5 order 1 pv 1a1 "
        "info order 0 move 1a2 lcb 0.4 visits 9 winrate 0.75"
    )
    best, other = parse_report(line, YODD, Colour.BLACK)
    assert (best.visits, best.prior, best.line) == (9, 1.0, (best.turn,))
    assert other.turn == parse_turn("1a1", YODD, Colour.BLACK)
    assert parse_report("", YODD, Colour.BLACK) == ()
    assert parse_report("ownership 0.1 0.2", YODD, Colour.BLACK) == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("info visits 1 winrate 0.5", "'move' is missing"),
        ("info move 1a1 winrate 0.5", "'visits' is missing"),
        ("info move 1a1 visits many winrate 0.5", "many"),
        ("info move 1z9 visits 1 winrate 0.5", "no cell"),
        ("info move 1a1 visits 1 winrate 0.5 pv 1a1 1z9", "no cell"),
        ("info", "'move' is missing"),
    ],
)
def test_parse_report_unreadable_line_raises(line: str, reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        parse_report(line, YODD, Colour.BLACK)
