"""`yoddd new-bot` writes the bots of clients/ and says what to type next."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from yoddd.cli import main

CLIENTS = Path(__file__).parents[2] / "clients"


@pytest.mark.parametrize(
    ("language", "source", "lines"),
    [
        ("lua", "lua/bot.lua", ["check lua {}/bot.lua", "match 'lua {}/bot.lua' builtin:random"]),
        ("js", "node/bot.js", ["check node {}/bot.js", "match 'node {}/bot.js' builtin:random"]),
        ("go", "go/bot.go", ["go build -o {}/bot {}/bot.go", "check {}/bot", "match {}/bot buil"]),
        ("rust", "rust/bot.rs", ["rustc -O -o {}/bot {}/bot.rs", "check {}/bot", "match {}/bot "]),
        ("c", "c/bot.c", ["cc -O2 -o {}/bot {}/bot.c", "check {}/bot", "match {}/bot builtin:r"]),
        ("python", "python/bot.py", ["check python3 {}/bot.py", "match 'python3 {}/bot.py'"]),
    ],
)
def test_new_bot_is_written_once_with_what_to_type_next(
    tmp_path: Path, language: str, source: str, lines: list[str]
) -> None:
    arguments = ["new-bot", language, str(tmp_path / "my")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    written = tmp_path / "my" / Path(source).name
    assert written.read_bytes() == (CLIENTS / source).read_bytes()
    commands = result.output.splitlines()[2:]
    for command, line in zip(commands, lines, strict=True):
        assert line.replace("{}", str(tmp_path / "my")) in command
    again = CliRunner().invoke(main, arguments)
    assert (again.exit_code, "exists; name another folder" in again.output) == (2, True)
