"""The folder of a run: its plan and its lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from yoddd.daemon.runs.archive import RunError
from yoddd.daemon.runs.run_folder import FolderBusy, RunFolder, is_running, read_plan
from yoddd.referee.config import TournamentConfig


def test_run_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run in it"):
        RunFolder(tmp_path)
    (tmp_path / "games.jsonl").write_text("{}\n")
    with pytest.raises(RunError, match="games without a plan"):
        RunFolder(tmp_path, TournamentConfig())
    with pytest.raises(RunError, match="No such file"):
        RunFolder(tmp_path / "nowhere")


def test_run_folder_holds_its_lock_until_it_is_closed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", TournamentConfig())
    with pytest.raises(FolderBusy):
        RunFolder(tmp_path / "run")
    assert is_running(tmp_path / "run")
    folder.close()
    again = RunFolder(tmp_path / "run")
    assert again.config == TournamentConfig()
    again.close()
    assert not is_running(tmp_path / "run")
    assert not is_running(tmp_path / "nowhere")


def test_run_folder_replaces_a_plan_until_a_game_is_played(tmp_path: Path) -> None:
    RunFolder(tmp_path, TournamentConfig()).close()
    RunFolder(tmp_path, TournamentConfig(seed=1)).close()
    assert read_plan(tmp_path).seed == 1
    (tmp_path / "games.jsonl").write_text("{}\n")
    reason = "holds another run; .* They differ in seed: 1 there, 2 here"
    with pytest.raises(RunError, match=reason):
        RunFolder(tmp_path, TournamentConfig(seed=2))
    RunFolder(tmp_path, TournamentConfig(seed=1, games=8, concurrency=4)).close()
    assert (read_plan(tmp_path).games, read_plan(tmp_path).concurrency) == (8, 4)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"{", "plan.json: not JSON"), (b"\xff", "plan.json: line 1, column 1: byte 0xff")],
)
def test_read_plan_refuses_what_is_no_plan(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(RunError, match=reason):
        read_plan(tmp_path)
