"""The commands that play, and those about runs."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.cli.conftest import yoddd
from tests.daemon.conftest import engine, serving
from tests.daemon.runs.matches import records
from tests.support.games import SAMPLE
from tests.support.programs import YODDD, Program, run
from tests.support.runs import write_archive
from tests.support.schemas import validator
from yoddd.cli.display import CutechessDisplay, Display, result_line
from yoddd.cli.options import PlayOptions
from yoddd.cli.playing import exit_status
from yoddd.daemon.play.executor import StopReason
from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.runs.run import RunBegins, RunEnds, RunStands
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.notation import dump_record
from yoddd.referee.reports.progress import Pace, progress_of
from yoddd.referee.tournament.config import EngineConfig, TournamentConfig, make_plan, parse_toml
from yoddd.referee.tournament.tournament import Tournament
from yoddd.rules import make_rules

CUP = """
name = "Small cup"
board = "hex3"
format = "knockout"
concurrency = 2
[openings]
file = "openings.txt"
[[engine]]
engine = "{0}"
name = "one"
[[engine]]
engine = "{0} --seed 2"
name = "two"
[[engine]]
engine = "{0} --seed 3"
name = "three"
"""


# -- stats ----------------------------------------------------------------------------------


def test_stats_of_counts_prints_estimate_and_test() -> None:
    result = yoddd("stats", "--ptnml", "127,4883,10712,5150,104", "--sprt", "elo0=-1.75,elo1=0.25")
    assert result.exit_code == 0
    assert "LLR 3.01 (-2.94, 2.94): H1" in result.output
    values = json.loads(yoddd("stats", "--ptnml", "1,2,3", "--json").output)
    assert values["pairs"] == 6
    assert yoddd("stats", "--ptnml", "0,0,0").output == "no pairs\n"


def test_commands_refuse_a_folder_without_a_run(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    result = yoddd("stats", str(bad))
    assert result.exit_code == 1
    assert "line 1" in result.output
    for command in ("status", "resume", "pause", "stop"):
        result = yoddd(command, str(tmp_path))
        assert result.exit_code == 1, command
    assert yoddd("set", str(tmp_path), "speed=1").exit_code == 2


@pytest.mark.whole
@pytest.mark.process
def test_tournament_writes_events_archive_and_reports(marker: str, tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("1c3\n2c3 1a1,2b1\n")
    cup = tmp_path / "cup.toml"
    cup.write_text(CUP.format(engine(marker)))
    out = tmp_path / "run"
    done = run(*YODDD, "tournament", cup, "--out", out, "--events", "-")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    found = records(out)
    assert kinds.count("result") == kinds.count("game") == len(found)
    assert kinds.count("turn") == sum(len(r.turns) - r.opening for r in found)
    assert {record.opening for record in found} == {1, 2}
    assert "Small cup" in (out / "report.html").read_text()
    assert json.loads(yoddd("stats", str(out), "--json").output)["games"] == len(found)
    for name in ("report.txt", "report.json", "report.html"):
        (out / name).unlink()
    assert yoddd("stats", str(out), "--write").exit_code == 0
    assert (out / "report.json").exists()
    validator("match-record").validate(json.loads((out / "report.json").read_text()))
    lines = (out / "games.jsonl").read_text().splitlines()
    for line in lines:
        validator("game-record").validate(json.loads(line))
    status = json.loads(yoddd("status", str(out), "--json").output)
    assert (status["running"], status["title"]) == (None, "Small cup")
    bare = tmp_path / "bare.jsonl"
    bare.write_bytes((out / "games.jsonl").read_bytes())
    assert "black won" in yoddd("stats", str(bare)).output


@pytest.mark.whole
@pytest.mark.process
def test_match_with_listen_pairs_an_attached_and_a_local_engine(
    marker: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = [*YODDD, "match", "tcp:far", engine(marker), "--board", "hex3", "--games", "2"]
    with Program([*words, "--listen", "tcp:0:interface=127.0.0.1", "--out", str(out)]) as match:
        where = "127.0.0.1:" + match.stdout.readline().split(":")[1].strip()
        narrow = ["connect", where, "--as", "far", "--plays", "boards=hex4", "--", "cat"]
        assert "refused: not permitted: far plays only boards=hex4" in run(*YODDD, *narrow).stderr
        words = engine(marker, "--connect", where, "--as", "far").split()
        with Program(words):
            output, errors = match.rest()
    assert match.returncode == 0, errors
    assert "score: far" in output
    assert {record.black for record in records(out)} >= {"far"}


@pytest.mark.whole
@pytest.mark.process
def test_match_at_a_daemon_that_was_stopped_is_resumed_and_has_reports(
    marker: str, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ["match", "tcp:far", engine(marker), "--second", "name=near it", "--board", "hex3"]
    with serving() as daemon:
        far = [*YODDD, "connect", daemon.address, "--as", "far", "--", *engine(marker).split()]
        with Program(far) as process:
            match = [*words, "--daemon", daemon.address, "--out", str(out)]
            with Program([*YODDD, *match, "--games", "20"]) as first:
                for line in first.stdout:
                    if line.startswith("game 2: ") and " wins " in line:
                        break
                assert yoddd("pause", str(out)).exit_code == 0
                running = json.loads(yoddd("status", str(out), "--json").output)["running"]
                first.terminate()
                first.rest()
            assert first.returncode == 3
            played = len(records(out))
            done = run(*YODDD, *match, "--games", "20")
            process.terminate()
    assert done.returncode == 0, done.stderr
    assert (running["concurrency"], running["paused"]) == (1, True)
    assert f"resuming: {played} of 20 games are in the archive" in done.stdout
    found = records(out)
    assert len({record.id for record in found}) == len(found) == 20
    assert {record.black for record in found} == {"far", "near-it"}
    assert json.loads((out / "report.json").read_text())["games"] == 20


TWO = '[[engine]]\nengine="builtin:random"\n[[engine]]\nengine="builtin:random"'


@pytest.mark.whole
def test_tournament_with_an_invalid_file_is_refused(tmp_path: Path) -> None:
    cup = tmp_path / "cup.toml"
    for text, reason in (
        ("pairs = 0", "0 engines"),
        ("pairs = 2\ngames = 2\n" + TWO, "games or pairs, not both"),
        ('[[engine]]\nengine="conf:mine"', "engines.toml: No such file"),
        ('[[engine]]\nengine = "builtin:x"', "expected one of"),
        ('[[engine]]\nname = "x"', "empty command line"),
        ('[[engine]]\nengine="tcp:a"\n[[engine]]\nengine="tcp:b"', "endpoint to connect to"),
        ('[[engine]]\nengine="tcp:a"\nname="b"', "it is called a"),
    ):
        cup.write_text(text)
        result = yoddd("tournament", str(cup), "--out", str(tmp_path / "run"))
        assert result.exit_code == 2, text
        assert reason in result.output


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('file="no"', "/no' does not exist"),
        ('generate=1\nengine="no"', "openings.engine: expected one of"),
    ],
)
def test_tournament_with_invalid_openings_is_refused(
    tmp_path: Path, source: str, problem: str
) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text(f"[openings]\n{source}\n{TWO}")
    done = run(*YODDD, "tournament", cup, "--out", tmp_path / "run")
    assert done.returncode == 2
    assert problem in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.fixture
def fonts() -> None:
    """Import what lists the fonts by a program."""
    pytest.importorskip("matplotlib.font_manager")


@pytest.mark.usefixtures("fonts")
@pytest.mark.parametrize(
    "arguments", [["stats"], ["stats", "--json"], ["plot", "--kind", "trace", "--out", "x.svg"]]
)
def test_sprt_of_more_than_two_engines_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    archive = write_archive(tmp_path / "run")
    result = yoddd(*arguments, str(archive), "--sprt", "elo0=0,elo1=10")
    assert result.exit_code == 1
    assert "a test is between two engines, here are ann, bob, cid" in result.output
    cup = tmp_path / "cup"
    config = TournamentConfig(
        board="hex2",
        engine=tuple(EngineConfig(engine=name, name=name) for name in ("ann", "bob", "cid")),
    )
    RunFolder(cup, config).close()
    result = yoddd(*arguments, str(cup), "--sprt", "elo0=0,elo1=10")
    assert "a test is between two engines, here are ann, bob, cid" in result.output


# -- the display ----------------------------------------------------------------------------


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def standing(finished: int, games: int = 2, **pace: Any) -> RunStands:
    engines = '[[engine]]\nengine="a"\nname="a"\n[[engine]]\nengine="b"\nname="b"'
    tournament = Tournament(make_plan(parse_toml(f"games = {games}\n{engines}")))
    tournament.points[0] = finished
    return RunStands(progress_of(tournament, Pace(**pace)))


def test_display_on_a_terminal_rewrites_one_line() -> None:
    stream = Terminal()
    display = Display(stream, make_rules("yodd"), PlayOptions())
    display.show(standing(1))
    display.show(standing(2))
    assert stream.getvalue().count("\r\x1b[K") == 2
    assert "\n" not in stream.getvalue()


def test_display_at_concurrency_one_never_mixes_the_lines_of_games() -> None:
    stream = StringIO()
    display = Display(stream, make_rules("yodd", "hex2"), PlayOptions(boards=True))
    display.show(RunBegins(standing(0, concurrency=1).progress, 0, (), 0, None))
    display.show(GameBegins(1, "g1", "ann", "bob", ()))
    display.show(GameBegins(2, "g2", "bob", "ann", ()))
    display.show(TurnSeen(2, "b", "1a1", 0.5))
    display.show(GameEnds(1, SAMPLE))
    display.show(standing(1, concurrency=1))
    lines = [line for line in stream.getvalue().splitlines() if line.startswith(("game", "1."))]
    assert lines[0] == "game 1: ann (black) against bob (white)"
    assert lines[1].startswith("game 1: Grace wins")
    assert lines[2:] == ["game 2: bob (black) against ann (white)", "1. Black 1a1 (0.50 s)"]


def test_display_that_is_quiet_shows_the_end_only() -> None:
    stream = Terminal()
    display = Display(stream, make_rules("yodd", "hex2"), PlayOptions(quiet=True))
    display.show(GameBegins(1, "g1", "ann", "bob", ()))
    display.show(GameEnds(1, SAMPLE))
    display.show(standing(1))
    assert stream.getvalue() == ""
    display.show(RunEnds(standing(2).progress, StopReason.OVER))
    assert stream.getvalue().splitlines()[-1] == "score: a 2 - 0 b"


def test_cutechess_display_prints_the_lines_that_tools_read() -> None:
    stream = StringIO()
    display = CutechessDisplay(stream)
    display.show(RunBegins(standing(0).progress, 0, (), 0, None))
    display.show(GameBegins(1, "g1", "Ada", "Grace", ()))
    display.show(GameEnds(1, SAMPLE))
    display.show(standing(1))
    display.show(standing(1))
    display.show(RunEnds(standing(2).progress, StopReason.OVER))
    assert stream.getvalue().splitlines() == [
        "Started game 1 of 2 (Ada vs Grace)",
        "Finished game 1 (Ada vs Grace): 0-1 {Grace wins by groups W+1}",
        "Score of a vs b: 1 - 0 - 0  [1.000] 1",
        "Score of a vs b: 2 - 0 - 0  [1.000] 2",
        "Finished match",
    ]


def test_display_elsewhere_prints_no_line_for_the_time_alone() -> None:
    stream = StringIO()
    display = Display(stream, make_rules("yodd"), PlayOptions())
    for rate in (1.0, 0.5, 0.25):
        display.show(standing(2, games=4, rate=rate))
    display.show(standing(2, games=4, rate=0.25, paused=True))
    first, second = stream.getvalue().splitlines()
    assert first == "2/4 games | a 2 - 0 b | 2s to go"
    assert second == "2/4 games | a 2 - 0 b | paused"


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        (None, "ended early: stopped"),
        (Path("games/cup"), "ended early: stopped; resume with: yoddd run resume games/cup"),
    ],
)
def test_display_of_a_stopped_run_names_the_command_that_resumes_it(
    folder: Path | None, line: str
) -> None:
    stream = StringIO()
    display = Display(stream, make_rules("yodd"), PlayOptions(), folder)
    display.show(RunEnds(standing(1).progress, StopReason.STOPPED))
    assert line in stream.getvalue().splitlines()


def test_display_with_boards_shows_each_turn_and_the_file_of_each_game(tmp_path: Path) -> None:
    stream = StringIO()
    shown = PlayOptions(boards=True)
    display = Display(stream, make_rules("yodd", "hex2"), shown, tmp_path)
    display.show(GameBegins(1, "g1", "ann", "bob", ("2a1",)))
    display.show(TurnSeen(1, "w", "pass", 0.5))
    display.show(GameEnds(1, attrs.evolve(SAMPLE, id="g:1")))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "game 1: ann (black) against bob (white)"
    assert "2. White pass (0.50 s)" in lines
    assert "groups: black 0, white 1" in lines
    assert lines[-1] == f"record: {tmp_path / 'g1.sgf'}"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "game 1: Grace wins by groups W+1 after 3 turns"),
        (
            {"reason": "illegal", "score": None, "detail": "1a1: 2 groups, even", "blame": "b"},
            "game 1: Grace wins: Ada played an illegal turn (1a1: 2 groups, even) after 3 turns",
        ),
        ({"reason": "resign", "score": None}, "game 1: Grace wins by resignation after 3 turns"),
        ({"winner": None, "reason": "void", "detail": "stopped"}, "game 1: void (stopped)"),
    ],
)
def test_result_line_names_winner_reason_and_detail(changes: dict[str, Any], line: str) -> None:
    assert result_line(1, attrs.evolve(SAMPLE, **changes)) == line


@pytest.mark.parametrize(
    ("reason", "given_up", "status"),
    [
        (StopReason.OVER, 0, 0),
        (StopReason.OVER, 1, 1),
        (StopReason.STOPPED, 1, 3),
        (StopReason.CRASHED, 0, 4),
    ],
)
def test_exit_status_says_how_a_run_ended(reason: StopReason, given_up: int, status: int) -> None:
    progress = attrs.evolve(standing(1).progress, given_up=given_up)
    assert exit_status(reason, progress) == status


def test_match_at_a_daemon_from_a_position_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    position = "yodd hex3 3/4/2b2/4/3 w 0 2"
    record = attrs.evolve(SAMPLE, position=position, turns=("pass",), times=(1.0,))
    (tmp_path / "positions.jsonl").write_text(dump_record(record) + "\n")
    result = yoddd("match", "tcp:a", "tcp:b", "--openings", "positions.jsonl", "--board", "hex3")
    assert result.exit_code == 2
    assert "from the empty board" in result.output
