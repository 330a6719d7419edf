"""The help of every command: its words, and the form of the options' descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest

from tests.cli.conftest import yoddd
from yoddd.cli import main
from yoddd.gone import REMOVED, removal
from yoddd.suggestions import habit


def contexts(
    command: click.Command, parent: click.Context | None = None
) -> Iterator[click.Context]:
    context = click.Context(command, parent=parent, info_name=command.name)
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from contexts(below, context)


CONTEXTS = {context.command_path: context for context in contexts(main)}


def lines_of(*words: str) -> list[str]:
    return yoddd(*words).output.splitlines()


def test_help_of_a_command_is_that_of_its_option() -> None:
    assert lines_of("help", "match") == lines_of("match", "--help")
    assert lines_of("help", "run", "status")[0] == "Usage: yoddd run status [OPTIONS] FOLDER"
    assert lines_of("help") == lines_of("--help")
    assert lines_of("help", "mach")[-1] == "Error: no command 'mach'; did you mean 'match'?"


@pytest.mark.parametrize("name", ["resume", "status", "pause", "stop", "set"])
def test_old_name_of_a_run_command_stays_hidden(name: str) -> None:
    assert lines_of(name, "--help")[1:] == lines_of("run", name, "--help")[1:]
    assert name not in main.list_commands(click.Context(main))


@pytest.mark.parametrize("name", [*REMOVED, "run merge"])
def test_removed_command_or_option_names_what_to_use_instead(name: str) -> None:
    result = yoddd(*name.split(), "1/2", "a")
    assert result.exit_code == 2
    assert result.output.endswith(f"Error: {removal(name.removeprefix('run '))}\n")


def test_names_of_the_page_for_users_of_cutechess_are_answered() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/come-from-cutechess.md").read_text()
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| `-")]
    names = {name for row in rows for name in re.findall(r"(?<![a-z])-([a-z-]{2,})", row[0])}
    ours = {name for row in rows for name in re.findall(r"--([a-z-]+)", row[1])}
    assert len(names) > 25
    assert [name for name in names - ours - {"games"} if not habit(name)] == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("match", "--game"), "xodd"),
        (("match", "--board"), "square9"),
        (("match", "--clock"), "60+1"),
        (("match", "engines"), "builtin:uct"),
        (("perft", "--game"), "product"),
        (("check", "engine"), "builtin:mcts"),
    ],
)
def test_completion_offers_games_boards_clocks_and_engines(
    words: tuple[str, str], found: str
) -> None:
    context = CONTEXTS[f"{main.name} {words[0]}"]
    (option,) = [
        one for one in context.command.params if words[1] in one.opts or one.name == words[1]
    ]
    assert found in {item.value for item in option.shell_complete(context, "")}


def test_completion_of_a_file_that_cannot_be_read_offers_the_builtin_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("engines.toml").write_text("engine = " + "[" * 5000)
    context = CONTEXTS[f"{main.name} check"]
    (argument,) = [one for one in context.command.params if one.name == "engine"]
    assert "builtin:uct" in {item.value for item in argument.shell_complete(context, "b")}


def test_game_takes_its_board_as_match_and_check_do() -> None:
    result = lines_of("perft", "--depth", "1", "--game", "yodd@hex2")
    assert result == lines_of("perft", "--depth", "1", "--game", "yodd", "--board", "hex2")
    twice = lines_of("perft", "--depth", "1", "--game", "yodd@hex2", "--board", "hex3")
    assert twice[-1] == "Error: yodd@hex2 and hex3: name one board"


@pytest.mark.parametrize("path", CONTEXTS)
def test_option_that_is_given_twice_is_refused_unless_both_can_count(path: str) -> None:
    command, name = CONTEXTS[path].command, CONTEXTS[path].info_name
    for option in command.params:
        if not isinstance(option, click.Option) or option.is_eager or option.hidden:
            continue
        words = [[word, *["x"] * (0 if option.is_flag else option.nargs)] for word in option.opts]
        words += [[word] for word in option.secondary_opts]
        repeated = [*words[0], *words[-1]]
        is_mark = option.is_flag and not option.secondary_opts
        can_count = option.multiple or option.count or is_mark
        text = ""
        with suppress(click.exceptions.Exit):
            try:
                command.make_context(name, repeated)
            except click.ClickException as error:
                text = str(error)
        assert ("given twice" in text) != bool(can_count), (repeated, text)


def test_daemon_with_two_endpoints_for_the_page_is_refused() -> None:
    done = yoddd("serve", "--http", "tcp:0", "--http", "tcp:0")
    assert done.exit_code == 2
    assert "--http is given twice, but takes one value" in done.output
