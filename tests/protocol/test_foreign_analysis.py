"""Analysis lines and replies as programs for Go read them.

None of these programs is on a package index; what they read is done here in Python. Lizzie's reader
is `fromInfoKatago` of `MoveData.java` (ebeb446), gtp2ogs' `loadState` of `Bot.ts` (9.0.1), and
`reg_genmove null` is sent by `Statistics.java` of GoGui 1.6. The reader of Sabaki is
`src/modules/analysis.js` of version 0.60: it takes what `analyze`
and `lz-analyze` say as ten-thousandths, and what `kata-analyze` says as 0 to 1. The requests of
KataGo Anytime are those of its `ConfigModel.swift`, and the reader of a turn that may have been
cancelled is that of a controller for FoxGo (`FoxGame.search`).
"""

from __future__ import annotations

import re

import pytest

from tests.protocol.peer import Peer
from tests.support.engines import Answering
from yoddd.engine import Candidate, Insight, MctsSearcher, SearchResult
from yoddd.kernel import backend
from yoddd.notation import parse_turn
from yoddd.protocol.commands.analysis import AnalysisOptions, ReportWriter
from yoddd.protocol.config import Dialect
from yoddd.protocol.coordinates import Coordinates, Spelling, Turns
from yoddd.protocol.effects import RepeatLine, StartAnalysis
from yoddd.rules import Colour, Rules, make_rules

_PV = re.compile(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$")
_VERTEX = re.compile(r"[A-HJ-Z]\d+")


def even() -> Answering:
    """An engine that gives its turn 37.5 % and expects the first legal turn in reply."""
    return Answering(
        lambda position, _: SearchResult(
            next(position.legal_turns()), playouts=80, winrate=0.375, visits=80
        ),
        "even",
    )


def read_as_sabaki(line: str, command: str) -> list[tuple[str, int, float, list[str]]]:
    """Return vertex, visits, per cent and variation of each candidate."""
    found = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        match = _PV.search(part.strip())
        assert match is not None, part
        tokens = part.strip()[: match.start()].split()[:-1]
        values = dict(zip(tokens[::2], tokens[1::2], strict=True))
        assert re.fullmatch(r"[A-Za-z]\d+", values["move"])
        winrate = float(values["winrate"])
        winrate = winrate * 100 if command.startswith("kata") else winrate / 100
        found.append((values["move"], int(values["visits"]), winrate, match[0].split()))
    return found


def analysis_of(peer: Peer, command: str) -> str:
    (line,) = (line for line in peer.ask(f"{command} B 50").split("\n") if line.startswith("info"))
    return line


@pytest.mark.parametrize("command", ["analyze", "kata-analyze", "lz-analyze"])
@pytest.mark.parametrize("game", ["yoin hex5 pie=off", "odd square9"])
def test_analysis_sabaki_reads_the_winrate_and_plain_vertices(game: str, command: str) -> None:
    peer = Peer(engines={"first": even}, coordinates=Coordinates.GOGUI, dialect=Dialect.LZ, seed=1)
    peer.setup(f"game {game}")
    ((vertex, visits, percent, variation),) = read_as_sabaki(analysis_of(peer, command), command)
    assert (vertex, visits) == ("A1", 80)
    assert percent == pytest.approx(37.5)
    assert variation[0] == vertex
    assert all(_VERTEX.fullmatch(word) for word in variation)


@pytest.mark.parametrize("prefix", ["", "kata-", "lz-"])
def test_genmove_analyze_last_line_is_a_vertex(prefix: str) -> None:
    peer = Peer(engines={"first": even}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex5 pie=off")
    assert peer.ask(f"{prefix}genmove_analyze B 50").endswith("\nplay A1")


def test_analysis_of_leela_zero_has_only_its_numbers() -> None:
    peer = Peer(engines={"first": even})
    peer.setup("game yodd hex3")
    line = analysis_of(peer, "lz-analyze")
    assert line == "info move 1a1 visits 80 winrate 3750 prior 263 order 0 pv 1a1"


@pytest.mark.parametrize("command", ["analyze", "kata-analyze", "lz-analyze"])
@pytest.mark.parametrize(
    ("coordinates", "words", "limit", "is_repeated"),
    [
        (Coordinates.GOGUI, "b 30", None, True),
        (Coordinates.GOGUI, "b 30 avoid b A1 1", None, True),
        (Coordinates.GOGUI, "b 30 maxvisits 9", None, False),
        (Coordinates.GOGUI, "b 30 maxtime 9", None, False),
        (Coordinates.GOGUI, "b 30", 60.0, False),
        (Coordinates.ROWS, "b 30", None, False),
    ],
)
def test_analysis_without_a_limit_repeats_its_last_line_for_a_program_for_go(
    command: str, coordinates: Coordinates, words: str, limit: float | None, is_repeated: bool
) -> None:
    peer = Peer(engines={"first": MctsSearcher}, coordinates=coordinates, analysis=limit)
    peer.setup("game yoin hex2 pie=off")  # small enough for a proof
    said = peer.ask(f"{command} {words}")
    last = said.rstrip("\n").rpartition("\n")[2]
    assert last.startswith("info move ")
    assert (peer.log[-1] == RepeatLine(1, last, 0.3)) is is_repeated
    assert peer.sent.endswith(b"\n\n") is not is_repeated
    peer.ask("name")
    assert peer.sent.endswith(b"\n\n= yoddd\n\n")


def test_analysis_of_a_finished_game_is_a_pass_for_a_program_for_go() -> None:
    peer = Peer(engines={"first": MctsSearcher}, coordinates=Coordinates.GOGUI)
    peer.setup("position yoin hex2 bb/wbw/bw b 0 8 pie=off", "play b pass")
    assert peer.ask("final_score") == "= B+1"
    for player, winrate in (("b", 10000), ("w", 0)):
        line = f"info move pass visits 1 winrate {winrate} prior 10000 order 0 pv pass"
        assert peer.ask(f"lz-analyze {player} maxtime 1").split("\n") == ["= ", line]
    peer.setup("set_param coordinates rows")
    assert peer.ask("lz-analyze b") == "? illegal move: the game is over"


def read_as_lizzie(line: str) -> list[dict[str, float]]:
    """Return visits, per cent and mean score of each candidate."""
    found = []
    for part in line.split("info")[1:]:
        values = {"visits": 0.0, "winrate": 0.0, "scoreMean": 0.0}
        words = part.split()
        for key, value in zip(words[: words.index("pv") : 2], words[1::2], strict=False):
            if key in values:
                values[key] = float(value) * (100 if key == "winrate" else 1)
        found.append(values)
    return found


def test_analysis_lizzie_reads_the_expected_lead() -> None:
    rules = make_rules("odd", "hex3")
    turn = parse_turn("1a1", rules, Colour.BLACK)
    insight = Insight((Candidate(turn, 80, 0.375, 0.1, (turn,), margin=-1.25, spread=2.0),))
    spelling = Spelling.of(rules, Coordinates.ROWS, Turns.WHOLE)
    line = ReportWriter(AnalysisOptions({}, None, frozenset()), spelling, Colour.BLACK).line(
        insight
    )
    assert read_as_lizzie(line) == [{"visits": 80, "winrate": 37.5, "scoreMean": -1.25}]
    assert " scoreMean -1.250 scoreLead -1.250 scoreStdev 2.000 " in line


@pytest.mark.parametrize(
    ("rules", "turns", "side"),
    [
        (make_rules("yoin", "hex3"), Turns.WHOLE, 5),
        (make_rules("odd", "square4"), Turns.WHOLE, 4),
        (make_rules("xodd", "square4"), Turns.SINGLE, 5),
    ],
)
def test_ownership_has_a_number_for_each_point_of_the_board_announced(
    rules: Rules, turns: Turns, side: int
) -> None:
    spelling = Spelling.of(rules, Coordinates.GOGUI, turns)
    cells = range(rules.geometry.cells)
    insight = Insight(ownership=tuple((1 + cell) / 1000 for cell in cells))
    options = AnalysisOptions({}, None, frozenset({"ownership"}))
    line = ReportWriter(options, spelling, Colour.BLACK).line(insight)
    assert line.startswith("ownership ")
    owned = [float(word) for word in line.split()[1:]]
    assert len(owned) == side * side
    # KataGo's order: the top row first, each from the left.
    for cell, label in enumerate(spelling.labels):
        column, row = "ABCDEFGHJ".index(label[0]), int(label[1:])
        assert owned[(side - row) * side + column] == pytest.approx((1 + cell) / 1000)
    assert owned.count(0) == side * side - rules.geometry.cells


def test_time_settings_of_gtp2ogs_are_taken() -> None:
    peer = Peer()
    for request in ("fischer-capped 60 5 300 -1", "byoyomi 60 10 5", "canadian 60 30 5"):
        assert peer.ask(f"kata-time_settings {request}") == "= "


def test_reg_genmove_of_gogui_statistics_is_for_the_player_on_turn() -> None:
    peer = Peer(engines={"first": even}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex5 pie=off")
    peer.ask("play B A1")
    assert peer.ask("reg_genmove null") == peer.ask("reg_genmove W") == "= B1"


@pytest.mark.parametrize("cancels", [False, True])
def test_cancellable_search_katago_anytime_asks_and_foxgo_reads(cancels: bool) -> None:
    peer = Peer(engines={"first": even}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex5 pie=off", "set_param seconds 0.5")
    peer.feed(
        b"kata-search_analyze_cancellable interval 50 maxmoves 50 ownership true"
        b" ownershipStdev true\n"
    )
    effect = peer.log[-1]
    assert isinstance(effect, StartAnalysis)
    assert effect.seconds == 0.5
    if cancels:
        peer.feed(b"stop\n")
    reply = peer.finish_task(effect, stop=cancels).decode()
    match = re.search(r"^play (\S+)\s*$", reply, re.MULTILINE)
    assert match is not None
    assert match[1] == ("cancelled" if cancels else "A1")
    # Both play the turn themselves once they have accepted it.
    assert peer.ask("play B A1") == "= "


@pytest.mark.skipif(not backend().is_native, reason="needs the native kernel")
@pytest.mark.parametrize("command", ["kata-analyze", "lz-genmove_analyze", "kata-genmove_analyze"])
def test_allow_and_avoid_leave_the_turns_that_katago_controllers_ask_for(command: str) -> None:
    peer = Peer(engines={"first": MctsSearcher}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex4 pie=off")
    for restriction, fits in (
        ("allow b D4,F6 1 allow w D4,F6 1", lambda move: move in {"D4", "F6"}),
        ("avoid b D4,C3,D5 1 avoid w D4 1", lambda move: move not in {"D4", "C3", "D5"}),
    ):
        reply = peer.ask(f"{command} B interval 10 maxvisits 500 {restriction}")
        moves = re.findall(r"info move (\S+)", reply)
        assert moves
        assert all(map(fits, moves))
        peer.setup("clear_board")


def test_allow_and_avoid_that_cannot_be_heeded_are_refused() -> None:
    peer = Peer(engines={"first": even}, coordinates=Coordinates.GOGUI)
    peer.setup("game yoin hex4 pie=off")
    for words, reason in (
        ("allow b D4 1", "avoid and allow: only mcts heeds them"),
        ("allow b D4", "allow: expected PLAYER STONE,... TURNS"),
        ("avoid b Z9 1", ""),
        ("avoid b D4 0", "avoid"),
    ):
        assert peer.ask(f"kata-analyze b {words}").startswith(f"? syntax error: {reason}")
