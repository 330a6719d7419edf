"""Complete tables in real programs: ``yoddd gtp`` on pipes and ``yoddd serve`` on a socket."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.programs import PATIENCE, YODDD, Program
from tests.support.schemas import validator
from yoddd.daemon.base.tables import SHIPPED, write_table
from yoddd.kernel import NativePosition, backend, solve
from yoddd.kernel.table import Table, build, file_name
from yoddd.notation import format_position, parse_turn
from yoddd.notation.records import dump_record, load_record, replay
from yoddd.rules import Colour, make_rules

pytestmark = [
    pytest.mark.process,
    pytest.mark.whole,
    pytest.mark.skipif(not backend().is_native, reason="builds tables"),
]

RULES = make_rules("yodd", "hex2")
SOLVED = "= value won\ndistance 8\nby table\nline 1b2 pass"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with an empty cache."""
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one table."""
    write_table(tmp_path / "tables" / file_name(RULES), list(build(RULES, "tests")))
    return tmp_path / "tables"


def gtp(environment: dict[str, str], script: str, *options: str) -> tuple[list[str], str]:
    """The replies of a ``yoddd gtp``, and its standard error."""
    done = subprocess.run(
        [*YODDD, "gtp", *options],
        input=script,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout.split("\n\n")[:-1], done.stderr


def test_gtp_plays_by_a_table_of_its_option(environment: dict[str, str], folder: Path) -> None:
    options = ("--board", "hex2", "--tables", str(folder), "--build-tables", "none")
    replies, errors = gtp(environment, "solve\ngenmove_analyze\n", *options)
    assert replies[0].startswith(SOLVED)
    assert "info move 1b2 visits 0 winrate 1.000000" in replies[1]
    assert "proven won distance 8 order 0 pv 1b2 pass" in replies[1]
    assert replies[1].endswith("play 1b2")
    assert errors == ""


def test_gtp_analysis_by_a_table_ends_at_once(environment: dict[str, str], folder: Path) -> None:
    options = ("--board", "hex2", "--tables", str(folder), "--build-tables", "none")
    with Program([*YODDD, "gtp", *options], stdin=True, env=environment) as process:
        process.stdin.write("analyze interval=1\n")
        # No other line ends it: the analysis ends by itself.
        begin, report = iter(process.stdout.readline, "\n")
        process.stdin.close()
    assert begin == "= \n"
    assert (report.count("proven won"), report.count("proven lost")) == (1, 13)


def test_gtp_takes_the_path_from_the_environment(environment: dict[str, str], folder: Path) -> None:
    environment |= {"YODDD_TABLES": f"/nowhere:{folder}", "YODDD_BUILD_TABLES": "none"}
    (reply,), errors = gtp(environment, "probe\n", "--board", "hex2")
    assert reply.startswith("= won 8\n1b2 won 8\n2a1 lost 8\n")
    assert errors == "tables: /nowhere is no folder\n"


def test_gtp_client_chooses_folders_or_none(environment: dict[str, str], folder: Path) -> None:
    script = (
        f"probe\nset_param tables {folder}\nprobe\nset_param tables off\nprobe\n"
        f"set_param tables /nowhere\nget_param tables\n"
    )
    options = ("--board", "hex2", "--build-tables", "none")
    replies, _ = gtp(environment, script, *options)
    assert [reply.split("\n")[0] for reply in replies] == [
        "? no table: yodd hex2",
        "= ",
        "= won 8",
        "= ",
        "? no table: yodd hex2",
        "? cannot load file: tables: /nowhere is no folder",
        "= off",
    ]


def test_gtp_solves_a_small_board_when_it_is_first_needed(
    environment: dict[str, str], tmp_path: Path
) -> None:
    replies, _ = gtp(environment, "game xodd square3\nsolve\ngenmove\n")
    assert "by table" in replies[1]
    assert replies[2] == "= 1b2"
    assert not (tmp_path / "cache").exists()


def test_gtp_with_a_damaged_table_says_so_and_searches(
    environment: dict[str, str], folder: Path
) -> None:
    path = folder / file_name(RULES)
    data = path.read_bytes()
    path.write_bytes(data[:-200] + bytes(200))
    script = "set_param playouts 50\n" + "genmove\n" * 4 + "history\n"
    options = ("--board", "hex2", "--tables", str(folder), "--build-tables", "none")
    replies, errors = gtp(environment, script, *options)
    assert all(reply.startswith("= ") for reply in replies)
    assert len(replies[-1].split()) == 5
    assert re.fullmatch(rf"table {re.escape(str(path))} is not used: .*damaged.*\n", errors)


@pytest.mark.parametrize(("level", "engine"), [(9, "mcts"), (10, "uct")])
def test_gtp_at_a_lower_level_or_with_another_engine_uses_no_table(
    environment: dict[str, str], folder: Path, level: int, engine: str
) -> None:
    script = f"set_param level {level}\nset_param engine {engine}\ngenmove_analyze\n"
    replies, _ = gtp(environment, script, "--board", "hex2", "--tables", str(folder))
    assert "visits 0" not in replies[-1].split("info")[1]


@pytest.mark.parametrize("board", ["hex2", "square3"])
def test_match_adjudicated_by_tables_ends_after_its_first_turn(
    environment: dict[str, str], folder: Path, tmp_path: Path, board: str
) -> None:
    game = ["--game", {"hex2": "yodd", "square3": "xodd"}[board], "--board", board]
    words = ["match", "builtin:random", "builtin:mcts", *game, "--adjudicate", "tables"]
    out = tmp_path / "out"
    done = subprocess.run(
        [*YODDD, *words, "--tables", str(folder), "--out", str(out)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    records = [load_record(line) for line in (out / "games.jsonl").read_text().splitlines()]
    assert [(record.reason, len(record.turns)) for record in records] == [("tables", 1)] * 2
    table = Table(b"".join(build(make_rules(game[1], board), "tests")))
    for record in records:
        position = replay(record)
        value = table.value(position)
        assert record.winner == ("w" if value.won else "b")
        word = "wins" if value.won else "loses"
        assert record.detail == f"white to move {word} in {value.turns} turns"
        assert record.blame is None
        validator("game-record").validate(json.loads(dump_record(record)))
    plan = json.loads((out / "plan.json").read_text())
    assert (plan["adjudicate"], plan["tables"]) == ("tables", str(folder))
    # The builtin engines have the folder, too.
    assert all(one["env"] == {"YODDD_TABLES": str(folder)} for one in plan["engine"])


def test_gtp_plays_square5_perfectly_before_and_behind_the_table_that_is_shipped(
    environment: dict[str, str],
) -> None:
    table = Table((SHIPPED / "xodd-square5.table").read_bytes())
    position, random = NativePosition(table.rules), Random(3)
    while not position.is_over:
        if position.player is Colour.BLACK:
            position.play(random.choice(list(position.legal_turns())))
            continue
        script = f"position {format_position(position)}\ngenmove\n"
        replies, errors = gtp(environment, script, "--game", "xodd@square5", "--seed", "1")
        assert errors == ""
        token = replies[1].removeprefix("= ")
        position.play(parse_turn(token, table.rules, position.player))
        if table.reaches(position):
            assert not table.value(position).won
        elif not position.is_over:
            assert solve(position, memory=1 << 30).winner is Colour.WHITE
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner is Colour.WHITE


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--game", "xodd@square5", "--option", "own_colour=on"], "`yoddd table build` makes one"),
        (["--game", "yodd@hex4"], "boards of 37 cells have none"),
    ],
)
def test_match_without_a_table_of_the_game_is_refused(
    environment: dict[str, str], tmp_path: Path, words: list[str], hint: str
) -> None:
    match = ["match", "builtin:random", "builtin:random", *words]
    done = subprocess.run(
        [*YODDD, *match, "--adjudicate", "tables", "--tables", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert f".table: {hint}" in done.stderr


@pytest.fixture
def client(environment: dict[str, str], folder: Path) -> Iterator[socket.socket]:
    """A client of a ``yoddd serve`` with the key ``tables``."""
    listen = ("--listen", "tcp:0:interface=127.0.0.1", "--no-http")
    keys = ("--set", f"tables={folder}", "--set", "build_tables=none", "--set", "drain=0")
    with Program([*YODDD, "serve", *listen, *keys], env=environment) as process:
        port = re.fullmatch(r"listening on tcp:(\d+):.*\n", process.stdout.readline())
        assert port is not None
        with socket.create_connection(("127.0.0.1", int(port[1])), PATIENCE) as client:
            yield client
        process.terminate()
        assert process.wait(PATIENCE) == 0


def ask(client: socket.socket, line: str) -> str:
    client.sendall(f"{line}\n".encode())
    reply = b""
    while not reply.endswith(b"\n\n"):
        reply += client.recv(65536) or pytest.fail(f"closed after {reply!r}")
    return reply.decode().rstrip("\n")


def test_daemon_answers_from_its_tables_and_opens_no_others(
    client: socket.socket, folder: Path
) -> None:
    assert ask(client, "game yodd hex2") == "= "
    assert ask(client, "solve").startswith(SOLVED)
    assert ask(client, "genmove") == "= 1b2"
    refused = "? not permitted: tables: this server opens no files that its clients name"
    assert ask(client, f"set_param tables {folder}") == refused
    assert ask(client, "game xodd square3") == "= "
    assert ask(client, "probe") == "? no table: xodd square3"
