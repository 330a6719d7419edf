"""Runs Firefox ESR for Playwright, some of whose requests are newer than the browser.

Playwright drives an unchanged Firefox by WebDriver BiDi. It emulates media features in every page,
which Firefox ESR does not offer: this program relays between the two and answers such requests.
The arguments are the program and its arguments.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Final
from urllib.parse import urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Ping, Request, TextMessage

LISTENING: Final = re.compile(rb"WebDriver BiDi listening on (ws://[\w.:]+)")
UNKNOWN: Final = frozenset(("emulation.setMediaFeaturesOverride",))
"""Requests that are answered without Firefox, as if they were granted."""


class End:
    """One end of the relay: a WebSocket over a stream."""

    def __init__(
        self, kind: ConnectionType, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.frames = WSConnection(kind)
        self.reader = reader
        self.writer = writer
        self._parts: list[str] = []

    def send(self, event: Event) -> None:
        self.writer.write(self.frames.send(event))

    async def events(self) -> list[Event]:
        """The next events, each message whole; none at the end."""
        while data := await self.reader.read(1 << 20):
            self.frames.receive_data(data)
            found = [whole for event in self.frames.events() if (whole := self._whole(event))]
            if found:
                return found
        return []

    def _whole(self, event: Event) -> Event | None:
        """The event, a message with all its parts; None while some are missing."""
        if not isinstance(event, TextMessage):
            return event
        self._parts.append(event.data)
        if not event.message_finished:
            return None
        text = "".join(self._parts)
        self._parts.clear()
        return TextMessage(data=text)


async def pump(source: End, sink: End) -> None:
    """Pass on what one end sends, until it closes."""
    while events := await source.events():
        for event in events:
            if isinstance(event, Request):
                source.send(AcceptConnection())
            elif isinstance(event, Ping):
                source.send(event.response())
            elif isinstance(event, CloseConnection):
                sink.writer.close()
                return
            elif isinstance(event, TextMessage):
                answer = answer_to(event.data) if not source.frames.client else None
                if answer is None:
                    sink.send(TextMessage(data=event.data))
                else:
                    source.send(TextMessage(data=answer))
        await asyncio.gather(source.writer.drain(), sink.writer.drain())
    sink.writer.close()


def answer_to(message: str) -> str | None:
    """The answer to a request that Firefox does not offer; None for others."""
    request = json.loads(message)
    if request.get("method") not in UNKNOWN:
        return None
    return json.dumps({"type": "success", "id": request["id"], "result": {}})


async def serve(where: str) -> str:
    """Relay connections to the WebSocket at ``where``; returns the address to connect to."""
    parts = urlsplit(where)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        page = End(ConnectionType.SERVER, reader, writer)
        browser = End(
            ConnectionType.CLIENT, *await asyncio.open_connection(parts.hostname, parts.port)
        )
        browser.send(Request(host=parts.netloc, target="/session"))
        await browser.events()
        await asyncio.gather(pump(page, browser), pump(browser, page), return_exceptions=True)

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def main(program: str, *arguments: str) -> int:
    process = await asyncio.create_subprocess_exec(
        program, *arguments, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async for line in process.stderr:
        found = LISTENING.search(line)
        text = line.decode(errors="replace")
        if found is not None:
            text = f"WebDriver BiDi listening on {await serve(found[1].decode())}\n"
        sys.stderr.write(text)
        sys.stderr.flush()
    return await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
