"""The text of the ``match`` command: arguments and reply lines are read as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from yoddd.daemon.play.match_command import (
    ABSENCE,
    ELSEWHERE,
    format_news,
    format_order,
    parse_news,
    parse_order,
)
from yoddd.daemon.play.match_runner import Waits
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.pair_wait import unplayed
from yoddd.notation import NotationError
from yoddd.protocol.errors import PeerError
from yoddd.referee import GameSetup, MatchError, parse_clock, void
from yoddd.rules import make_rules

SPECIFICATION = Path(__file__).parents[3] / "protocol" / "SPEC.md"

RECORD = unplayed(
    GameSetup(
        id="g",
        rules=make_rules("yodd", "hex2"),
        names=("ann", "bob"),
        clock=parse_clock("none"),
    ),
    void("test"),
    0.0,
).record


def test_order_without_settings_has_the_defaults() -> None:
    order = parse_order(("tcp:ann", "bob"), "m")
    plan = order.plan
    assert (plan.id, plan.names, plan.games, plan.seed) == ("m", ("ann", "bob"), 1, 0)
    assert plan.rules == make_rules("yodd")
    assert order.waits == Waits(0, ABSENCE)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "game=yodd board=hex3 games=4 seed=7 clock=60+1 wait=5 absence=9 resume=20",
        "pairs=2 max_turns=30 agree=4 board=hex3 openings=1c3/1a1,2b1;2c3",
        "own_colour=on first.clock=50+1 second.param.playouts=8 each.param.threads=1",
    ],
)
def test_order_that_is_formatted_is_parsed_to_the_same(words: str) -> None:
    order = parse_order(("ann", "bob", *words.split()), "m")
    line = format_order(order.plan, order.waits).split()
    assert line[0] == "match"
    assert parse_order(tuple(line[1:]), "m") == order


def test_order_settings_of_each_engine_give_way_to_those_of_one() -> None:
    words = "each.clock=60 second.clock=30 each.param.playouts=5 first.param.playouts=9"
    plan = parse_order(("ann", "bob", *words.split())).plan
    assert plan.odds == (parse_clock("60"), parse_clock("30"))
    assert plan.params == ({"playouts": "9"}, {"playouts": "5"})


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("solve=8", "not in a match that a daemon plays"),
        ("games=2 pairs=1", "games or pairs, not both"),
        ("third.clock=5", "expected clock or param.NAME of each, first, second"),
        ("first.memory=5", "expected clock or param.NAME"),
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
    assert set(names) == set(ELSEWHERE)
    for name in names:
        with pytest.raises(PeerError, match=f"{name}: not in a match that a daemon plays: "):
            parse_order(("ann", "bob", f"{name}=8"))


@pytest.mark.parametrize("name", ["a\u0435b", "a" * 33, "-a", "a/b"])
def test_order_with_a_name_that_no_engine_has_is_refused(name: str) -> None:
    with pytest.raises(PeerError, match="expected up to 32 ASCII letters"):
        parse_order(("ann", name))


def test_order_that_is_too_long_for_a_request_is_refused() -> None:
    order = parse_order(("ann", "bob", "first.param.x=" + "a" * 20_000))
    with pytest.raises(MatchError, match="send fewer openings"):
        format_order(order.plan, order.waits)


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
