"""The size of a WebSocket message that is being received."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import BytesMessage, Event, Ping, Pong, TextMessage

from yoddd.daemon.net.websocket.frames import MessageSizeCounter

MESSAGE = "x" * 70_000
FRAMES: list[tuple[Event, int]] = [
    (TextMessage(data=MESSAGE, message_finished=False), 70_000),
    (Ping(b"p" * 125), 70_000),
    (TextMessage(data="x" * 200, message_finished=False), 70_200),
    (Pong(), 70_200),
    (TextMessage(data="", message_finished=False), 70_200),
    (TextMessage(data="x"), 0),
    (BytesMessage(data=b""), 0),
    (BytesMessage(data=b"x" * 126, message_finished=False), 126),
]


@given(st.integers(1, 1000))
def test_counter_adds_up_the_payloads_of_a_message(piece: int) -> None:
    sender, counter = Connection(ConnectionType.CLIENT), MessageSizeCounter()
    for event, expected in FRAMES:
        data = sender.send(event)
        for start in range(0, len(data), piece):
            counter.add(data[start : start + piece])
        assert counter.pending == expected


def test_counter_includes_an_incomplete_frame() -> None:
    counter = MessageSizeCounter()
    counter.add(b"\x81\xff" + (1 << 40).to_bytes(8) + b"mask" + b"x" * 999)
    assert counter.pending == 999
