"""Everything but the daemon runs on systems that have no POSIX modules."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.programs import output_of
from yoddd import system
from yoddd.system import describe_exit, lock_exclusively, open_lock

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]
WITHOUT_POSIX = ROOT / "tests" / "support" / "without_posix.py"
PROGRAM = ("/usr/bin/env", f"PYTHONPATH={ROOT}", sys.executable, str(WITHOUT_POSIX))


@pytest.mark.whole
@pytest.mark.process
def test_gtp_without_posix_plays() -> None:
    script = "set_param playouts 10\ngenmove b\nquit\n"
    printed = output_of(*PROGRAM, "gtp", "--board", "hex3", given=script)
    assert printed.split("\n\n")[1].startswith("= ")


@pytest.mark.whole
@pytest.mark.process
def test_match_without_posix_is_played_checked_shown_and_converted(tmp_path: Path) -> None:
    match = (*PROGRAM, "match", "builtin:random", "builtin:random", "--board", "hex2")
    output_of(*match, "--games", "2", "--out", "g", cwd=tmp_path)
    with (tmp_path / "g" / "games.jsonl").open("a") as games:
        games.write('{"torn')
    output_of(*match, "--games", "2", "--out", "g", cwd=tmp_path)
    output_of(*PROGRAM, "convert", "g/games.jsonl", "g.sgf", cwd=tmp_path)
    assert "has won by groups" in output_of(*PROGRAM, "show", "g.sgf", cwd=tmp_path)
    output_of(*PROGRAM, "check", "--only", "quit", "builtin:random", cwd=tmp_path)


@pytest.mark.whole
@pytest.mark.process
def test_library_without_posix_can_be_imported() -> None:
    code = (
        "import builtins; from tests.support import without_posix;"
        "builtins.__import__ = without_posix.hide;"
        "import yoddd; [getattr(yoddd, name) for name in yoddd.__all__];"
        "import yoddd.aio, yoddd.client, yoddd.engine, yoddd.library, yoddd.notation;"
        "print(yoddd.Board('yodd', 'hex3').legal_turns.count())"
    )
    assert output_of(sys.executable, "-c", code, cwd=ROOT) == "38\n"


def test_lock_is_refused_while_another_handle_has_it(tmp_path: Path) -> None:
    first, second = (open_lock(tmp_path / "lock", 0o600) for _ in range(2))
    lock_exclusively(first)
    with pytest.raises(BlockingIOError):
        lock_exclusively(second)
    os.close(first)
    lock_exclusively(second)
    os.close(second)


def test_describe_exit_names_the_status_or_the_signal() -> None:
    found = [describe_exit(status) for status in (0, 3, -9, -35)]
    assert found == ["exit status 0", "exit status 3", "killed by SIGKILL", "killed by signal 35"]


@pytest.mark.parametrize(
    ("quota", "count"), [("max 100000", 4), ("900000 100000", 4), ("150000 100000", 1), ("1 2", 1)]
)
def test_processors_are_within_the_quota(
    quota: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "allowed_cpus", lambda: [0, 1, 2, 3])
    monkeypatch.setattr(Path, "read_text", lambda _: f"{quota}\n")
    assert system.processors() == count
