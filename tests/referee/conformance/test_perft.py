"""The walk against engines in memory: right ones, ones that misread a rule, and broken ones."""

from __future__ import annotations

import attrs
import pytest

from tests.programs.lister import OFFERS, WRONG, Lister
from tests.referee.conformance.examiner import EXIT, SMALL, Answers, Examiner, MemoryEngine
from yoddd.notation import parse_position, parse_turn
from yoddd.referee.conformance import Walk, WalkReport, describe_perft, examine_perft
from yoddd.referee.conformance.perft import LEAVES
from yoddd.rules import Position, Rules, make_rules

SHORT = Walk(games=2)
GAMES = (make_rules("yodd", "hex2"), make_rules("xodd", "square3"), make_rules("yoin", "hex2"))
TERMS = attrs.evolve(SMALL, games=GAMES)
LISTED = b"=@ name\nversion\nprotocol_version\nlist_commands\nboardsize\nclear_board\nplay\ngenmove"


class MemoryLister(MemoryEngine, Lister):
    """The listing engine without a process."""


def walked(
    wrong: str = "",
    offers: str = "both",
    answers: Answers | None = None,
    walk: Walk = SHORT,
    games: tuple[Rules, ...] = GAMES,
) -> WalkReport:
    more = {"wrong": wrong, "offers": offers}
    examiner = Examiner(answers or {}, kind=MemoryLister, more=more)
    return examiner.carry_out(examine_perft(attrs.evolve(TERMS, games=games), walk))


@pytest.mark.parametrize("offers", OFFERS)
def test_examine_perft_right_engine_agrees(offers: str) -> None:
    report = walked(offers=offers)
    assert report.passed, describe_perft(report)
    assert report.positions > len(GAMES) * SHORT.games
    assert report.turns > report.positions
    assert report.asked == (("legal", "perft") if offers == "both" else (offers,))
    assert "agrees with the rules" in describe_perft(report)
    assert report.as_json()["wrong"] is None


@pytest.mark.parametrize("offers", OFFERS)
@pytest.mark.parametrize("rule", WRONG)
def test_examine_perft_misread_rule_is_named_with_its_first_turn(rule: str, offers: str) -> None:
    report = walked(rule, offers)
    assert report.wrong is not None
    assert report.wrong.rule == rule.replace("-", " ")
    position = parse_position(report.wrong.position)
    turn = parse_turn(report.wrong.turn, position.rules, position.player)
    assert position.is_legal(turn) is not report.wrong.allows
    assert f"rule      {report.wrong.rule}: as if" in describe_perft(report)


@pytest.mark.parametrize(
    ("offers", "answers", "message"),
    [
        ("perft", {"perft": b"=@ 7\n\n"}, "perft 1: 7, by the rules 14"),
        ("perft", {"perft 2": b"=@ 471\n\n"}, "perft 2: 471, by the rules 470"),
        ("both", {"perft 1": b"=@ 1\n\n"}, "perft 1: 1, by the rules 14"),
        ("perft", {"perft": b"=@ many\n\n"}, "perft 1: many, by the rules 14"),
        ("perft", {"perft": None}, "no reply within 2 s, in yodd hex2"),
        ("perft", {"perft": EXIT}, "exit status 0, in yodd hex2"),
        ("legal", {"legal": b"?@ no\n\n"}, "refused: no, in yodd hex2"),
        ("legal", {"legal": b"=@ 14\n\n"}, "expected `total N`"),
        ("legal", {"legal": b"=@ total 3\n\n"}, "no turns, though the total is 3"),
        ("legal", {"legal": b"=@ total 1\nzz9\n\n"}, "lists 'zz9'"),
        ("legal", {"play": b"?@ illegal move\n\n"}, "? illegal move, by the rules ="),
        ("play", {"play": b"=@ \n\n", "undo": b"=@ \n\n"}, "neither `perft` nor `legal`, and its"),
        (
            "legal",
            {"list_commands": LISTED + b"\nlegal\n\n"},
            "lists no `game`; name the one that it plays with --game",
        ),
    ],
)
def test_examine_perft_broken_engine_is_reported(
    offers: str, answers: Answers, message: str
) -> None:
    report = walked(offers=offers, answers=answers)
    assert not report.passed
    assert message in describe_perft(report)


def test_examine_perft_turn_listed_twice_is_wrong() -> None:
    cells = [f"{colour}{cell}" for colour in "12" for cell in ("a1", "a2", "b1", "b2", "b3")]
    tokens = [*cells, "1c1", "1c2", "2c1", "2c2", "1a1"]
    listing = "\n".join(["total 15", *tokens])
    report = walked(offers="legal", answers={"legal": f"=@ {listing}\n\n".encode()})
    assert report.wrong is not None
    assert not report.wrong.turn
    assert "listed twice" in describe_perft(report)


def test_examine_perft_engine_whose_play_accepts_anything_is_still_wrong() -> None:
    report = walked("pass", "perft", {"play": b"=@ \n\n", "undo": b"=@ \n\n"})
    assert report.wrong is not None
    assert report.wrong.asked.startswith("perft")
    assert not report.wrong.rule


def test_examine_perft_engine_without_undo_is_set_up_again() -> None:
    listing = LISTED + b"\ngame\nperft\n\n"
    report = walked("orthogonality", "perft", {"list_commands": listing, "undo": EXIT})
    assert report.wrong is not None
    assert report.wrong.rule == "orthogonality"


def test_examine_perft_large_board_is_judged_by_a_sample() -> None:
    games = (make_rules("yodd", "hex4"),)
    report = walked("first-turn", "legal", walk=Walk(games=0), games=games)
    assert report.wrong is not None
    assert report.wrong.rule == "first turn"


def test_examine_perft_ends_in_time() -> None:
    report = walked(walk=Walk(seconds=1.0, games=1000))
    assert report.passed
    assert 1.0 <= report.seconds < 2.0


def test_examine_perft_asks_for_no_long_counts() -> None:
    xodd = make_rules("xodd", "square3")
    assert Position(xodd).perft(2) < LEAVES < Position(xodd).perft(3)
    answers = {"perft 3": EXIT}
    walk = Walk(depth=3, games=0)
    assert walked(answers=answers, walk=walk, games=(xodd,)).passed
    assert not walked(answers=answers, walk=walk, games=(make_rules("yodd", "hex2"),)).passed
