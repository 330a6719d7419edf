"""Abstract Play's records: its own are read, and ours are fit for its raters."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from tests.support.games import SWAPPED, play_random, record_of
from yoddd.kernel import best_position
from yoddd.notation import (
    ArchiveFormat,
    GameRecord,
    NotationError,
    parse_turn,
    read_archive,
    write_archive,
)
from yoddd.rules import Rules, make_rules

NOW = "2030-02-01T00:00:00Z"
FORMAT = ArchiveFormat.ABSTRACT_PLAY

THEIRS = {
    "header": {
        "game": {"name": "Yodd", "variants": ["hex-2"]},
        "site": {"name": "Abstract Play", "gameid": "3f7a"},
        "date-start": "2026-10-01T12:00:00.000Z",
        "date-end": "2026-10-02T14:00:00.000+02:00",
        "date-generated": "2026-10-02T12:00:01.000Z",
        "players": [
            {"name": "Ada", "userid": "u1", "is_ai": False, "result": 0},
            {"name": "Grace", "userid": "u2", "is_ai": False, "result": 1},
        ],
    },
    "moves": [["1b2", {"move": "2a1, 2a2", "result": []}], ["pass", "pass"]],
}


def theirs(moves: list[list[object]], **header: object) -> GameRecord | NotationError:
    value = THEIRS | {"header": THEIRS["header"] | header, "moves": moves}  # type: ignore[operator]  # a literal above
    (found,) = read_archive([json.dumps(value)], FORMAT, "all")
    return found


def test_abstractplay_record_of_server_is_read() -> None:
    found = theirs([["1b2", {"move": "2c2,2a1"}], ["pass", "resign"]], players=[
        {"name": "Ada", "result": 1}, {"name": "Grace", "result": 0}])  # fmt: skip
    assert isinstance(found, GameRecord)
    assert (found.id, found.game, found.board) == ("3f7a", "yodd", "hex2")
    assert found.options["end_on_full"] == "on"
    assert found.turns == ("1b2", "2a1,2c2", "pass", "resign")
    assert (found.winner, found.reason, found.score) == ("b", "resign", None)
    assert found.started == "2026-10-01T12:00:00.000Z"
    assert found.ended == "2026-10-02T12:00:00Z"


def test_abstractplay_record_without_dates_has_those_that_are_known() -> None:
    end, never = "2026-10-02T12:00:00Z", "1970-01-01T00:00:00Z"
    for dates, times in (
        ({"date-start": None}, (end, end)),
        ({"date-start": None, "date-end": None}, (never, never)),
        ({"date-end": None}, (THEIRS["header"]["date-start"],) * 2),  # type: ignore[index]  # a literal above
    ):
        found = theirs([["1b2"]], **dates)
        assert isinstance(found, GameRecord)
        assert (found.started, found.ended) == times


def test_abstractplay_decided_board_gives_reason_and_score() -> None:
    found = theirs([["1b2", "pass"], ["pass"]])
    assert isinstance(found, GameRecord)
    assert (found.winner, found.reason, found.score) == ("w", "groups", "W+1")


def test_abstractplay_timeout_is_forfeit_and_bare_winner_adjudicated() -> None:
    late = theirs([["1b2"], ["timeout"]])
    assert isinstance(late, GameRecord)
    assert (late.turns, late.reason, late.blame) == (("1b2",), "time", "b")
    agreed = theirs([["1b2"]])
    assert isinstance(agreed, GameRecord)
    assert (agreed.winner, agreed.reason) == ("w", "adjudicated")


@pytest.mark.parametrize(
    ("header", "moves", "reason"),
    [
        ({}, [["1z9"]], "moves[0][0]: turn 1, 1z9: no cell"),
        ({}, [["1a1"], ["1a1"]], "moves[1][0]: turn 2, 1a1: a1 is occupied"),
        ({}, [[5]], "moves[0][0]: expected a string"),
        ({}, [["1a1", {}]], "moves[0][1].move: missing"),
        ({}, [{}], "moves[0]: expected a list"),
        ({}, 5, "moves: expected a list"),
        ({"game": {"name": "Chess"}}, [], "header.game.name: no game 'chess'"),
        ({"game": {"name": "Yodd", "variants": ["hex-99"]}}, [], "no board hex99"),
        (
            {"game": {"name": "Yodd", "variants": ["hex-2", "torus"]}},
            [],
            "header.game.variants[1]: no variant 'torus' is known",
        ),
        ({"players": []}, [], "header.players: 0 players"),
        (
            {"players": [{"name": "Ada", "result": 1}, {"name": "Grace"}]},
            [["1b2"]],
            "header.players[1].result: missing",
        ),
        ({"players": [{"result": 1}, {"result": 0}]}, [["1b2"]], "header.players[0].name: missing"),
        ({"site": 5}, [["1b2"]], "header.site: expected an object"),
        ({"date-start": "soon"}, [["1b2"]], "'soon': expected a date and time"),
        ({"date-end": "0001-01-01T00:00+05:00"}, [["1b2"]], "expected a date and time"),
        ({"yoddd": {"reason": [1]}}, [["1b2"]], "header.yoddd: TypeError"),
        ({"yoddd": {"times": [1e400]}}, [["1b2"]], "not JSON"),
        ({"yoddd": {"score": "B+2"}}, [["1b2", "pass"], ["pass"]], "the score is said to be B+2"),
        ({"yoddd": {"reason": "groups"}}, [["1b2"]], "the board has not decided the game"),
        ({"startingPosition": "yodd hex2"}, [], "header.startingPosition: placement is missing"),
    ],
)
def test_abstractplay_malformed_object_is_refused_with_reason(
    header: dict[str, object], moves: list[list[object]], reason: str
) -> None:
    found = theirs(moves, **header)
    assert isinstance(found, NotationError)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("variants", "board"),
    [(["square-9"], ("xodd", "square9")), (["#setup", "hex-2"], ("yodd", "hex2"))],
)
def test_abstractplay_board_is_that_of_the_variants(
    variants: list[str], board: tuple[str, str]
) -> None:
    found = theirs([["1a1"]], game={"name": "Yodd", "variants": variants})
    assert isinstance(found, GameRecord)
    assert (found.game, found.board) == board


def test_abstractplay_object_without_header_is_named_by_archive() -> None:
    (error,) = read_archive(['{"moves": []}'], FORMAT, "all")
    assert isinstance(error, NotationError)
    assert error.reason == "game all-1: header: missing"


def test_abstractplay_deep_nesting_is_refused() -> None:
    times: list[object] = []
    for _ in range(40):
        times = [times]
    found = theirs([["1b2"]], yoddd={"times": times})
    assert isinstance(found, NotationError)
    assert "nested deeper" in found.reason


def test_abstractplay_wrong_winner_is_refused() -> None:
    players = [{"name": "Ada", "result": 1}, {"name": "Grace", "result": 0}]
    found = theirs([["1b2", "pass"], ["pass"]], players=players)
    assert isinstance(found, NotationError)
    assert found.reason == "game 3f7a: b is said to have won, but w has"
    draw = theirs([["1b2"]], players=[{"name": "Ada", "result": 1}] * 2)
    assert isinstance(draw, NotationError)
    assert draw.reason == "game 3f7a: the game has no result"


# -- endings off the board ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "results", "ending"),
    [
        ("abandoned", (0, 0), (None, "void", "the game was abandoned", "referee")),
        ("draw", (1, 1), (None, "void", "a draw was agreed", "referee")),
        ("Timeout", (0, 1), ("w", "time", "", "b")),
        ("timeout", (1, 0), ("b", "time", "", "w")),
        ("resign", (1, 0), ("b", "resign", "out of turn", None)),
    ],
)
def test_abstractplay_ending_off_the_board_is_what_it_is(
    last: str, results: tuple[int, int], ending: tuple[str | None, ...]
) -> None:
    players = [{"name": n, "result": r} for n, r in zip(("Ada", "Bo"), results, strict=True)]
    found = theirs([["1b2", "2a1,2c2"], [last]], players=players)
    assert isinstance(found, GameRecord), found
    assert found.turns == ("1b2", "2a1,2c2")
    assert (found.winner, found.reason, found.detail, found.blame) == ending
    (value,) = exported([found])
    assert list(read_archive([json.dumps(value)], FORMAT)) == [found]


# -- passes after a full board -----------------------------------------------------------------


@pytest.mark.parametrize(("game", "board"), [("yodd", "hex3"), ("xodd", "square4")])
@pytest.mark.parametrize("seed", range(16))
def test_abstractplay_passes_after_a_full_board_are_left_out_and_come_back(
    game: str, board: str, seed: int
) -> None:
    rules = make_rules(game, board)
    record = record_of(play_random(best_position(), rules, seed))
    (value,) = exported([record])
    # A game of theirs ends with the full board or with the second pass.
    theirs_now = best_position()(make_rules(game, board, {"end_on_full": "on"}))
    for turn in (turn for seats in value["moves"] for turn in seats):
        assert not theirs_now.is_over
        theirs_now.play(parse_turn(turn, theirs_now.rules, theirs_now.player))
    assert theirs_now.is_over
    assert list(read_archive([json.dumps(value)], FORMAT)) == [record]


def test_abstractplay_resignation_after_a_full_board_is_kept() -> None:
    rules = make_rules("yodd", "hex2")
    position = best_position()(rules)
    for token in ("1a1", "1a2,1b1", "1b2,1b3", "1c1,1c2", "resign"):
        position.play(parse_turn(token, rules, position.player))
    record = attrs.evolve(record_of(position), reason="resign", score=None)
    (value,) = exported([record])
    assert value["moves"][-1][-1] == "resign"
    assert list(read_archive([json.dumps(value)], FORMAT)) == [record]


@pytest.mark.parametrize("variants", [["hex-2", "yopp"], ["Hexagonal board (base-2)", "Yopp"]])
def test_abstractplay_yopp_is_own_colour(variants: list[str]) -> None:
    found = theirs([["1b2"]], game={"name": "Yodd", "variants": variants})
    assert isinstance(found, GameRecord)
    assert found.board == "hex2"
    assert found.options == {"end_on_full": "on", "own_colour": "on"}
    refused = theirs([["2b2"]], game={"name": "Yodd", "variants": variants})
    assert isinstance(refused, NotationError)
    assert refused.reason.endswith("turn 1, 2b2: Black may place only black stones")


# -- for its raters -------------------------------------------------------------------------


def named(*required: str, **types: str | list[str] | dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has these keys, with what their values are."""
    kinds = {
        key: {"type": one} if isinstance(one, str | list) else one for key, one in types.items()
    }
    return {"type": "object", "required": required, "properties": kinds}


SCHEMA = named(
    "header",
    "moves",
    header=named(
        *("game", "site", "date-start", "date-end", "date-generated", "players"),
        game=named(
            "name",
            name="string",
            variants={"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        ),
        site=named("name", name="string", gameid=["string", "number"]),
        unrated="boolean",
        pied="boolean",
        players={
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": named(
                *("name", "result"),
                name="string",
                userid="string",
                is_ai="boolean",
                result="integer",
            ),
        },
        startingPosition="string",
    ),
    moves={"type": "array", "items": {"type": "array", "items": {"type": ["null", "string"]}}},
)
"""What the schema ``gamerecord/1-0-0`` asks of the keys that we write."""


def rated(records: list[dict[str, Any]]) -> list[str]:
    """The ids of the records that the raters of ``recranks`` rate, by the checks of its source."""
    validator = Draft202012Validator(SCHEMA, format_checker=FormatChecker())
    found: list[str] = []
    for record in records:
        validator.validate(record)
        header = record["header"]
        ids = [player.get("userid") for player in header["players"]]
        results = [player["result"] for player in header["players"]]
        checks = [
            header["site"]["gameid"] not in found,
            len(ids) == 2 and all(ids) and ids[0] != ids[1],
            not header.get("unrated"),
            len(record["moves"]) >= 3,
            results[0] != results[1],
        ]
        if all(checks):
            found.append(header["site"]["gameid"])
    return found


def exported(records: list[GameRecord]) -> list[dict[str, Any]]:
    parts = list(write_archive(records, FORMAT, NOW))
    assert all(isinstance(part, str) for part in parts)
    values: list[dict[str, Any]] = json.loads("".join(map(str, parts)))
    return values


def run_of(rules: Rules, name: str) -> list[GameRecord]:
    """Six games of a run, whose ids every run has."""
    return [
        record_of(
            play_random(best_position(), rules, seed),
            id=f"m-{seed}",
            black=name,
            white="Grace",
            started=f"2030-01-31T12:00:0{seed}Z",
            pair=str(seed),
        )
        for seed in range(6)
    ]


def test_abstractplay_raters_rate_every_exported_game() -> None:
    games = ["yodd", "xodd", "odd", "yoin", "product"]
    boards = ["hex3", "square4", "hex3", "hex3", "hex3"]
    runs = [
        run_of(make_rules(*which), f"engine {at}")
        for at, which in enumerate(zip(games, boards, strict=True))
    ]
    values = exported([record for run in runs for record in run])
    assert len(values) == 30
    assert rated(values) == [value["header"]["site"]["gameid"] for value in values]
    assert len(set(rated(values))) == 30
    assert all(player["is_ai"] for value in values for player in value["header"]["players"])


def test_abstractplay_void_game_is_unrated() -> None:
    (record, *_) = run_of(make_rules("odd", "hex3"), "Ada")
    void = attrs.evolve(record, winner=None, reason="void", blame="referee", score=None)
    (value,) = exported([void])
    assert value["header"]["unrated"] is True
    assert rated([value]) == []


def test_abstractplay_unknown_participant_has_no_userid() -> None:
    (record, *_) = run_of(make_rules("odd", "hex3"), "Ada")
    (value,) = exported([attrs.evolve(record, white="?", pair=None)])
    assert value["header"]["players"][0]["userid"] == "Ada"
    assert "userid" not in value["header"]["players"][1]
    assert "is_ai" not in value["header"]["players"][0]


RESIGNED = attrs.evolve(
    SWAPPED, turns=("b2", "swap", "a1", "resign"), times=(0.0,) * 4, reason="resign", score=None
)


def test_abstractplay_swap_is_pied_with_final_seats() -> None:
    (value,) = exported([RESIGNED])
    header = value["header"]
    assert header["pied"] is True
    assert [player["name"] for player in header["players"]] == ["Grace", "Ada"]
    assert [player["result"] for player in header["players"]] == [0, 1]
    assert value["moves"] == [["b2", "a1"], ["resign"]]
    assert header["game"] == {"name": "Yoin", "variants": ["hex-2"]}
    assert list(read_archive([json.dumps(value)], FORMAT)) == [RESIGNED]


@pytest.mark.parametrize(
    ("turns", "position"),
    [(("b2", "swap"), None), (("swap", "a1"), "yoin hex2 2/1b1/2 w 0 2"), (("b2", "a1"), None)],
)
def test_abstractplay_swap_at_any_place_survives_round_trip(
    turns: tuple[str, ...], position: str | None
) -> None:
    record = attrs.evolve(
        RESIGNED,
        turns=turns,
        position=position,
        times=(0.0,) * len(turns),
        reason="time",
        blame="w",
    )
    (value,) = exported([record])
    assert list(read_archive([json.dumps(value)], FORMAT)) == [record]


@pytest.mark.parametrize(
    ("rules", "variants"),
    [
        (make_rules("xodd", "square3", {"own_colour": "on"}), ["square-3", "yopp"]),
        (make_rules("product", "hex4"), ["size-4"]),
    ],
)
def test_abstractplay_board_and_options_are_variants(rules: Rules, variants: list[str]) -> None:
    record = record_of(play_random(best_position(), rules, 1))
    (value,) = exported([record])
    assert value["header"]["game"]["variants"] == variants
    assert list(read_archive([json.dumps(value)], FORMAT)) == [record]


# -- Product as it is played there ------------------------------------------------------------

EQUAL: list[list[object]] = [["1a1", "1a2,1b1"], ["1b2,1b3", "1c1,2c2"]]
"""A full hex2: one black group of six stones and one white stone, so both products are 0."""


def product(moves: list[list[object]], winner: int, *variants: str, **more: object) -> GameRecord:
    players = [{"name": name, "result": int(at == winner)} for at, name in enumerate(("Ada", "Bo"))]
    game = {"name": "Product", "variants": ["Hexagonal board (base-2)", *variants]}
    found = theirs(moves, game=game, players=players, **more)
    assert isinstance(found, GameRecord), found
    return found


@pytest.mark.parametrize(("winner", "tie"), [(0, "black"), (1, "white")])
def test_abstractplay_product_tie_is_won_as_the_record_says(winner: int, tie: str) -> None:
    found = product(EQUAL, winner, "Two groups needed")
    assert found.options == {"pie": "on", "one_group": "off", "tie": tie}
    assert (found.winner, found.reason, found.score) == (
        "bw"[winner],
        "groups",
        f"{'BW'[winner]}+5",
    )


def test_abstractplay_product_pie_is_swap_and_seats_are_those_of_the_beginning() -> None:
    found = product(EQUAL, 0, pied=True)
    assert found.turns[:3] == ("1a1", "swap", "1a2,1b1")
    assert (found.black, found.white) == ("Bo", "Ada")
    assert (found.winner, found.score) == ("w", "B+5")


@pytest.mark.parametrize("variant", ["1-group", "One group needed"])
def test_abstractplay_one_group_is_read_and_written(variant: str) -> None:
    found = product(EQUAL, 0, variant)
    assert found.options["one_group"] == "on"
    assert (found.winner, found.score) == ("b", "B+5")
    (value,) = exported([found])
    assert value["header"]["game"] == {"name": "Product", "variants": ["size-2", "1-group"]}
    assert list(read_archive([json.dumps(value)], FORMAT)) == [found]


def test_abstractplay_product_wrong_winner_is_refused() -> None:
    with pytest.raises(AssertionError, match="w is said to have won, but b has"):
        product(EQUAL, 1, "1-group")
