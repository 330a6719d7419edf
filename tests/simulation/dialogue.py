"""The dialogue on a connection: requests, replies and streams, as text lines or as messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

import attrs
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol as Frames
from websockets.protocol import Side, State

if TYPE_CHECKING:
    from tests.simulation.archive import Archive

STREAMS: Final = ("observe", "match", "analyze")

ANSWER: Final = 5.0
"""Seconds without a fault within which each request is answered."""

UPGRADE: Final = (
    b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@attrs.define(eq=False, kw_only=True)
class Observed:
    """A stream of ``observe``, as the daemon has written it or a client has read it.

    Attributes:
        lines: those so far.
        turns: that they tell, without those that were taken back.
        rewound: how many turns the last line has taken back.
        asked: who asks the other for what: to take turns back, with how many left, or for a pause
            of how many days.
        is_begun: whether they tell that the game has begun.
        has_record: whether they tell its end.
    """

    lines: list[str] = attrs.Factory(list)
    turns: list[str] = attrs.Factory(list)
    rewound: int = 0
    asked: tuple[str, str, str] | None = None
    is_begun: bool = False
    has_record: bool = False

    def add(self, line: str) -> None:
        self.lines.append(line)
        word, *rest = line.split(" ", 3)
        if word == "turn":
            self.turns.append(rest[1])
        elif word == "request":
            self.asked = (rest[0], rest[1], rest[2]) if rest[1] != "rematch" else None
        elif word == "rewind":
            self.rewound = len(self.turns) - int(rest[0])
            del self.turns[int(rest[0]) :]
        self.is_begun |= word == "game"
        self.has_record |= word == "record"


@attrs.define(eq=False)
class Request(Observed):
    """A request that has arrived at the daemon, and the lines of its stream if it has one.

    Attributes:
        line: as the client has sent it, without its number.
        arrived: when its last byte did.
        number: 0 without one.
        began: when the first line of its stream was told.
        agrees_to: what the other participant asked for when it arrived.
        user: the account that its connection had logged in to.
        away: the seats of which it was told last that they are away.
        open: who asks the other for what, as it was told last; None once that is over.
        is_told: whether it is a request to the other that was told.
        judged: how many of the lines of its stream were told before the present event.
        notices: how many the administrator had sent by then.
        archive: what the store had of finished games when it arrived, if the reply is made of it.
    """

    line: str
    arrived: float
    number: int = 0
    began: float = 0.0
    agrees_to: tuple[str, str, str] | None = None
    user: str | None = None
    away: set[str] = attrs.Factory(set)
    open: tuple[str, str, str] | None = None
    is_told: bool = False
    judged: int = 0
    notices: int = 0
    archive: Archive | None = None

    @property
    def words(self) -> list[str]:
        return self.line.split()

    @property
    def is_stream(self) -> bool:
        return self.line.split(" ", 1)[0] in STREAMS


class Hears(Protocol):
    """The observer of a dialogue."""

    @property
    def is_open(self) -> bool: ...

    def arrived(self, request: Request) -> None: ...
    def reply(self, dialogue: Dialogue, request: Request, text: str) -> None: ...
    def line(self, dialogue: Dialogue, request: Request, text: str) -> None: ...
    def end(self, dialogue: Dialogue, request: Request) -> None: ...


class Dialogue:
    """Pairs the requests on a text connection with the replies as the daemon writes them.

    Attributes:
        daemon: what it is with.
        user: the account that it is logged in to.
        answered: when the last reply was complete.
        search: seconds that its client gives a search.
        is_closed: whether the daemon has closed its channel.
    """

    def __init__(self, seconds: Callable[[], float], hears: Hears, daemon: object = None) -> None:
        self.daemon = daemon
        self.user: str | None = None
        self.answered = self.search = 0.0
        self.is_engine = self.is_closed = False
        self.waiting: deque[Request] = deque()
        self._seconds, self._hears = seconds, hears
        self._in, self._out = b"", b""
        # The lines of the reply that is being read; None between replies.
        self._reply: list[str] | None = None

    @property
    def is_open(self) -> bool:
        """Whether neither side has begun to close it."""
        return self._hears.is_open and not self.is_closed

    def heard(self, data: bytes) -> None:
        """Take bytes that arrive at the daemon."""
        *lines, self._in = (self._in + data).split(b"\n")
        for line in lines:
            self.request(line.decode(errors="replace"))

    def request(self, line: str) -> None:
        text = line.partition("#")[0].strip()
        if text:
            number, _, rest = text.partition(" ")
            known = number.isdigit() and len(number) < 10
            line, number = (rest, number) if known else (text, "0")
            if line.startswith("set_param seconds "):
                self.search = float(line.split()[2])
            self.waiting.append(Request(line, self._seconds(), int(number), user=self.user))
            self._hears.arrived(self.waiting[-1])

    def wrote(self, data: bytes) -> None:
        """Take bytes that the daemon writes."""
        *lines, self._out = (self._out + data).split(b"\n")
        for line in lines:
            self.say(line.decode())

    def message(self, text: str) -> None:
        """Take a message of the daemon: a whole reply, or a line of a stream."""
        if self._reply is not None:
            self.say(text)
            return
        for line in text.split("\n"):
            self.say(line)
        if not self._is_stream:
            self.say("")

    def say(self, line: str) -> None:
        """Take a line of the daemon; an empty one ends the reply."""
        if self._reply is None:
            if not self.waiting:  # a refusal of the connection
                self.waiting.append(Request("", self._seconds()))
            self._reply = [line]
        elif line and self._is_stream:
            self.waiting[0].add(line)
            self._hears.line(self, self.waiting[0], line)
        elif line:
            self._reply.append(line)
        else:
            request, text = self.waiting.popleft(), "\n".join(self._reply)
            self.answered = self._seconds()
            is_stream, self._reply = self._is_stream_of(request), None
            if is_stream:
                self._hears.end(self, request)
            else:
                self._hears.reply(self, request, text)

    def unanswered(self, calm: float) -> Request | None:
        """The request that has waited for its reply since then, in ``calm`` seconds; or None."""
        if not self.waiting or self._reply is not None:
            return None
        since = max(self.waiting[0].arrived, self.answered)
        most = ANSWER + (self.search if "genmove" in self.waiting[0].line else 0.0)
        return self.waiting[0] if min(self._seconds() - since, calm) > most else None

    @property
    def _is_stream(self) -> bool:
        return self._is_stream_of(self.waiting[0])

    def _is_stream_of(self, request: Request) -> bool:
        head = "" if self._reply is None else self._reply[0]
        return head[:1] == "=" and request.is_stream


class Messages:
    """The frames of a WebSocket: those that the daemon sends, and those that it takes."""

    def __init__(self) -> None:
        self._ours = Frames(Side.CLIENT, state=State.OPEN)
        self._theirs = Frames(Side.SERVER, state=State.OPEN)
        # What has come of the replies to the handshake, and of the handshake, until it is complete.
        self._heads: list[bytes | None] = [b"", b""]

    @property
    def is_open(self) -> bool:
        """Whether neither side has begun to close the connection."""
        return self._ours.state is State.OPEN

    def read(self, data: bytes) -> list[str]:
        """The messages in bytes that the daemon has written."""
        return self._read(0, data, self._ours)

    def heard(self, data: bytes) -> list[str]:
        """The messages in bytes that have arrived at the daemon."""
        return self._read(1, data, self._theirs)

    def _read(self, side: int, data: bytes, frames: Frames) -> list[str]:
        head = self._heads[side]
        if head is not None:
            head, found, data = (head + data).partition(b"\r\n\r\n")
            self._heads[side] = None if found else head
        if data:
            frames.receive_data(data)
        events = [one for one in frames.events_received() if isinstance(one, Frame)]
        return [bytes(one.data).decode() for one in events if one.opcode is Opcode.TEXT]

    def write(self, text: str) -> bytes:
        """The bytes of a message."""
        self._ours.send_text(text.encode())
        return self.sent()

    def sent(self) -> bytes:
        """The bytes that the frames have to send: answers to pings, and the close frame."""
        return b"".join(self._ours.data_to_send())
