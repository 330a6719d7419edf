"""The text of the ``match`` command: arguments and reply lines are read as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from tests.daemon.fake_time import world_of
from yoddd.daemon.play.match_command import (
    ABSENCE,
    format_news,
    format_order,
    parse_news,
    parse_order,
    refused_words,
)
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.pair_wait import unplayed
from yoddd.notation import NotationError
from yoddd.protocol.errors import PeerError
from yoddd.referee import GameSetup, parse_clock, void
from yoddd.referee.config import ConfigError
from yoddd.referee.openings import Opening
from yoddd.rules import make_rules

SPECIFICATION = Path(__file__).parents[3] / "protocol" / "server.md"

RECORD = unplayed(
    world_of(),
    GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
    ),
    void("test"),
).record


def test_order_without_settings_has_the_defaults() -> None:
    order = parse_order(("tcp:ann", "bob"))
    assert (order.names, order.games, order.plan.seed) == (("ann", "bob"), 1, 0)
    assert order.plan.rules == make_rules("yodd")
    assert (order.config.wait, order.plan.limits.absence) == (0, ABSENCE)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "game=yodd board=hex3 games=4 seed=7 clock=60+1 wait=5 absence=9 resume=20",
        "pairs=2 max_turns=30 agree=4 board=hex3 openings=1c3/1a1,2b1;2c3",
        "own_colour=on first.clock=50+1 second.param.playouts=8 each.param.threads=1",
        "games=9 from=4 resign=movecount=4,score=0.05,twosided=on win=movecount=8,score=0.95",
    ],
)
def test_order_that_is_formatted_is_parsed_to_the_same(words: str) -> None:
    order = parse_order(("ann", "bob", *words.split()))
    line = format_order(order.config, order.first, order.config.games or 0).split()
    assert line[0] == "match"
    assert parse_order(tuple(line[1:])) == order


def test_order_settings_of_each_engine_give_way_to_those_of_one() -> None:
    words = "each.clock=60 second.clock=30 each.param.playouts=5 first.param.playouts=9"
    plan = parse_order(("ann", "bob", *words.split())).plan
    assert [side.clock for side in plan.sides] == [parse_clock("60"), parse_clock("30")]
    assert [side.params for side in plan.sides] == [{"playouts": "9"}, {"playouts": "5"}]


def test_order_from_a_later_game_has_the_games_that_are_left() -> None:
    order = parse_order(("ann", "bob", "games=9", "from=4"))
    assert (order.plan.first, order.games) == (4, 6)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("solve=8", "not in a match that a daemon plays"),
        ("games=2 pairs=1", "games or pairs, not both"),
        ("third.clock=5", "expected clock or param.NAME of each, first, second"),
        ("first.memory=5", "first.memory: not in a match that a daemon plays: a daemon tells no"),
        ("each.cwd=x", "each.cwd: not in a match that a daemon plays: a daemon starts no engine"),
        ("games=4 from=5", "from"),
        ("games=4 from=0", "from"),
        ("resign=score=2", "resign: 'score' must be < 0.5"),
        ("win=movecount=one", "win: movecount=one: expected a number"),
        ("board=hex99", "hex99"),
        ("clock=now", "now"),
        ("games=0", "games"),
        ("games=1001", "games"),
        ("pairs=501", "pairs"),
        ("first.param.x=a\u00adb", "expected a line of text"),
        ("first.param.x\u00ad=b", "expected a word"),
    ],
)
def test_order_that_describes_no_match_is_refused(words: str, text: str) -> None:
    with pytest.raises(PeerError, match=text):
        parse_order(("ann", "bob", *words.split()))


def test_order_of_one_engine_under_two_spellings_is_refused() -> None:
    with pytest.raises(PeerError, match="both entrants are called 'ANN'"):
        parse_order(("ann", "ANN"))


def test_settings_that_a_daemon_refuses_stand_in_the_specification() -> None:
    text = " ".join(SPECIFICATION.read_text(encoding="utf-8").split())
    listed = re.search(r"are refused as `syntax error` with the reason: ([^.]*)\.", text)
    assert listed is not None
    names = re.findall(r"`(\w+)`", listed[1])
    assert "adjudicate" in names
    assert sorted(names) == sorted(refused_words())
    for name in names:
        with pytest.raises(PeerError, match=f"{name}: not in a match that a daemon plays: "):
            parse_order(("ann", "bob", f"{name}=8"))


@pytest.mark.parametrize("name", ["a\u0435b", "a" * 33, "-a", "a/b"])
def test_order_with_a_name_that_no_engine_has_is_refused(name: str) -> None:
    with pytest.raises(PeerError, match="expected up to 32 ASCII letters"):
        parse_order(("ann", name))


def test_order_that_is_too_long_for_a_request_is_refused() -> None:
    order = parse_order(("ann", "bob", "first.param.x=" + "a" * 20_000))
    with pytest.raises(ConfigError, match="send fewer openings"):
        format_order(order.config, 1, 1)


def test_order_with_an_opening_from_a_position_is_refused() -> None:
    config = parse_order(("ann", "bob", "board=hex3")).config
    opening = Opening(("pass",), "yodd hex3 3/4/2b2/4/3 w 0 2")
    with pytest.raises(ConfigError, match="from the empty board only"):
        format_order(attrs.evolve(config, opening=(opening,)), 1, 1)


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
