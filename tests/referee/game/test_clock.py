"""Time controls: notation, GTP settings, clocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.vectors import FOLDER, vectors
from tests.support.wire import follows
from yoddd.referee import NO_LIMIT, Clock, ClockError, TimeControl, parse_clock
from yoddd.referee.game.clock import FORMS, told_left, told_settings, untold
from yoddd.rules import Colour

SECONDS = st.decimals("0.001", 9999, places=3).map(float)
CONTROLS = st.one_of(
    st.just(NO_LIMIT),
    st.builds(TimeControl, main=SECONDS, increment=SECONDS, move=SECONDS, lag=SECONDS),
    st.builds(TimeControl, main=SECONDS),
    st.builds(TimeControl, move=SECONDS, lag=SECONDS),
    st.builds(TimeControl, main=SECONDS, start=SECONDS, hourglass=st.booleans()),
    st.builds(TimeControl, main=SECONDS, period=SECONDS, periods=st.integers(1, 99)),
    st.builds(lambda days: TimeControl(move=days * 86400.0, days=days), st.integers(1, 14)),
)


@pytest.mark.parametrize(
    ("text", "control", "canonical"),
    [
        ("none", NO_LIMIT, "none"),
        (" None ", NO_LIMIT, "none"),
        ("60+1", TimeControl(60, 1), "60+1"),
        ("60", TimeControl(60), "60+0"),
        ("0.50+0.10", TimeControl(0.5, 0.1), "0.5+0.1"),
        ("move=5", TimeControl(move=5), "move=5"),
        ("MOVE=5,60+1", TimeControl(60, 1, 5), "60+1,move=5"),
        ("60,lag=0.25,move=5", TimeControl(60, 0, 5, 0.25), "60+0,move=5,lag=0.25"),
        ("60,start=30,lag=1", TimeControl(60, lag=1, start=30), "60+0,start=30,lag=1"),
        ("Days=3", TimeControl(move=259200, days=3), "days=3"),
        ("byoyomi=30", TimeControl(0, period=30, periods=1), "0+0,byoyomi=1x30"),
        ("hourglass=60,lag=1", TimeControl(60, lag=1, hourglass=True), "hourglass=60,lag=1"),
        ("600,byoyomi=5x30", TimeControl(600, period=30, periods=5), "600+0,byoyomi=5x30"),
    ],
)
def test_parse_clock_valid_text_is_read_and_spelled(
    text: str, control: TimeControl, canonical: str
) -> None:
    assert parse_clock(text) == control
    assert str(control) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "60+1,byoyomi=3x5",
        "40/60,byoyomi=5",
        "60,hourglass=60",
        "hourglass=60,byoyomi=5",
        "hourglass=0",
        "byoyomi=0x5",
        "byoyomi=3x0",
        "",
        "5s",
        "move",
        "move=0",
        "0",
        "0+1",
        "lag=1",
        "start=1",
        "60,start=0",
        "days=3,lag=1",
        "60,60",
        "move=1,move=2",
        "-5",
        "60+",
        "nan",
    ],
)
def test_parse_clock_invalid_text_is_refused(text: str) -> None:
    with pytest.raises(ClockError, match="clock"):
        parse_clock(text)


@given(CONTROLS)
def test_parse_clock_spelled_control_is_read_back(control: TimeControl) -> None:
    assert parse_clock(str(control)) == control


def kinds(controls: Iterable[str]) -> set[str]:
    """The words that parts of time controls begin with; empty for one that begins with a number."""
    return {word for one in controls for word in re.findall("(?:^|,)([a-z]*)", one)}


KINDS = kinds(FORMS)
TIMES = st.sampled_from(["0", "5", "0.25", "1234567", "12345678", "1.1234567", "5s", "", "-1"])
COUNTS = st.sampled_from(["", "1", "0", "40", "999", "10000"])
PARTS = st.one_of(
    st.builds("{}/{}".format, COUNTS, TIMES),
    st.builds("{}+{}".format, TIMES, TIMES),
    st.builds("byoyomi={}x{}".format, COUNTS, TIMES),
    st.builds("days={}".format, st.sampled_from(["0", "1", "9", "14", "15", "3.5", ""])),
    st.builds(
        "{}={}".format,
        st.sampled_from([*sorted(KINDS - {"", "none"}), "LAG", "x"]),
        TIMES,
    ),
    TIMES,
)


@given(st.lists(PARTS, min_size=1, max_size=3).map(",".join))
@example("60,60,/0")
def test_parse_clock_reads_the_parts_of_the_grammar(text: str) -> None:
    problem = ""
    try:
        parse_clock(text)
    except ClockError as error:
        problem = str(error)
    assert follows("clock", text, exactly=True) is not problem.startswith("clock part"), problem


GTP = ("time_settings", "time_left")
KATA = ("kata-time_settings", *GTP)

TOLD = [
    # clock, seconds of the turns so far, what GTP is told, what KataGo's command is told
    ("none", [], "0 1 0", None, "none", None),
    ("60.5+1", [], "60 0 0", "60 0", "fischer 60.5 1", "60.5 0"),
    ("60", [], "60 0 0", "60 0", "absolute 60", "60 0"),
    ("0.4+1", [], "1 0 0", "1 0", "fischer 0.4 1", "0.4 0"),
    ("1,margin=1", [1.5], "1 0 0", "1 0", "absolute 1", "0.001 0"),
    ("move=2.5", [], "0 2 1", "2 1", "byoyomi 0 2.5 1", "2.5 1"),
    ("move=0.5", [], "0 1 1", "1 1", "byoyomi 0 0.5 1", "0.5 1"),
    ("days=3", [], "0 1 0", None, "none", None),
    ("60+1,move=5", [], "60 0 0", "5 0", "fischer 60 1", "5 0"),
    ("3+1,move=5", [], "3 0 0", "3 0", "fischer 3 1", "3 0"),
    ("3+1,move=0.7", [], "3 0 0", "1 0", "fischer 3 1", "0.7 0"),
    ("hourglass=60", [5], "60 0 0", "55 0", "absolute 60", "55 0"),
    ("60,start=30", [], "60 0 0", "30 0", "absolute 60", "30 0"),
    ("60,start=90", [], "60 0 0", "60 0", "absolute 60", "60 0"),
    ("60,start=30", [20], "60 0 0", "60 0", "absolute 60", "60 0"),
    ("move=5,start=3", [], "0 5 1", "3 1", "byoyomi 0 5 1", "3 1"),
    ("40/60", [], "0 60 40", "60 40", "canadian 0 60 40", "60 40"),
    ("2/10+1", [4], "0 10 2", "7 1", "canadian 0 10 2", "7 1"),
    ("2/10+1", [4, 2], "0 10 2", "16 2", "canadian 0 10 2", "16 2"),
    ("2/10+1", [4, 2, 4, 2], "0 10 2", "22 2", "canadian 0 10 2", "22 2"),
    ("60,byoyomi=3x5", [], "60 5 1", "60 0", "byoyomi 60 5 3", "60 0"),
    ("1,byoyomi=3x5", [], "1 5 1", "1 0", "byoyomi 1 5 3", "1 0"),
    ("byoyomi=3x5.5", [], "0 5 1", "5 1", "byoyomi 0 5.5 3", "5.5 3"),
    ("byoyomi=3x0.5", [], "0 1 1", "1 1", "byoyomi 0 0.5 3", "0.5 3"),
    ("0.3,byoyomi=3x1", [], "1 1 1", "1 1", "byoyomi 0.3 1 3", "0.3 0"),
    ("0.3,byoyomi=3x1", [1.2], "1 1 1", "1 1", "byoyomi 0.3 1 3", "1 3"),
    ("0.3,byoyomi=3x1", [1.2, 1.2], "1 1 1", "1 1", "byoyomi 0.3 1 3", "1 2"),
    ("0.3,byoyomi=3x1", [1.2, 1.2, 1.2], "1 1 1", "1 1", "byoyomi 0.3 1 3", "1 1"),
]


@pytest.mark.parametrize(("text", "turns", "gtp", "left", "kata", "left_fine"), TOLD)
def test_engines_are_told_their_time_as_they_read_it(
    text: str, turns: list[float], gtp: str, left: str | None, kata: str, left_fine: str | None
) -> None:
    clock = Clock(parse_clock(text))
    for seconds in turns:
        clock.charge(seconds, Clock(NO_LIMIT))
    assert told_settings(clock.control, GTP) == f"time_settings {gtp}"
    assert told_settings(clock.control, KATA) == f"kata-time_settings {kata}"
    assert told_left(clock, Colour.BLACK, GTP) == (left and f"time_left b {left}")
    assert told_left(clock, Colour.WHITE, KATA) == (left_fine and f"time_left w {left_fine}")


def test_engine_without_the_commands_is_told_nothing() -> None:
    clock = Clock(parse_clock("60"))
    assert told_settings(clock.control, ()) is told_left(clock, Colour.BLACK, ()) is None


@pytest.mark.parametrize(
    ("text", "commands", "seconds"),
    [
        ("move=0.5", GTP, "0.5 s"),
        ("1.5,byoyomi=3x0.5", GTP, "1.5 s and 0.5 s"),
        ("60+0.1", GTP, ""),
        ("move=0.5", KATA, ""),
        ("move=0.5", (), ""),
    ],
)
def test_untold_names_seconds_that_an_engine_of_whole_seconds_cannot_read(
    text: str, commands: tuple[str, ...], seconds: str
) -> None:
    assert untold(parse_clock(text), commands) == seconds


ROOT = Path(__file__).parents[3]
LAW = ROOT / "docs" / "reference" / "referee-law.md"


@pytest.mark.parametrize(
    ("page", "begin", "end"),
    [
        (ROOT / "protocol" / "server.md", "\nD2.7. ", "\n## "),
        (LAW, "\n## Clocks\n", "\nEngines receive:\n"),
    ],
    ids=["protocol", "manual"],
)
def test_page_lists_every_part_of_a_clock(page: Path, begin: str, end: str) -> None:
    part = page.read_text().partition(begin)[2].partition(end)[0]
    listed = re.findall(r"^\| `([^`]+)` \|", part, re.MULTILINE)
    assert kinds([*listed, "none"]) == KINDS


def test_page_lists_what_engines_are_told_of_a_clock() -> None:
    rows = re.findall(r"^\| `(.+)` \| `(.+)` \| `(.+)` \|$", LAW.read_text(), re.MULTILINE)
    assert kinds(text for text, *_ in rows) == KINDS - {"start", "lag", "margin"}
    for text, gtp, kata in rows:
        control = parse_clock(text)
        assert told_settings(control, GTP) == f"time_settings {gtp}"
        assert told_settings(control, KATA) == f"kata-time_settings {kata}"


def test_clocks_of_every_part_have_a_vector() -> None:
    lines = (FOLDER / "clocks.txt").read_text().splitlines()
    assert kinds(line.partition(" ; ")[0] for line in lines if line[0] != "#") == KINDS


@pytest.mark.parametrize(("text", "turns", "black", "white", "limit"), vectors("clocks"))
def test_clocks_charge_turns_as_the_vectors_say(
    text: str, turns: str, black: str, white: str, limit: str
) -> None:
    control = parse_clock(text)
    clocks = Clock(control), Clock(control)
    for seconds, (clock, opponent) in zip(
        turns.strip("-").split(), cycle((clocks, clocks[::-1])), strict=False
    ):
        taken, end = pytest.approx(float(seconds)), 100.0 + float(seconds)
        clock.start(100.0)
        assert clock.elapsed(end) == taken
        assert clock.stop(end, opponent) == taken
    for clock, left in zip(clocks, (black, white), strict=True):
        main, *periods = left.split()
        assert clock.remaining == (None if main == "-" else pytest.approx(float(main)))
        assert [f"{clock.periods}x"] * len(periods) == periods
    clocks[0].start(0.0)
    assert clocks[0].deadline == (None if limit == "-" else pytest.approx(float(limit)))


def test_clock_charges_nothing_for_time_that_goes_backwards() -> None:
    clock = Clock(parse_clock("10"))
    clock.start(5.0)
    assert (clock.stop(4.0, Clock(NO_LIMIT)), clock.remaining) == (0.0, 10.0)


@given(CONTROLS, st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1)), max_size=20))
def test_clock_turns_in_time_leave_no_negative_time(
    control: TimeControl, turns: list[tuple[float, float]]
) -> None:
    clock = Clock(control)
    for now, share in turns:
        clock.start(now)
        end = now + share * ((clock.deadline if clock.deadline is not None else now) - now)
        clock.stop(end, clock)
        assert clock.remaining is None or clock.remaining >= 0
