"""The help of every command: its words, and the form of the options' descriptions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.test_language import findings
from yoddd.cli import main
from yoddd.referee.plan import Adjudicate, OnCrash

IMPERATIVES = frozenset(
    {"Ask", "Fix", "Generate", "Give", "Keep", "Measure", "Only", "Play", "Prove", "Run", "Score"}
    | {"Search", "Set", "Stop", "Switch", "Who"}
)
"""First words that tell what to do; an option with a value says what the value is."""


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


@pytest.mark.parametrize("path", sorted(CONTEXTS))
def test_help_uses_the_words_of_the_glossary(path: str) -> None:
    context = CONTEXTS[path]
    assert not findings(context.command.get_help(context), ".md")


@pytest.mark.parametrize("path", sorted(CONTEXTS))
def test_option_with_a_value_describes_it_by_a_phrase(path: str) -> None:
    for option in CONTEXTS[path].command.params:
        if isinstance(option, click.Option) and not (option.is_flag or option.hidden):
            text = (option.help or "").partition("  [")[0]
            assert text.endswith("."), option.name
            assert text.split()[0] not in IMPERATIVES, option.name


def lines_of(*words: str) -> list[str]:
    return CliRunner().invoke(main, words, prog_name="yoddd").output.splitlines()


def test_help_lists_commands_in_sections_a_line_each() -> None:
    lines = lines_of("--help")
    commands = main.list_commands(click.Context(main))
    titles = [line for line in lines if line and not line.startswith(" ")]
    wanted = ["Play and serve:", "Engines and matches:", "Records and pictures:"]
    assert titles[-5:] == [*wanted, "Study and solve:", "Set-up:"]
    listed = [
        line.split()[0] for line in lines[lines.index("Play and serve:") :] if line[:2] == "  "
    ]
    assert listed == commands
    assert all(len(line) <= 80 and "…" not in line for line in lines)


def test_help_of_a_command_is_that_of_its_option() -> None:
    assert lines_of("help", "match") == lines_of("match", "--help")
    assert lines_of("help", "run", "status")[0] == "Usage: yoddd run status [OPTIONS] FOLDER"
    assert lines_of("help") == lines_of("--help")
    assert lines_of("help", "mach")[-1] == "Error: no command 'mach'; did you mean 'match'?"


HEAVY = frozenset(
    {"OpenSSL", "asyncio", "dask", "email", "http", "matplotlib", "numpy", "rich", "scipy"}
    | {"sqlalchemy", "ssl", "twisted", "yoddd.referee"}
)
"""Packages that take tens of milliseconds to import, which no help needs."""

_IMPORTS = """
import contextlib, os, sys
from yoddd.cli import main
heavy = set(sys.argv.pop().split())
for line in sys.argv[1:]:
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        main(line.split(), prog_name="yoddd", standalone_mode=False)
    for name in sorted(heavy & {*sys.modules}):
        print(line, "imports", name)
    heavy -= {*sys.modules}
"""


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(
    ("lines", "allowed"),
    [
        ([f"{path.partition(' ')[2]} --help" for path in CONTEXTS], set()),
        # The metadata of Twisted, which name its version, have the form of an e-mail.
        (["--version"], {"email"}),
    ],
    ids=["help", "version"],
)
def test_help_and_version_import_nothing_heavy(lines: list[str], allowed: set[str]) -> None:
    program = [sys.executable, "-c", _IMPORTS, *lines, " ".join(HEAVY - allowed)]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["resume", "status", "pause", "stop", "set"])
def test_old_name_of_a_run_command_stays_hidden(name: str) -> None:
    assert lines_of(name, "--help")[1:] == lines_of("run", name, "--help")[1:]
    assert name not in main.list_commands(click.Context(main))


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("play --black human", "the page of `yoddd serve`"),
        ("report yodd hex4", "`yoddd tournament`"),
        ("setup-shell --help", "install.md"),
        ("merge games/cup games/one", "--cluster"),
        ("run merge games/cup games/one", "--cluster"),
        ("match a b --shard 1/2", "--cluster"),
        ("check --strength --seconds 2 ./bot", "builtin:mcts"),
        ("show --colour yodd", "as text"),
        ("table build yodd@hex3", "`yoddd solve`"),
    ],
)
def test_removed_command_or_option_names_what_to_use_instead(line: str, instead: str) -> None:
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 2
    assert "was removed: " in result.output
    assert instead in result.output


MEANINGS = {"games": "of ", "concurrency": "games at once", "game": "Game"}


@pytest.mark.parametrize("path", sorted(CONTEXTS))
def test_option_has_one_meaning_in_all_commands(path: str) -> None:
    for option in CONTEXTS[path].command.params:
        for word, meaning in MEANINGS.items():
            if f"--{word}" in option.opts and isinstance(option, click.Option):
                assert meaning in (option.help or "") or word == "games"
                assert word != "games" or "at once" not in (option.help or "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("match", "--game"), "xodd"),
        (("match", "--board"), "square9"),
        (("match", "--clock"), "60+1"),
        (("match", "engines"), "builtin:uct"),
        (("ladder", "--game"), "product"),
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


def test_choices_of_match_are_those_of_a_plan() -> None:
    options = {one.name: one.type for one in CONTEXTS[f"{main.name} match"].command.params}
    for name, kind in (("adjudicate", Adjudicate), ("on_crash", OnCrash)):
        choice = options[name]
        assert isinstance(choice, click.Choice)
        assert list(choice.choices) == [one.value for one in kind]
