"""The syntax of SGF FF[4]: text to trees of nodes and back.

Source: the FF[4] specification by Arno Hollosi (red-bean.com/sgf). Properties are not
interpreted, so all of them survive a round trip; `yoddd.notation.sgf_games` interprets ours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from yoddd.notation.errors import NotationError
from yoddd.notation.text import printable

_TOKEN: Final = re.compile(
    r"(?P<mark>[();])"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<value>\[(?:[^\]\\]++|\\.)*+\])"
    r"|(?P<unclosed>\[(?:[^\]\\]++|\\.)*+)"
    r"|(?P<junk>[^\s();\[A-Za-z]+)",
    re.DOTALL,
)
_BREAK: Final = r"\r\n|\n\r|[\r\n]"
_LINE_BREAK: Final = re.compile(_BREAK)
_SPECIAL: Final = re.compile(
    rf"\\(?:{_BREAK})|(?P<end>{_BREAK})|\\?(?P<space>[\t\v\f])|\\(?P<kept>.)", re.DOTALL
)
_COLON: Final = re.compile(r"((?:[^:\\]++|\\.)*+):(.*)", re.DOTALL)
_LONGEST: Final = 200
_FOR_TEXT: Final = str.maketrans({"\\": "\\\\", "]": "\\]"})
_FOR_PART: Final = str.maketrans({"\\": "\\\\", "]": "\\]", ":": "\\:"})


@attrs.define(eq=False, repr=False)
class Node:
    """One node of a game tree.

    Attributes:
        properties: for each name its values between the brackets, escapes included.
        children: the first one continues the main line, the others are variations.
        line: where the node was read, from 1.
        column: likewise.
    """

    properties: dict[str, list[str]] = attrs.Factory(dict)
    children: list[Node] = attrs.Factory(list)
    line: int = 1
    column: int = 1

    def texts(self, name: str) -> list[str]:
        """The values of a property in plain text; none if the node does not have it."""
        return [decode(raw) for raw in self.properties.get(name, ())]

    def text(self, name: str) -> str | None:
        """The first value of a property in plain text; None if the node does not have it."""
        return next(iter(self.texts(name)), None)

    def put(self, name: str, *texts: str) -> None:
        """Set a property to values in plain text."""
        self.properties[name] = [encode(text) for text in texts]

    def main_line(self) -> Iterator[Node]:
        """This node, its first child, the first child of that one and so on."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None

    def error(self, reason: str) -> NotationError:
        """An error that points at this node, on one line and without most of a long value."""
        reason = printable(reason)
        if len(reason) > _LONGEST:
            reason = f"{reason[: _LONGEST // 2]}…{reason[-_LONGEST // 2 :]}"
        return NotationError(reason, line=self.line, column=self.column)


def decode(raw: str) -> str:
    """The plain text of a value: escapes resolved, every kind of line end as LF."""

    def replace(match: re.Match[str]) -> str:
        if match["end"]:
            return "\n"
        return " " if match["space"] else match["kept"] or ""

    return _SPECIAL.sub(replace, raw)


def encode(text: str) -> str:
    """The value that stands for a plain text."""
    return text.translate(_FOR_TEXT)


def decode_pair(raw: str) -> tuple[str, str] | None:
    """The two plain texts of a composed value ``a:b``; None if it has no bare colon."""
    match = _COLON.fullmatch(raw)
    return (decode(match[1]), decode(match[2])) if match else None


def encode_pair(first: str, second: str) -> str:
    """The composed value of two plain texts."""
    return f"{first.translate(_FOR_PART)}:{second.translate(_FOR_PART)}"


# -- writing --------------------------------------------------------------------------------


def write_sgf(trees: Iterable[Node]) -> str:
    """The text of a collection of game trees: one line per node, and per property of a root."""
    parts: list[str] = []
    for root in trees:
        todo: list[Node | str] = [")\n", root, "("]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                parts.append(item)
                continue
            parts.append(_format_node(item, "\n" if item is root else ""))
            todo += reversed(_continuation(item.children))
    return "".join(parts)


def _continuation(children: list[Node]) -> list[Node | str]:
    if len(children) == 1:
        return ["\n", children[0]]
    return [part for child in children for part in ("\n(", child, ")")]


def _format_node(node: Node, between: str) -> str:
    properties = (
        name + "".join(f"[{value}]" for value in values) for name, values in node.properties.items()
    )
    return ";" + between.join(properties)


# -- reading --------------------------------------------------------------------------------


def parse_sgf(text: str, line: int = 1) -> tuple[list[Node], list[NotationError]]:
    """Read a collection of game trees; errors are collected.

    Lower-case letters in property names are dropped, as the older formats want.

    Args:
        text: the trees.
        line: the number of its first line, for the places of nodes and errors.

    Returns:
        The roots of the trees, and the errors in the order of the text.
    """
    reader = _Reader(text, line)
    for match in _TOKEN.finditer(text):
        reader.take(match)
    reader.finish()
    return reader.trees, reader.errors


class _Reader:
    """The trees so far, and the place where the next token belongs."""

    def __init__(self, text: str, line: int) -> None:
        self.trees: list[Node] = []
        self.errors: list[NotationError] = []
        self._end = len(text)
        self._first_line = line
        self._lines = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
        self._parents: list[Node | None] = []  # for each open tree, the node it hangs from
        self._node: Node | None = None  # the latest node of the innermost open tree
        self._empty = False  # the innermost open tree has no node yet
        self._name = ""  # a property name that waits for its first value
        self._name_at = 0  # where that name stands
        self._values: list[str] | None = None  # the values of the latest property
        self._outside = False  # text outside all trees was complained about

    def take(self, match: re.Match[str]) -> None:
        at, text = match.start(), match[0]
        if text == "(":
            self._open(at)
        elif not self._parents:
            if not self._outside:
                self._complain("text outside a game tree", at)
            self._outside = True
        elif text == ";":
            self._begin_node(at)
        elif text == ")":
            self._close(at)
        elif match["name"]:
            self._begin_property(text, at)
        elif match["value"]:
            self._add_value(text[1:-1], at)
        elif match["unclosed"]:
            self._complain("a value is not closed", at)
            self._add_value(text[1:], at)
        else:
            self._complain(f"unexpected {text[:20]!r}", at)

    def finish(self) -> None:
        self._end_property()
        if self._parents:
            self._complain(f"{len(self._parents)} open game trees at the end", self._end)
        elif not self.trees and not self.errors:
            self._complain("no game tree", self._end)

    def _open(self, at: int) -> None:
        self._end_property()
        if self._parents and self._empty:
            self._complain("a variation before the first node", at)
        self._parents.append(self._node)
        self._empty, self._outside = True, False

    def _close(self, at: int) -> None:
        self._end_property()
        if self._empty:
            self._complain("an empty game tree", at)
        self._node = self._parents.pop()
        self._empty = False

    def _begin_node(self, at: int) -> None:
        self._end_property()
        line, column = self._place(at)
        node = Node(line=line, column=column)
        (self._node.children if self._node else self.trees).append(node)
        self._node, self._empty = node, False

    def _begin_property(self, text: str, at: int) -> None:
        self._end_property()
        if self._empty:
            self._complain("a property before the first node", at)
            self._begin_node(at)
        self._name_at = at
        self._name = "".join(letter for letter in text if letter.isupper())
        if not self._name:
            self._complain(f"unexpected {text[:20]!r}", at)

    def _add_value(self, raw: str, at: int) -> None:
        if self._name and self._node:
            if self._name in self._node.properties:
                self._complain(f"{self._name} stands twice in one node", at)
            self._values = self._node.properties.setdefault(self._name, [])
            self._name = ""
        if self._values is None:
            self._complain("a value without a property", at)
        else:
            self._values.append(raw)

    def _end_property(self) -> None:
        if self._name:
            self._complain(f"{self._name} has no value", self._name_at)
        self._name, self._values = "", None

    def _complain(self, reason: str, at: int) -> None:
        line, column = self._place(at)
        self.errors.append(NotationError(reason, line=line, column=column))

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._lines, at)
        return line + self._first_line - 1, at - self._lines[line - 1] + 1
