"""The lines of a daemon, read by protocol/grammar.abnf and a reader that is not ours."""

import functools
import re
from pathlib import Path

from abnf import GrammarError, ParseError, Rule

from yoddd.protocol.command import OURS

GRAMMAR = (Path(__file__).parents[2] / "protocol" / "grammar.abnf").read_text(encoding="ascii")

SHORTENINGS = (
    (r"\{.*\}", "{1}"),
    (r"(?<![^ ])[\w-]{22}(?![^ ])", "a1"),  # a key
    (r"\d", "1"),
    (r"(?<![/\w])1?[a-z]1+(?![/\w])", "a1"),
    (r"([ \n](?!1+\b)\S+?)(?:\1(?=[ \n]|$)){3,}", r"\1\1\1"),
)
"""Patterns of what a shape leaves out, and what it has instead; it follows the same rules."""

LISTS = ("r-games",)
"""Rules of lists of lines, which would have as many shapes as there are mixtures of lines."""


@functools.cache  # not at import, which collecting the tests would pay for
def grammar() -> type[Rule]:
    """The rules of protocol/grammar.abnf."""

    class Grammar(Rule):
        pass

    Grammar.load_grammar(GRAMMAR.replace("\n", "\r\n"), strict=False)
    return Grammar


@functools.cache  # many lines are the same
def parses(rule: str, data: bytes) -> bool:
    """Read bytes by a rule.

    Raises:
        ParseError: they do not follow it.
    """
    grammar()(rule).parse_all(data.decode("latin-1"))
    return True


def rule_of(kind: str, command: str) -> str:
    """The name of a rule for a command: its request ``c``, its reply ``r``, its stream ``l``."""
    return f"{kind}-{command.lower().removeprefix(OURS).replace('_', '-')}"


def follows(rule: str, text: str, *, exactly: bool = False) -> bool:
    """Whether what a daemon has written follows a rule; each shape is read once, or each text."""
    for pattern, instead in () if exactly else SHORTENINGS:
        text = re.sub(pattern, instead, text)
    try:
        return all(parses(rule, one.encode()) for one in _parts(rule, text))
    except (ParseError, GrammarError):
        return False


def _parts(rule: str, text: str) -> set[str]:
    """The texts that are read by themselves: a list follows its rule line by line."""
    return set(text.split("\n")) if rule in LISTS else {text}


def follows_reply(line: str, text: str) -> bool:
    """Whether a whole reply, from its sign on, is one to this request."""
    command, said = line.split(" ", 1)[0], text.partition(" ")[2]
    return follows(rule_of("r", command) if text.startswith("=") else "error", said)


def follows_line(line: str, text: str) -> bool:
    """Whether this is a line of the stream of a request."""
    command = line.split(" ", 1)[0]
    return follows("error-line" if text.startswith("error ") else rule_of("l", command), text)
