"""The controller's side of GTP: requests to one engine, and its replies.

Bytes in, events out; no I/O. The first breach of the protocol makes one `ControllerFault`, and all
later output of the engine is ignored.

A controller tolerates what GTP allows it to: CR and other control characters (dropped), HT (a
space), blank lines before a reply and between replies, replies of many lines. Lines that begin
with ``# info`` before a reply are statements about it, never faults, and so are the lines of an
analysis in the reply to one of `GENMOVE_ANALYZE`. It does not tolerate
a reply without the request's id, output without a request, NUL bytes, bytes that are not UTF-8,
and anything over the limits.
"""

from __future__ import annotations

import re
from typing import Final

import attrs

from yoddd.notation.text import MARK
from yoddd.protocol.grammar import LINE_LIMIT

INFO_LIMIT: Final = 1024 * 1024
"""The most bytes of ``# info`` lines before one reply."""

ANALYSIS_LIMIT: Final = 64 * 1024 * 1024
"""The most bytes of an analysis in the reply to one of `GENMOVE_ANALYZE`."""

GENMOVE_ANALYZE: Final = ("cgos-genmove_analyze", "kata-genmove_analyze", "lz-genmove_analyze")
"""Commands of existing engines that report a search and end with ``play`` and its turn."""

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
"""The commands that an engine must have to play."""

GTP_VERSION: Final = "2"

_BLANK: Final = bytes(code for code in range(1, 33)) + b"\x7f"
_CONTROL: Final = bytes(code for code in (*range(1, 32), 127) if code not in b"\t\n")
_TAB_TO_SPACE: Final = bytes.maketrans(b"\t", b" ")
_FIRST_LINE: Final = re.compile(r"([=?])([0-9]*)(?: +(.*))?", re.ASCII)
_SIGN_AND_ID: Final = re.compile(rb"\s*=[0-9]* *", re.ASCII)
_WHOLE: Final = re.compile(rb"=([0-9]+)(?: ([!-~]{0,80}))?\n\n")
"""A whole reply with a word at most, as nearly all are."""
_INFO: Final = re.compile(rb"#[ \t]*info[ \t](.*)", re.DOTALL)
_ANALYSIS: Final = re.compile(rb"info |\{")
_MARKED: Final = "writes a byte order mark"
_EXCERPT_LENGTH: Final = 60

STRAY: Final = "; greetings and debug output belong on standard error"
"""What to do about output that is no reply."""

_NAME_LENGTH: Final = 80

STOP: Final = b"\n"
"""The line that ends a streaming reply; any other does as well."""

INTERRUPT: Final = b"# interrupt\n"
"""The line that makes a running ``genmove`` reply with the best turn so far."""


class ControllerBusy(RuntimeError):
    """A request was made while another is outstanding; the caller is to blame, not the engine."""


@attrs.frozen
class ReplyReceived:
    """The whole reply to the outstanding request.

    Attributes:
        command: the request, as given to `Controller.request`.
        ok: whether it began with ``=``.
        text: what follows the sign and the id; lines are joined by LF, without the closing one. Of
            the reply to one of `GENMOVE_ANALYZE` it is the turn.
        info: what followed ``# info`` in the last such line before it, or the last line of the
            analysis in it; empty without one.
    """

    command: str
    ok: bool
    text: str
    info: str = ""


@attrs.frozen
class LineReceived:
    """A line of a streaming reply, which ends with a `ReplyReceived` without text."""

    line: str


@attrs.frozen
class ControllerFault:
    """The engine broke the protocol, as ``detail`` says; the last event."""

    detail: str


Event = LineReceived | ReplyReceived | ControllerFault
"""The events of `Controller.receive`."""


class _Broken(Exception):
    """The engine broke the protocol; the text is the detail of the fault."""


@attrs.define(eq=False, kw_only=True)
class Controller:
    """One engine's stream of replies.

    Attributes:
        outstanding: the request without its whole reply; None when the engine is idle.
        broken: whether the engine has broken the protocol; its output is then ignored.
    """

    outstanding: str | None = None
    broken: bool = False
    # Both in bytes.
    _line_limit: int = LINE_LIMIT
    _reply_limit: int = REPLY_LIMIT
    # The id of the last request; each request increments it.
    _id: int = 0
    # Bytes of whole lines since the last request, or since the last `LineReceived`; those of
    # ``# info`` lines are counted apart.
    _received: int = 0
    _informed: int = 0
    # The last ``# info`` line since the last request, without these words.
    _info: str = ""
    # The unfinished line at the end of what was received.
    _rest: bytes = b""
    # The lines of the reply so far; empty before its first line.
    _reply: list[str] = attrs.Factory(list)
    # Its first line as it was received.
    _first: bytes = b""
    # Whether that reply began with `=`, and whether its lines are events of their own, as the
    # request said.
    _ok: bool = False
    _streaming: bool = False
    # Whether the request is one of `GENMOVE_ANALYZE`.
    _analysing: bool = False

    def request(self, command: str, *, streaming: bool = False) -> bytes:
        """Return the bytes of a request.

        Args:
            command: one line.
            streaming: whether each line of the reply is a `LineReceived`; `STOP` ends such a reply.

        Raises:
            ControllerBusy: another request is outstanding.
            ValueError: ``command`` is not one printable line.
        """
        if self.outstanding is not None:
            raise ControllerBusy(f"{command!r} while {self.outstanding!r} is outstanding")
        if not command.strip() or not command.isprintable():
            raise ValueError(f"not a command: {command!r}")
        self.outstanding = command
        self._id += 1
        self._received = self._informed = 0
        self._info = ""
        self._streaming = streaming
        self._analysing = not streaming and command.split(maxsplit=1)[0].lower() in GENMOVE_ANALYZE
        return f"{self._id} {command}\n".encode()

    @property
    def unfinished(self) -> str:
        """The beginning of the outstanding reply and its lack, as text; empty without any."""
        if self.outstanding is None or self._streaming or self._is_reporting:
            return ""
        if self._rest.strip(_BLANK):
            return lacks_line_end(self._rest)
        return lacks_end(self._first) if self._reply else ""

    @property
    def is_thinking(self) -> bool:
        """Whether the sign and the id are all that has arrived of the outstanding reply."""
        if self._is_reporting:
            return True
        return not self._reply and _SIGN_AND_ID.fullmatch(self._rest) is not None

    @property
    def _is_reporting(self) -> bool:
        """Whether nothing but the sign, the id and an analysis has arrived of the reply."""
        rest = self._rest.strip(_BLANK)
        return self._analysing and self._reply == [""] and (not rest or bool(_ANALYSIS.match(rest)))

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes from the engine and return their events."""
        events: list[Event] = []
        if self.broken:
            return events
        if not self._rest and not self._reply and not self._streaming and not self._analysing:
            match, command = _WHOLE.fullmatch(data), self.outstanding
            if match is not None and command is not None and match[1] == b"%d" % self._id:
                self.outstanding = None
                text = (match[2] or b"").decode()
                return [ReplyReceived(command, ok=True, text=text, info=self._info)]
        *lines, rest = (self._rest + data).split(b"\n")
        try:
            for whole in lines:
                line = self._shorten(whole)
                self._check_length(line)
                if self._is_info(line):
                    continue
                self._count(line)
                event = self._read(line)
                if event is not None:
                    events.append(event)
            rest = self._shorten(rest)
            self._check_rest(rest)
        except _Broken as fault:
            self.broken = True
            rest = b""
            events.append(ControllerFault(str(fault)))
        self._rest = rest
        return events

    def _shorten(self, line: bytes) -> bytes:
        """Return the beginning of a long line of an analysis, where the best turns are."""
        is_analysis = self._analysing and self._reply and _ANALYSIS.match(line)
        return line[: self._line_limit] if is_analysis else line

    def _check_length(self, line: bytes) -> None:
        if len(line) > self._line_limit:
            raise _Broken(f"line over {self._line_limit} bytes")

    def _count(self, line: bytes) -> None:
        self._received += len(line) + 1
        if self._received > self._reply_limit:
            raise _Broken(f"more than {self._reply_limit} bytes for one request")

    def _is_info(self, line: bytes) -> bool:
        """Take an ``# info`` line before a reply, or a line of an analysis in it."""
        if self._analysing and self._reply and _ANALYSIS.match(line):
            self._informed += len(line) + 1
            if self._informed > ANALYSIS_LIMIT:
                raise _Broken(f"more than {ANALYSIS_LIMIT} bytes of analysis for one request")
            self._info = line.decode("utf-8", "replace").strip()
            return True
        match = _INFO.fullmatch(line) if self.outstanding is not None and not self._reply else None
        if match is None:
            return False
        self._informed += len(line) + 1
        if self._informed > INFO_LIMIT:
            raise _Broken(f"more than {INFO_LIMIT} bytes of info lines for one request")
        self._info = match[1].decode("utf-8", "replace").strip()
        return True

    def _check_rest(self, rest: bytes) -> None:
        """Check an unfinished line: output without a request is a fault before its LF."""
        self._check_length(rest)
        if self.outstanding is None and rest.strip(_BLANK):
            raise _Broken(_unrequested(rest))

    def _read(self, line: bytes) -> Event | None:
        command = self.outstanding
        if command is None:
            if line.strip(_BLANK):
                raise _Broken(_unrequested(line))
            return None
        text = _decode(line)
        if self._reply:
            return self._continue(command, text)
        return self._begin(text) if text.strip() else None

    def _begin(self, text: str) -> LineReceived | None:
        match = _FIRST_LINE.fullmatch(text)
        if match is None:
            if text.startswith("\ufeff"):
                raise _Broken(_MARKED)
            raise _Broken(f"malformed reply: {text!a}{STRAY}")
        sign, number, first = match.groups(default="")
        if number != str(self._id):
            raise _Broken(f"reply with id {number[:20] or 'none'}, expected {self._id}")
        self._first = text.encode()
        self._ok = sign == "="
        self._reply = [first.strip()]
        return self._line_event(first) if first else None

    def _line_event(self, line: str) -> LineReceived | None:
        """Return the event of a line of a streaming reply, which is then not kept."""
        if not (self._streaming and self._ok):
            return None
        self._reply = [""]
        self._received = 0
        return LineReceived(line)

    def _continue(self, command: str, text: str) -> LineReceived | ReplyReceived | None:
        if text:
            self._reply.append(text)
            return self._line_event(text)
        # The first line of a diagram keeps its indentation, as the others do.
        text = "\n".join(self._reply).lstrip("\n").rstrip()
        if self._analysing:
            text = text.removeprefix("play ").strip()
        reply = ReplyReceived(command, self._ok, text, self._info)
        self._reply = []
        self.outstanding = None
        return reply


def _unrequested(data: bytes) -> str:
    return _MARKED if data.startswith(MARK) else f"unrequested output: {_excerpt(data)}{STRAY}"


def lacks_end(first_line: bytes) -> str:
    """The text about a reply whose first line is whole, but which has not ended."""
    shown = _excerpt(first_line)[1:-1].strip()
    return (
        f"received `{shown}` but no empty line after it: "
        "flush standard output, end each reply with an empty line"
    )


def lacks_line_end(rest: bytes) -> str:
    """The text about a line without its end."""
    shown = _excerpt(rest)[1:-1].strip()
    return (
        f"received `{shown}` without the end of its line: "
        "end each reply with an empty line, that is with two LF, and flush standard output"
    )


def _decode(line: bytes) -> str:
    if b"\0" in line:
        raise _Broken(f"NUL byte in a reply: {_excerpt(line)}")
    try:
        return line.translate(_TAB_TO_SPACE, _CONTROL).decode()
    except UnicodeDecodeError:
        raise _Broken(f"reply is not UTF-8: {_excerpt(line)}") from None


def _excerpt(line: bytes) -> str:
    text = ascii(line[:_EXCERPT_LENGTH].decode("utf-8", "backslashreplace"))
    return text + ("…" if len(line) > _EXCERPT_LENGTH else "")


@attrs.frozen
class EngineInfo:
    """The replies of an engine to the questions of a `Handshake`.

    Attributes:
        name: the name it gives itself; printable and short, for display only.
        version: likewise.
        protocol: the GTP version that it claims.
        commands: the commands that it lists, in lower case.
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
        """The reason why it cannot play; None if it can."""
        if self.protocol != GTP_VERSION:
            return f"speaks GTP version {self.protocol or 'unknown'}, expected {GTP_VERSION}"
        if self.missing:
            return f"lacks {', '.join(self.missing)}"
        return None


class Handshake:
    """Asks an engine for its `EngineInfo`: send `command`, pass the reply to `answer`, repeat.

    Attributes:
        info: the result; None before the last reply, unless it is known from before.
    """

    _STEPS: Final = ("protocol_version", "name", "version", "list_commands")

    def __init__(self, info: EngineInfo | None = None) -> None:
        """Start before the first command, or with what is known already."""
        self.info = info
        self._replies: list[str] = []

    @property
    def command(self) -> str | None:
        """The command to send now; None after the last reply."""
        if len(self._replies) == len(self._STEPS):
            return None
        return self._STEPS[len(self._replies)]

    def answer(self, reply: ReplyReceived) -> EngineInfo | None:
        """Take the reply to `command`; a refusal counts as an empty reply.

        Returns:
            The engine's info after the last reply, None before.
        """
        self._replies.append(reply.text if reply.ok else "")
        if self.command is None:
            protocol, name, version, commands = self._replies
            self.info = EngineInfo(
                name=_label(name),
                version=_label(version),
                protocol=_label(protocol),
                commands=frozenset(commands.lower().split()),
            )
        return self.info


def _label(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:_NAME_LENGTH]
