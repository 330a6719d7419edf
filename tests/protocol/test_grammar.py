import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.protocol.errors import Code, EngineError, LineTooLong, PeerError, ProtocolError, Subcode
from yoddd.protocol.grammar import LineSplitter, Request, Signal, format_reply, parse_line


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (b"0 name", Request("name", (), "0")),
        (b"00000000001 name", Request("00000000001", ("name",))),
        (b"-1 name", Request("-1", ("name",))),
        (b"1name", Request("1name")),
        (b"  play   b\t1A1  ", Request("play", ("b", "1A1"))),
        (b"na\x00m\x07e\x7f", Request("name")),
        (b"name#comment", Request("name")),
        ("name \u00a0x".encode(), Request("name", ("\u00a0x",))),
        ("\u0663 name".encode(), Request("\u0663", ("name",))),
        (b"# interrupt", Signal.INTERRUPT),
        (b" # interrupt \r", Signal.INTERRUPT),
        (b"#\tinterrupt", Signal.INTERRUPT),
        (b"# interrupt now", None),
        (b"#interrupt", None),
        (b"# INTERRUPT", None),
        (b" \t \r", None),
        (b"\x00\x01", None),
    ],
)
def test_parse_line_follows_gtp(line: bytes, request_: Request | Signal | None) -> None:
    assert parse_line(line) == request_


@given(st.binary(max_size=200).filter(lambda line: b"\n" not in line))
def test_parse_line_any_bytes_are_read(line: bytes) -> None:
    request = parse_line(line)
    if isinstance(request, Request):
        assert request.command == request.command.lower()
        assert all(word and " " not in word for word in request.args)


@pytest.mark.parametrize(
    ("text", "ok", "request_id", "reply"),
    [
        ("", True, None, b"= \n\n"),
        ("", True, "0", b"=0 \n\n"),
        ("yoddd", True, "12", b"=12 yoddd\n\n"),
        ("syntax error", False, None, b"? syntax error\n\n"),
        ("a\nb", True, None, b"= a\nb\n\n"),
        ("a\n\n\nb \n", True, None, b"= a\nb\n\n"),
        ("\nboard\nmore", True, "1", b"=1 \nboard\nmore\n\n"),
        ("Bola\u00f1os", True, None, b"= Bola\xc3\xb1os\n\n"),
    ],
)
def test_format_reply_ends_with_its_only_empty_line(
    text: str, ok: bool, request_id: str | None, reply: bytes
) -> None:
    assert format_reply(text, ok=ok, request_id=request_id) == reply


@given(st.lists(st.binary(max_size=30)))
def test_line_splitter_chunks_do_not_change_the_lines(chunks: list[bytes]) -> None:
    splitter = LineSplitter()
    lines: list[bytes] = []
    for chunk in chunks:
        splitter.push(chunk)
        lines += iter(splitter.pop, None)
    *whole, rest = b"".join(chunks).split(b"\n")
    assert lines == whole
    assert splitter.pending == len(rest)
    assert not splitter.ready
    assert splitter.take_rest() == rest


def test_line_splitter_line_at_the_limit_is_read() -> None:
    splitter = LineSplitter(limit=4)
    splitter.push(b"1234")
    assert (splitter.ready, splitter.pop()) == (False, None)
    splitter.push(b"\nab")
    assert (splitter.ready, splitter.pop(), splitter.pop()) == (True, b"1234", None)


@pytest.mark.parametrize("parts", [[b"12345", b"67", b"8\nab\n"], [b"12345\nab\n"]])
def test_line_splitter_line_over_the_limit_raises_in_order(parts: list[bytes]) -> None:
    splitter = LineSplitter(limit=4)
    first, *others = parts
    splitter.push(b"ab\n" + first)
    assert splitter.pop() == b"ab"
    assert splitter.ready
    with pytest.raises(LineTooLong):
        splitter.pop()
    for part in others:
        assert splitter.in_line
        splitter.push(part)
    assert splitter.pop() == b"ab"
    assert (splitter.pending, splitter.in_line) == (0, False)


def test_error_text_has_code_and_detail() -> None:
    assert PeerError(Code.ILLEGAL, "12 groups, even").text == "illegal move: 12 groups, even"
    assert PeerError(Code.INTERRUPTED).text == "interrupted"


def test_error_with_a_subcode_has_it_in_one_of_its_texts() -> None:
    over, full = PeerError(Subcode.OVER, "the game is over"), PeerError(Subcode.FULL)
    assert (over.code, over.subcode) == (Code.ILLEGAL, Subcode.OVER)
    assert (over.text, over.coded_text) == (
        "illegal move: the game is over",
        "illegal move [over]: the game is over",
    )
    assert (full.text, full.coded_text) == ("busy", "busy [full]")
    plain = PeerError(Code.SYNTAX, "seat 'x'")
    assert plain.subcode is None
    assert plain.coded_text == plain.text
    assert LineTooLong(16384).text == "syntax error: line over 16384 bytes"
    assert LineTooLong(1).fatal
    assert not PeerError(Code.SYNTAX).fatal
    assert EngineError("it fell over").text == "engine failed: it fell over"
    assert not isinstance(EngineError("x"), PeerError)
    assert issubclass(PeerError, ProtocolError)


@pytest.mark.parametrize("size", [1, 2, 50])
def test_line_splitter_skips_a_byte_order_mark_at_the_beginning(size: int) -> None:
    data = b"\xef\xbb\xbf1 name\n\xef\xbb\xbf2 name\n"
    splitter = LineSplitter()
    for at in range(0, len(data), size):
        splitter.push(data[at : at + size])
    assert splitter.pop() == b"1 name"
    assert splitter.pop() == b"\xef\xbb\xbf2 name"
