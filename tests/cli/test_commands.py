"""The commands that need no daemon."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import attrs
import click
import pytest

from tests.cli.conftest import yoddd
from tests.support.games import SAMPLE
from tests.support.programs import PATIENCE, YODDD, Program, output_of, run
from tests.support.runs import write_archive
from yoddd.cli import main
from yoddd.kernel import backend
from yoddd.notation import dump_record, format_turn, load_record, parse_position
from yoddd.rules import PASS

PICTURE = "yodd hex3 3/4/2b2/4/3 w 0 2"


def test_version_names_the_libraries_and_the_kernel() -> None:
    *lines, kernel = yoddd("--version").output.splitlines()
    assert kernel == f"kernel {backend().name}: {backend().detail}"
    assert [line.split()[0] for line in lines] == ["yoddd", "protocol", "Twisted", "Python"]
    assert all(re.fullmatch(r"\S+ \S*\d\S*", line) for line in lines)


def examples(name: str) -> list[list[str]]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    text = (command.help or "").partition("Examples:")[2]
    return [shlex.split(line) for line in text.splitlines() if line.strip().startswith("yoddd ")]


@pytest.mark.parametrize(
    "arguments",
    [example for name in ("perft", "solve", "bench") for example in examples(name)],
    ids=" ".join,
)
def test_help_examples_parse(arguments: list[str]) -> None:
    command = main.get_command(click.Context(main), arguments[1])
    assert command is not None
    command.make_context(arguments[1], arguments[2:])


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        ("perft --game yodd --board hex3 --depth 2", "16370"),
        ("perft --game xodd --board square3 --depth 3", "51138"),
        ("perft --depth 1 --position 'yodd hex4 4/5/6/3b3/6/5/4 w 0 2'", "2011"),
        ("perft --game odd --board hex2 --option min_group=2 --depth 0", "1"),
    ],
)
def test_perft_prints_the_number_on_its_last_line(arguments: str, number: str) -> None:
    result = yoddd(*shlex.split(arguments))
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == number


def test_perft_divide_prints_the_number_of_every_first_turn() -> None:
    arguments = shlex.split("perft --position 'yodd hex3 3/4/5/1b2/3 w 0 2' --divide")
    *lines, empty, total = yoddd(*arguments, "--depth", "2").output.splitlines()
    counts = {token: int(count) for token, _, count in (line.partition(": ") for line in lines)}
    assert empty == ""
    assert sum(counts.values()) == int(total) == int(yoddd(*arguments[:-1]).output)
    position = parse_position(arguments[2])
    assert list(counts) == [format_turn(turn, position.rules) for turn in position.legal_turns()]
    position.play(PASS)
    assert counts["pass"] == position.count_turns()


needs_kernel = pytest.mark.skipif(not backend().is_native, reason=backend().detail)


@needs_kernel
def test_solve_prints_winner_line_nodes_and_time() -> None:
    result = yoddd("solve", "xodd square2 2/2 b 0 1")
    assert result.exit_code == 0
    winner, line, nodes, time, distance = result.output.splitlines()
    assert winner == "w"
    assert distance == "distance 4"
    assert re.fullmatch(r"line( (pass|[12][ab][12](,[12][ab][12])?))+", line)
    assert re.fullmatch(r"nodes [1-9][0-9]*", nodes)
    assert re.fullmatch(r"time [0-9.]+ s", time)


@needs_kernel
def test_solve_tells_the_memory_of_a_sweep_before_it_begins() -> None:
    position = "yodd hex3 2w/1b2/1bw2/w3/1b1 w 0 7"
    result = yoddd("solve", position)
    assert result.stderr == "sweep: 13 empty cells, 1,594,323 fillings, 1 MiB\n"
    assert result.stdout.startswith("w\n")
    compact = yoddd("solve", position, "--memory", "1")
    assert "compact" not in compact.stderr  # less than a MiB
    assert compact.stdout.startswith("w\n")
    assert "distance" not in compact.stdout
    refused = yoddd("solve", position, "--memory", "1", "--method", "sweep")
    assert refused.exit_code == click.UsageError.exit_code
    assert refused.stderr.startswith("no sweep: 13 empty cells, 1,594,323 fillings, 1 MiB, more")
    assert "the limits do not allow a sweep" in refused.stderr


@needs_kernel
def test_solve_looks_up_square5() -> None:
    looked_up = yoddd("solve", "odd square5 5/5/5/5/5 b 0 1")
    assert (looked_up.exit_code, looked_up.stderr) == (0, "table: odd square5\n")
    winner, line, nodes, _, distance = looked_up.stdout.splitlines()
    assert (winner, nodes, distance) == ("b", "nodes 0", "distance 25")
    assert line.startswith("line ")


@needs_kernel
def test_solve_says_unknown_at_a_limit() -> None:
    result = yoddd("solve", "yodd hex3 3/4/5/4/3 b 0 1", "--nodes", "10")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == ["unknown", "line"]


@needs_kernel
@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["perft", "--board", "hex6", "--depth", "3"], marks=pytest.mark.gate),
        pytest.param(
            ["solve", "yodd hex6 6/7/8/9/10/11/10/9/8/7/6 b 0 1"], marks=pytest.mark.whole
        ),
    ],
    ids=["perft", "solve"],
)
def test_interrupt_ends_a_long_call_of_the_kernel(arguments: list[str]) -> None:
    program = f"""
import os, signal, threading
from yoddd.cli import main, {arguments[0]}
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
main({arguments})
"""
    done = run(sys.executable, "-c", program)
    assert done.returncode in (1, -signal.SIGINT)
    assert "Traceback" not in done.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    "unbuffered",
    [pytest.param("", marks=pytest.mark.gate), pytest.param("1", marks=pytest.mark.whole)],
)
def test_main_on_a_full_disk_prints_no_traceback(unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*YODDD, "stats", "--ptnml", "1,2,3"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 1
    assert done.stderr == "Error: standard output: No space left on device\n"


@needs_kernel
def test_bench_measures_the_kernel_under_fixed_names() -> None:
    result = yoddd("bench", "kernel", "--json", "--only", "kernel.board.bytes")
    assert result.exit_code == 0
    figure = json.loads(result.output)
    assert figure["name"] == "kernel.board.bytes"
    assert figure["unit"] == "bytes"
    assert 0 < figure["value"] <= 3072


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("solve yodd", "board is missing"),
        ("perft --board hex99", "no board hex99"),
        ("perft --game xodd --board hex5", "Xodd is played on square boards"),
        ("perft --option pie=on", "Yodd has no option 'pie'"),
        ("perft --option pie", "expected NAME=VALUE"),
        ("perft --position 'yodd hex4'", "placement is missing"),
        ("perft --divide --depth 0", "--divide needs a --depth of 1 or more"),
        (
            "bench search --only kernel.board.bytes",
            "--only: no figure 'kernel.board.bytes' in search",
        ),
        ("convert - -", "unknown format; use --from sgf, jsonl or json"),
        (f"render {PICTURE} -o board.gif", "ends in .svg or .png"),
        ("stats", "expected a folder, a file, or --ptnml"),
        ("stats --ptnml 1,2", "2 of them, expected 3 or 5"),
        ("stats --ptnml one", "expected numbers with commas between"),
        ("stats --ptnml 1,2,3 --sprt elo0=1", "elo1: missing"),
        ("train yodd --boards hex3", "expected BOARD:GAMES"),
        ("train yodd --boards hex3:0", "expected BOARD:GAMES"),
        ("train yodd --boards hex3:many", "expected BOARD:GAMES"),
        ("train yodd --boards hex3:2,", "expected BOARD:GAMES"),
        ("connect nowhere --as x -- true", "expected HOST:PORT"),
        ("connect :1 --as x --plays clock=5 -- true", "clock '5': expected LEAST..MOST"),
        (
            "connect :1 --as x --plays open=yes -- true",
            "expected one of games, boards, clock, closed",
        ),
        ("solve 'xodd square2 2/2 b 0 1' --seconds nan", "'nan' is not a number"),
        ("user add ann --anchor nan", "'nan' is not a number"),
        ("check --reply -1 true", "-1.0 is not in the range"),
        ("match builtin:uct builtin:unknown", "builtin:unknown: expected one of random, uct"),
        ("match 'a \"b' builtin:uct", "No closing quotation"),
        ("match '' builtin:uct", "an empty command line"),
        ("match tcp:a tcp:b --solve 9", "adjudication.solve: not in a match that a daemon plays"),
        ("match tcp:a tcp:b --first memory=9", "engine.memory: not in a match"),
        ("match tcp:a tcp:a", "several engines are called a"),
        ("match builtin:uct builtin:uct --clock soon", "soon"),
        ("match builtin:uct builtin:uct --resume -1", "-1.0 is not in the range x>=0"),
        ("match builtin:uct builtin:uct --each memory=0", "'memory' must be >= 1: 0"),
        ("match builtin:uct builtin:uct --each cwd=/no/such", "cwd: no folder /no/such"),
        # The names of other programs are answered with ours.
        ("mtach a b", "no command 'mtach'; did you mean 'match'?"),
        ("cutechess-cli -engine", "no command 'cutechess-cli'; it is 'match' here"),
        ("run stauts games/cup", "no command 'stauts'; did you mean 'status'?"),
        ("match -engine cmd=./a", "no option -engine; in yoddd `engine` is an argument of match"),
        ("match a b --rounds 3", "no option --rounds; in yoddd `rounds` is --pairs N"),
        ("match a b --each tc=10+0.1", "unknown key tc; in yoddd `tc` is --clock 10+0.1"),
        ("match a b --first strength=3", "a parameter of the engine is param.strength=3"),
        ("match a b --first level=3", "is param.level=N"),
        ("-engine cmd=./a -engine cmd=./b", "is an argument of match"),
        ("match a b -each tc=1+1", "is --each KEY=VALUE"),
        ("match a b -sprt elo0=0 elo1=5", "is --sprt elo0=A"),
        ("match a b -rounds 4", "is --pairs N"),
        ("match a b -games 4", "no option -games; did you mean '--games'?"),
        ("match a b --komi 7.5", "nothing: no game here has one"),
        ("match a b --level 3", "is param.level=N"),
        ("stats games --csv", "is --json"),
        ("tourney cup.toml", "it is 'tournament' here"),
        ("elo games", "it is 'stats' here"),
        ("selfplay", "it is 'match' here"),
        ("match a b --frobnicate", "No such option '--frobnicate'"),
    ],
)
def test_command_with_bad_arguments_is_refused_with_the_reason(
    arguments: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = yoddd(*shlex.split(arguments))
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())
    assert reason in result.stderr


def test_show_draws_a_position() -> None:
    line = "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"
    result = yoddd("show", *line.split())
    assert result.exit_code == 0
    assert "X" in result.output
    assert "turn 2, White to move" in result.output
    assert "black 1, white 0: 1 group, odd" in result.output
    assert result.output.splitlines()[-1] == line


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("show 'yodd hex4 4/5/6/3x3/6/5/4 w 0 2'", "column 18: 'x'"),
        ("render yodd hex3 -o board.svg", "placement is missing"),
        (f"render {PICTURE} -o /no/such/folder/board.svg", "No such file"),
    ],
)
def test_command_that_fails_prints_the_error_alone(arguments: str, reason: str) -> None:
    result = yoddd(*shlex.split(arguments))
    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stdout == ""


def test_show_continues_after_a_bad_record(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "match", ("ann", "bob")) / "games.jsonl"
    lines = archive.read_text().splitlines()
    archive.write_text("\n".join([lines[0], "{junk", lines[1]]) + "\n")
    result = yoddd("show", str(archive))
    assert result.exit_code == 1
    assert "line 2, column 2: not JSON" in result.stderr
    assert result.stdout.count("by groups") == 4


@pytest.mark.gate
@pytest.mark.process
def test_gtp_exits_at_quit_and_at_the_end_of_input() -> None:
    for script in ("1 name\n2 quit\n3 name\n", "1 name\n2 quit"):
        printed = output_of(*YODDD, "gtp", given=script)
        assert printed.startswith("=1 yoddd\n\n")
        assert "=3" not in printed


@pytest.mark.gate
@pytest.mark.process
def test_gtp_exits_when_its_output_is_closed() -> None:
    with Program([*YODDD, "gtp"], stdin=True) as process:
        process.stdin.write("game yodd hex3\nset_param playouts 2\ngenmove b\n")
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0


@pytest.mark.gate
@pytest.mark.process
def test_gtp_exits_at_sigterm_during_a_search() -> None:
    with Program([*YODDD, "gtp"], stdin=True) as process:
        process.stdin.write("set_param playouts 10000000\ngenmove b\n")
        process.stdout.readline()
        process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.mark.whole
@pytest.mark.process
def test_demo_plays_a_game_over_tcp_and_writes_an_sgf(tmp_path: Path) -> None:
    printed = output_of(*YODDD, "demo", "--board", "hex2", "--out", tmp_path)
    players = r"^game 1: (mcts|uct) \(black\) against (uct|random) \(white\)$"
    assert re.search(players, printed, re.MULTILINE)
    assert len(re.findall("yodd hex2 ", printed)) >= 3
    assert re.search(r"(Black|White) has won by groups", printed)
    assert printed.endswith("yoddd check python3 clients/python/bot.py\n")
    assert len(list(tmp_path.glob("*.sgf"))) == 1


def test_convert_keeps_an_archive_through_all_formats(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "run", ("ann", "bob")) / "games.jsonl"
    archive = archive.rename(tmp_path / "games.jsonl")
    names = ["games.jsonl", "one.sgf", "two.json", "three.jsonl"]
    for source, target in itertools.pairwise(names):
        result = yoddd("convert", str(tmp_path / source), str(tmp_path / target))
        assert result.exit_code == 0
        assert "2 games read, 0 problems" in result.stderr
    before, after = (
        map(load_record, (tmp_path / name).read_text().splitlines())
        for name in (names[0], names[-1])
    )
    # SGF keeps times to the microsecond, and nothing of the match that a game was part of.
    for one, other in zip(before, after, strict=True):
        times = tuple(round(time, 6) for time in one.times)
        assert other == attrs.evolve(one, times=times, pair=None, leg=None)
    assert archive.read_text().count("\n") == 2


def test_convert_keeps_comments_and_variations_from_sgf_to_sgf(tmp_path: Path) -> None:
    source, target = tmp_path / "in.sgf", tmp_path / "out.sgf"
    text = "(;YGAME[yodd]YBOARD[hex2]C[Größe];B[1b2](;W[pass]C[so])(;W[2a1,2c2]))"
    source.write_text(text, encoding="utf-8")
    result = yoddd("convert", str(source), str(target))
    assert result.exit_code == 0, result.output
    assert "1 games read, 0 problems" in result.output
    written = target.read_text(encoding="utf-8")
    assert "".join(written.split()) == "".join(text.split())


def test_convert_omits_a_game_whose_name_cannot_be_encoded(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.sgf"
    source.write_text(dump_record(attrs.evolve(SAMPLE, black="\ud800")) + "\n")
    result = yoddd("convert", str(source), str(target))
    assert result.exit_code == 1
    assert "black: half of a surrogate pair" in result.stderr
    assert target.read_text() == ""


def test_convert_of_nothing_is_an_empty_archive() -> None:
    assert yoddd("convert", "--from", "sgf", "--to", "json", "-", "-").stdout == "[]\n"


def test_render_draws_svg_and_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    for suffix, magic in ((".svg", b"<svg "), (".png", b"\x89PNG\r\n")):
        out = tmp_path / f"board{suffix}"
        result = yoddd("render", *PICTURE.split(), "--theme", "dark", "--groups", "-o", str(out))
        assert result.exit_code == 0, result.output
        assert out.read_bytes().startswith(magic)


@pytest.mark.parametrize("suffix", ["sgf", "jsonl", "json"])
def test_render_draws_a_game_of_a_file(tmp_path: Path, suffix: str) -> None:
    archive = write_archive(tmp_path / "run", ("ann", "bob")) / "games.jsonl"
    source, out = tmp_path / f"all.{suffix}", tmp_path / "out.svg"
    assert yoddd("convert", str(archive), str(source)).exit_code == 0
    still = yoddd("render", str(source), "--number", "2", "--turn", "1", "-o", str(out))
    assert still.exit_code == 0
    assert "1 black and 0 white" in out.read_text() or "0 black and 1 white" in out.read_text()
    beyond = yoddd("render", str(source), "--number", "3", "-o", str(out))
    assert beyond.exit_code == 1
    assert "has fewer than 3 games" in beyond.output


def test_render_draws_a_broken_game_up_to_its_error(tmp_path: Path) -> None:
    source, out = tmp_path / "broken.sgf", tmp_path / "out.svg"
    source.write_text("(;YGAME[yodd]YBOARD[hex2];B[1b2]\n;W[1b2];B[pass])")
    result = yoddd("render", str(source), "-o", str(out))
    assert result.exit_code == 1
    assert f"{source}: line 2, column 1: turn 2, 1b2: b2 is occupied" in result.stderr
    assert "last turn 1b2" in out.read_text()


CLIENTS = Path(__file__).parents[2] / "clients"


@pytest.mark.parametrize(
    ("language", "source", "lines"),
    [
        ("lua", "lua/bot.lua", ["check lua {}/bot.lua", "match 'lua {}/bot.lua' builtin:random"]),
        ("js", "node/bot.js", ["check node {}/bot.js", "match 'node {}/bot.js' builtin:random"]),
        ("go", "go/bot.go", ["go build -o {}/bot {}/bot.go", "check {}/bot", "match {}/bot buil"]),
        ("java", "java/Bot.java", ["javac -d {} {}/Bot.java", "check java -cp {} Bot", "match 'j"]),
        ("rust", "rust/bot.rs", ["rustc -O -o {}/bot {}/bot.rs", "check {}/bot", "match {}/bot "]),
        ("c", "c/bot.c", ["cc -O2 -o {}/bot {}/bot.c", "check {}/bot", "match {}/bot builtin:r"]),
        ("python", "python/bot.py", ["check python3 {}/bot.py", "match 'python3 {}/bot.py'"]),
    ],
)
def test_new_bot_is_written_once_with_what_to_type_next(
    tmp_path: Path, language: str, source: str, lines: list[str]
) -> None:
    arguments = ["new-bot", language, str(tmp_path / "my")]
    result = yoddd(*arguments)
    assert result.exit_code == 0
    written = tmp_path / "my" / Path(source).name
    assert written.read_bytes() == (CLIENTS / source).read_bytes()
    commands = result.output.splitlines()[2:]
    for command, line in zip(commands, lines, strict=True):
        assert line.replace("{}", str(tmp_path / "my")) in command
    again = yoddd(*arguments)
    assert (again.exit_code, "exists; name another folder" in again.output) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        "show no.sgf",
        "show ./no.sgf",
        "render no.sgf --out x.svg",
        "plot no.sgf --out x.svg",
        "review no.sgf",
        "stats no.sgf",
        "tournament no.sgf",
        "convert no.sgf x.jsonl",
        "serve --config no.sgf",
        "match builtin:random builtin:random --openings no.sgf",
        "puzzles solve no.sgf",
        "puzzles verify no.sgf",
        "store restore no.sgf --store s",
        "store backup copy --store no.sgf",
    ],
)
def test_command_without_its_file_says_so_with_status_2(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = yoddd(*shlex.split(words))
    assert result.exit_code == 2
    assert "no.sgf' does not exist." in result.output.replace("\n", " ")
    assert not list(tmp_path.iterdir())
