"""Incremental splitting of a long text into its top-level JSON objects or SGF game trees.

An archive of any length is read in the memory of its longest game, and a broken game costs only
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from yoddd.notation.errors import NotationError

MAX_PIECE: Final = 8_000_000
"""Longest game in characters; bounds the memory that an unclosed bracket can take."""


@attrs.frozen
class Piece:
    """One piece with its brackets.

    Attributes:
        text: from the opening bracket to the closing one.
        line: where it begins, from 1.
    """

    text: str
    line: int


@attrs.frozen
class Syntax:
    """The characters that delimit a piece; inside quotes a backslash escapes the next character.

    Attributes:
        opening: opens a piece, or a nested part of one.
        closing: closes it.
        quote: opens a text in which brackets have no meaning.
        unquote: closes that text.
        between: characters allowed between pieces besides white space.
    """

    opening: str
    closing: str
    quote: str
    unquote: str
    between: str = ""


JSON_OBJECTS: Final = Syntax("{", "}", '"', '"', between="[],")
"""The objects of a JSON array, or one after the other."""

SGF_TREES: Final = Syntax("(", ")", "[", "]")
"""The game trees of an SGF collection."""


def split(chunks: Iterable[str], syntax: Syntax) -> Iterator[Piece | NotationError]:
    """The top-level pieces of a text that arrives in chunks; other text between them is an error.

    Raises:
        NotationError: a piece is longer than `MAX_PIECE`; the rest cannot be read.
    """
    splitter = _Splitter(syntax)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.finish()


class _Splitter:
    """The state of one split.

    ``_kept`` is text that is not yet cut, searched up to ``_at``; ``_depth`` counts the brackets
    open there, ``_quoted`` says whether it is inside quotes, ``_line`` is the line it begins at.
    """

    def __init__(self, syntax: Syntax) -> None:
        signs = {syntax.opening, syntax.closing, syntax.quote, syntax.unquote}
        self._outside = re.compile("[" + re.escape("".join(sorted(signs - {"]"}))) + "]")
        self._inside = re.compile(r"\\|" + re.escape(syntax.unquote))
        self._syntax = syntax
        self._kept = ""
        self._at = 0
        self._depth = 0
        self._quoted = False
        self._line = 1

    def feed(self, chunk: str) -> Iterator[Piece | NotationError]:
        """Add text and yield the pieces that it completes."""
        self._kept += chunk
        begin = 0
        while (end := self._next_end()) is not None:
            yield from self._cut(self._kept[begin:end])
            begin = end
        self._kept = self._kept[begin:]
        self._at -= begin
        if len(self._kept) > MAX_PIECE:
            raise NotationError(f"a game of more than {MAX_PIECE} characters", line=self._line)

    def finish(self) -> Iterator[Piece | NotationError]:
        """End the text; yields an error if it ends inside a piece."""
        if self._depth:
            yield from self._complain(self._kept.partition(self._syntax.opening)[0])
            yield NotationError("the text ends inside a game", line=self._line)
        else:
            yield from self._complain(self._kept)

    def _next_end(self) -> int | None:
        """The end of the current piece; None if it has not arrived yet."""
        while True:
            match = (self._inside if self._quoted else self._outside).search(self._kept, self._at)
            if match is None:
                self._at = len(self._kept)
                return None
            if match[0] == "\\" and match.end() == len(self._kept):
                self._at = match.start()
                return None
            self._at = match.end()
            if self._step(match[0]):
                return self._at

    def _step(self, sign: str) -> bool:
        """Process one delimiter; true if it closes a piece."""
        if self._quoted:
            self._quoted = sign == "\\"
            self._at += sign == "\\"
        elif sign == self._syntax.quote:
            # Between pieces a quote is junk; it must not swallow the next piece.
            self._quoted = self._depth > 0
        elif sign == self._syntax.opening:
            self._depth += 1
        elif sign == self._syntax.closing and self._depth:
            self._depth -= 1
            return self._depth == 0
        return False

    def _cut(self, text: str) -> Iterator[Piece | NotationError]:
        before, opening, rest = text.partition(self._syntax.opening)
        yield from self._complain(before)
        yield Piece(opening + rest, self._line + before.count("\n"))
        self._line += text.count("\n")

    def _complain(self, between: str) -> Iterator[NotationError]:
        """An error if there is more than white space between two pieces."""
        junk = between.lstrip(self._syntax.between + " \t\r\n")
        if junk:
            line = self._line + between[: len(between) - len(junk)].count("\n")
            yield NotationError(f"unexpected {junk[:20]!r}", line=line)
