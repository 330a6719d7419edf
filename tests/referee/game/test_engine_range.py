"""The ranges of engines: the words of ``attach``, and what lies between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.referee.game.test_clock import CONTROLS
from tests.support.wire import follows
from yoddd.board import Shape, sizes_of
from yoddd.protocol.errors import PeerError, Subcode
from yoddd.referee import TimeControl, parse_clock
from yoddd.referee.game.engine_range import EngineRange
from yoddd.rules import GAMES, Rules, make_rules

ALL = {f"{shape}{size}" for shape in Shape for size in sizes_of(shape)[:8]}


@st.composite
def _boards(draw: st.DrawFn) -> tuple[str, set[str]]:
    """The word of some boards, and their names."""
    words, names = [], set[str]()
    for _ in range(draw(st.integers(1, 3))):
        shape = draw(st.sampled_from(Shape))
        size = st.sampled_from(sizes_of(shape)[:8])
        low, high = sorted((draw(size), draw(size)))
        words.append(f"{shape}{low}" + f"..{shape}{high}" * (low < high))
        names |= {f"{shape}{n}" for n in range(low, high + 1)}
    return ",".join(words), names


RULES = st.sampled_from([*GAMES]).flatmap(
    lambda game: st.sampled_from(
        [make_rules(game, one) for one in ALL if one.strip("0123456789") in GAMES[game].boards]
    )
)
STATED = st.one_of(st.just(("", ALL)), _boards())


@given(st.lists(st.sampled_from([*GAMES]), unique=True), STATED, RULES)
def test_engine_range_has_the_games_and_boards_that_its_words_name(
    games: list[str], boards: tuple[str, set[str]], rules: Rules
) -> None:
    given_words = {"games": ",".join(games), "boards": boards[0]}
    stated = {name: word for name, word in given_words.items() if word}
    plays, control = EngineRange.read(stated), parse_clock("60")
    assert plays.words == [f"{name}={word}" for name, word in stated.items()]
    assert all(follows("attach-option", word, exactly=True) for word in plays.words)
    is_known = not games or rules.game.name in games
    assert plays.includes(rules, control) == (is_known and rules.geometry.name in boards[1])


@given(CONTROLS, CONTROLS, CONTROLS)
def test_engine_range_has_the_clocks_between_its_ends(
    first: TimeControl, second: TimeControl, third: TimeControl
) -> None:
    least, between, most = sorted((first, second, third), key=lambda one: one.length)
    for stated in (f"{least}..{most}", f"{least}..", f"..{most}"):
        plays = EngineRange.read({"clock": stated})
        assert plays.has_clock(between)
        assert plays == EngineRange.read(dict(word.split("=", 1) for word in plays.words))
        assert follows("attach-option", *plays.words, exactly=True)
    assert EngineRange.read({"clock": f"{most}.."}).has_clock(least) == (
        least.length == most.length
    )


@pytest.mark.parametrize(
    "clocks",
    [
        "10 hourglass=30 60 60+1 move=5 600,start=600 600+5 600,byoyomi=3x30 none",
        "40/20 30,lag=9,margin=9 20/20 move=1,9999 99/60 60,byoyomi=9x1",
    ],
)
def test_clocks_of_all_kinds_are_ordered_by_their_time_for_forty_turns(clocks: str) -> None:
    lengths = [parse_clock(text).length for text in clocks.split()]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"boards": "hex1"}, "no board hex1"),
        ({"boards": "hex3..square5"}, "boards 'hex3..square5': expected two of one shape"),
        ({"boards": "hex5..hex3"}, "the smaller one first"),
        ({"boards": "hex3,"}, "no board ''"),
        ({"clock": "60"}, r"clock '60': expected LEAST\.\.MOST"),
        ({"clock": "60..10"}, r"clock '60\.\.10': 10\+0 leaves less time than 60\+0"),
        ({"clock": "none..60"}, "leaves less time than none"),
        ({"clock": "x..60"}, "clock part 'x'"),
    ],
)
def test_engine_range_refuses_words_that_name_none(options: dict[str, str], reason: str) -> None:
    with pytest.raises(PeerError, match=reason):
        EngineRange.read(options)


def test_engine_that_is_closed_plays_nothing_and_says_why() -> None:
    plays = EngineRange.read({"boards": "hex3", "closed": "Back_at_18:00..20:00"})
    assert plays.words == ["boards=hex3", "closed=Back_at_18:00..20:00"]
    assert follows("attach-option", plays.words[1], exactly=True)
    terms = make_rules("odd", "hex3"), parse_clock("60")
    assert not plays.includes(*terms)
    with pytest.raises(PeerError, match=r"bot begins no game: Back at 18:00\.\.20:00"):
        plays.check("bot", *terms)
    with pytest.raises(PeerError, match="closed: expected up to 64 ASCII characters"):
        EngineRange.read({"closed": "\u202e"})


def test_engine_range_refuses_a_game_and_says_what_is_played() -> None:
    options: dict[str, Any] = {"games": "odd:" + "0" * 64, "boards": "HEX-3..hex4", "clock": "..9"}
    plays = EngineRange.read(options)
    with pytest.raises(PeerError) as error:
        plays.check("bot", make_rules("odd", "hex5"), parse_clock("5"))
    assert error.value.subcode is Subcode.RANGE
    assert error.value.detail == "bot plays only games=odd boards=hex3..hex4 clock=..9+0"
