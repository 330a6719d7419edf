"""Texts from outside: bytes to text, with the place of what is no text.

A byte order mark at the beginning is skipped. In an archive a byte that does not fit becomes a lone
surrogate (Python's ``surrogateescape``), so that it costs only the game that it stands in: a reader
of games asks `bad_byte`. Nothing puts U+FFFD in its place without an error.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from datetime import date, time
from itertools import chain
from pathlib import Path
from typing import Final

from yoddd.notation.errors import NotationError

MARK: Final = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, with which programs of Windows and .NET begin a text."""

UTF_8: Final = "utf-8"

_ESCAPE: Final = "surrogateescape"
_BAD: Final = re.compile("[\udc80-\udcff]")
_HEAD: Final = 1 << 16
"""Bytes at the beginning of a file that are searched for its character set."""

# The properties of a root up to CA, and its value.
_CHARSET: Final = re.compile(
    r"\(\s*;(?:\s*+[A-Za-z]++(?:\s*+\[(?:\\.|[^\]\\])*+\])++)*?\s*CA\s*\[\s*([^\]]*?)\s*\]",
    re.DOTALL,
)
_NO_CHARSETS: Final = ("idna", "raw-unicode-escape")
"""Codecs of Python that leave ASCII as it is and are no character sets."""


def decode_text(data: bytes) -> str:
    """The text of a whole file in UTF-8.

    Raises:
        NotationError: a byte is not UTF-8.
    """
    text = data.removeprefix(MARK).decode(UTF_8, _ESCAPE)
    problem = bad_byte(text)
    if problem is not None:
        raise problem
    return text.replace("\r\n", "\n")


def read_text(path: Path) -> str:
    """The text of a file in UTF-8.

    Raises:
        NotationError: a byte is not UTF-8.
        OSError: it cannot be read.
    """
    return decode_text(path.read_bytes())


def decode_chunks(chunks: Iterable[bytes | str], charset: str = UTF_8) -> Iterator[str]:
    """The text of a file that arrives in pieces; bytes that do not fit become lone surrogates.

    Text passes through as it is.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig" if charset == UTF_8 else charset)(_ESCAPE)
    for chunk in chunks:
        yield chunk if isinstance(chunk, str) else decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def bad_byte(text: str, charset: str = "UTF-8") -> NotationError | None:
    """The error of the first byte that did not fit; None where all did."""
    if text.isascii():
        return None
    found = _BAD.search(text)
    if found is None:
        return None
    line, last = text.count("\n", 0, found.start()) + 1, text.rfind("\n", 0, found.start())
    reason = f"byte 0x{ord(found[0]) - 0xDC00:02x} is not {charset}"
    return NotationError(reason, line=line, column=found.start() - last)


def charset_of(head: str) -> str:
    """The character set that the first root of a text in SGF declares, as Python names it.

    Raises:
        LookupError: there is no such set, or it does not contain ASCII as SGF needs it.
    """
    found = _CHARSET.search(head)
    said = found[1] if found and found[1] else UTF_8
    if not said.isprintable():
        raise LookupError(said)  # a NUL would be a ValueError
    name = codecs.lookup(said).name
    if name in _NO_CHARSETS or "A[]".encode(name) != b"A[]":
        raise LookupError(name)
    return name


def decode_sgf(chunks: Iterable[bytes | str]) -> tuple[str, Iterator[str]]:
    """The character set that a collection declares first, and its text decoded by it.

    A set that is unknown is taken for UTF-8; `recode` names it.
    """
    rest = iter(chunks)
    head: list[bytes | str] = []
    for chunk in rest:
        head.append(chunk)
        if sum(map(len, head)) >= _HEAD:
            break
    known = b"".join(part for part in head if isinstance(part, bytes)).decode("latin-1")
    try:
        charset = charset_of(known)
    except LookupError:
        charset = UTF_8
    return charset, decode_chunks(chain(head, rest), charset)


def recode(tree: str, charset: str) -> tuple[str, list[NotationError]]:
    """The text of one game tree by the character set that it declares itself.

    Args:
        tree: as `decode_sgf` decoded it.
        charset: by which.

    Returns:
        The text, and an error where a byte does not fit or the set is unknown; U+FFFD stands for
        such bytes.
    """
    if tree.isascii():
        return tree, []
    own, problems = charset, []
    try:
        own = charset_of(tree)
        if own != charset:
            tree = tree.encode(charset, _ESCAPE).decode(own, _ESCAPE)
    except LookupError:
        named, own = _CHARSET.search(tree), UTF_8
        tree = tree.encode(charset, _ESCAPE).decode(UTF_8, _ESCAPE)
        said = printable(named[1])[:40] if named else ""
        problems.append(NotationError(f"CA[{said}]: unknown character set"))
    except UnicodeEncodeError:
        pass  # text of a caller, not bytes: there is nothing to decode
    problem = bad_byte(tree, own.upper() if _CHARSET.search(tree) else "UTF-8, and CA is missing")
    if problem is not None:
        problems.append(problem)
    return _BAD.sub("\ufffd", tree), problems


def read_pairs(words: Iterable[str], form: str = "KEY=VALUE") -> dict[str, str]:
    """The values of words such as ``board=hex8`` by key; no key is given twice.

    Raises:
        NotationError: a word has another form, or repeats a key; its column is the word's number.
    """
    found: dict[str, str] = {}
    for number, word in enumerate(words, start=1):
        key, equals, value = word.strip().partition("=")
        if not equals or not key:
            raise NotationError(f"{word!r}: expected {form}", column=number)
        if key in found:
            raise NotationError(f"{key} is given twice", column=number)
        found[key] = value
    return found


def show_value(value: object) -> str:
    """A value of a TOML file in the words of TOML, for messages."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name} = {show_value(one)}' for name, one in value.items())}}}"
    return repr(value)


def printable(text: str) -> str:
    """The text, with escapes for what does not print and for bytes that are not UTF-8."""
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable()
        else f"\\x{ord(letter) - 0xDC00:02x}"
        if _BAD.match(letter)
        else ascii(letter)[1:-1]
        for letter in text
    )


def describe_error(error: BaseException) -> str:
    """The reason of an error; that of the system stands after its file, if that is known."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return f"{os.fsdecode(error.filename)}: {error.strerror}" if error.filename else error.strerror
