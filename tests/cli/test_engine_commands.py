"""The words after an engine's command are the engine's; those before it are ours."""

from __future__ import annotations

import click
import pytest

from tests.cli.conftest import yoddd
from yoddd.cli import main

GIVEN = {
    "check": [],
    "tune": ["--param", "x", "--out", "t.json"],
    "connect": ["127.0.0.1:9", "--as", "bot"],
}
"""The words that each command needs before that of the engine."""

GONE = "./no such engine"


ABOVE = click.Context(main, **main.context_settings)


def command(name: str) -> click.Command:
    found = main.get_command(ABOVE, name)
    assert found is not None
    return found


OPTIONS = [
    (name, word)
    for name in GIVEN
    for param in command(name).get_params(click.Context(command(name), ABOVE))
    if isinstance(param, click.Option)
    for word in param.opts
]


def parsed(name: str, *words: str) -> dict[str, object]:
    params = command(name).make_context(name, [*words], ABOVE).params
    params.pop("settings", None)
    return params


@pytest.mark.parametrize(("name", "word"), OPTIONS)
def test_option_after_the_command_belongs_to_the_engine(name: str, word: str) -> None:
    words = ("bot", word, f"{word}=1", "--", "-depth")
    plain = parsed(name, *GIVEN[name], "bot")
    assert parsed(name, *GIVEN[name], *words) == {**plain, "engine": words}
    assert parsed(name, *GIVEN[name], "--", *words) == {**plain, "engine": words}


@pytest.mark.parametrize(("name", "word"), OPTIONS)
def test_engine_that_does_not_start_names_the_option_that_it_got(name: str, word: str) -> None:
    # `connect` lacks its name: it would start the engine after it has reached a daemon.
    given = GIVEN[name][:1] if name == "connect" else GIVEN[name]
    output = yoddd(name, *given, GONE, "-x", f"{word}=1").output
    assert f"{word} was passed on to the engine: options of `yoddd {name}` stand before" in output
    assert "passed on" not in yoddd(name, *given, GONE, "-x", "4").output


@pytest.mark.parametrize("word", ["--nothing", "-depth", "-nothing"])
@pytest.mark.parametrize("name", GIVEN)
def test_unknown_option_before_the_command_is_refused(name: str, word: str) -> None:
    result = yoddd(name, *GIVEN[name], word, "4", "bot")
    assert result.exit_code == 2
    assert f"option '{word[:2]}" in result.output or f"option {word}" in result.output


@pytest.mark.parametrize("line", ["A --as n {}", "--as n A {}", "A --as n -- {}", "--as n -- A {}"])
def test_options_of_connect_stand_on_either_side_of_the_address(line: str) -> None:
    found = parsed("connect", *line.replace("A", "localhost:9").format("bot --as m").split())
    assert (found["address"], found["name"]) == (("localhost", 9), "n")
    assert found["engine"] == ("bot", "--as", "m")
