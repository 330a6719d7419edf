"""Everything but the daemon runs on systems that have no POSIX modules."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from tests.support.programs import output_of, run
from yoddd import system
from yoddd.system import describe_exit, lock_exclusively, open_lock, own_command

pytestmark = pytest.mark.gate
ROOT = Path(__file__).parents[1]
PACKAGE = Path(system.__file__).parent
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


READ_ONLY: Final = """
mount -t tmpfs none "$1" && mount -o remount,bind,ro / && cd "$2" && shift 2 && exec "$@"
"""
"""Runs a command in a folder, where another one alone can be written."""


@pytest.mark.whole
@pytest.mark.process
@pytest.mark.parametrize(
    ("cwd", "words", "said"),
    [
        ("", "match builtin:random builtin:mcts --board hex2 --out r", "games: r/games.jsonl"),
        ("", "match builtin:random builtin:random --board hex2", "Games: 2"),
        ("/", "match builtin:random builtin:random --board hex2", "name one by TMPDIR"),
        ("/", "match builtin:random builtin:random --board hex2 --out r", "r: Read-only"),
        ("/", "render yodd hex3 3/4/2b2/4/3 w 0 2 --out /x.png", "/x.png: Read-only"),
        ("/", "user list", "yoddd.sqlite3: Read-only"),
        ("/", "gtp", ""),
    ],
)
def test_installation_that_is_read_only_works_or_says_what_cannot_be_written(
    tmp_path: Path, cwd: str, words: str, said: str
) -> None:
    if os.geteuid() or run("unshare", "--mount", "true").returncode:
        pytest.skip("no namespaces here")
    places = (str(tmp_path), cwd or str(tmp_path))
    begin = ("unshare", "--mount", "sh", "-c", READ_ONLY, "sh", *places)
    # Neither a home nor a folder for temporary files; Python would write its caches.
    env = ("env", "-i", f"PATH={os.environ['PATH']}", "HOME=/nonexistent")
    done = run(*begin, *env, *own_command("yoddd", *words.split()), given="quit\n")
    assert said in done.stdout + done.stderr
    assert bool(done.returncode) == ("Error: " in done.stderr)
    assert "Traceback" not in done.stderr


def test_own_command_is_how_each_interpreter_is_started() -> None:
    users = {
        word: {file.name for file in PACKAGE.rglob("*.py") if word in file.read_text()}
        for word in ("sys.executable", "multiprocessing")
    }
    assert users == {
        "sys.executable": {"system.py", "extras.py"},  # the latter prints a command to type
        "multiprocessing": {"system.py", "workers.py"},
    }


CALENDAR: Final = re.compile(
    r"datetime\.now\(|date\.today\(|utcnow|\btime\.(?:time|localtime|gmtime)\b|time_ns\(|log_time|"
    r"\.st_[amc]time|\.(?:calendar|wall)\(|\bwall\(|Date\.now\(|new Date\(\)|system_clock"
)
CALENDAR_USES: Final = {
    "the calendar itself": {"daemon/base/clock.py", "daemon/base/world.py"},
    "printed": {
        *("cli/convert.py", "cli/train.py", "daemon/base/process/logs.py"),
        *(
            "daemon/pages/feed.py",
            "daemon/pages/run_pages.py",
            "daemon/play/transcripts.py",
            "daemon/runs/run_folder.py",
        ),
        *("web/js/lobby/terms.js", "web/js/play/presence.js"),
    },
    "part of a record, or of a name": {
        *("daemon/play/game_runner.py", "daemon/play/match_requests.py", "daemon/play/slot.py"),
    },
    "stored, also when something ends that outlives the process": {
        *("cli/store.py", "daemon/lobby/housekeeping.py", "daemon/lobby/ladder.py"),
        *("daemon/lobby/ledger.py", "daemon/lobby/lobby.py", "daemon/lobby/users.py"),
        *("daemon/pages/browser_sessions.py", "web/js/server/tickets.js"),
    },
    "a date of others: of certificates, and the day of a puzzle": {
        *("daemon/service.py", "web/js/pages/puzzles.js", "web/js/pages/puzzletexts.js"),
    },
}
"""The files that read the calendar, which others may set at any moment, by what they do with it."""


def test_calendar_measures_no_duration() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix()
        for kind in ("py", "js", "cpp", "hpp", "c", "h")
        for file in PACKAGE.rglob(f"*.{kind}")
        if CALENDAR.search(file.read_text())
    }
    assert found == {file for files in CALENDAR_USES.values() for file in files}


OWN: Final = {
    name
    for file in PACKAGE.rglob("*.py")
    for name in re.findall(r'own_command\(\s*"([\w.]+)"', file.read_text())
}
"""Modules that are run by `own_command`."""


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a module of each name that we could import; each leaves a file ``caught``."""
    folder = tmp_path_factory.mktemp("trap")
    code = f"open({str(folder / 'caught')!r}, 'a').write(__name__ + ' ')\n"
    others = ("attr", "attrs", "cattrs", "click", "twisted", "zope", "OpenSSL", "sitecustomize")
    for name in (*sys.stdlib_module_names, *others, "usercustomize"):
        (folder / f"{name}.py").write_text(code)
    (folder / "yoddd").mkdir()
    for name in ("__init__", "__main__"):
        (folder / "yoddd" / f"{name}.py").write_text(code)
    return folder


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize("module", sorted(OWN))
def test_own_command_imports_nothing_from_the_working_folder_or_by_variables(
    monkeypatch: pytest.MonkeyPatch, trap: Path, module: str
) -> None:
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE"):
        monkeypatch.setenv(name, str(trap))
    words = {"yoddd": ["--version"], "yoddd.daemon.play.launch": ["--", "true"]}.get(module, [])
    run(*own_command(module, *words), given="", cwd=trap)
    assert not (trap / "caught").exists(), (trap / "caught").read_text()


@pytest.mark.process
@pytest.mark.whole
def test_module_run_by_its_user_imports_nothing_from_the_working_folder(
    trap: Path, tmp_path: Path
) -> None:
    for name in ("random", "queue", "json", "click", "twisted", "attr"):
        shutil.copy(trap / f"{name}.py", tmp_path)
    output_of(sys.executable, "-m", "yoddd", "gtp", given="genmove b\nquit\n", cwd=tmp_path)
    assert not (trap / "caught").exists(), (trap / "caught").read_text()


@pytest.mark.process
@pytest.mark.whole
def test_worker_imports_nothing_from_the_working_folder_or_by_variables(trap: Path) -> None:
    code = (
        "import os, yoddd.workers as workers\n"
        "def main():\n"
        f"    os.chdir({str(trap)!r})\n"
        f"    os.environ['PYTHONPATH'] = {str(trap)!r}\n"
        "    with workers.open_executor(None, 1) as executor:\n"
        "        print(executor.submit(len, 'four').result())\n"
        "    print(os.environ['PYTHONPATH'], os.environ.get('PYTHONSAFEPATH'))\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    program = trap.parent / "program.py"
    program.write_text(code)
    assert output_of(sys.executable, program) == f"4\n{trap} None\n"
    assert not (trap / "caught").exists(), (trap / "caught").read_text()


@pytest.mark.parametrize("is_safe", [False, True])
@pytest.mark.parametrize("own", [0, 1, 2, 3])
def test_own_command_has_the_path_of_this_process_but_for_what_its_user_added(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: int, *, is_safe: bool
) -> None:
    folders = [str(tmp_path / name) for name in ("work", "variable", "site", "other")]
    flags = SimpleNamespace(safe_path=is_safe, ignore_environment=False)
    fake = SimpleNamespace(
        executable="python", flags=flags, path=folders, prefix="/venv", base_prefix="/usr"
    )
    monkeypatch.setattr(system, "sys", fake)
    monkeypatch.setattr(system, "__file__", f"{folders[own]}/yoddd/system.py")
    monkeypatch.setenv("PYTHONPATH", folders[1])
    users = folders[1:2] if is_safe else folders[:2]
    added = [path for path in folders if folders[own] in users or path not in users]
    assert str(added) in own_command("yoddd")[-1]
    fake.path = ["/venv/bin", "/usr/lib/python3", "/venv/site"]
    assert own_command("yoddd", "gtp") == ["python", "-P", "-E", "-m", "yoddd", "gtp"]


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
