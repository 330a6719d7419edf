"""Texts from outside: byte order marks, character sets, bytes that do not fit, ``KEY=VALUE``."""

from __future__ import annotations

import pytest

from tests.support.games import SAMPLE
from yoddd.notation import ArchiveFormat, Node, NotationError, dump_record, read_archive
from yoddd.notation.archives import copy_trees, read_collection
from yoddd.notation.text import decode_text, read_pairs


def tree(name: bytes, charset: str = "") -> bytes:
    declared = f"CA[{charset}]".encode() if charset else b""
    head = b"(;FF[4]C[CA\\[no\\]]" + declared
    return head + b"YGAME[yodd]YBOARD[hex2]PB[" + name + b"];B[1a1])"


def names(*trees: bytes, size: int = 1 << 16) -> list[str]:
    """The names of the players, or the errors, of a collection that arrives in pieces."""
    data = b"\n".join(trees)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    found = read_collection(chunks)
    return [one.text("PB") or "" if isinstance(one, Node) else str(one) for one in found]


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
@pytest.mark.parametrize(
    ("charset", "name"),
    [
        ("", "René"),
        ("UTF-8", "René"),
        ("ISO-8859-1", "René"),
        ("windows-1252", "“René”"),
        ("Shift_JIS", "ソゾ表"),  # second bytes that are backslashes and brackets
        ("GB18030", "中\u2603"),
        ("Big5", "功許"),
    ],
)
def test_declared_character_set_is_honoured(charset: str, name: str, size: int) -> None:
    assert names(tree(name.encode(charset or "utf-8"), charset), size=size) == [name]


def test_every_tree_of_a_collection_has_its_own_character_set() -> None:
    trees = [tree("中".encode("gb18030"), "GB18030"), tree("é".encode(), "UTF-8")]
    assert names(*trees) == ["中", "é"]
    assert names(*trees[::-1]) == ["é", "中"]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (tree(b"Ren\xe9"), "byte 0xe9 is not UTF-8, and CA is missing"),
        (tree(b"Ren\xe9", "UTF-8"), "byte 0xe9 is not UTF-8"),
        (tree(b"\x81\xff", "Shift_JIS"), "byte 0x81 is not SHIFT_JIS"),
        (tree(b"Ren\xe9", "klingon"), "CA[klingon]: unknown character set"),
        (tree("é".encode(), "rot13"), "CA[rot13]: unknown character set"),
        (tree("é".encode(), "UTF-16"), "CA[UTF-16]: unknown character set"),
    ],
)
def test_undeclared_or_false_character_set_is_an_error_with_its_place(
    data: bytes, error: str
) -> None:
    found = names(b"(;FF[4]YGAME[yodd]YBOARD[hex2])", data)
    assert found[0] == ""
    assert found[1].startswith("line 2, column ")
    assert found[1].endswith(error)


def test_copied_trees_are_utf_8_and_say_so() -> None:
    copied = "".join(
        text for text in copy_trees([tree(b"Ren\xe9", "ISO-8859-1")]) if isinstance(text, str)
    )
    assert "CA[UTF-8]" in copied
    assert "PB[René]" in copied


@pytest.mark.parametrize("form", [ArchiveFormat.SGF, ArchiveFormat.JSONL])
def test_byte_order_mark_is_skipped(form: ArchiveFormat) -> None:
    data = tree("é".encode()) if form is ArchiveFormat.SGF else dump_record(SAMPLE).encode()
    found = list(read_archive([b"\xef\xbb", b"\xbf" + data], form))
    assert not any("unexpected" in str(one) or "JSON" in str(one) for one in found)
    assert decode_text(b"\xef\xbb\xbfa\r\nb") == "a\nb"


def test_bad_byte_costs_only_its_line() -> None:
    good = dump_record(SAMPLE).encode()
    found = list(read_archive([good + b'\n{"id": "\xe9"}\n' + good], ArchiveFormat.JSONL))
    assert [isinstance(one, NotationError) for one in found] == [False, True, False]
    assert str(found[1]) == "line 2, column 9: byte 0xe9 is not UTF-8"
    with pytest.raises(NotationError, match="line 2, column 2: byte 0xff"):
        decode_text(b"a\nb\xff")


@pytest.mark.parametrize(
    ("change", "reason"),
    [(('"turns":["', '"turns":["resign","'), "times"), (('"turns":["', '"turns":["9z9,'), "turns")],
)
def test_replayed_archive_names_the_line_of_a_wrong_game(
    change: tuple[str, str], reason: str
) -> None:
    good = dump_record(SAMPLE)
    bad = good.replace(*change)
    found = list(read_archive([f"{good}\n{bad}\n"], ArchiveFormat.JSONL, replayed=True))
    assert not isinstance(found[0], NotationError)
    assert str(found[1]).startswith("line 2, column ")
    assert reason in str(found[1])


@pytest.mark.parametrize(
    ("words", "reason"),
    [(["a=1", "a=2"], "a is given twice"), (["a"], "expected KEY=VALUE"), (["=1"], "expected")],
)
def test_read_pairs_refuses_what_is_no_pair_or_comes_twice(words: list[str], reason: str) -> None:
    assert read_pairs(["a=1", "b="]) == {"a": "1", "b": ""}
    with pytest.raises(NotationError, match=reason):
        read_pairs(words)
