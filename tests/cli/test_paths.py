"""Every output of every command: none replaces what the command reads, nor a database."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

from tests.cli.conftest import yoddd
from tests.cli.test_help import contexts
from tests.daemon.runs.conftest import plan_of
from tests.support.games import SAMPLE
from yoddd.cli import main
from yoddd.cli.outputs import is_output
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.notation.records import dump_record
from yoddd.store.accounts import add_account
from yoddd.store.database import migrate, read_url
from yoddd.store.lock import StoreLock
from yoddd.store.store import Store

pytestmark = pytest.mark.gate

MATCH = "match builtin:random builtin:random --board hex2 --openings game.jsonl"
FILES = {
    "match --events": f"{MATCH} --events OUT",
    "tournament --events": "tournament cup.toml --events OUT",
    "run resume --events": "run resume run --events OUT",
    "plot --out": "plot game.jsonl --out OUT",
    "tune --out": "tune --param x --out OUT game.jsonl",
    "render --out": "render game.jsonl --out OUT",
    "convert target": "convert game.jsonl OUT",
    "review --out": "review game.jsonl --out OUT",
    "train --out": "train yodd@hex2 --out OUT",
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

READ = {"plot --out": "game.jsonl", "tournament --events": "cup.toml"}
READ |= dict.fromkeys(("match --events", "tune --out", "render --out"), "game.jsonl")
READ |= dict.fromkeys(("convert target", "review --out"), "game.jsonl")
READ |= {"store backup file": "other", "run resume --events": "run/games.jsonl"}
READ |= {"train --out": "engines.toml"}
"""A file that the command reads."""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store."""
    path = tmp_path_factory.mktemp("store") / "s"
    migrate(read_url(str(path)))
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, empty: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a store that is served, one that is not, and files that are read."""
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(dump_record(SAMPLE))
    Path("cup.toml").write_text('[[engine]]\nengine = "game.jsonl"\n')
    Path("engines.toml").write_text("")
    Path("below").mkdir()
    Path("run").mkdir()
    for name in ("plan.json", "games.jsonl"):
        Path("run", name).write_text(dump_record(SAMPLE))
    for name in ("other", "idle", "served"):
        Path(name).write_bytes(empty)
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
    found = yoddd(*(str(target) if word == "OUT" else word for word in line.split()))
    assert found.exit_code in {1, 2}, (line, target, found.output)
    assert not found.exception or isinstance(found.exception, SystemExit), found.exception
    assert tree(folder) == before, (line, target, found.output)
    return found.output


def test_every_output_of_the_commands_is_in_the_tables() -> None:
    outputs = set()
    for context in contexts(main):
        path = context.command_path.removeprefix("main ")
        for param in context.command.params:
            name = f"{path} {param.opts[0] if param.opts[0].startswith('-') else param.name}"
            kind = param.type
            if is_output(param):
                outputs.add(name)
            elif isinstance(kind, click.Path) and name != "admin --socket":
                assert kind.exists, f"{name}: read or written?"
    assert outputs == {*FILES, *FOLDERS}


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
    assert "name another --out" in refused("train yodd@hex2 --out OUT", "w.json", folder)
