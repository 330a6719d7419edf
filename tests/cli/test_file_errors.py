"""Each call of the system by which a command reads or writes a file fails, with each error."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from tests.cli.conftest import yoddd
from tests.daemon.stores import make_store
from tests.support.runs import random_record
from yoddd.daemon.play.slot import PlayedGame
from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.reports import read_report, write_reports
from yoddd.daemon.runs.run_folder import RunFolder, note_start, this_start
from yoddd.library.puzzles import shipped
from yoddd.referee.tournament.config import EngineConfig, TournamentConfig

ERRORS: Final = (
    *(errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE),
    *(errno.ENOENT, errno.ENOSPC, errno.EROFS, errno.ESTALE),
)
AUDITED: Final = ("open", "os.rename", "os.mkdir", "os.remove", "os.listdir", "os.scandir")
COMMANDS: Final = (
    "render yodd_hex3_3/4/2b2/4/3_w_0_2 --out {new}.svg",
    "render {run}/games.jsonl --out {new}.png",
    "convert {run}/games.jsonl {new}.sgf",
    "convert {run}/games.jsonl {new}.jsonl",
    "show {run}/games.jsonl",
    "stats {run}",
    "stats {run} --write",
    "new-bot python {new}",
    "puzzles verify {puzzles}",
    "store show --store {store}",
    "store backup --store {store} {new}",
    "store restore --store {new} {store}",
    "store migrate --store {new}",
    "user list --store {store}",
    "user add --store {store} eve",
    "run status {run}",
)


START: Final = this_start(1)
CUP: Final = TournamentConfig(
    board="hex2",
    engine=tuple(EngineConfig(engine="builtin:random", name=name) for name in ("ann", "bob")),
)


class Fault:
    """Lets the call of a number below a folder fail, and counts the calls.

    Attributes:
        calls: so far.
    """

    def __init__(self) -> None:
        self.folder = "/nowhere"
        self.calls = 0
        self._fails = -1
        self._error = 0

    @contextmanager
    def at(self, folder: Path, number: int, error: int) -> Iterator[None]:
        self.folder, self.calls, self._fails, self._error = str(folder), 0, number, error
        try:
            yield
        finally:
            self.folder = "/nowhere"

    def look(self, event: str, values: tuple[Any, ...]) -> None:
        """An audit hook, which the interpreter keeps to its end."""
        if event in AUDITED and str(values[0]).startswith(self.folder):
            self.count(str(values[0]))

    def count(self, path: str | None = None) -> None:
        if self.folder == "/nowhere":
            return
        self.calls += 1
        if self.calls == self._fails:
            raise OSError(self._error, os.strerror(self._error), *([path] if path else []))


FAULT: Final = Fault()


@pytest.fixture(scope="module", autouse=True)
def _hook() -> None:
    sys.addaudithook(FAULT.look)


@pytest.fixture(autouse=True)
def _calls_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls on open files, whose errors have no name."""

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any) -> Any:
            FAULT.count()
            return call(*args)

        return counting

    for name in ("fsync", "write", "ftruncate"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("store") / "store.sqlite")


@pytest.fixture
def files(tmp_path: Path, store: Path) -> dict[str, Path]:
    """A run, a store and a puzzle."""
    run = tmp_path / "run"
    game = random_record("r1t1p1.1", "ann", "bob", 1)
    with closing(RunFolder(run, CUP)) as folder:
        folder.archive.append([attrs.evolve(game, pair="r1t1p1", leg=1)])
    puzzles = tmp_path / "puzzles.jsonl"
    puzzles.write_text(shipped().splitlines()[0] + "\n")
    return {"run": run, "puzzles": puzzles, "store": Path(shutil.copy(store, tmp_path))}


@pytest.mark.parametrize("most", [0, 60, 4000])
@pytest.mark.parametrize("line", COMMANDS)
def test_command_whose_disk_is_full_says_which_file_is_not_written(
    tmp_path: Path, files: dict[str, Path], line: str, most: int
) -> None:
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    words = words_of(line, files, tmp_path / "x")
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))
    try:
        done = yoddd(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    judge(done.output, done.exception, done.exit_code, tmp_path)


@pytest.mark.parametrize("line", COMMANDS)
def test_command_whose_files_fail_says_which_and_why(
    tmp_path: Path, files: dict[str, Path], line: str
) -> None:
    number, was_reached = 0, True
    while was_reached:
        number += 1
        error = ERRORS[number % len(ERRORS)]
        folder = tmp_path / f"new{number}"
        folder.mkdir()
        words = words_of(line, files, folder / "x")
        with FAULT.at(tmp_path, number, error):
            done = yoddd(*words)
            was_reached = FAULT.calls >= number
        judge(done.output, done.exception, done.exit_code, tmp_path)
        shutil.rmtree(folder)


def play_in(path: Path) -> None:
    """Do with the folder of a run what a run does, but for the games."""
    game = attrs.evolve(random_record("r1t1p1.1", "ann", "bob", 1), pair="r1t1p1", leg=1)
    with closing(RunFolder(path, CUP)) as folder:
        note_start(path, START)
        folder.archive.append([game])
        folder.archive.derive(PlayedGame(game, {"fault.json": "{}"}))
        write_reports(path)
    archive = path / "games.jsonl"
    archive.write_bytes(archive.read_bytes() + b"no record\n{torn")
    with closing(RunFolder(path)) as folder:
        assert [*folder.records()] == [game]
    read_report(path)


def test_run_whose_files_fail_says_which_folder_and_why(tmp_path: Path) -> None:
    number, was_reached = 0, True
    while was_reached:
        number += 1
        path = tmp_path / f"run{number}"
        with FAULT.at(path, number, ERRORS[number % len(ERRORS)]):
            try:
                play_in(path)
            except RunError as problem:
                assert re.match(rf"{path}[^\[\n]*$", str(problem)), problem  # noqa: PT017
            except OSError as problem:  # of the test's own line
                assert problem.filename == str(path / "games.jsonl")  # noqa: PT017
            was_reached = FAULT.calls >= number
    assert number > 20


@pytest.mark.parametrize("line", COMMANDS)
def test_command_whose_files_work_does_its_work(files: dict[str, Path], line: str) -> None:
    done = yoddd(*words_of(line, files, files["store"].with_name("x")))
    assert done.exit_code == 0, done.output


def words_of(line: str, files: dict[str, Path], new: Path) -> list[str]:
    """The words of a command, in which _ is a space."""
    return [
        word.format(**files, new=new) if "{" in word else word.replace("_", " ")
        for word in line.split()
    ]


def judge(output: str, exception: BaseException | None, status: int, folder: Path) -> None:
    assert exception is None or isinstance(exception, SystemExit), repr(exception)
    for word in ("Traceback", "[Errno", "datetime.", "None:"):
        assert word not in output
    if status:
        last = output.splitlines()[-1]
        assert "Error: " in last, output
        is_of_system = any(os.strerror(number) in last for number in ERRORS)
        assert str(folder) in last or not is_of_system, output
