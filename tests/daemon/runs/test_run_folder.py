"""The folder of a run: its plan and its lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.run_folder import FolderBusy, RunFolder
from yoddd.referee.config import TournamentConfig


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run in it"):
        RunFolder(tmp_path)
    (tmp_path / "games.jsonl").write_text("")
    with pytest.raises(RunError, match="games without a plan"):
        RunFolder(tmp_path, TournamentConfig())
    with pytest.raises(RunError, match="No such file"):
        RunFolder(tmp_path / "nowhere")


def test_the_lock_is_left_with_the_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", TournamentConfig())
    with pytest.raises(FolderBusy):
        RunFolder(tmp_path / "run")
    folder.close()
    again = RunFolder(tmp_path / "run")
    assert again.config == TournamentConfig()
    again.close()
    assert (tmp_path / "run" / "lock").exists()
