"""Code and documentation use the words of ``docs/reference/glossary.md`` and no private ones.

Scanned are docstrings, comments and identifiers of Python, prose outside code of Markdown, and all
but string literals of JavaScript, CSS and C++. String literals are left out: many are contractual.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.gate

ROOT = Path(__file__).parents[1]

WORDS = {
    r"whoever": "who, or the noun that is meant",
    r"nobody|somebody": "no one, or the noun that is meant",
    r"anew": "again",
    r"foret(?:ell|ells|elling|old)": "predict",
    r"hasten(?:s|ed|ing)?": "preempt, shorten",
    r"hurr(?:y|ies|ied|ying)": "preempt, shorten",
    r"part(?:s|ed|ing)? from": "disconnect, close",
    r"(?:struck|strike|strikes) off": "expired, expire",
    r"ferr(?:y|ies|ied|ying)": "relay",
    r"telephones?": "phone",
    r"chairs?": "seat",
    r"guests?": "participant, peer",
    r"contestants?": "participant, engine",
    r"rooms|(?:the|a|each|every|one|this) room(?! (?:for|to|left)\b)": "package, services",
    r"floors?(?!\()": "layer",
    r"doors?": "admission",
    r"now and then": "occasionally, at most every N seconds",
    r"for ever": "without end, indefinitely",
    r"(?:comes?|came) in(?= ?[.,;:])": "connect, arrive",
    r"(?:goes|go|went) away": "disconnect",
    r"(?:sit|sits|sat) down": "take a seat",
    r"far end": "peer",
    r"persons?|people": "player, participant, human, user",
}
"""Words to avoid, as regular expressions of whole words, and the words to use instead."""

OPENINGS = frozenset(
    {
        "Nobody",
        "Nothing",
        "Somebody",
        "Whoever",
        "What",
        "Who",
        "Where",
        "How",
        "Those",
        "Its",
        "As",
    }
)
"""The first line of a docstring stands alone in an index; with these it is no description."""

ALLOWED = frozenset(
    {
        ("docs/reference/glossary.md", "*"),  # it says which words are not used
        ("tests/test_language.py", "*"),  # likewise
        ("yoddd/referee/reports/html.py", "floor"),  # math.floor
    }
)
"""Pairs of a file and a word, or ``*``, that stay, each for its reason."""

SUFFIXES = frozenset({".py", ".pyi", ".md", ".js", ".css", ".cpp", ".hpp"})
SKIPPED = frozenset({"__pycache__", "_build", "vectors", "node_modules"})

# One expression with a group for each line of the table: a text is read once, not once a line.
_WORDS = re.compile(
    rf"\b(?:{'|'.join(f'({words})' for words in WORDS)})\b".replace(" ", r"\s+"), re.IGNORECASE
)
_INSTEAD = ("", *WORDS.values())
_SHOWN = frozenset({tokenize.NAME, tokenize.COMMENT})
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
_PARTS = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])")
_LEADER = re.compile(r"^\s*(?:#|//+|\*(?!/))", re.MULTILINE)
_NOT_PROSE = {
    ".md": re.compile(
        r"^```.*?^```|^:::\{toctree\}.*?^:::$|^:::\{.*?$|`[^`\n]*`|\]\([^)\n]*\)",
        re.DOTALL | re.MULTILINE,
    ),
    ".js": re.compile(
        r"(?P<comment>//[^\n]*|/\*.*?\*/)|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`[^`]*`",
        re.DOTALL,
    ),
}
_JSDOC = re.compile(r"/\*\*\s*(?P<word>\w+)")


class Finding(NamedTuple):
    """One word that is not to be written, at line ``line`` of its file."""

    line: int
    word: str
    instead: str


def blank(text: str) -> str:
    """As many spaces, with the line ends where they were."""
    return re.sub(r"[^\n]", " ", text)


def python_prose(text: str, tree: ast.Module) -> str:
    """Docstrings, comments and identifiers where they stand, all else blank or left out."""
    prose = []
    docstrings = {
        node.lineno
        for node in statements(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    line, column = 1, 0
    for kind, word, (first, start), last, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        if kind in _SHOWN or (kind == tokenize.STRING and first in docstrings):
            if first > line:
                prose.append("\n" * (first - line))
                column = 0
            prose += " " * (start - column), word
            line, column = last
    return "".join(prose)


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The module and its statements; no expression is visited, which are most nodes of a tree."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        yield node
        for name in _BLOCKS:
            nodes += getattr(node, name, ())


def prose_of(text: str, suffix: str, tree: ast.Module | None) -> str:
    """The parts of a file that are scanned; all else is blank, and the lines stay in place."""
    if tree is not None:
        return python_prose(text, tree)
    skipped = _NOT_PROSE.get(".md" if suffix == ".md" else ".js")
    assert skipped is not None
    return skipped.sub(lambda m: m[0] if m.groupdict().get("comment") else blank(m[0]), text)


def openings(text: str, suffix: str, tree: ast.Module | None) -> Iterator[tuple[int, str]]:
    """Line and first word of each docstring and each JSDoc comment."""
    if suffix == ".js":
        for match in _JSDOC.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match["word"]
    elif tree is not None:
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in statements(tree):
            if isinstance(node, documented) and (docstring := ast.get_docstring(node, clean=False)):
                yield node.body[0].lineno, re.split(r"\W", docstring.lstrip(), maxsplit=1)[0]


def findings(text: str, suffix: str) -> list[Finding]:
    """The words of a file that are to be avoided, from its first line to its last."""
    tree = ast.parse(text) if suffix in {".py", ".pyi"} else None
    # A space where a line of a comment or a part of an identifier ends makes both plain words.
    prose = _LEADER.sub(lambda m: blank(m[0]), prose_of(text, suffix, tree))
    prose = _PARTS.sub(" ", prose)
    found = [
        Finding(
            prose.count("\n", 0, match.start()) + 1,
            " ".join(match[0].split()),
            _INSTEAD[match.lastindex or 0],
        )
        for match in _WORDS.finditer(prose)
    ]
    found += [
        Finding(line, f"{word} …", "begin with what it is or does")
        for line, word in openings(text, suffix, tree)
        if word in OPENINGS
    ]
    return sorted(found)


def package_of(path: Path) -> str:
    """The package that a file belongs to; ``pages`` are those of the root."""
    *folders, _ = path.relative_to(ROOT).parts
    depth = 1
    if folders[:1] in (["yoddd"], ["tests"]):
        depth = 3 if folders[1:2] == ["daemon"] else 2
    return "/".join(folders[:depth]) or "pages"


def files() -> Iterator[Path]:
    """All files that are scanned."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in ("yoddd", "tests", "docs", "clients", "protocol"):
        for path in sorted((ROOT / folder).rglob("*")):
            is_copy = ROOT / "docs" / "protocol" in path.parents
            if path.suffix in SUFFIXES and not is_copy and not SKIPPED & set(path.parts):
                yield path


def by_package(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """The files of each package."""
    packages: dict[str, list[Path]] = {}
    for path in paths:
        packages.setdefault(package_of(path), []).append(path)
    return packages


PACKAGES = by_package(files())


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_package_uses_the_words_of_the_glossary(package: str) -> None:
    wrong = []
    for path in PACKAGES[package]:
        name = path.relative_to(ROOT).as_posix()
        for line, word, instead in findings(path.read_text(encoding="utf-8"), path.suffix):
            if not {(name, "*"), (name, word.lower())} & ALLOWED:
                wrong.append(f"{name}:{line}: {word} → {instead}")
    assert not wrong, "\n" + "\n".join(wrong)
