"""Files that do not exist: one wording and one exit status for all commands."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from yoddd.cli import main


@pytest.mark.parametrize(
    "words",
    [
        "show no.sgf",
        "show ./no.sgf",
        "render no.sgf --out x.svg",
        "plot no.sgf --out x.svg",
        "review no.sgf",
        "stats no.sgf",
        "tournament no.sgf",
        "convert no.sgf x.jsonl",
        "serve --config no.sgf",
        "ladder --config no.sgf",
        "match builtin:random builtin:random --openings no.sgf",
        "puzzles solve no.sgf",
        "puzzles verify no.sgf",
        "store restore no.sgf --store s",
        "store backup copy --store no.sgf",
    ],
)
def test_command_without_its_file_says_so_with_status_2(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(words), prog_name="yoddd")
    assert result.exit_code == 2
    assert "no.sgf' does not exist." in result.output.replace("\n", " ")
    assert not list(tmp_path.iterdir())
