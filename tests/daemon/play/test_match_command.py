"""The text of the ``match`` command: arguments and reply lines are read as they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

import yoddd.web
from tests.daemon.fake_time import ended
from yoddd.daemon.lobby import offers
from yoddd.daemon.play.match_command import (
    MatchRequest,
    format_news,
    format_request,
    parse_news,
    parse_request,
)
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.notation import NotationError
from yoddd.protocol.errors import PeerError
from yoddd.referee import GameSetup, parse_clock, void
from yoddd.referee.tournament.config import ConfigError
from yoddd.referee.tournament.openings import Opening
from yoddd.rules import make_rules
from yoddd.rules.description import RESERVED

RECORD = ended(
    GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
    ),
    void("test"),
).record

ANN_BOB: Final = [{"engine": "tcp:ann"}, {"engine": "tcp:bob"}]


def request_of(**keys: Any) -> MatchRequest:
    """A request that was sent as JSON."""
    return parse_request((json.dumps({"engine": ANN_BOB, **keys}),))


def test_request_without_settings_has_the_defaults() -> None:
    request = request_of()
    plan = request.plan
    assert (request.names, request.games, plan.seed) == (("ann", "bob"), 2, 0)
    assert plan.rules == make_rules("yodd")
    later = request_of(games=9, first=4)
    assert (later.plan.first, later.length) == (4, 6)
    assert (request.wait, plan.limits.absence) == (0, 30)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"game": "yodd", "board": "hex3", "games": 4, "seed": 7, "clock": "60+1", "wait": 5},
        {"limits": {"absence": 9, "resume": 20.5}, "games": 9, "first": 4},
        {"pairs": 2, "adjudication": {"turns": 30, "agree": 4}, "opening": ["1c3 1a1,2b1", ""]},
        {"options": {"own_colour": "on"}, "each": {"params": {"threads": 1}}},
        {"engine": [{**ANN_BOB[0], "clock": "50+1"}, {**ANN_BOB[1], "params": {"a": "b  c"}}]},
        {"adjudication": {"resign": {"movecount": 4, "twosided": True}, "win": {"score": 0.95}}},
    ],
)
def test_request_that_is_formatted_is_parsed_to_the_same(keys: dict[str, Any]) -> None:
    request = request_of(**keys)
    word, *args = format_request(request.tournament, request.first, request.last).split()
    assert word == "match"
    assert parse_request(tuple(args)) == request


def test_request_settings_of_each_engine_give_way_to_those_of_one() -> None:
    each = {"clock": 60, "params": {"playouts": 5, "level": 1}}
    engines = [{**ANN_BOB[0], "params": {"playouts": 9}}, {**ANN_BOB[1], "clock": "30"}]
    plan = request_of(each=each, engine=engines).plan
    assert [side.clock for side in plan.sides] == [parse_clock("60"), parse_clock("30")]
    assert [side.params["playouts"] for side in plan.sides] == ["9", "5"]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"sprt": {"elo0": 0, "elo1": 5}}, "sprt: not in a match that a daemon plays"),
        ({"each": {"memory": 8}}, "each: memory: not in a match that a daemon plays"),
        ({"bored": "hex2"}, "unknown key bored; did you mean 'board'?"),
        ({"games": 2, "pairs": 1}, "games or pairs, not both"),
        ({"games": 4, "first": 5}, "first 5: expected a number from 1 to 4"),
        ({"games": 1001}, "games 1001: expected a number from 1 to 1000"),
        ({"seed": -1}, "seed -1: expected a number from 0 to 2147483647"),
        ({"wait": 3601}, "wait 3601.0: expected a number from 0 to 3600"),
        ({"adjudication": {"turns": 10_001}}, "adjudication.turns 10001: expected"),
        ({"clock": "now"}, "clock: .*now"),
        ({"each": {"params": {"x": "a\u00adb"}}}, "params.x: expected a line of text"),
        ({"opening": [{"position": "yodd hex3"}]}, "opening: expected turns from the empty board"),
        ({"engine": ANN_BOB[:1]}, "1 engines, expected two"),
        ({"engine": [*ANN_BOB[:1], {"engine": "./bot"}]}, "engine './bot': expected tcp:NAME"),
        ({"engine": [*ANN_BOB[:1], {"engine": "tcp:ANN"}]}, "both entrants are called 'ANN'"),
        ({"\ud800": 1}, "unknown key"),
        ({"opening": [1] * 2000}, r"opening\[0\]: expected something else"),
    ],
)
def test_request_that_describes_no_match_is_refused_with_its_key(
    keys: dict[str, Any], text: str
) -> None:
    with pytest.raises(PeerError, match=text) as refused:
        request_of(**keys)
    assert len(str(refused.value).encode()) < 1000


@pytest.mark.parametrize("args", [("{",), ('{"a":' * 5000,), ("[]",), ("one",)])
def test_request_that_is_no_json_is_refused(args: tuple[str, ...]) -> None:
    with pytest.raises(PeerError, match="JSON"):
        parse_request(args)


@pytest.mark.parametrize("name", ["a\u0435b", "a" * 33, "-a", "a/b", ""])
def test_request_with_a_name_that_no_engine_has_is_refused(name: str) -> None:
    with pytest.raises(PeerError, match="expected up to 32 ASCII letters"):
        request_of(engine=[*ANN_BOB[:1], {"engine": f"tcp:{name}"}])


def test_request_that_is_too_long_for_a_line_is_refused() -> None:
    request = request_of(each={"params": {"x": "a" * 20_000}})
    with pytest.raises(ConfigError, match="send fewer openings"):
        format_request(request.tournament, 1, 1)


def test_request_that_a_daemon_would_refuse_is_not_sent() -> None:
    opening = Opening(("pass",), "yodd hex3 3/4/2b2/4/3 w 0 2")
    config = attrs.evolve(request_of(board="hex3").tournament, opening=(opening,))
    with pytest.raises(ConfigError, match="from the empty board"):
        format_request(config, 1, 1)


# -- the form of 0.2 --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("", {"games": 1}),
        (
            "board=hex3 games=4 from=2 clock=60+1 wait=5 absence=9 resume=20 max_turns=30 agree=4",
            {
                "board": "hex3",
                "games": 4,
                "first": 2,
                "clock": "60+1",
                "wait": 5,
                "limits": {"absence": 9, "resume": 20},
                "adjudication": {"turns": 30, "agree": 4},
            },
        ),
        (
            "each.param.threads=1 first.clock=50 resign=movecount=4 openings=1c3/1a1;2c3",
            {
                "games": 1,
                "each": {"params": {"threads": 1}},
                "engine": [{**ANN_BOB[0], "clock": "50"}, ANN_BOB[1]],
                "adjudication": {"resign": {"movecount": 4}},
                "opening": ["1c3 1a1", "2c3"],
            },
        ),
    ],
)
def test_published_words_are_the_same_match_as_json(words: str, keys: dict[str, Any]) -> None:
    assert parse_request(("ann", "tcp:bob", *words.split())) == request_of(**keys)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("adjudicate=tables", "adjudicate: not in a match that a daemon plays"),
        ("first.cwd=x", "cwd: not in a match that a daemon plays"),
        ("third.clock=5", "no option 'third.clock'"),
        ("win=movecount=one", "adjudication.win.movecount: 'one': expected a whole number"),
    ],
)
def test_published_words_that_describe_no_match_are_refused(words: str, text: str) -> None:
    with pytest.raises(PeerError, match=text):
        parse_request(("ann", "bob", *words.split()))


# -- the reply --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "news",
    [
        GameBegins(1, "m-1", "ann", "bob"),
        GameBegins(2, "m-2", "bob", "ann", ("1a1", "pass")),
        TurnSeen(1, "b", "1a1,2b2", 1.5),
        GameEnds(3, RECORD),
    ],
)
def test_news_that_are_formatted_are_parsed_to_the_same(news: News) -> None:
    assert parse_news(format_news(news)) == news


@pytest.mark.parametrize(
    "line",
    ["", "game", "game 1 m-1 ann", "turn x b 1a1 1", "turn 1 b 1a1", "score 1 2", "record 1 {"],
)
def test_news_that_are_no_line_of_a_match_are_refused(line: str) -> None:
    with pytest.raises(NotationError):
        parse_news(line)


def test_keys_of_seek_and_match_are_no_options_of_games() -> None:
    keys = {*offers.SETTINGS, *(field.name for field in attrs.fields(MatchRequest))}
    script = Path(*yoddd.web.__path__, "js", "rules", "description.js").read_text("utf-8")
    listed = re.search(r"RESERVED =\s+'([a-z,]+)'", script)
    assert listed is not None
    assert set(RESERVED) == keys == set(listed[1].split(","))
