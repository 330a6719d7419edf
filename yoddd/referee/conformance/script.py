"""Actions and events of an examination, and the requests of a check to its engine."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final, TypeVar

import attrs

from yoddd.protocol.controller import STOP, Controller, ControllerFault, LineReceived, ReplyReceived

_Result = TypeVar("_Result")
_RAW: Final = re.compile(rb"([=?])([0-9]*)(?: ([^\n]*))?\n((?:[^\n]+\n)*)\n")
_SHOWN: Final = 60


@attrs.frozen
class Start:
    """Start a fresh engine, or make a fresh connection to it."""


@attrs.frozen
class Send:
    """Send ``data``."""

    data: bytes


@attrs.frozen
class Receive:
    """Wait for bytes, for ``seconds`` at most."""

    seconds: float


@attrs.frozen
class CloseInput:
    """Close the stream to the engine; it may still answer."""


@attrs.frozen
class Stop:
    """Stop the engine, or close the connection."""


@attrs.frozen
class Done:
    """The action needs no answer; ``now`` is a monotonic clock in seconds, as in every event."""

    now: float


@attrs.frozen
class Received:
    """The engine sent ``data``."""

    data: bytes
    now: float


@attrs.frozen
class TimedOut:
    """No bytes came in time."""

    now: float


@attrs.frozen
class Ended:
    """The engine has exited or its connection is closed; ``detail`` describes how."""

    detail: str
    now: float


Action = Start | Send | Receive | CloseInput | Stop
Event = Done | Received | TimedOut | Ended
Script = Generator[Action, Event, _Result]


class Failed(Exception):
    """The engine breaks a MUST; the text describes it."""


class Malformed(Failed):
    """The engine sends what is no reply; the text quotes it."""


class Advised(Exception):
    """The engine breaks a SHOULD; the text describes it."""


class Slow(Exception):
    """The engine does what it must, but late, which may be the machine's fault; says how late."""


class Skipped(Exception):
    """The check does not apply; the text is the reason."""


@attrs.frozen
class RawReply:
    """One reply as it was received; ``id`` is empty without one."""

    ok: bool
    id: str
    text: str


class Interview:
    """One run of the engine. Every method is a script; all raise `Failed`."""

    def __init__(self, patience: float, launch: float) -> None:
        """Wait ``launch`` seconds for the first reply, and ``patience`` for others by default."""
        self._reply_limit = patience
        self._launch = launch
        # Whether it has sent anything yet.
        self._is_up = False
        self._controller = Controller()
        self._raw = b""

    @property
    def _patience(self) -> float:
        return self._reply_limit if self._is_up else max(self._launch, self._reply_limit)

    def start(self) -> Script[None]:
        """Begin with a fresh engine."""
        yield Start()

    def ask(self, command: str, limit: float | None = None) -> Script[tuple[ReplyReceived, float]]:
        """The reply to ``command`` and the seconds that it took."""
        limit = self._patience if limit is None else limit
        begun = (yield Send(self._controller.request(command))).now
        now = begun
        while now - begun < limit:
            event = yield Receive(limit - (now - begun))
            now = event.now
            if isinstance(event, Ended):
                raise Failed(f"`{_short(command)}`: {event.detail}")
            if isinstance(event, Received):
                self._is_up = True
                replies = self._read(event.data, command)
                if replies:
                    return replies[0], now - begun
        raise Failed(f"`{_short(command)}`: no reply within {limit:g} s")

    def first_line(self, command: str) -> Script[str]:
        """The first line of a streaming reply, which is then stopped and read to its end."""
        yield Send(self._controller.request(command, streaming=True))
        lines: list[str] = []
        while True:
            event = yield Receive(self._patience)
            if isinstance(event, Ended):
                raise Failed(f"`{_short(command)}`: {event.detail}")
            if not isinstance(event, Received):
                what = "does not stop" if lines else "no line"
                raise Failed(f"`{_short(command)}`: {what} within {self._patience:g} s")
            self._is_up = True
            for found in self._controller.receive(event.data):
                if isinstance(found, LineReceived):
                    lines.append(found.line)
                    if len(lines) == 1:
                        yield Send(STOP)
                elif isinstance(found, ControllerFault):
                    raise Failed(f"`{_short(command)}`: {found.detail}")
                elif not lines:
                    raise Failed(f"`{_short(command)}` answers {_short(found.text)!r}")
                else:
                    return lines[0]

    def demand(self, command: str) -> Script[str]:
        """The text of the reply to a command that may not be refused."""
        reply, _ = yield from self.ask(command)
        if not reply.ok:
            raise Failed(f"`{_short(command)}` refused: {_short(reply.text)}")
        return reply.text

    def _read(self, data: bytes, command: str) -> list[ReplyReceived]:
        replies: list[ReplyReceived] = []
        for event in self._controller.receive(data):
            if isinstance(event, ControllerFault):
                raise Failed(f"`{_short(command)}`: {event.detail}")
            if isinstance(event, ReplyReceived):
                replies.append(event)
        return replies

    def raw(self, data: bytes, replies: int) -> Script[list[RawReply]]:
        """Send ``data`` as it is and read ``replies`` replies, with any ids."""
        yield Send(data)
        found: list[RawReply] = []
        while len(found) < replies:
            event = yield Receive(self._patience)
            what = f"after {_show(data)}"
            if isinstance(event, TimedOut):
                raise Failed(f"{what}: {len(found)} of {replies} replies in {self._patience:g} s")
            if isinstance(event, Ended):
                raise Failed(f"{what}: {event.detail}")
            if isinstance(event, Received):
                self._is_up = True
                self._raw += event.data
                found += self._take_raw(what)
        if len(found) > replies:
            raise Failed(f"after {_show(data)}: {len(found)} replies, expected {replies}")
        return found

    def _take_raw(self, what: str) -> list[RawReply]:
        found: list[RawReply] = []
        while match := _RAW.match(self._raw.lstrip(b"\r\n").replace(b"\r", b"")):
            text = b"\n".join([match[3] or b"", match[4].rstrip()]).decode("utf-8", "replace")
            found.append(RawReply(match[1] == b"=", match[2].decode(), text.strip()))
            self._raw = self._raw.lstrip(b"\r\n").replace(b"\r", b"")[match.end() :]
        rest = self._raw.lstrip(b"\r\n")
        if rest and rest[:1] not in b"=?":
            raise Malformed(f"{what}: malformed reply: {_show(rest)}")
        return found

    def quiet(self, seconds: float) -> Script[None]:
        """Fail if output comes within ``seconds``."""
        event = yield Receive(seconds)
        if isinstance(event, Received) and event.data.strip():
            raise Failed(f"unrequested output: {_show(event.data)}")
        if isinstance(event, Ended):
            raise Failed(event.detail)

    def end(self, seconds: float) -> Script[tuple[bytes, str, float]]:
        """The output until the engine ends, how it ends, and the seconds after its first output.

        An engine has the time of its start at least, since a busy machine delays its end too.
        """
        limit = max(seconds, self._launch)
        said = b""
        event = yield Receive(limit)
        begun = event.now
        while isinstance(event, Received):
            said += event.data
            event = yield Receive(max(0.0, begun + limit - event.now))
        if isinstance(event, Ended):
            return said, event.detail, event.now - begun
        raise Failed(f"has not ended within {limit:g} s")


def _show(data: bytes) -> str:
    text = ascii(data[:_SHOWN].decode("utf-8", "backslashreplace"))
    return text + ("…" if len(data) > _SHOWN else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
