"""The examination of strength against engines in memory: turns that win, lose, fail."""

from __future__ import annotations

import pytest

from tests.referee.examiner import EXIT, Answers, Examiner
from tests.support.vectors import FOLDER
from yoddd.referee.conformance import (
    StrengthReport,
    StrengthTerms,
    WonPosition,
    describe_strength,
    examine_strength,
    read_won,
)
from yoddd.referee.conformance.strength import GRACE, MOST_FAILURES

FILE = FOLDER / "won.txt"
POSITIONS = read_won(FILE.read_text(encoding="ascii"))
EACH = 30
SECONDS = 1.0


def of(game: str, board: str) -> list[WonPosition]:
    return [
        one for one in POSITIONS if (one.rules.game.name, one.rules.geometry.name) == (game, board)
    ]


def report_on(examiner: Examiner, positions: list[WonPosition]) -> StrengthReport:
    return examiner.carry_out(examine_strength(positions, StrengthTerms(seconds=SECONDS)))


def problems(answers: Answers, positions: list[WonPosition]) -> dict[str, int]:
    report = report_on(Examiner(answers, won=FILE), positions)
    assert report.total.kept == 0
    assert report.total.positions == len(positions)
    assert not report.passed
    return dict(report.problems())


def test_examine_strength_winning_engine_keeps_every_win() -> None:
    examiner = Examiner(won=FILE)
    report = report_on(examiner, POSITIONS)
    assert report.passed
    assert (report.name, report.version, examiner.starts) == ("Fake", "1", 1)
    assert report.total.kept == report.total.positions == len(POSITIONS)
    assert set(report.boards().values()) == {report.boards()["yodd", "hex3"]}
    assert report.boards()["yodd", "hex3"].positions == EACH


def test_examine_strength_random_engine_keeps_few_wins() -> None:
    report = report_on(Examiner(), POSITIONS)
    assert report.passed
    assert 0 < report.total.share < 1 / 3


def test_examine_strength_plain_engine_plays_one_game_and_board() -> None:
    assert report_on(Examiner(plain=True), of("yodd", "hex3")).passed
    report = report_on(Examiner(plain=True), of("yodd", "hex3") + of("odd", "hex3"))
    problem = "lists no `game`; name the one that it plays with --game"
    assert report.problems() == {problem: 2 * EACH}


@pytest.mark.parametrize(
    ("request_line", "answer", "problem"),
    [
        ("game", b"?@ unknown game\n\n", "`game yodd hex3` refused: unknown game"),
        ("play", b"?@ no\n\n", "`play` refused: no"),
        ("genmove", b"?@ no\n\n", "`genmove` refused: no"),
        ("genmove", b"=@ zz9\n\n", "`genmove` is answered with no turn"),
        ("genmove", b"=@ 1a1,1a1\n\n", "`genmove` is answered with an illegal turn"),
        ("genmove", b"=@ swap\n\n", "`genmove` is answered with an illegal turn"),
    ],
)
def test_examine_strength_refusals_and_illegal_turns_keep_no_win(
    request_line: str, answer: bytes, problem: str
) -> None:
    assert problems({request_line: answer}, of("yodd", "hex3")) == {problem: EACH}


def test_examine_strength_resignation_is_legal_and_keeps_no_win() -> None:
    report = report_on(Examiner({"genmove": b"=@ resign\n\n"}), of("yodd", "hex3"))
    assert (report.passed, report.total.kept) == (True, 0)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (EXIT, "`genmove b`: exit status 3"),
        (None, f"`genmove b`: no reply within {SECONDS + GRACE:g} s"),
    ],
)
def test_examine_strength_failing_engine_is_given_up(answer: bytes | None, problem: str) -> None:
    positions = [one for one in of("yodd", "hex4") if one.position.player.letter == "b"]
    examiner = Examiner({"genmove": answer}, status="exit status 3")
    report = report_on(examiner, positions)
    given_up = f"not asked after {MOST_FAILURES} failures in a row: {problem}"
    rest = len(positions) - MOST_FAILURES
    assert report.problems() == {problem: MOST_FAILURES, given_up: rest}
    assert examiner.starts == MOST_FAILURES
    assert report.total.kept == 0


def test_examine_strength_failure_in_one_position_restarts_the_engine() -> None:
    positions = of("yodd", "hex3")
    colour, token = positions[0].turns[-1]
    examiner = Examiner({f"play {colour.letter} {token}": EXIT}, won=FILE)
    report = report_on(examiner, positions)
    failing = report.problems().total()
    assert 0 < failing < MOST_FAILURES
    assert report.total.kept == len(positions) - failing
    assert examiner.starts == failing + 1


def test_examine_strength_engine_without_introduction_is_started_once() -> None:
    examiner = Examiner({"protocol_version": b"=@ 3\n\n"})
    report = report_on(examiner, POSITIONS)
    assert report.problems() == {"speaks GTP version 3, expected 2": len(POSITIONS)}
    assert (examiner.starts, report.name) == (1, "")


def test_examine_strength_late_turn_keeps_no_win() -> None:
    report = report_on(Examiner(won=FILE, think=SECONDS + 2 * GRACE), of("odd", "hex3")[:1])
    assert report.total.kept == 0


def test_describe_strength_shows_reports_side_by_side() -> None:
    positions = of("yodd", "hex3") + of("yoin", "hex4")
    good, bad = (
        report_on(examiner, positions)
        for examiner in (Examiner(won=FILE), Examiner({"genmove": b"?@ no\n\n"}))
    )
    lines = describe_strength([good, bad], SECONDS).splitlines()
    assert lines == [
        "Won positions kept at 1 s a turn: Fake 1 | Fake 1",
        "  yodd hex3          30 of 30  100.0% |    0 of 30    0.0%",
        "  yoin hex4          30 of 30  100.0% |    0 of 30    0.0%",
        "  all                60 of 60  100.0% |    0 of 60    0.0%",
        "Fake 1, 60 not kept: `genmove` refused: no",
    ]


def test_report_as_json_has_shares_and_problems() -> None:
    report = report_on(Examiner({"genmove": b"?@ no\n\n"}), of("yodd", "hex3"))
    share = {"positions": EACH, "kept": 0, "share": 0.0}
    assert report.as_json() == {
        "engine": {"name": "Fake", "version": "1"},
        "passed": False,
        **share,
        "boards": [{"game": "yodd", "board": "hex3", **share}],
        "problems": [{"problem": "`genmove` refused: no", "positions": EACH}],
    }


def test_read_won_refuses_turns_that_lead_elsewhere() -> None:
    line = FILE.read_text(encoding="ascii").splitlines()[3]
    position, _, winning = line.split(" ; ")
    with pytest.raises(ValueError, match="lead to another position"):
        read_won(f"{position} ; 1a1 ; {winning}")
