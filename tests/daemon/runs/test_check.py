"""The conformance kit examines sound engines, and walks the turns of those that list them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon.conftest import ENGINE, ENGINE_COMMAND, Daemon
from tests.support.programs import YODDD
from yoddd import __version__
from yoddd.referee.conformance import list_checks

pytestmark = [pytest.mark.process, pytest.mark.whole]

LONG = 900
"""Seconds of a whole examination on a busy machine; 25 on an idle one."""


def check(*arguments: str) -> tuple[int, dict[str, object]]:
    done = subprocess.run(
        [*YODDD, "check", "--json", *arguments], capture_output=True, check=False, timeout=LONG
    )
    assert done.stderr == b""
    return done.returncode, json.loads(done.stdout)


def findings(report: dict[str, object]) -> dict[str, dict[str, str]]:
    found = report["findings"]
    assert isinstance(found, list)
    return {finding["check"]: finding for finding in found}


@pytest.mark.timeout(LONG)
def test_check_passes_a_sound_engine() -> None:
    status, report = check(*ENGINE_COMMAND)
    assert (status, report["played"]) == (0, 10), report
    found = findings(report)
    assert [finding["verdict"] for finding in found.values()].count("warn") == 0
    assert list(found) == [one.name for one in list_checks()]


@pytest.mark.timeout(LONG)
def test_check_passes_the_daemon_over_tcp(daemon: Daemon) -> None:
    status, report = check("--game", "yoin@hex2", f"tcp:{daemon.address}")
    assert status == 0, report
    assert report["engine"] == {"name": "yoddd", "version": __version__}


@pytest.mark.gate
def test_check_prints_a_text_report() -> None:
    engine = [*ENGINE_COMMAND, "--fault", "lacks-genmove"]
    done = subprocess.run([*YODDD, "check", *engine], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "FAIL  introduction     names itself and every mandatory command" in done.stdout
    assert "lacks genmove" in done.stdout
    assert done.stdout.splitlines()[0] == "Test engine 1"
    assert done.stdout.endswith("DOES NOT CONFORM: 1 ok, 1 fail, 0 warn, 0 slow, 0 skip\n")


@pytest.mark.parametrize("options", [[], ["--perft"], ["--json"]])
def test_check_engine_that_exits_at_once_names_our_option_that_it_got(options: list[str]) -> None:
    words = [*YODDD, "check", *options, "false", "--seed", "4"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the engine did not start; --seed was passed on to the engine" in done.stderr


def test_check_takes_an_engine_of_the_engines_file(tmp_path: Path) -> None:
    (tmp_path / "engine.py").symlink_to(ENGINE)
    file = tmp_path / "engines.toml"
    mine = f'[[engine]]\nname = "mine"\nengine = "{sys.executable} -S engine.py"\ncwd = "."\n'
    file.write_text(mine + "params = { seed = 3 }\n")
    options = ["--engines", str(file), "--only", "yodd as Black", "--game", "yodd@hex2"]
    status, report = check(*options, "conf:mine")
    assert status == 0, report
    file.write_text(mine + "params = { playuts = 3 }\n")
    status, report = check(*options, "conf:mine")
    assert status == 1
    assert "`set_param playuts 3` refused" in findings(report)["yodd as Black"]["detail"]


LISTER = [sys.executable, "-m", "tests.programs.lister"]


@pytest.mark.parametrize(
    ("engine", "status", "said"),
    [
        (["builtin:uct"], 0, "agrees with the rules: legal and perft in"),
        (
            [*LISTER, "--wrong", "second-stone", "--offers", "both"],
            1,
            "second stone: as if ",
        ),
    ],
)
def test_check_perft_compares_an_engine_with_the_rules(
    engine: list[str], status: int, said: str
) -> None:
    words = [*YODDD, "check", "--perft", "--walk", "5", *engine]
    done = subprocess.run(words, capture_output=True, check=False, timeout=LONG, text=True)
    assert (done.returncode, done.stderr) == (status, ""), done.stdout
    assert said in done.stdout
