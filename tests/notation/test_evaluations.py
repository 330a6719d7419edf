"""The text form of an engine's statements about its turn."""

from __future__ import annotations

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.games import SAMPLE
from tests.support.schemas import validator
from yoddd.notation import NotationError, dump_record, load_record
from yoddd.notation.evaluations import (
    LONGEST_LINE,
    Evaluation,
    describe_evaluation,
    parse_evaluation,
    statement_in,
)
from yoddd.rules import Colour, make_rules

RULES = make_rules("yodd", "hex3")
YOIN = make_rules("yoin", "hex3")
FULL = Evaluation(winrate=0.625, lead=-1.5, visits=1200, depth=9, time=0.14, pv=("1c3", "1e3,2a1"))
TEXT = "winrate 0.625 scoreLead -1.5 visits 1200 depth 9 time 0.14 pv 1c3 1e3,2a1"

evaluations = st.builds(
    Evaluation,
    winrate=st.floats(0, 1).map(lambda value: round(value, 6)),
    lead=st.none() | st.integers(-1000, 1000).map(float),
    visits=st.none() | st.integers(0, 10**15),
    depth=st.none() | st.integers(0, 1000),
    pv=st.lists(st.sampled_from(["1c3", "pass", "1a1,2a2"]), max_size=LONGEST_LINE).map(tuple),
)


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("genmove b", "winrate 0.5", Evaluation(winrate=0.5)),
        (
            "kata-genmove_analyze b 20",
            "info move pass winrate 0.1 visits 3 pv pass info move 1C3 winrate 0.5 pv 1c3 1e3",
            Evaluation(winrate=0.5, pv=("1c3", "1e3")),
        ),
        ("kata-genmove_analyze b 20", "info move 1e3 winrate 0.5", Evaluation(winrate=0.5)),
        (
            "lz-genmove_analyze b 20",
            "info move 1c3 visits 7 winrate 5123 prior 100 order 0 pv 1c3",
            Evaluation(winrate=0.5123, visits=7, pv=("1c3",)),
        ),
        (
            "cgos-genmove_analyze b",
            '{"winrate": 0.5, "score": -1.5, "visits": 8, "moves": [{"move": "1e3"}]}',
            Evaluation(winrate=0.5, lead=-1.5, visits=8),
        ),
        ("cgos-genmove_analyze b", '{"winrate": 0.5', None),
        ("cgos-genmove_analyze b", '{"moves": [3]}', None),
        ("cgos-genmove_analyze b", '{"winrate": [1]}', None),
        ("cgos-genmove_analyze b", "{}", None),
        ("kata-genmove_analyze b 20", "info", None),
        ("lz-genmove_analyze b 20", "info move 1c3 winrate 99999", None),
    ],
)
def test_statement_in_an_analysis_is_that_of_the_turn(
    command: str, text: str, expected: Evaluation | None
) -> None:
    def read() -> Evaluation:
        return parse_evaluation(statement_in(text, command, "1c3"), RULES, Colour.BLACK)

    if expected is None:
        with pytest.raises(NotationError):
            read()
    else:
        assert read() == expected


@given(evaluations)
def test_evaluation_written_and_read_is_the_same(evaluation: Evaluation) -> None:
    assert parse_evaluation(str(evaluation), RULES, Colour.BLACK) == evaluation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, FULL),
        ("TIME 0.14 visits 1200 mood good scorelead -1.50 DEPTH 9 winrate .625", None),
        (
            "time 0.14 visits 1200 mood good scorelead -1.50 DEPTH 9 WinRate 0.625 pv 1c3 1e3,2a1",
            FULL,
        ),
        (
            "move 1c3 visits 7 winrate 0.5 prior 0.1 order 0 pv 1c3 info move pass visits 9",
            Evaluation(winrate=0.5, visits=7, pv=("1c3",)),
        ),
        ("winrate 5e-1", Evaluation(winrate=0.5)),
        ("visits 1000000000000000", Evaluation(visits=10**15)),
        ("pv" + " pass" * 99, Evaluation(pv=("pass",) * LONGEST_LINE)),
        ("pv bC3 E3,wA1", Evaluation(pv=("1c3", "2a1,2e3"))),
        ("", None),
        ("mood good", None),
        ("winrate", None),
        ("winrate 1.5", None),
        ("winrate -0.1", None),
        ("winrate nan", None),
        ("winrate inf", None),
        ("winrate 0x1", None),
        ("winrate " + "9" * 400, None),
        ("visits 1.5", None),
        ("visits -1", None),
        ("visits 9999999999999999", None),
        ("depth 1001", None),
        ("time -1", None),
        ("scoreLead 1e9", None),
        ("winrate 0.5 pv zz9", None),
    ],
)
def test_parse_evaluation_refuses_all_that_is_malformed(
    text: str, expected: Evaluation | None
) -> None:
    if expected is None:
        with pytest.raises(NotationError):
            parse_evaluation(text, RULES, Colour.BLACK)
    else:
        assert parse_evaluation(text, RULES, Colour.BLACK) == expected


@given(st.text(max_size=60))
def test_parse_evaluation_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_evaluation(text, YOIN, Colour.WHITE)
    except NotationError:
        return
    assert found != Evaluation()


def test_describe_evaluation_is_a_sentence() -> None:
    assert describe_evaluation(FULL) == (
        "62.5%, lead -1.5, 1200 visits, depth 9, 0.14 s; 1c3 1e3,2a1"
    )


def test_record_with_evaluations_follows_the_schema() -> None:
    count = len(SAMPLE.turns)
    record = attrs.evolve(
        SAMPLE, evaluations=(FULL, *(None,) * (count - 1)), unread=(0, 3), machine=(0.1,) * count
    )
    line = dump_record(record)
    validator("game-record").validate(json.loads(line))
    assert load_record(line) == record
    assert not {"evaluations", "unread", "machine"} & json.loads(dump_record(SAMPLE)).keys()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evaluations": [None]}, "evaluations: 1 evaluations for"),
        ({"evaluations": [{"winrate": 2}]}, "evaluations: number 1: winrate 2.0: expected from 0"),
        ({"evaluations": [{}]}, "evaluations: number 1: it states nothing"),
        ({"unread": [1]}, "unread: "),
        ({"unread": [1, -1]}, "unread: "),
    ],
)
def test_load_record_refuses_malformed_evaluations(
    changes: dict[str, list[object]], reason: str
) -> None:
    values = json.loads(dump_record(SAMPLE))
    if "evaluations" in changes and changes["evaluations"] != [None]:
        changes["evaluations"] += [None] * (len(SAMPLE.turns) - 1)
    with pytest.raises(NotationError, match=reason):
        load_record(json.dumps(values | changes))
