"""Archives of finished games in three formats: read in pieces, written and converted.

Texts are read and written in chunks, and split into their top-level JSON objects or SGF game trees,
so that an archive of any length needs the memory of its longest game. Readers yield an error in
place of a bad game and continue.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

import attrs

from yoddd.notation.abstractplay import dump_abstractplay, load_abstractplay
from yoddd.notation.errors import NotationError
from yoddd.notation.foreign import sgf_of
from yoddd.notation.records import GameRecord, dump_record, read_records, replay
from yoddd.notation.sgf import Node, parse_sgf, write_sgf
from yoddd.notation.sgf_games import is_unnamed, read_sgf_game, record_to_sgf
from yoddd.notation.sgf_records import is_go_shaped, name_as_ours, sgf_to_record, write_as_ours
from yoddd.notation.text import bad_byte, decode_chunks, decode_sgf, printable, recode
from yoddd.rules import Position, PositionLike, Rules

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


class ArchiveFormat(enum.StrEnum):
    """The format of an archive; the value is the usual suffix of its files."""

    SGF = "sgf"
    JSONL = "jsonl"
    ABSTRACT_PLAY = "json"


def read_archive(
    chunks: Iterable[str | bytes],
    form: ArchiveFormat,
    name: str = "game",
    on: type[PositionLike] = Position,
    go: Rules | None = None,
    *,
    replayed: bool = False,
) -> Iterator[GameRecord | NotationError]:
    """Read an archive: the record of each game, or its error.

    Args:
        chunks: the text, or its bytes, cut anywhere. They are UTF-8, and in SGF what ``CA`` says.
        form: its format.
        name: prefix of the ids of games that have none: ``name-1``, ``name-2`` and so on.
        on: the class of positions that turns are played on, which takes most of the time; for many
            games pass a faster one than the reference.
        go: the rules that SGF trees were played by which name no game: in the shape of Go, as
            controllers for Go write them, which are refused where None, or of ours.
        replayed: whether the turns and the result of a record in JSONL are checked too, as those of
            the other formats always are.
    """
    name = printable(name)
    try:
        if form is ArchiveFormat.JSONL:
            lines = _lines(decode_chunks(chunks))
            yield from _replayed(lines, on) if replayed else read_records(lines)
        elif form is ArchiveFormat.SGF:
            yield from _read_trees(chunks, name, on, go)
        else:
            yield from _read_objects(decode_chunks(chunks), name, on)
    except NotationError as error:
        yield error


def _replayed(lines: Iterable[str], on: type[PositionLike]) -> Iterator[GameRecord | NotationError]:
    for number, line in enumerate(lines, start=1):
        for record in read_records([line]):
            try:
                if isinstance(record, NotationError):
                    raise record
                replay(record, on)
            except NotationError as error:
                yield error.moved(line=number - 1)
            else:
                yield record


def read_collection(chunks: Iterable[str | bytes]) -> Iterator[Node | NotationError]:
    """The game trees of an SGF collection, each after its errors.

    Args:
        chunks: the text, or its bytes in the character sets that the trees declare, cut anywhere.

    Raises:
        NotationError: a game is too long; the rest cannot be read.
    """
    charset, texts = decode_sgf(chunks)
    head = ""
    while "(" not in head and (chunk := next(texts, None)) is not None:
        head += chunk
        if len(head) > MAX_PIECE:
            break
    if "(" not in head and head.strip():
        try:
            head = sgf_of(head)
        except NotationError as error:
            yield error
            return
    texts = chain([head], texts)
    for piece in split(texts, SGF_TREES):
        if isinstance(piece, NotationError):
            yield piece
            continue
        text, problems = recode(piece.text, charset)
        trees, errors = parse_sgf(text, piece.line)
        yield from (problem.moved(line=piece.line - 1) for problem in problems)
        yield from errors
        for tree in trees:
            if "CA" in tree.properties:
                tree.put("CA", "UTF-8")
            yield tree


def _read_trees(
    chunks: Iterable[str | bytes], name: str, on: type[PositionLike], go: Rules | None
) -> Iterator[GameRecord | NotationError]:
    number = 0
    for tree in read_collection(chunks):
        if isinstance(tree, NotationError):
            yield tree
            continue
        number += 1
        try:
            if go is not None and is_go_shaped(tree):
                write_as_ours(tree, go)
            elif go is not None and is_unnamed(tree):
                name_as_ours(tree, go)
        except NotationError as error:
            yield error
            continue
        record, problems = sgf_to_record(tree, f"{name}-{number}", on)
        yield from problems
        if record is not None:
            yield record


def copy_trees(
    chunks: Iterable[str | bytes], on: type[PositionLike] = Position
) -> Iterator[str | NotationError]:
    """Copy an SGF collection tree by tree, with comments, variations and unfinished games.

    A record has no place for these, so SGF is converted to SGF this way. The errors of a tree
    precede it.
    """
    try:
        for tree in read_collection(chunks):
            if isinstance(tree, NotationError):
                yield tree
                continue
            try:
                yield from read_sgf_game(tree, on).errors
            except NotationError as error:
                yield error
            yield write_sgf([tree])
    except NotationError as error:
        yield error


def _read_objects(
    chunks: Iterable[str], name: str, on: type[PositionLike]
) -> Iterator[GameRecord | NotationError]:
    number = 0
    for piece in split(chunks, JSON_OBJECTS):
        if isinstance(piece, NotationError):
            yield piece
            continue
        number += 1
        problem = bad_byte(piece.text)
        try:
            if problem is not None:
                raise problem
            yield load_abstractplay(piece.text, f"{name}-{number}", on)
        except NotationError as error:
            yield error.moved(line=piece.line - 1)


def _lines(chunks: Iterable[str]) -> Iterator[str]:
    """The lines of a text.

    Raises:
        NotationError: one is longer than `MAX_PIECE`.
    """
    kept, number = "", 1
    for chunk in chunks:
        *lines, kept = (kept + chunk).split("\n")
        yield from lines
        number += len(lines)
        if len(kept) > MAX_PIECE:
            raise NotationError(f"a line of more than {MAX_PIECE} characters", line=number)
    yield kept


def write_archive(
    records: Iterable[GameRecord],
    form: ArchiveFormat,
    generated: str,
    on: type[PositionLike] = Position,
) -> Iterator[str | NotationError]:
    """The text of an archive, one chunk per game, or the error of a record that cannot be written.

    Only SGF replays the turns, so only there a record can fail.

    Args:
        records: finished games.
        form: the format to write.
        generated: the time of writing, as ISO 8601; only Abstract Play's format has it.
        on: the class of positions that turns are replayed on.
    """
    if form is ArchiveFormat.JSONL:
        yield from (f"{dump_record(record)}\n" for record in records)
    elif form is ArchiveFormat.SGF:
        yield from (_tree(record, on) for record in records)
    else:
        opening = "["
        for record in records:
            yield f"{opening}\n{dump_abstractplay(record, generated)}"
            opening = ","
        yield "\n]\n" if opening == "," else "[]\n"


def _tree(record: GameRecord, on: type[PositionLike]) -> str | NotationError:
    try:
        return write_sgf([record_to_sgf(record, on=on)])
    except NotationError as error:
        return NotationError(f"{record.id}: {error.reason}")
