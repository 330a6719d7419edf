"""Actions and events of an examination, and the requests of a check to its engine."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Generator
from typing import Final, Generic, TypeVar

import attrs

from yoddd.notation.text import MARK
from yoddd.protocol.commands.referee import read_attach
from yoddd.protocol.controller import (
    STOP,
    STRAY,
    Controller,
    ControllerFault,
    LineReceived,
    ReplyReceived,
    lacks_end,
    lacks_line_end,
)
from yoddd.protocol.errors import PeerError
from yoddd.referee.game.engine_range import EVERYTHING, EngineRange
from yoddd.rules import PositionLike

_Result = TypeVar("_Result")
_Reply = TypeVar("_Reply")

HESITATION: Final = 2.0
"""Seconds after the last byte of a reply that has begun: one that goes on goes on by then."""

PROBE: Final = 5.0
"""Seconds of silence at its start after which the input of an engine is closed."""

_LAST_WORDS: Final = 1.5
"""Seconds for the output of an engine whose input was closed."""

_KEPT_BACK: Final = (
    "read line by line, and flush standard output after each reply "
    "(Python: print(..., flush=True); C: fflush(stdout))"
)
_DELAY: Final = 4.0
"""Seconds over its limit that the end of an engine is waited for."""

_ATTACH: Final = b"attach "
_LONGEST: Final = 1000
"""Bytes of the line of ``attach`` at most."""

_PIECES: Final = 40
_PIECE: Final = 400
_RAW: Final = re.compile(rb"([=?][0-9]*)(?: ([^\n]*))?\n((?:[^\n]+\n)*)\n")
_FIRST: Final = re.compile(rb"[=?][0-9]*(?:[ \r]|$)")
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
    """The engine breaks a MUST; the text describes it.

    Attributes:
        cause: what is behind it, which fails other checks as well; empty if unknown.
    """

    def __init__(self, text: str, cause: str = "") -> None:
        """Store both."""
        super().__init__(text)
        self.cause = cause


class Malformed(Failed):
    """The engine sends bytes that are no reply; the text quotes them."""


class Advised(Exception):
    """The engine breaks a SHOULD; the text describes it."""


class Slow(Exception):
    """The engine acts late, which may be the machine's fault; the text says how late."""


class Skipped(Exception):
    """The check does not apply; the text is the reason."""


class Interview:
    """One run of the engine. Every method is a script; all raise `Failed`.

    Attributes:
        position: the position that the engine has been brought to; None outside a game.
        request: the last request; empty before the first one.
        reply: what came after it; empty if nothing did.
        waited: seconds that the first reply took; None before it.
        declared: what it plays by the ``attach`` that it begins with; everything without.
        returns: whether it has sent a CR before an LF.
    """

    def __init__(self, patience: float, launch: float, *, starts_slowly: bool = False) -> None:
        """Wait ``launch`` seconds for the first reply, and ``patience`` for others by default.

        An engine that is not known to start slowly has its input closed while it is silent, to find
        out whether it has only kept its replies back; it is started again if it has not.
        """
        self.position: PositionLike | None = None
        self.request = ""
        self.reply = ""
        self.waited: float | None = None
        self.declared = EVERYTHING
        self.returns = False
        self._reply_limit = patience
        self._launch = launch
        # Whether its input may be closed to find out about its silence at the start.
        self._probes = not starts_slowly
        # Whether it has sent anything yet.
        self._is_up = False
        self._controller = Controller()
        # What a raw request was answered with, as far as it was not read.
        self._raw = b""
        # Its output so far, while that may be the line of ``attach``; None once it is not.
        self._greeting: bytes | None = b""
        # The last pieces, each with the seconds since the start.
        self._pieces: deque[str] = deque(maxlen=_PIECES)
        self._started = 0.0

    @property
    def _patience(self) -> float:
        return self._reply_limit if self._is_up else max(self._launch, self._reply_limit)

    @property
    def transcript(self) -> tuple[str, ...]:
        """The last pieces that were sent (``>``) and received (``<``), with seconds."""
        return tuple(self._pieces)

    def start(self) -> Script[None]:
        """Begin with a fresh engine."""
        self._started = (yield Start()).now
        self._greeting = b""

    def send(self, data: bytes) -> Script[float]:
        """Send bytes as they are; return when."""
        self.request, self.reply = _show(data)[1:-1].removesuffix("\\n"), ""
        now = (yield Send(data)).now
        self._note(">", data, now)
        return now

    def receive(self, seconds: float) -> Script[Event]:
        """Wait for output."""
        event = yield Receive(seconds)
        if isinstance(event, Received):
            self._is_up = True
            self.returns |= b"\r\n" in event.data
            self._note("<", event.data, event.now)
            if self._greeting is not None:
                event = attrs.evolve(event, data=self._greet(event.data))
            self.reply = (self.reply + _show(event.data)[1:-1])[: 4 * _SHOWN]
        return event

    def _greet(self, data: bytes) -> bytes:
        """Read the ``attach`` of an engine that connects by itself; return the other output."""
        said = (self._greeting or b"") + data
        if _ATTACH.startswith(said[: len(_ATTACH)]):
            line, end, rest = said.partition(b"\n")
            if not end and len(said) <= _LONGEST:
                self._greeting = said
                return b""
            self._greeting = None
            text = line[len(_ATTACH) :].decode("utf-8", "replace")
            try:
                self.declared = EngineRange.read(read_attach(tuple(text.split())).options)
            except PeerError as error:
                raise Failed(f"`attach`: {error.detail}") from None
            return rest
        self._greeting = None
        return said

    def _note(self, way: str, data: bytes, now: float) -> None:
        self._pieces.append(f"{now - self._started:9.3f} {way} {_show(data, _PIECE)[1:-1]}")

    def ask(self, command: str, limit: float | None = None) -> Script[tuple[ReplyReceived, float]]:
        """The reply to ``command`` and the seconds that it took."""
        shown = f"`{_short(command)}`"
        waiting = _Waiting(
            shown,
            lambda data: next(iter(self._read(data, command)), None),
            lambda: "" if self._controller.is_thinking else self._controller.unfinished,
        )
        data = self._controller.request(command)
        return (yield from self._exchange(data, waiting, limit))

    def _exchange(
        self, data: bytes, waiting: _Waiting[_Reply], limit: float | None
    ) -> Script[tuple[_Reply, float]]:
        """Send a request, and wait for its reply."""
        limit = self._patience if limit is None else limit
        first = not self._is_up
        begun = yield from self.send(data)
        if first and self._probes and limit > PROBE:
            found = yield from self._await(waiting, begun, PROBE)
            if found is None:
                end = yield from self._probe(waiting)
                if end:
                    how = f"it ended when its input was closed: {end}"
                    raise Failed(f"{waiting.what}: no reply within {PROBE:g} s; {how}")
                yield Stop()
                yield from self.start()
                begun = yield from self.send(data)
        else:
            found = None
        if found is None:
            found = yield from self._await(waiting, begun, limit)
        if found is None:
            if not first or limit <= PROBE:
                yield from self._probe(waiting)
            raise Failed(f"{waiting.what}: no reply within {limit:g} s")
        if first:
            self.waited = found[1]
        return found

    def _await(
        self, waiting: _Waiting[_Reply], begun: float, limit: float
    ) -> Script[tuple[_Reply, float] | None]:
        """Wait for a reply; None if nothing has come in time.

        A reply that has begun has to go on: what it lacks is known long before the time is up.
        """
        now = last = begun
        while now - begun < limit:
            begins = bool(waiting.unfinished())
            left = begun + limit - now
            event = yield from self.receive(min(left, last + HESITATION - now) if begins else left)
            now = event.now
            if isinstance(event, Ended):
                raise Failed(_ended(waiting, event))
            if isinstance(event, Received):
                last = now
                reply = waiting.take(event.data)
                if reply is not None:
                    return reply, now - begun
            elif begins and now - last >= HESITATION:
                raise Failed(f"{waiting.what}: {waiting.unfinished()}")
        if waiting.unfinished():
            raise Failed(f"{waiting.what}: {waiting.unfinished()}")
        return None

    def _probe(self, waiting: _Waiting[_Reply]) -> Script[str]:
        """Close the input of a silent engine, so that it sends the output that it buffered.

        Returns:
            How it ended; empty if it still runs.
        """
        yield CloseInput()
        event = yield from self.receive(_LAST_WORDS)
        if isinstance(event, Received) and event.data.strip():
            waiting.take(event.data)
            raise Failed(f"{waiting.what}: no reply until its input was closed: {_KEPT_BACK}")
        return event.detail if isinstance(event, Ended) else ""

    def first_line(self, command: str) -> Script[str]:
        """The first line of a streaming reply, which is then stopped and read to its end."""
        yield from self.send(self._controller.request(command, streaming=True))
        lines: list[str] = []
        while True:
            event = yield from self.receive(self._patience)
            if isinstance(event, Ended):
                raise Failed(f"`{_short(command)}`: {event.detail}")
            if not isinstance(event, Received):
                what = "does not stop" if lines else "no line"
                raise Failed(f"`{_short(command)}`: {what} within {self._patience:g} s")
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

    def raw(self, data: bytes, replies: int) -> Script[list[str]]:
        """Send ``data`` as it is and read ``replies`` replies, with any ids."""
        what = f"after {_show(data)}"
        found: list[str] = []

        def take(received: bytes) -> list[str] | None:
            self._raw += received
            found.extend(self._take_raw(what))
            return found if len(found) >= replies else None

        def unfinished() -> str:
            number = f"{len(found)} of {replies} replies; " if replies > 1 else ""
            rest = self._raw.lstrip(b"\r\n")
            return number + _lacks(rest) if rest else ""

        yield from self._exchange(data, _Waiting(what, take, unfinished), None)
        if len(found) > replies:
            raise Failed(f"after {_show(data)}: {len(found)} replies, expected {replies}")
        return found

    def _take_raw(self, what: str) -> list[str]:
        found: list[str] = []
        while match := _RAW.match(self._raw.lstrip(b"\r\n").replace(b"\r", b"")):
            text = b"\n".join([match[2] or b"", match[3]]).decode("utf-8", "replace")
            found.append(f"{match[1].decode()} {text.strip()}")
            self._raw = self._raw.lstrip(b"\r\n").replace(b"\r", b"")[match.end() :]
        rest = self._raw.lstrip(b"\r\n")
        line, end, _ = rest.partition(b"\n")
        if rest and (rest[:1] not in b"=?" or (end and not _FIRST.match(line))):
            problem = "writes a byte order mark" if rest.startswith(MARK) else "malformed reply"
            raise Malformed(f"{what}: {problem}: {_show(rest, max(_SHOWN, len(line)))}{STRAY}")
        return found

    def quiet(self, seconds: float) -> Script[None]:
        """Fail if output comes within ``seconds``."""
        event = yield from self.receive(seconds)
        if isinstance(event, Received) and event.data.strip():
            raise Failed(f"unrequested output: {_show(event.data)}{STRAY}")
        if isinstance(event, Ended):
            raise Failed(event.detail)

    def end(self, seconds: float) -> Script[tuple[bytes, str, float]]:
        """The output until the engine ends, how it ends, and the seconds after its first output.

        It is waited for longer than it should take, since a busy machine delays its end too; how it
        ends is empty if it does not.
        """
        limit = seconds + _DELAY
        said = b""
        event = yield from self.receive(limit if self._is_up else max(limit, self._launch))
        begun = event.now
        while isinstance(event, Received):
            said += event.data
            event = yield from self.receive(max(0.0, begun + limit - event.now))
        return said, event.detail if isinstance(event, Ended) else "", event.now - begun


@attrs.frozen
class _Waiting(Generic[_Reply]):
    """A wait for a reply.

    Attributes:
        what: the request, as texts name it.
        take: given output, returns the reply once it is whole.
        unfinished: says what has arrived and what it lacks; empty if nothing has.
    """

    what: str
    take: Callable[[bytes], _Reply | None]
    unfinished: Callable[[], str]


def _ended(waiting: _Waiting[_Reply], event: Ended) -> str:
    received = waiting.unfinished().partition(" but ")[0].partition(" without ")[0]
    return "; ".join(filter(None, [f"{waiting.what}: {event.detail}", received]))


def _lacks(rest: bytes) -> str:
    *lines, last = rest.replace(b"\r", b"").split(b"\n")
    return lacks_line_end(last) if last or not lines else lacks_end(lines[0])


def _show(data: bytes, most: int = _SHOWN) -> str:
    text = ascii(data[:most].decode("utf-8", "backslashreplace"))
    return f"{text[:-1]}…{text[-1]}" if len(data) > most else text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"
