"""What an examination does and hears, and how a check talks to the engine."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Final, TypeVar

import attrs

from yoddd.protocol.controller import Controller, ControllerFault, ReplyReceived

_Result = TypeVar("_Result")
_RAW: Final = re.compile(rb"([=?])([0-9]*)(?: ([^\n]*))?\n((?:[^\n]+\n)*)\n")
_SHOWN: Final = 60


@attrs.frozen
class Start:
    """Start a fresh engine, or make a fresh connection to it."""


@attrs.frozen
class Say:
    """Send ``data``."""

    data: bytes


@attrs.frozen
class Listen:
    """Wait for bytes, for ``seconds`` at most."""

    seconds: float


@attrs.frozen
class CloseInput:
    """Close the stream to the engine; it may still answer."""


@attrs.frozen
class Stop:
    """Be rid of the engine."""


@attrs.frozen
class Done:
    """The action needs no answer; ``now`` is a monotonic clock in seconds, as in every event."""

    now: float


@attrs.frozen
class Heard:
    """The engine sent ``data``."""

    data: bytes
    now: float


@attrs.frozen
class Silent:
    """Nothing came in time."""

    now: float


@attrs.frozen
class Gone:
    """The engine has ended, or its connection has; ``detail`` says how."""

    detail: str
    now: float


Action = Start | Say | Listen | CloseInput | Stop
Event = Done | Heard | Silent | Gone
Script = Generator[Action, Event, _Result]


class Failed(Exception):
    """The engine breaks a MUST; the text says how."""


class Advised(Exception):
    """The engine breaks a SHOULD; the text says how."""


class Skipped(Exception):
    """The check does not apply; the text says why."""


@attrs.frozen
class RawReply:
    """One reply as its bytes say it; ``id`` is empty where there was none."""

    ok: bool
    id: str
    text: str


class Interview:
    """One run of the engine. Every method is a script; all raise `Failed`."""

    def __init__(self, patience: float) -> None:
        """Wait ``patience`` seconds for a reply where nothing else is said."""
        self._patience = patience
        self._controller = Controller()
        self._raw = b""

    def start(self) -> Script[None]:
        """Begin with a fresh engine."""
        yield Start()

    def ask(self, command: str, limit: float | None = None) -> Script[tuple[ReplyReceived, float]]:
        """The reply to ``command`` and the seconds that it took."""
        limit = self._patience if limit is None else limit
        begun = (yield Say(self._controller.request(command))).now
        now = begun
        while now - begun < limit:
            event = yield Listen(limit - (now - begun))
            now = event.now
            if isinstance(event, Gone):
                raise Failed(f"`{_short(command)}`: {event.detail}")
            if isinstance(event, Heard):
                replies = self._read(event.data, command)
                if replies:
                    return replies[0], now - begun
        raise Failed(f"`{_short(command)}`: no reply within {limit:g} s")

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
        """Say ``data`` as it is and read that many replies, whatever their ids."""
        yield Say(data)
        found: list[RawReply] = []
        while len(found) < replies:
            event = yield Listen(self._patience)
            what = f"after {_show(data)}"
            if isinstance(event, Silent):
                raise Failed(f"{what}: {len(found)} of {replies} replies in {self._patience:g} s")
            if isinstance(event, Gone):
                raise Failed(f"{what}: {event.detail}")
            if isinstance(event, Heard):
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
            raise Failed(f"{what}: malformed reply: {_show(rest)}")
        return found

    def quiet(self, seconds: float) -> Script[None]:
        """Nothing may come for so long."""
        event = yield Listen(seconds)
        if isinstance(event, Heard) and event.data.strip():
            raise Failed(f"unrequested output: {_show(event.data)}")
        if isinstance(event, Gone):
            raise Failed(event.detail)

    def leaves(self, seconds: float) -> Script[tuple[bytes, str]]:
        """What the engine still says until it ends, and how it ends."""
        said = b""
        deadline: float | None = None
        remaining = seconds
        while remaining > 0:
            event = yield Listen(remaining)
            if isinstance(event, Gone):
                return said, event.detail
            if isinstance(event, Heard):
                said += event.data
            deadline = event.now + seconds if deadline is None else deadline
            remaining = 0.0 if isinstance(event, Silent) else deadline - event.now
        raise Failed(f"has not ended within {seconds:g} s")


def _show(data: bytes) -> str:
    text = ascii(data[:_SHOWN].decode("utf-8", "backslashreplace"))
    return text + ("…" if len(data) > _SHOWN else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
