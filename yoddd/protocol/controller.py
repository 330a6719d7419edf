"""The controller's side of GTP: it drives one engine, whether spawned or dialled in.

Bytes come in, events go out; nothing here reads, writes or waits. An engine that breaks the
protocol gets one `ControllerFault`, and from then on nothing that it says is listened to.

What is tolerated, because GTP lets a controller tolerate it: CR and other control characters
(dropped), HT (a space), blank lines before a reply and between replies, replies of many lines.
What is not: a reply without the request's id, output that nobody asked for, NUL bytes, bytes that
are not UTF-8, and anything over the limits.
"""

from __future__ import annotations

import re
from typing import Final

import attrs

from yoddd.protocol.grammar import LINE_LIMIT

REPLY_LIMIT: Final = 64 * 1024
"""The most bytes that an engine may send from one request to the next."""

MANDATORY: Final = (
    "name",
    "version",
    "protocol_version",
    "list_commands",
    "boardsize",
    "clear_board",
    "play",
    "genmove",
    "quit",
)
"""What an engine has to offer to be driven at all."""

GTP_VERSION: Final = "2"

_BLANK: Final = bytes(code for code in range(1, 33)) + b"\x7f"
_CONTROL: Final = bytes(code for code in (*range(1, 32), 127) if code not in b"\t\n")
_TAB_TO_SPACE: Final = bytes.maketrans(b"\t", b" ")
_FIRST_LINE: Final = re.compile(r"([=?])([0-9]*)(?: +(.*))?", re.ASCII)
_SHOWN: Final = 60
_NAME_LENGTH: Final = 80


STOP: Final = b"\n"
"""Ends a streaming reply, as any line does."""

INTERRUPT: Final = b"# interrupt\n"
"""Lets a ``genmove`` that is running answer with the best turn so far."""


class ControllerBusy(RuntimeError):
    """A request was made while another is outstanding: the caller's mistake, not the engine's."""


@attrs.frozen
class ReplyReceived:
    """The whole reply to the outstanding request.

    Attributes:
        command: the request, as given to `Controller.request`.
        ok: whether it began with ``=``.
        text: what follows the sign and the id; lines are joined by LF, without the closing one.
    """

    command: str
    ok: bool
    text: str


@attrs.frozen
class LineReceived:
    """A line of a streaming reply; `ReplyReceived`, without a text, says that it has ended."""

    line: str


@attrs.frozen
class ControllerFault:
    """The engine broke the protocol; ``detail`` says how. Nothing follows it."""

    detail: str


Event = LineReceived | ReplyReceived | ControllerFault
"""What an engine's bytes mean."""


class _Broken(Exception):
    """Ends the reading of a stream; carries the fault's detail."""


class Controller:
    """One engine's stream of replies.

    Attributes:
        outstanding: the request that waits for its reply; None when the engine is idle.
        broken: whether the engine has broken the protocol and is listened to no more.
    """

    def __init__(self, *, line_limit: int = LINE_LIMIT, reply_limit: int = REPLY_LIMIT) -> None:
        """Start with a silent, idle engine; limits are in bytes."""
        self.outstanding: str | None = None
        self.broken = False
        self._line_limit = line_limit
        self._reply_limit = reply_limit
        self._id = 0
        self._received = 0
        self._rest = b""
        self._reply: list[str] = []
        self._ok = False
        self._streaming = False

    def request(self, command: str, *, streaming: bool = False) -> bytes:
        """The bytes that ask ``command``.

        Args:
            command: one line.
            streaming: tell each line of the reply when it comes; `STOP` is what ends it.

        Raises:
            ControllerBusy: the last request has no reply yet.
            ValueError: ``command`` is not one printable line.
        """
        if self.outstanding is not None:
            raise ControllerBusy(f"{command!r} while {self.outstanding!r} is outstanding")
        if not command.strip() or not command.isprintable():
            raise ValueError(f"not a command: {command!r}")
        self.outstanding = command
        self._id += 1
        self._received = 0
        self._streaming = streaming
        return f"{self._id} {command}\n".encode()

    def receive(self, data: bytes) -> list[Event]:
        """Take what the engine has sent and say what it means."""
        events: list[Event] = []
        if self.broken:
            return events
        *lines, rest = (self._rest + data).split(b"\n")
        try:
            for line in lines:
                self._count(line)
                event = self._take(line)
                if event is not None:
                    events.append(event)
            self._check_rest(rest)
        except _Broken as fault:
            self.broken = True
            rest = b""
            events.append(ControllerFault(str(fault)))
        self._rest = rest
        return events

    def _count(self, line: bytes) -> None:
        if len(line) > self._line_limit:
            raise _Broken(f"line over {self._line_limit} bytes")
        self._received += len(line) + 1
        if self._received > self._reply_limit:
            raise _Broken(f"more than {self._reply_limit} bytes for one request")

    def _check_rest(self, rest: bytes) -> None:
        """Judge an unfinished line: output that nobody asked for need not wait for its LF."""
        if len(rest) > self._line_limit:
            raise _Broken(f"line over {self._line_limit} bytes")
        if self.outstanding is None and rest.strip(_BLANK):
            raise _Broken(f"unrequested output: {_show(rest)}")

    def _take(self, line: bytes) -> Event | None:
        command = self.outstanding
        if command is None:
            if line.strip(_BLANK):
                raise _Broken(f"unrequested output: {_show(line)}")
            return None
        text = _decode(line)
        if self._reply:
            return self._continue(command, text)
        return self._begin(text) if text.strip() else None

    def _begin(self, text: str) -> LineReceived | None:
        match = _FIRST_LINE.fullmatch(text)
        if match is None:
            raise _Broken(f"malformed reply: {_show(text.encode())}")
        sign, number, first = match.groups(default="")
        if number != str(self._id):
            raise _Broken(f"reply with id {number[:20] or 'none'}, expected {self._id}")
        self._ok = sign == "="
        self._reply = [first.strip()]
        return self._tell(first) if first else None

    def _tell(self, line: str) -> LineReceived | None:
        """A line that need not be kept, in a streaming reply."""
        if not (self._streaming and self._ok):
            return None
        self._reply = [""]
        self._received = 0
        return LineReceived(line)

    def _continue(self, command: str, text: str) -> LineReceived | ReplyReceived | None:
        if text:
            self._reply.append(text)
            return self._tell(text)
        # The first line of a diagram keeps its indentation, as the others do.
        text = "\n".join(self._reply).lstrip("\n").rstrip()
        reply = ReplyReceived(command, self._ok, text)
        self._reply = []
        self.outstanding = None
        return reply


def _decode(line: bytes) -> str:
    if b"\0" in line:
        raise _Broken(f"NUL byte in a reply: {_show(line)}")
    try:
        return line.translate(_TAB_TO_SPACE, _CONTROL).decode()
    except UnicodeDecodeError:
        raise _Broken(f"reply is not UTF-8: {_show(line)}") from None


def _show(line: bytes) -> str:
    text = ascii(line[:_SHOWN].decode("utf-8", "backslashreplace"))
    return text + ("…" if len(line) > _SHOWN else "")


@attrs.frozen
class EngineInfo:
    """What an engine says about itself.

    Attributes:
        name: its own name for itself; printable and short, for people only.
        version: likewise.
        protocol: the GTP version that it claims.
        commands: what `list_commands` lists, in lower case.
    """

    name: str
    version: str
    protocol: str
    commands: frozenset[str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The mandatory commands that it does not list."""
        return tuple(name for name in MANDATORY if name not in self.commands)

    @property
    def problem(self) -> str | None:
        """Why it cannot play at all; None if it can."""
        if self.protocol != GTP_VERSION:
            return f"speaks GTP version {self.protocol or 'unknown'}, expected {GTP_VERSION}"
        if self.missing:
            return f"lacks {', '.join(self.missing)}"
        return None


class Handshake:
    """Asks an engine who it is: send `command`, give the reply to `answer`, until there is info.

    Attributes:
        info: what came out of it; None until the last answer is in.
    """

    _STEPS: Final = ("protocol_version", "name", "version", "list_commands")

    def __init__(self) -> None:
        """Begin with the first question."""
        self.info: EngineInfo | None = None
        self._answers: list[str] = []

    @property
    def command(self) -> str | None:
        """What to ask now; None once all is answered."""
        if len(self._answers) == len(self._STEPS):
            return None
        return self._STEPS[len(self._answers)]

    def answer(self, reply: ReplyReceived) -> EngineInfo | None:
        """Take the reply to `command`; a refusal counts as an empty answer.

        Returns:
            The engine's info after the last answer, None before.
        """
        self._answers.append(reply.text if reply.ok else "")
        if self.command is None:
            protocol, name, version, commands = self._answers
            self.info = EngineInfo(
                name=_label(name),
                version=_label(version),
                protocol=_label(protocol),
                commands=frozenset(commands.lower().split()),
            )
        return self.info


def _label(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:_NAME_LENGTH]
