"""Game records: writing, reading and refusals."""

import json
import time
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.games import SAMPLE, SWAPPED, outcome_of
from tests.support.schemas import validator
from yoddd.notation import (
    GameRecord,
    NotationError,
    dump_record,
    load_record,
    read_records,
    replay,
    rules_of,
)

SCHEMA = validator("game-record")

FORFEIT = attrs.evolve(SAMPLE, reason="time", blame="b", score=None, detail="0.1 s over")
VOID = attrs.evolve(SAMPLE, winner=None, reason="void", blame="referee", score=None)
DECIDED = attrs.evolve(SAMPLE, reason="adjudicated", detail="both sides agree")


def change(**changes: Any) -> str:
    return json.dumps(attrs.asdict(SAMPLE) | changes)


def refusal(text: str) -> NotationError:
    with pytest.raises(NotationError) as caught:
        load_record(text, line=7)
    assert caught.value.line == 7
    return caught.value


@pytest.mark.parametrize("record", [SAMPLE, FORFEIT, VOID, DECIDED])
def test_record_dumped_and_loaded_is_the_same_and_valid(record: GameRecord) -> None:
    line = dump_record(record)
    assert "\n" not in line
    assert load_record(line) == record
    assert len({load_record(line), record}) == 1
    SCHEMA.validate(json.loads(line))


names = st.text(min_size=1, max_size=20)


@given(names, names, st.text(), st.integers(), st.floats(0, 1e6))
def test_record_any_name_and_detail_is_kept(
    black: str, white: str, detail: str, seed: int, seconds: float
) -> None:
    record = attrs.evolve(
        SAMPLE, black=black, white=white, detail=detail, seed=seed, times=(seconds, 0.0, 0.0)
    )
    line = dump_record(record)
    assert line.isascii()
    assert line.splitlines() == [line]
    assert load_record(line) == record


def test_record_class_and_schema_have_the_same_keys() -> None:
    keys = {field.name for field in attrs.fields(GameRecord)}
    assert set(SCHEMA.schema["properties"]) == keys  # type: ignore[index]  # it is an object


def test_load_record_ignores_unknown_keys_and_fills_defaults() -> None:
    line = change(elo=1500, options={}, board="hex-3", game="YODD")
    assert load_record(line) == SAMPLE
    short = {key: value for key, value in attrs.asdict(FORFEIT).items() if key != "opening"}
    assert load_record(json.dumps(short)) == FORFEIT


def test_read_records_bad_line_yields_error_and_continues() -> None:
    good = dump_record(SAMPLE)
    found = list(read_records([good + "\n", "\n", good[:40], good]))
    assert found[0] == found[2] == SAMPLE
    assert isinstance(found[1], NotationError)
    assert (found[1].line, len(found)) == (3, 3)


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("", "not JSON: Expecting value", 1),
        ('{"id" "x"}', "not JSON: Expecting ':' delimiter", 7),
        ("[1]", "not a JSON object", 1),
        ('{"seed": NaN}', "not JSON: NaN is not a number", 1),
        ('{"id": "x", "id": "y"}', "id: given twice", 2),
        ("{}", "id: missing", 1),
    ],
)
def test_load_record_malformed_text_is_refused(text: str, reason: str, column: int) -> None:
    error = refusal(text)
    assert error.column == column
    assert error.reason.startswith(reason)


def test_load_record_infinite_time_is_refused() -> None:
    text = change(times=[1, 2, 77]).replace("77", "1e999")
    assert refusal(text).reason == "not JSON: 1e999 is too large a number"


def test_load_record_deep_or_long_json_is_refused() -> None:
    assert refusal('{"x": ' + "[" * 40 + "]" * 40 + "}").reason.startswith("not JSON: nested")
    assert refusal("[" * 100_000).reason.startswith("not JSON")
    assert refusal('{"seed": ' + "9" * 10_000 + "}").reason.startswith("not JSON")


def test_load_record_many_keys_given_twice_is_refused_in_linear_time() -> None:
    text = "{" + ", ".join(f'"{number}": 1' for number in range(40_000)) + ', "39999": 1}'
    begun = time.process_time()
    assert refusal(text).reason == "39999: given twice"
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": 5}, "id: expected a string"),
        ({"id": ""}, "id: empty"),
        ({"black": "Ada\ud800"}, "black: half of a surrogate pair"),
        ({"turns": ["1c3", "\udfff", "pass"]}, "turns: half of a surrogate pair"),
        ({"times": [1, 10**400, 3]}, "times: too large a number"),
        ({"black": ""}, "black: empty"),
        ({"clock": ""}, "clock: empty"),
        ({"opening": True}, "opening: expected a whole number"),
        ({"opening": 4}, "opening: 4 of 3 turns"),
        ({"turns": 5}, "turns: expected a list"),
        ({"options": []}, "options: expected a list or an object"),
        ({"turns": ["1c3", 5, "pass"]}, "turns: expected a string"),
        ({"times": ["1", 2, 3]}, "times: expected a number"),
        ({"times": [1]}, "times: 1 times for 3 turns"),
        ({"times": [1, 2, -1]}, "times: a time is negative or not finite"),
        ({"machine": [1]}, "machine: 1 times for 3 turns"),
        ({"machine": [0, 0, -1]}, "machine: a time is negative or not finite"),
        ({"game": "go"}, "game: no game 'go': expected one of yodd, xodd, odd, yoin, product"),
        ({"board": "hex99"}, "board: no board hex99: hex boards are 2 to 13"),
        ({"options": {"pie": "on"}}, "options: Yodd has no option 'pie'"),
        ({"turns": ["1c3", "9z9", "pass"]}, "turns: number 2, '9z9': no cell '9z9' on hex3"),
        ({"turns": ["1C3", "pass", "pass"]}, "turns: number 1, '1C3': not in canonical spelling"),
        ({"turns": ["c3", "pass", "pass"]}, "turns: number 1, 'c3': not in canonical spelling"),
        ({"winner": "x"}, "winner: 'x' with reason groups: expected b or w"),
        ({"winner": None}, "winner: None with reason groups: expected b or w"),
        ({"reason": "void"}, "winner: 'w' with reason void: expected null"),
        ({"reason": "bored"}, "reason: 'bored': expected one of adjudicated"),
        ({"reason": "time"}, "blame: None: expected b where w wins by time"),
        ({"blame": "b"}, "blame: 'b': expected null where w wins by groups"),
        ({"score": None}, "score: missing with reason groups"),
        ({"score": "W+0"}, "score: 'W+0' with reason groups"),
        ({"reason": "resign"}, "score: 'W+1' with reason resign"),
        ({"started": "yesterday"}, "started: 'yesterday': expected a UTC time"),
        ({"ended": "2030-02-31T12:00:00Z"}, "ended: '2030-02-31T12:00:00Z': expected a UTC"),
        ({"position": "yodd hex3"}, "position: column 10: placement is missing"),
        ({"position": "yodd hex2 2/3/2 b 0 1"}, "position: another game, board or options"),
    ],
)
def test_load_record_inconsistent_fields_are_refused(changes: dict[str, Any], reason: str) -> None:
    text = change(**changes)
    error = refusal(text)
    assert error.reason.startswith(reason)
    assert text[error.column - 1 :].startswith(f'"{reason.partition(":")[0]}"')


def test_replay_begins_at_the_records_position() -> None:
    assert replay(SAMPLE).outcome() is not None
    begun = attrs.evolve(
        SAMPLE,
        position="yodd hex3 3/4/2b2/4/3 w 0 2",
        turns=("pass",),
        times=(0.0,),
        reason="resign",
        score=None,
    )
    assert replay(load_record(dump_record(begun))).passes == 1
    assert rules_of(begun).game.name == "yodd"


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        (("1c3", "1c3"), "turns: number 2, 1c3: c3 is occupied"),
        (("1c3", "1a9"), "turns: number 2, 1a9: no cell 'a9' on hex3"),
    ],
)
def test_replay_illegal_turn_is_named(turns: tuple[str, ...], reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        replay(attrs.evolve(SAMPLE, turns=turns))
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"winner": "b"}, "winner: b by W+1, but the board says w by W+1"),
        ({"score": "W+2"}, "winner: w by W+2, but the board says w by W+1"),
        ({"turns": ("1c3", "pass")}, "reason: groups, but the game goes on"),
    ],
)
def test_replay_wrong_result_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        replay(attrs.evolve(SAMPLE, **changes))
    assert caught.value.reason == reason


def test_replay_after_swap_winning_colour_is_other_seat() -> None:
    outcome = outcome_of(replay(attrs.evolve(SWAPPED, reason="resign", score=None)))
    score = f"{outcome.winner.letter.upper()}+{outcome.score}"
    seat = outcome.winner.opponent.letter
    assert replay(attrs.evolve(SWAPPED, winner=seat, score=score)).is_over
    with pytest.raises(NotationError, match="the board says"):
        replay(attrs.evolve(SWAPPED, winner=outcome.winner.letter, score=score))
