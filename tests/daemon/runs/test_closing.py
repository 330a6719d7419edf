"""The end of a run on the command line, and what its control says when it does not run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.daemon.conftest import engine
from tests.daemon.runs.test_run import run
from tests.support.programs import PATIENCE, YODDD
from yoddd.cli import main


def yoddd(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*YODDD, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.process
@pytest.mark.whole
def test_end_of_a_knockout_shows_its_bracket_champion_and_files(
    marker: str, tmp_path: Path
) -> None:
    names = ("Ada", "Bob", "Cy")
    engines = "".join(
        f"[[engine]]\nname = '{name}'\nengine = '''{engine(marker)}'''\n" for name in names
    )
    file, out = tmp_path / "cup.toml", tmp_path / "run"
    file.write_text(f'board = "hex3"\nformat = "knockout"\n{engines}')
    done = yoddd("tournament", str(file), "--out", str(out), "--quiet")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    (champion,) = [line for line in lines if line.startswith("champion: ")]
    assert champion.removeprefix("champion: ") in names
    assert any(line.startswith("round 1  Bob ") for line in lines)
    assert any(line.startswith("round 2  Ada ") for line in lines)
    assert lines[-2:] == [f"report: {out / 'report.html'}", f"games: {out / 'games.jsonl'}"]
    assert not any(line.startswith("game ") for line in lines)
    text, page = (out / "report.txt").read_text(), (out / "report.html").read_text()
    assert champion in text
    assert f"<p>{champion.replace('champion', 'Champion')}</p>" in page
    report = json.loads((out / "report.json").read_text())
    assert f"champion: {report['champion']}" == champion
    assert len(report["bracket"]) == 2


@pytest.mark.process
@pytest.mark.whole
def test_end_of_a_run_with_faults_names_their_folder(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(out, (engine(marker), engine(marker, "--fault", "crash", "--name", "Bob")))
    assert done.stdout.splitlines()[-1] == f"faults: 2 in {out / 'faults'}"
    for command in (["pause"], ["stop"], ["set", "concurrency=2"]):
        refused = yoddd(command[0], str(out), *command[1:])
        assert refused.returncode == 1
        message = f"Error: {out}: this run is not running: all of its games are played\n"
        assert refused.stderr == message
    watched = yoddd("status", str(out), "--watch")
    assert watched.returncode == 0
    assert "not running" in watched.stdout


def test_pause_of_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    refused = CliRunner().invoke(main, ["pause", str(tmp_path)])
    assert refused.exit_code == 1
    assert "this run is not running: " in refused.stderr
    assert "No such file or directory" in refused.stderr
