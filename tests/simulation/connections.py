"""Connections of clients: over TCP, by a WebSocket, or as a page has them; requests and streams."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.defer import Deferred

from tests.simulation.daemon import TEXT, WEB
from tests.simulation.dialogue import UPGRADE, Dialogue, Messages, Observed, Request

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

PATIENCE: Final = 40.0
"""Seconds after which a client that has no answer connects again."""


class Gone(Exception):
    """The connection is lost, or cannot be made."""


class Refused(Gone):
    """The daemon refuses what is asked, so that there is nothing to go on with."""


def granted(reply: str) -> list[str]:
    """The words of a reply of success.

    Raises:
        Refused: it is none.
    """
    if reply[0] != "=":
        raise Refused(reply)
    return reply.split()[1:]


@attrs.define(eq=False)
class Stream(Observed):
    """A reply that goes on: its lines so far, and whether it has ended."""

    is_over: bool = False
    refusal: str = ""
    waiting: Deferred[None] | None = None

    def add(self, line: str) -> None:
        super().add(line)
        self.wake()

    def end(self) -> None:
        self.is_over = True
        self.wake()

    def wake(self) -> None:
        waiting, self.waiting = self.waiting, None
        if waiting is not None:
            waiting.callback(None)

    async def change(self, sim: Simulation, most: float) -> None:
        """Wait for the next line, for some seconds at most."""
        self.waiting = Deferred()
        timer = sim.time.callLater(most, self.wake)
        await self.waiting
        if timer.active():
            timer.cancel()


class Connection:
    """A connection of a client: over TCP, a WebSocket, or one of a page, with channels.

    A page asks in one channel, and follows each stream in a channel of its own.

    It is the observer of its own dialogue, of which it tells the judge at once, and itself only
    what arrives.
    """

    def __init__(self, sim: Simulation, host: str = "127.0.0.1", kind: str = "text") -> None:
        port = TEXT if kind == "text" else WEB
        world = sim.house.world
        if world is None or port not in world.reactor.ports:
            raise Gone("refused")
        self._sim, self._is_page, self._reactor = sim, kind == "page", world.reactor
        self.is_deaf = False
        self._messages = None if kind == "text" else Messages()
        # What waits until the handshake of a WebSocket is answered; None from then on.
        self._held: bytes | None = b""
        self._dialogues = [Dialogue(sim.time.seconds, self, world.reactor)]
        # What the daemon has written and the client has not read: the calls that tell it.
        self._coming: deque[list[Callable[[], None]]] = deque()
        self._batch: list[Callable[[], None]] = []
        self._answers: dict[int, Deferred[str]] = {}
        self._streams: dict[int, Stream] = {}
        self.wire = sim.connect(port, host, self)
        sim.connections.append(self)
        if self._messages is not None:
            self.wire.send(UPGRADE % (b"/ws/channels" if self._is_page else b"/ws"))

    @property
    def is_open(self) -> bool:
        is_open = self._messages is None or self._messages.is_open
        return is_open and self.wire.is_open and not self.wire.disconnecting

    @property
    def follows(self) -> bool:
        """Whether a stream goes on."""
        return bool(self._streams)

    def close(self) -> None:
        self.wire.drop()

    # -- requests ---------------------------------------------------------------------------

    def send(self, text: str, channel: int = 1) -> None:
        """Send a line, or what is to be none."""
        if self._messages is None:
            self.wire.send(text.encode())
        elif self._messages.is_open:  # a browser drops what is sent to one that closes
            head = f"{channel} " if self._is_page else ""
            data = b"".join(self._messages.write(head + line) for line in text.splitlines())
            if self._held is None:
                self.wire.send(data)
            else:
                self._held += data

    async def ask(self, line: str, most: float = PATIENCE) -> str:
        """Send a request; its reply, without the sign and the number.

        Raises:
            Gone: the connection is lost before.
        """
        if not self.is_open:
            raise Gone("closed")
        number = self._sim.number()
        answer = self._answers[number] = Deferred()
        answer.addTimeout(most, self._sim.clock, lambda *_: "")
        self.send(f"{number} {line}\n")
        text = await answer
        if not text:
            self.close()
            raise Gone("no answer")
        return text

    def follow(self, line: str) -> Stream:
        """Send a request whose reply goes on.

        Raises:
            Gone: the connection is lost.
        """
        if not self.is_open:
            raise Gone("closed")
        number = self._sim.number()
        stream = self._streams[number] = Stream()
        if self._is_page:
            self._dialogues.append(Dialogue(self._sim.time.seconds, self, self._reactor))
        self.send(f"{number} {line}\n", len(self._dialogues))
        return stream

    # -- the wire ---------------------------------------------------------------------------

    def heard(self, data: bytes) -> None:
        if self._messages is None:
            self._dialogues[0].heard(data)
        else:
            for text in self._messages.heard(data):
                dialogue, line = self._channel(text)
                dialogue.request(line)

    def _channel(self, text: str) -> tuple[Dialogue, str]:
        """The dialogue that a message belongs to, and the message."""
        if not self._is_page:
            return self._dialogues[0], text
        number, _, line = text.partition(" ")
        return self._dialogues[int(number) - 1], line

    def wrote(self, data: bytes) -> None:
        self._batch = []
        self._coming.append(self._batch)
        if self._messages is None:
            self._dialogues[0].wrote(data)
        else:
            for text in self._messages.read(data):
                if self._is_page and text.isdigit():
                    self._dialogues[int(text) - 1].is_closed = True
                    continue
                dialogue, line = self._channel(text)
                dialogue.message(line)

    def arrived(self, request: Request) -> None:
        self._sim.judge.arrived(request)

    def unanswered(self, calm: float) -> list[str]:
        """The requests that have waited for too long, unless the client reads no reply."""
        is_served = self.is_open and self._sim.house.serves(self.wire)
        if not is_served or not self.wire.is_read:
            return []
        found = [one.unanswered(calm) for one in self._dialogues]
        return [one.line for one in found if one is not None]

    def reply(self, dialogue: Dialogue, request: Request, text: str) -> None:
        is_past = self._reactor.is_superseded
        self._sim.judge.reply(dialogue, request, text, is_past=is_past)
        sign, _, rest = text.partition(" ")
        number = int(sign[1:] or 0)
        self._batch.append(lambda: self._answered(number, f"{sign[0]} {rest}"))

    def line(self, dialogue: Dialogue, request: Request, text: str) -> None:
        if not self._reactor.is_superseded:
            self._sim.judge.line(dialogue, request, text)
        stream = self._streams.get(request.number)
        if stream is not None:
            self._batch.append(lambda: stream.add(text))

    def end(self, dialogue: Dialogue, request: Request) -> None:
        self._sim.judge.end(dialogue, request)
        if request.number in self._streams:
            self._batch.append(lambda: self._ended(request.number))

    def _ended(self, number: int) -> None:
        """Take the end of a stream, which is lost if the connection is lost before."""
        stream = self._streams.pop(number, None)
        if stream is not None:
            stream.end()

    def took(self, _data: bytes) -> None:
        for call in self._coming.popleft():
            call()
        if self._messages is not None and self.is_open and not self.is_deaf:
            held, self._held = self._held or b"", None
            self.wire.send(held + self._messages.sent())

    def _answered(self, number: int, text: str) -> None:
        answer = self._answers.pop(number, None)
        stream = self._streams.pop(number, None)
        if stream is not None:
            stream.refusal = text
            stream.end()
        if answer is not None and not answer.called:
            answer.callback(text)

    def closing(self) -> None:
        """Expect nothing more: the daemon has begun to close the connection."""
        for dialogue in self._dialogues:
            self._sim.judge.lost(dialogue)

    def lost(self) -> None:
        self.closing()
        streams, self._streams = self._streams, {}
        answers, self._answers = self._answers, {}
        for stream in streams.values():
            stream.end()
        for answer in answers.values():
            if not answer.called:
                answer.errback(Gone("lost"))
