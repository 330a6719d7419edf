"""The help of every command: its words, and the form of the options' descriptions."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from tests.test_language import findings
from yoddd.cli import main

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
