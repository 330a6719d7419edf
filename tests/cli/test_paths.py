"""Every path that a command takes: any name works, and no output replaces what is read."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib import import_module
from pathlib import Path

import attrs
import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import yoddd
from tests.cli.test_help import contexts
from tests.daemon.runs.conftest import plan_of
from tests.support.games import SAMPLE
from tests.support.programs import YODDD, run
from yoddd.cli import main, playing
from yoddd.cli.outputs import is_output
from yoddd.daemon.play.processes import kill_marked
from yoddd.daemon.runs import preparation
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.run import RunWatch
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.library.puzzles import shipped
from yoddd.notation.records import dump_record
from yoddd.store.accounts import add_account
from yoddd.store.database import migrate, read_url
from yoddd.store.lock import StoreLock
from yoddd.store.store import Store

MATCH = "match builtin:random builtin:random --board hex2 --openings game.jsonl"
import_module("yoddd.plots")  # it looks for fonts with a program, once

FILES = {
    "match --events": f"{MATCH} --events OUT",
    "tournament --events": "tournament cup.toml --events OUT",
    "run resume --events": "run resume run --events OUT",
    "plot --out": "plot game.jsonl --out OUT",
    "tune --out": "tune --param x --out OUT game.jsonl",
    "render --out": "render game.jsonl --out OUT",
    "convert target": "convert game.jsonl OUT",
    "review --out": "review game.jsonl --out OUT",
    "train --out": "train yodd@hex3 --out OUT",
    "game --plot": "game game.jsonl --games 1 --plot OUT",
    "store backup file": "store backup --store other OUT --force",
}
"""A command line for each parameter that names a file to be written."""

FOLDERS = {
    "demo --out": "demo --out OUT",
    "match --out": f"{MATCH} --out OUT",
    "match --log": f"{MATCH} --log OUT",
    "tournament --out": "tournament cup.toml --out OUT",
    "tournament --log": "tournament cup.toml --log OUT",
    "run resume --log": "run resume run --log OUT",
    "check --log": "check --log OUT builtin:random",
    "connect --log": "connect 127.0.0.1:1 --as x --log OUT -- true",
    "new-bot folder": "new-bot python OUT",
    "game --kit": "game yodd --games 0 --kit OUT",
}
"""A command line for each parameter that names a folder to be written."""

INPUTS = {
    "serve --runs": "serve --runs OUT",
    "serve --config": "serve --config OUT",
    "serve --store": "serve --store OUT/store --no-http",
    "match engines": "match OUT builtin:random",
    "match --openings": "match builtin:random builtin:random --openings OUT",
    "match --engines": "match conf:a conf:b --engines OUT",
    "tournament file": "tournament OUT",
    **{f"run {name} folder": f"run {name} OUT" for name in ("status", "pause", "resume", "stop")},
    "run set folder": "run set OUT concurrency=2",
    "stats path": "stats OUT",
    "plot path": "plot OUT",
    "check --engines": "check --engines OUT conf:a",
    "check engine": "check OUT",
    "connect engine": "connect 127.0.0.1:1 --as x -- OUT",
    "tune engine": "tune --param x OUT",
    "show what": "show OUT",
    "render what": "render OUT",
    "convert source": "convert OUT game.sgf",
    "review file": "review OUT",
    "game file": "game OUT",
    "main --game-file": "--game-file OUT show yodd",
    "puzzles solve file": "puzzles solve OUT",
    "puzzles verify file": "puzzles verify OUT",
    "user add --store": "user add --store OUT/store ann",
    **{
        f"user {name} --store": f"user {name} --store OUT ann"
        for name in ("anchor", "disable", "enable", "token")
    },
    "user list --store": "user list --store OUT",
    "store backup --store": "store backup --store OUT new",
    "store migrate --store": "store migrate --store OUT/store",
    "store prune --store": "store prune --store OUT",
    "store show --store": "store show --store OUT",
    "store restore --store": "store restore --store OUT/store other",
    "store restore file": "store restore --store new OUT",
    "admin --socket": "admin --socket OUT status",
}
"""A command line for each parameter that names what is read; a store that is made stands below."""

LINES = {**FILES, **FOLDERS, **INPUTS}
MADE = {*FOLDERS, *(name for name in INPUTS if name.endswith("--store"))}
"""These make the folders above what they name."""

PLACES = re.compile(r"FILE|PATH|ENGINE ENGINE|COMMAND…|^IN$")
"""Parameters of these kinds are paths, too, or may have some."""

SUFFIXES = {"render --out": ".svg", "plot --out": ".svg", "review --out": ".html"}
SUFFIXES |= dict.fromkeys(("convert source", "review file", "plot path", "stats path"), ".jsonl")
SUFFIXES |= dict.fromkeys(("convert target", "show what", "render what"), ".sgf")
"""What the command expects at the end of a name."""

LATE = {"serve --store", "demo --out", "connect engine", "match engines"}
LATE |= {"plot --out"}
"""These look at their paths while they run, or start a program before."""

EXTREMES = ["-x", "--out", "a b", "a'b\"c", "a\nb", "né", "ne\u0301", "~", "%s%41", "{x}"]
EXTREMES += ["[b]x[red]", "\x1b[31mred", "a\tb\r", "\u202ecba", "x?mode=memory#y", "a:b=c,d;e"]
EXTREMES += ["sqlite:x", "a\\b", "a$b_{$c", "$HOME`id`", "<b>&", "\u2028", "conf:x", "builtin:uct"]
EXTREMES += ["\U0001f600", " ", "..a", "n" * 230]
BYTES = st.binary(min_size=1, max_size=40).filter(lambda name: not {*b"/\0"} & {*name})
NAMES = st.sampled_from(EXTREMES) | BYTES.map(os.fsdecode).filter(lambda name: name.strip("."))
"""Names of files: any bytes that Linux takes."""

WORKING = (
    "show IN.jsonl",
    "show IN.sgf",
    "stats IN.jsonl",
    "render IN.sgf --out OUT.svg",
    "render IN.jsonl --out OUT.png",
    "convert IN.jsonl OUT.sgf",
    "convert IN.sgf OUT.jsonl",
    "convert IN.sgf OUT.json",
    "review IN.sgf --visits 3 --out OUT.html",
    "puzzles verify IN.puzzles",
    "user list --store IN.store",
    "user add --store OUT eve",
    "store show --store IN.store",
    "store backup --store IN.store OUT",
    "store restore --store OUT IN.store",
    "new-bot python OUT",
    "match IN.engine IN.engine --openings IN.jsonl --opening-turns 1 --game yodd@hex3 --out OUT",
    "match conf:a builtin:random --engines IN.toml --game yodd@hex3 --out OUT",
)
"""Commands that work whatever IN and OUT are called."""

FEW = settings().max_examples // 3
PLOT = "plot IN.jsonl --out OUT.svg"
PROCESS = (pytest.mark.process, pytest.mark.whole)
"""matplotlib looks for fonts with a program."""

READ = {"plot --out": "game.jsonl", "tournament --events": "cup.toml"}
READ |= dict.fromkeys(("match --events", "tune --out", "render --out"), "game.jsonl")
READ |= dict.fromkeys(("convert target", "review --out", "game --plot"), "game.jsonl")
READ |= {"store backup file": "other", "run resume --events": "run/games.jsonl"}
READ |= {"train --out": "engines.toml"}
"""A file that the command reads."""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store."""
    path = tmp_path_factory.mktemp("store") / "s"
    migrate(read_url(str(path)))
    return path.read_bytes()


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory, empty: bytes) -> Path:
    """Files to read, one of each kind."""
    found = tmp_path_factory.mktemp("material")
    record = dump_record(SAMPLE) + "\n"
    contents = {"jsonl": record, "puzzles": shipped().splitlines()[0], "engine": "#!/bin/sh\n"}
    contents["toml"] = '[[engine]]\nengine = "builtin:random"\nname = "a"\n'
    for suffix, text in contents.items():
        (found / f"x.{suffix}").write_text(text)
    (found / "x.engine").chmod(0o755)
    (found / "x.store").write_bytes(empty)
    assert yoddd("convert", found / "x.jsonl", found / "x.sgf").exit_code == 0
    platform.processor()  # asks a program, once
    return found


@pytest.fixture
def folder(tmp_path: Path, empty: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a store that is served, one that is not, and files that are read."""
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(dump_record(SAMPLE))
    Path("cup.toml").write_text('[[engine]]\nengine = "game.jsonl"\n')
    Path("engines.toml").write_text("")
    Path("below").mkdir()
    Path("run").mkdir()
    Path("run", "lock").touch()
    for name in ("plan.json", "games.jsonl"):
        Path("run", name).write_text(dump_record(SAMPLE))
    for name in ("other", "idle", "served"):
        Path(name).write_bytes(empty)
    monkeypatch.setattr(preparation, "introduce_engines", lambda *_: {})
    monkeypatch.setattr(playing, "play_run", play)
    with closing(sqlite3.connect("foreign")) as other:
        other.execute("CREATE TABLE mine (x)")
    lock, store = StoreLock(Path("served")), Store(read_url("served"))
    store.transact(lambda one: add_account(one, "ann", "2026-11-28"))
    yield tmp_path
    store.close()
    lock.release()


def tree(folder: Path) -> dict[str, object]:
    """All that is in a folder, with its content and mode."""
    return {
        str(path): (path.lstat().st_mode, path.is_file() and path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.name not in {"other-shm", "other-wal"}  # a command that reads a store makes them
    }


def spellings(name: str) -> list[Path]:
    """Other names of a file, some of which are made."""
    Path("symbolic").symlink_to(name)
    Path("below", "symbolic").symlink_to("../symbolic")
    os.link(name, "hard")
    return [Path(text) for text in (name, f"below/../{name}", "below/symbolic", "hard")] + [
        Path(name).absolute()
    ]


def refused(line: str, target: Path | str, folder: Path) -> str:
    """The message of a command that is refused and changes nothing."""
    before = tree(folder)
    found = yoddd(*(re.sub("^OUT", lambda _: str(target), word) for word in line.split()))
    assert found.exit_code in {1, 2}, (line, target, found.output)
    assert not found.exception or isinstance(found.exception, SystemExit), found.exception
    assert tree(folder) == before, (line, target, found.output)
    return found.output


def test_every_path_of_the_commands_is_in_the_tables() -> None:
    outputs, inputs = set(), set()
    for context in contexts(main):
        path = context.command_path.removeprefix("main ")
        for param in context.command.params:
            name = f"{path} {param.opts[0] if param.opts[0].startswith('-') else param.name}"
            if is_output(param):
                outputs.add(name)
            elif isinstance(param.type, click.Path) or re.search(PLACES, param.metavar or ""):
                inputs.add(name)
    assert outputs == {*FILES, *FOLDERS}
    assert inputs == {*INPUTS}


def text_of(folder: Path) -> str:
    """All text that a command has left in a folder."""
    kinds = {".svg", ".sgf", ".json", ".jsonl", ".html", ".txt"}
    files = (path for path in folder.rglob("*") if path.suffix in kinds and path.is_file())
    return "".join(path.read_text() for path in files)


def play(run: RunFolder, _watch: RunWatch, log: Path | None) -> None:
    """Stand in for `play_run`: every game has been played before."""
    assert log is None
    assert kill_marked("YODDD_RUN", str(run.path)) == 0
    names = [engine.name for engine in run.config.engine]
    game = attrs.evolve(SAMPLE, id="r1t1p1.1", black=names[0], white=names[1])
    run.archive.append([attrs.evolve(game, pair="r1t1p1", leg=1)])


@pytest.mark.property
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("line", [*WORKING, pytest.param(PLOT, marks=PROCESS)])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=FEW)
@given(names=st.tuples(NAMES, NAMES))
def test_command_works_whatever_its_files_are_called(
    line: str, names: tuple[str, str], material: Path
) -> None:
    with tempfile.TemporaryDirectory() as root, pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setattr(preparation, "introduce_engines", lambda *_: {})
        patch.setattr(playing, "play_run", play)
        read, written = (Path(root, name) for name in ("in", "out"))
        places = {"IN": read / names[0], "OUT": written / names[1]}
        read.mkdir()
        written.mkdir()
        for path in material.iterdir():
            shutil.copy(path, f"{places['IN']}{path.suffix}")
        words = []
        for word in line.split():
            found = re.sub("^(IN|OUT)", lambda one: str(places[one[0]]), word)
            words.append(shlex.quote(found) if word == "IN.engine" else found)
        is_run = line.startswith("match")
        judge_words(words, 3 if is_run else 0)
        text_of(written)
        if is_run:
            for more in ("run status", "stats --write"):
                judge_words([*more.split(), str(places["OUT"])], 0)
            judge_words(["run", "resume", str(places["OUT"])], 3)
            text_of(written)


def judge_words(words: list[str], status: int) -> str:
    """The output of a command that ends as it should."""
    found = yoddd(*words)
    assert not found.exception or isinstance(found.exception, SystemExit), found.exception
    assert found.exit_code == status, found.output
    return found.output


@pytest.mark.property
@pytest.mark.parametrize("place", ["below a file", "a loop", "too long", "nowhere"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(LINES.keys() - LATE)), word=NAMES)
def test_path_that_cannot_be_used_is_refused_in_one_sentence(
    place: str, name: str, word: str, folder: Path
) -> None:
    word = ("x" * 300 if place == "too long" else word) + SUFFIXES.get(name, "")
    target = Path("game.jsonl" if place == "below a file" else "below", word)
    if place == "nowhere" and (name in MADE):
        return
    with tempfile.TemporaryDirectory(dir="below") as below, ExitStack() as stack:
        if place == "a loop":
            target = Path(below, word)
            target.symlink_to(target.name)
            stack.callback(target.unlink)
        elif place == "nowhere":
            target = Path(below, "no", word)
        said = refused(LINES[name], target, folder)
    last = said.rstrip("\n").rpartition("\n")[2]
    assert re.fullmatch("Error: .*", last), said
    assert last.isprintable(), said
    assert not re.search(r"Traceback|\[Errno", said)


@pytest.mark.parametrize("name", FILES)
def test_output_that_a_database_would_lose_is_refused(name: str, folder: Path) -> None:
    parts = [f"served{end}" for end in ("-wal", "-shm", "-journal", ".lock")]
    os.link("served-wal", "log")
    os.link("served-shm", "index")
    databases = ["foreign"] if name.startswith("store") else ["foreign", "idle"]
    targets: list[Path | str] = [*spellings("served"), *parts, "log", "index", *databases]
    for target in targets:
        said = refused(FILES[name], target, folder)
        assert "name another" in said or "in use" in said


@pytest.mark.parametrize("name", READ)
def test_output_that_is_read_is_refused(name: str, folder: Path) -> None:
    for target in spellings(READ[name]):
        assert "is the same file as" in refused(FILES[name], target, folder)


@pytest.mark.parametrize("name", FOLDERS)
def test_folder_that_a_database_would_lose_is_refused(name: str, folder: Path) -> None:
    for target in ("served", "served-journal", "below/../served-journal", "idle-wal"):
        refused(FOLDERS[name], target, folder)


@pytest.mark.parametrize("file", ["report.html", "games.jsonl", "starts.jsonl", "plan.json"])
def test_folder_of_a_run_whose_file_is_a_store_or_a_users_is_refused(
    file: str, folder: Path
) -> None:
    Path("below", file).symlink_to(folder / "idle")
    with pytest.raises(RunError, match="name another"):
        RunFolder(Path("below"), plan_of())
    Path("below", file).unlink()
    shutil.copy("game.jsonl", f"below/{file}")
    if file != "plan.json":  # one without games is replaced
        with pytest.raises(RunError, match="choose another folder"):
            RunFolder(Path("below"), plan_of())


def test_games_of_a_training_that_are_of_another_program_stay(folder: Path) -> None:
    Path("w.games.jsonl").write_text("no line of ours")
    pytest.importorskip("scipy")
    assert "name another --out" in refused("train yodd@hex3 --out OUT", "w.json", folder)


@pytest.mark.process
@pytest.mark.whole
def test_match_between_engines_in_a_folder_that_is_not_utf8_is_played_logged_and_resumed(
    tmp_path: Path,
) -> None:
    place = tmp_path / os.fsdecode(b"d\xe9 \n")
    shutil.copytree(Path(__file__).parents[2] / "clients" / "python", place / "bot")
    bot = f"python3 {shlex.quote(str(place / 'bot' / 'bot.py'))}"
    words = ["match", bot, f"{bot} ", "--board", "hex2", "--out", "r", "--log", "log"]
    done = run(*YODDD, *words, "--events", "events.jsonl", cwd=place)
    assert done.returncode == 0, done.stderr
    assert len((place / "r" / "games.jsonl").read_text().splitlines()) == 2
    resumed = run(*YODDD, "run", "resume", str(place / "r"), cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    text_of(place / "r")
