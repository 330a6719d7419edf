"""The output of a session as WebSocket messages."""

from __future__ import annotations

from yoddd.daemon.net.websocket.replies import ReplySplitter


def test_split_makes_each_reply_a_message() -> None:
    split = ReplySplitter().split
    assert split(b"= a\n\n? b\nc\n\n") == ["= a", "? b\nc"]


def test_split_makes_each_line_of_a_stream_a_message_and_ends_it_with_an_empty_one() -> None:
    split = ReplySplitter().split
    assert split(b"= \n") == ["= "]
    assert split(b"begin 1\nturn 1\n") == ["begin 1", "turn 1"]
    assert split(b"\n= next\n\n") == ["", "= next"]
