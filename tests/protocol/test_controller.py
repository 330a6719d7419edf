"""The controller: replies, the tolerance of GTP, and one fault for the rest."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoddd.protocol.controller import (
    INFO_LIMIT,
    MANDATORY,
    REPLY_LIMIT,
    STRAY,
    Controller,
    ControllerBusy,
    ControllerFault,
    EngineInfo,
    Handshake,
    LineReceived,
    ReplyReceived,
)


def asked(command: str = "genmove b") -> Controller:
    controller = Controller()
    assert controller.request(command) == f"1 {command}\n".encode()
    return controller


def reply(text: str, *, ok: bool = True) -> ReplyReceived:
    return ReplyReceived("genmove b", ok, text)


# -- replies --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"=1 1d4\n\n", reply("1d4")),
        (b"=1\n\n", reply("")),
        (b"=1 \n\n", reply("")),
        (b"?1 illegal move: 2 groups, even\n\n", reply("illegal move: 2 groups, even", ok=False)),
        (b"?1\n\n", reply("", ok=False)),
        (b"=1   1d4  \n\n", reply("1d4")),
        (b"=1\t1d4\r\n\r\n", reply("1d4")),
        (b"\n  \n\r\n=1 1d4\n\n", reply("1d4")),
        (b"=1 1\x1bd\x074\n\n", reply("1d4")),
        (b"=1 a\nb\n  c\n\n", reply("a\nb\n  c")),
        (b"=1\na\nb\n\n", reply("a\nb")),
        (b"=1\ninfo x\nplay y\n\n", reply("info x\nplay y")),
        ("=1 Ünï\n\n".encode(), reply("Ünï")),
        (b"=1 =2 odd but one's own text\n?3\n\n", reply("=2 odd but one's own text\n?3")),
    ],
)
def test_controller_well_formed_reply_is_received(data: bytes, expected: ReplyReceived) -> None:
    controller = asked()
    assert controller.receive(data) == [expected]
    assert controller.outstanding is None
    assert not controller.broken


def test_controller_second_request_while_busy_raises() -> None:
    controller = asked()
    with pytest.raises(ControllerBusy, match="'quit' while 'genmove b'"):
        controller.request("quit")


@pytest.mark.parametrize("command", ["", "  ", "play b 1a1\nquit", "play\tb", "a\0"])
def test_controller_request_that_is_no_line_raises(command: str) -> None:
    with pytest.raises(ValueError, match="not a command"):
        Controller().request(command)


@pytest.mark.parametrize(
    ("data", "info"),
    [
        (b"# info winrate 0.5\n=1 1d4\n\n", "winrate 0.5"),
        (b"# info a\r\n\n#info\tb c \n=1 1d4\n\n", "b c"),
        (b"# info \xff\0\n=1 1d4\n\n", "\ufffd\0"),
        (b"# info x\n" * 20_000 + b"=1 1d4\n\n", "x"),
    ],
)
def test_controller_info_lines_come_with_the_reply(data: bytes, info: str) -> None:
    controller = asked()
    assert controller.receive(data) == [ReplyReceived("genmove b", ok=True, text="1d4", info=info)]
    controller.request("play w pass")
    assert controller.receive(b"=2\n\n") == [ReplyReceived("play w pass", ok=True, text="")]


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"# infos x\n", "malformed reply: '# infos x'"),
        (b"# info " + b"x" * 16384 + b"\n", "line over 16384 bytes"),
        (b"# info x\n" * (INFO_LIMIT // 9 + 1), "more than 1048576 bytes of info lines for one"),
        (b"=1 1d4\n\n# info x\n", "unrequested output: '# info x'"),
    ],
)
def test_controller_other_comments_and_floods_are_faults(data: bytes, detail: str) -> None:
    *_, fault = asked().receive(data)
    assert isinstance(fault, ControllerFault)
    assert fault.detail.startswith(detail)


# -- faults ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"1d4\n\n", "malformed reply: '1d4'"),
        (b"\xef\xbb\xbf=1 d4\n\n", "writes a byte order mark"),
        (b"=1d4\n", "malformed reply: '=1d4'"),
        (b"= 1d4\n", "reply with id none, expected 1"),
        (b"=2 1d4\n", "reply with id 2, expected 1"),
        (b"=01 1d4\n", "reply with id 01, expected 1"),
        (b"=" + b"9" * 5000 + b"\n", "reply with id 99999999999999999999, expected 1"),
        (b"=1 \0\n", r"NUL byte in a reply: '=1 \x00'"),
        (b"=1 \xff\xfe\n", r"reply is not UTF-8: '=1 \\xff\\xfe'"),
        (b"x" * 16385, "line over 16384 bytes"),
        (b"x" * 16385 + b"\n", "line over 16384 bytes"),
        (b"=1 a\n" + b"b\n" * REPLY_LIMIT, "more than 65536 bytes for one request"),
        (b"\n" * REPLY_LIMIT + b"\n", "more than 65536 bytes for one request"),
        (b"info " * 20 + b"\n", "malformed reply: '" + "info " * 20 + "'"),
    ],
)
def test_controller_malformed_reply_is_a_fault(data: bytes, detail: str) -> None:
    controller = asked()
    hint = STRAY if detail.startswith("malformed") else ""
    assert controller.receive(data) == [ControllerFault(detail + hint)]
    assert controller.broken


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"GNU Go\n", "unrequested output: 'GNU Go'"),
        (b"G", "unrequested output: 'G'"),
        (b"\n\n \r\n=1\n\n", "unrequested output: '=1'"),
        (b"\0", r"unrequested output: '\x00'"),
        (b"\xff\n", r"unrequested output: '\\xff'"),
    ],
)
def test_controller_unrequested_output_is_a_fault(data: bytes, detail: str) -> None:
    controller = Controller()
    assert controller.receive(data) == [ControllerFault(detail + STRAY)]


def test_controller_blank_lines_are_ignored_up_to_the_limit() -> None:
    controller = Controller()
    assert controller.receive(b"\n \r\n\t \n") == []
    assert controller.receive(b" ") == []
    assert controller.receive(b"\n" * REPLY_LIMIT) == [
        ControllerFault("more than 65536 bytes for one request")
    ]


def test_controller_double_reply_is_a_reply_and_a_fault() -> None:
    controller = asked()
    assert controller.receive(b"=1 1d4\n\n=1 1d4\n\n") == [
        reply("1d4"),
        ControllerFault("unrequested output: '=1 1d4'" + STRAY),
    ]


@given(st.binary(max_size=80), st.lists(st.integers(0, 80), max_size=5))
def test_controller_reply_in_any_pieces_is_the_same(noise: bytes, cuts: list[int]) -> None:
    data = b"=1 " + noise
    whole, parts = asked(), asked()
    expected = whole.receive(data)
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    events = [event for start, end in pairwise(edges) for event in parts.receive(data[start:end])]
    # A fault in an early piece shows less of the unrequested output.
    assert [type(event) for event in events] == [type(event) for event in expected]
    assert [e for e in events if isinstance(e, ReplyReceived)] == [
        e for e in expected if isinstance(e, ReplyReceived)
    ]


# -- handshake ------------------------------------------------------------------------------


def shake(answers: dict[str, str | None]) -> EngineInfo:
    handshake = Handshake()
    while handshake.command is not None:
        text = answers.get(handshake.command)
        answer = ReplyReceived(handshake.command, text is not None, text or "unknown command")
        info = handshake.answer(answer)
    assert info is handshake.info
    assert info is not None
    return info


def test_handshake_with_four_replies_makes_info() -> None:
    info = shake(
        {
            "protocol_version": "2",
            "name": "My\x85Engine",
            "version": "1" * 99,
            "list_commands": "\n".join(MANDATORY).upper(),
        }
    )
    assert info == EngineInfo("MyEngine", "1" * 80, "2", frozenset(MANDATORY))
    assert info.missing == ()
    assert info.problem is None


def test_handshake_with_refusals_makes_empty_info() -> None:
    info = shake({})
    assert info == EngineInfo("", "", "", frozenset())
    assert info.problem == "speaks GTP version unknown, expected 2"


def test_engine_info_without_mandatory_commands_has_a_problem() -> None:
    info = shake({"protocol_version": "2", "list_commands": " ".join(MANDATORY[:-2])})
    assert info.missing == ("genmove", "quit")
    assert info.problem == "lacks genmove, quit"


# -- streams --------------------------------------------------------------------------------


def streaming() -> Controller:
    controller = Controller(reply_limit=64)
    assert controller.request("analyze b", streaming=True) == b"1 analyze b\n"
    return controller


def test_controller_stream_lines_are_events() -> None:
    controller = streaming()
    assert controller.receive(b"=1 \n") == []
    assert controller.receive(b"info a\ninfo b\n") == [
        LineReceived("info a"),
        LineReceived("info b"),
    ]
    assert controller.outstanding == "analyze b"
    # The limit holds for what comes at once, not for all of it.
    for _ in range(20):
        assert controller.receive(b"info " + b"x" * 40 + b"\n") == [
            LineReceived("info " + "x" * 40)
        ]
    assert controller.receive(b"\n") == [ReplyReceived("analyze b", ok=True, text="")]
    assert controller.outstanding is None


def test_controller_stream_may_begin_on_first_line_or_be_refused() -> None:
    assert streaming().receive(b"=1 info a\n\n") == [
        LineReceived("info a"),
        ReplyReceived("analyze b", ok=True, text=""),
    ]
    refusal = streaming().receive(b"?1 illegal move: the game\nis over\n\n")
    assert refusal == [ReplyReceived("analyze b", ok=False, text="illegal move: the game\nis over")]
    assert streaming().receive(b"=1\n\n") == [ReplyReceived("analyze b", ok=True, text="")]
    (fault,) = streaming().receive(b"=1\n" + b"x" * 65 + b"\n")
    assert isinstance(fault, ControllerFault)


def test_controller_genmove_analyze_gives_the_turn_and_its_last_report() -> None:
    controller = Controller(line_limit=100, reply_limit=200)
    controller.request("kata-genmove_analyze b 20")
    assert controller.receive(b"=1 \ninfo move 1a1 " + b"x" * 150) == []
    assert (controller.unfinished, controller.is_thinking) == ("", True)
    assert controller.receive(b"y" * 500 + b"\n" + b"info move 1b1 winrate 0.5\n" * 9) == []
    (reply,) = controller.receive(b"play 1b1\n\n")
    assert reply == ReplyReceived(
        "kata-genmove_analyze b 20", ok=True, text="1b1", info="info move 1b1 winrate 0.5"
    )
    controller.request("cgos-genmove_analyze w")
    assert controller.receive(b"=2\n{}\nplay") == []
    assert controller.unfinished.startswith("received `play` without the end of its line")
    (reply,) = controller.receive(b" pass\n\n")
    assert reply == ReplyReceived("cgos-genmove_analyze w", ok=True, text="pass", info="{}")
    controller.request("lz-genmove_analyze b 20")
    (reply,) = controller.receive(b"? cannot\n\n".replace(b"?", b"?3"))
    assert reply == ReplyReceived("lz-genmove_analyze b 20", ok=False, text="cannot")
