"""Games as SGF: round trips of records, and foreign trees."""

import attrs
import pytest

from tests.support.games import SAMPLE, SMALL_RULES, play_random, rules_id
from tests.support.vectors import vectors
from yoddd import __version__
from yoddd.notation import (
    NotationError,
    SgfGame,
    format_position,
    parse_position,
    parse_sgf,
    parse_turn,
    position_to_sgf,
    read_sgf_game,
    record_to_sgf,
    write_sgf,
)
from yoddd.notation.archives import ArchiveFormat, read_archive
from yoddd.notation.evaluations import Evaluation
from yoddd.rules import Position, Rules, make_rules

HEAD = "(;GM[9633]YGAME[yodd]YBOARD[hex3]"

RECORD = attrs.evolve(
    SAMPLE,
    black="Ada [1] \\ co",
    turns=("1c3", "1a1,2a2", "pass", "pass"),
    times=(0.0, 2.5, 20.0, 0.1),
    ended="2030-01-31T12:00:23Z",
    clock="60+1.5",
    opening=1,
    seed=7,
)

SWAPPED = attrs.evolve(
    RECORD,
    game="yoin",
    board="hex2",
    options={"pie": "on"},
    turns=("b2", "swap", "a1", "a2", "resign"),
    times=(1.0, 2.0, 3.0, 4.0, 5.0),
    winner="w",
    reason="resign",
    score=None,
    clock="60",
    opening=0,
)


def read(text: str) -> SgfGame:
    trees, errors = parse_sgf(text)
    assert errors == []
    return read_sgf_game(trees[0])


def test_record_to_sgf_has_every_field() -> None:
    evaluation = Evaluation(winrate=0.25, visits=12, time=0.5, pv=("1a1,2a2", "pass"))
    machine = (0.0, 0.5, 0.0, 0.0)
    evaluations = (None, evaluation, None, Evaluation(depth=3))
    record = attrs.evolve(RECORD, machine=machine, evaluations=evaluations, unread=(0, 2))
    text = write_sgf([record_to_sgf(record)])
    assert list(read_archive([text], ArchiveFormat.SGF)) == [record]
    assert text == (
        "(;FF[4]\nGM[9633]\nCA[UTF-8]\n"
        "YGAME[yodd]\nYBOARD[hex3]\nSZ[3]\n"
        "YHASH[159061a29ec807fe14495aa773bef3b3cdb3d5f5e2e1d226310a756ad3a21718]\nYOPTION[end_on_full:off][own_colour:off]\n"
        f"AP[yoddd:{__version__}]\nGN[m1-1]\nPB[Ada [1\\] \\\\ co]\nPW[Grace]\n"
        "DT[2030-01-31]\nRE[W+1]\n"
        "TM[60]\nYCLOCK[60+1.5]\nYSCORE[W+1]\nYOPENING[1]\nYSEED[7]\nYUNREAD[0:2]\n"
        "YSTARTED[2030-01-31T12:00:00Z]\nYENDED[2030-01-31T12:00:23Z]\nYEND[groups:]\n"
        ";B[1c3]BL[60]YTIME[0]YMACHINE[0]\n"
        ";W[1a1,2a2]WL[59]YTIME[2.5]YMACHINE[0.5]V[50]SBKV[75]YEVAL[0.25]"
        "YINFO[winrate 0.25 visits 12 time 0.5 pv 1a1,2a2 pass]"
        "C[25.0%, 12 visits, 0.50 s; 1a1,2a2 pass]\n"
        ";B[pass]BL[41.5]YTIME[20]YMACHINE[0]\n"
        ";W[pass]WL[60.4]YTIME[0.1]YMACHINE[0]YINFO[depth 3]C[depth 3])\n"
    )


def test_record_to_sgf_swap_exchanges_colours_and_keeps_clocks() -> None:
    moves = write_sgf([record_to_sgf(SWAPPED)]).splitlines()[-5:]
    assert moves == [
        ";B[b2]BL[59]YTIME[1]",
        ";W[swap]WL[58]YTIME[2]",
        ";W[a1]WL[56]YTIME[3]",
        ";B[a2]BL[54]YTIME[4]",
        ";W[resign]WL[51]YTIME[5])",
    ]


@pytest.mark.parametrize(("clock", "turns", "black", "white", "limit"), vectors("clocks"))
def test_record_to_sgf_leaves_the_time_of_the_vectors(
    clock: str, turns: str, black: str, white: str, limit: str
) -> None:
    del limit
    times = tuple(map(float, turns.strip("-").split()))
    record = attrs.evolve(RECORD, turns=RECORD.turns[: len(times)], times=times, opening=0)
    root = record_to_sgf(attrs.evolve(record, clock=clock, reason="resign", score=None))
    left: dict[str, str | None] = {}
    for node in root.main_line():
        left |= {name: node.text(name) for name in ("BL", "WL") if name in node.properties}
    if "=" in clock or "/" in clock or clock == "none":  # SGF has no clock like it
        assert (left, root.text("TM")) == ({}, None)
    else:
        told = list(zip(("BL", "WL"), (black, white), strict=True))
        assert (left, root.text("TM")) == (dict(told[: len(times)]), clock.partition("+")[0])


@pytest.mark.parametrize(
    ("tokens", "result"),
    [("b2 a1 resign", "W+R"), ("b2 swap a1 resign", "B+R"), ("b2 swap resign", "W+R")],
)
def test_position_to_sgf_finished_game_has_result_by_seat(tokens: str, result: str) -> None:
    position = Position(make_rules("yoin", "hex2"))
    for token in tokens.split():
        position.play(parse_turn(token, position.rules, position.player))
    assert position_to_sgf(position).text("RE") == result


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({}, "W+1"),
        ({"winner": "b", "reason": "adjudicated", "score": "W+5"}, "B+5"),
        ({"reason": "resign", "score": None}, "W+R"),
        ({"reason": "time", "score": None, "blame": "b"}, "W+T"),
        ({"reason": "crash", "score": None, "blame": "b"}, "W+F"),
        ({"reason": "adjudicated", "score": None}, "W+"),
        ({"reason": "void", "winner": None, "score": None, "blame": "referee"}, "Void"),
    ],
)
def test_record_to_sgf_result_is_by_seat(changes: dict[str, str | None], result: str) -> None:
    record = attrs.evolve(RECORD, seed=None, opening=0, **changes)  # type: ignore[arg-type] # reason: one value type for all keys
    root = record_to_sgf(record)
    assert root.text("RE") == result
    assert read(write_sgf([root])).result == result
    assert "YSEED" not in root.properties
    assert "YOPENING" not in root.properties


def test_record_to_sgf_other_clock_has_start_but_no_time_left() -> None:
    line = "yodd hex3 3/4/2b2/4/3 w 0 2"
    record = attrs.evolve(
        RECORD,
        position=line,
        turns=("pass",),
        times=(1.0,),
        clock="move=5",
        reason="resign",
        score=None,
    )
    root = record_to_sgf(record)
    assert root.text("YSTART") == line
    assert "TM" not in root.properties
    assert list(root.children[0].properties) == ["W", "YTIME"]
    game = read(write_sgf([root]))
    assert game.start.number == 2
    assert len(game.turns) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(;YGAME[yodd]SZ[3])", "yodd hex3 3/4/5/4/3 b 0 1"),
        ("(;YGAME[xodd]SZ[4])", "xodd square4 4/4/4/4 b 0 1"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3]PL[W])", "yodd hex3 3/4/2b2/4/3 w 0 2"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3];W[1c2])", "yodd hex3 3/4/2b2/4/3 w 0 2"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3])", "yodd hex3 3/4/2b2/4/3 b 0 3"),
        ("(;YGAME[yodd]SZ[3]AB[c3][A1]AW[a3]PL[Black])", "yodd hex3 3/4/2b2/4/b1w b 0 3"),
        ("(;YGAME[odd]YBOARD[hex3]AB[c3]AW[a1]PL[B])", "odd hex3 3/4/2b2/4/w2 b 0 3"),
        ("(;YGAME[yoin]YBOARD[hex2]AB[b2]PL[W])", "yoin hex2 2/1b1/2 w 0 2"),
        ("(;YGAME[yodd]YBOARD[hex3]PL[W])", "yodd hex3 3/4/5/4/3 w 0 1"),
    ],
)
def test_read_sgf_game_reads_set_up_and_size(text: str, line: str) -> None:
    game = read(text)
    assert game.errors == ()
    assert format_position(game.start) == line


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("yodd hex3 3/4/2b2/4/3 w 0 2", {"AB": ["c3"], "PL": ["W"]}),
        ("odd hex3 3/4/2b2/4/w2 b 0 3", {"AB": ["c3"], "AW": ["a1"], "PL": ["B"]}),
        ("yodd hex3 3/4/2b2/4/3 b 1 3", {}),  # SGF has no word for a pass before
        ("yodd hex3 3/4/5/4/3 b 0 1", {}),
    ],
)
def test_position_to_sgf_writes_set_up_where_it_means_the_same(
    line: str, written: dict[str, list[str]]
) -> None:
    root = position_to_sgf(parse_position(line))
    found = {name: root.texts(name) for name in ("AB", "AW", "PL") if root.texts(name)}
    assert found == written
    assert root.text("SZ") == "3"
    assert format_position(read(write_sgf([root])).start) == line


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
def test_set_up_alone_has_stones_and_player_of_the_position(rules: Rules) -> None:
    position = play_random(Position, rules, seed=3)
    while position.is_over or position.passes:
        position.undo()
    root = position_to_sgf(
        Position.set_up(rules, position.cells, position.player, 0, position.number)
    )
    del root.properties["YSTART"]
    start = read(write_sgf([root])).start
    assert (start.cells, start.player) == (position.cells, position.player)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+Resign", "B+R"),
        ("W+Time", "W+T"),
        ("B+Forfeit", "B+F"),
        ("B+12.5", "B+12.5"),
        ("?", "?"),
        ("W+", "W+"),
    ],
)
def test_read_sgf_game_accepts_foreign_results(text: str, result: str) -> None:
    assert read(f"{HEAD}RE[{text}])").result == result


@pytest.mark.parametrize(
    ("text", "turns", "reason"),
    [
        (HEAD + "RE[Draw])", 0, "line 1, column 2: RE[Draw]: not a result"),
        (HEAD.replace("9633", "1") + ")", 0, "line 1, column 2: GM[1]: expected 9633"),
        (HEAD + ";AB[c3])", 0, "line 1, column 34: AB: a position is set up in the root only"),
        (HEAD + ";B[1c3]\n;B[pass])", 1, "line 2, column 1: turn 2: B where White is to move"),
        (HEAD + ";B[1c3]W[pass])", 0, "line 1, column 34: turn 1: B and W where Black"),
        (HEAD + ";B[1c3][pass])", 0, "line 1, column 34: turn 1: 2 values where a turn is one"),
        (HEAD + ";B[1z3])", 0, "line 1, column 34: turn 1, 1z3: no cell 'z3' on hex3"),
        (HEAD + ";B[])", 0, "line 1, column 34: turn 1, pass: 0 groups, even"),
        (
            HEAD + ";B[1c3];C[nothing]\n;W[1a1];B[pass])",
            1,
            "line 2, column 1: turn 2, 1a1: 2 groups, even",
        ),
    ],
)
def test_read_sgf_game_stops_before_bad_turn(text: str, turns: int, reason: str) -> None:
    game = read(text)
    assert len(game.turns) == turns
    assert [str(error)[: len(reason)] for error in game.errors] == [reason]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1]SZ[19])", "no YGAME: which game is it?"),
        ("(;YGAME[go])", "no game 'go'"),
        ("(;YGAME[yodd]YOPTION[pie])", "YOPTION[pie]: expected name:value"),
        ("(;YGAME[yodd]YOPTION[pie:on])", "Yodd has no option 'pie'"),
        ("(;YGAME[yodd]YSTART[yodd])", "YSTART: column 5: board is missing"),
        ("(;YGAME[odd]YSTART[odd hex2 2/3/2 b 0 1])", "YSTART: another game, board"),
        ("(;YGAME[yodd]YBOARD[hex3]SZ[4])", "SZ[4]: hex3 has 3 cells a side"),
        ("(;YGAME[yodd]SZ[99])", "no board hex99"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[z9])", "AB[z9]: no such cell on hex3"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3]AW[C3])", "AW[c3]: the cell has a stone already"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3][a1])", "AB, AW or PL: 2 groups, even"),
        ("(;YGAME[yodd]YBOARD[hex3]AB[c3]PL[x])", "PL[x]: expected B or W"),
        (
            "(;YGAME[yodd]YBOARD[hex3]AB[c3]YSTART[yodd hex3 3/4/5/4/3 b 0 1])",
            "AB, AW or PL: another position than that of YSTART",
        ),
    ],
)
def test_read_sgf_game_without_game_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        read("\n" + text)
    assert caught.value.reason.startswith(reason)
    assert caught.value.line == 2
