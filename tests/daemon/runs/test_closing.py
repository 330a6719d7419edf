"""The end of a run on the command line, and what its control says when it does not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.daemon.conftest import engine
from tests.daemon.runs.test_run import run
from yoddd.cli import main


@pytest.mark.process
@pytest.mark.whole
def test_end_of_a_run_with_faults_names_their_folder(marker: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(out, (engine(marker), engine(marker, "--fault", "crash", "--name", "Bob")))
    assert done.stdout.splitlines()[-1] == f"faults: 2 in {out / 'faults'}"
    for command in (["pause"], ["stop"], ["set", "concurrency=2"]):
        refused = CliRunner().invoke(main, [command[0], str(out), *command[1:]])
        assert refused.exit_code == 1
        message = f"Error: {out}: this run is not running: all of its games are played\n"
        assert refused.stderr == message
    watched = CliRunner().invoke(main, ["status", str(out), "--watch"])
    assert (watched.exit_code, "not running" in watched.stdout) == (0, True)


def test_pause_of_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    refused = CliRunner().invoke(main, ["pause", str(tmp_path)])
    assert refused.exit_code == 1
    assert "this run is not running: " in refused.stderr
    assert "No such file or directory" in refused.stderr
