"""The attackers of the siege: each kind is a function that attacks once, over one connection.

Those that would have their way without a load, as by another name, are in the simulation or in
tests/daemon.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import attrs
from wsproto import ConnectionType, WSConnection
from wsproto.events import Ping, Request, TextMessage

from tests.support.games import match_line

HONEST: Final = "127.0.0.1"
"""The address of the daemon and of the honest."""

SIDES: Final = 5
"""Matches of honest engines at once."""

HEADSTART: Final = 5
"""Seconds for the honest engines to attach."""

CONNECTIONS: Final = 31
"""Connections of each kind of attacker: one less than an address may have."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@attrs.frozen
class Target:
    """The ports of the daemon, and the address that an attacker comes from."""

    port: int
    http: int
    analysis: int
    source: str

    async def connect(self, port: int | None = None) -> Streams:
        return await asyncio.open_connection(
            HONEST, self.port if port is None else port, local_addr=(self.source, 0)
        )


async def drain_forever(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 16):
        pass


async def pour(streams: Streams, chunks: Iterator[bytes]) -> None:
    """Send until the daemon closes, and read what it answers."""
    reader, writer = streams
    reading = asyncio.create_task(drain_forever(reader))
    try:
        for chunk in chunks:
            writer.write(chunk)
            await writer.drain()
            if reading.done():
                return
            await asyncio.sleep(0)
    finally:
        reading.cancel()
        writer.close()


async def flood_lines(target: Target, number: int) -> None:
    blank = (b"\n" * 4096, b"# nothing\n" * 400, b" \t\n" * 1300)[number % 3]
    start = [b"game yodd hex4\nperft 99\n"] if number % 2 else []
    await pour(await target.connect(), itertools.chain(start, itertools.repeat(blank)))


async def flood_requests(target: Target, number: int) -> None:
    ask = (b"name\n", b"legal count\n", b"legal turns\n", b"showboard\n", b"help\n")[number % 5]
    start = b"game yodd hex8\nplay b 1a1\n"
    await pour(await target.connect(), itertools.chain([start], itertools.repeat(ask * 50)))


async def flood_frames(target: Target, number: int) -> None:
    frames = WSConnection(ConnectionType.CLIENT)
    reader, writer = await target.connect(target.http)
    writer.write(frames.send(Request(host=f"{HONEST}:{target.http}", target="/ws")))
    frames.receive_data(await reader.readuntil(b"\r\n\r\n"))
    list(frames.events())
    kinds = (
        lambda: frames.send(Ping()),
        lambda: frames.send(TextMessage(data="")),
        lambda: frames.send(TextMessage(data="", message_finished=False)),
    )
    chunk = b"".join(kinds[number % 3]() for _ in range(500))
    await pour((reader, writer), itertools.repeat(chunk))


async def flood_http(target: Target, number: int) -> None:
    path = (b"/healthz", b"/", b"/api/games?player=unknown", b"/api/runs")[number % 4]
    ask = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path
    await pour(await target.connect(target.http), itertools.repeat(ask * 50))


async def monster(target: Target, number: int) -> None:
    ask = (
        b"perft 99\n",
        b"set_param playouts 10000000\ngenmove\n",
        b"analyze 1\n",
        b"legal turns from=400000 limit=10000\n",
        b"set_param ponder on\nset_param playouts 100\ngenmove\n",
        match_line("ann", "bob", opening=["1a1"] * 2000).encode() + b"\n",
    )[number % 6]
    reader, writer = await target.connect()
    writer.write(b"game yodd hex13\nplay b 1a1\n" + ask)
    await asyncio.wait_for(drain_forever(reader), 60)


async def squatter(target: Target, number: int) -> None:
    if number % 2:
        asks = (b"seek s%d-%d board=hex2\n" % (number, n) for n in itertools.count())
        await pour(await target.connect(), asks)
    else:
        reader, writer = await target.connect()
        writer.write(b"attach squatter%d\n" % number)
        await asyncio.wait_for(drain_forever(reader), 60)
        writer.close()


async def leaver(target: Target, number: int) -> None:
    _, writer = await target.connect()
    writer.write(b"game yodd hex8\nset_param playouts 10000000\ngenmove\n")
    await asyncio.sleep(0.02)
    if number % 2:
        writer.transport.abort()
    else:
        writer.write_eof()
        await asyncio.sleep(1)
    writer.close()
    await asyncio.sleep(0.2)


async def slow(target: Target, number: int) -> None:
    reader, writer = await target.connect()
    if number % 2:
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a reading transport
        for _ in range(1000):
            writer.write(b"help\n" * 10)
            await asyncio.wait_for(writer.drain(), 30)
    else:
        for _ in range(100):
            writer.write(b"n")
            await asyncio.sleep(0.5)
    await reader.read(1)
    writer.close()


async def forger(target: Target, number: int) -> None:
    lines = (
        match_line("a", "b", pairs=1_000_000).encode() + b"\n",
        match_line(*(f"honest{2 * (number % SIDES) + n}" for n in (0, 1)), games=1).encode()
        + b"\n",
        b"put %022d 1a1\n" % number,
        b"login admin %064d\n" % number,
        b"attach honest%d\n" % (number % (2 * SIDES)),
        b"=1 forged\n\n",
        b"accept t%d x\n" % number,
    )
    await pour(await target.connect(), itertools.repeat(lines[number % len(lines)]))


async def idler(target: Target, number: int) -> None:
    del number
    reader, writer = await target.connect()
    writer.write(b"set_param playouts 3000\ngenmove\n")
    await drain_forever(reader)
    writer.close()


async def getter(target: Target, number: int) -> None:
    """Ask for the costliest answers, one after the other, and read them."""
    paths = (
        b"/api/games?as=sgf&limit=200",
        b"/api/runs/cup/games?as=sgf",
        b"/api/runs/cup",
        b"/api/ladder",
        b"/puzzles.jsonl",
        b"/api/games?limit=200&player=ann&opponent=bob",
        b"/metrics",
    )
    ask = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % paths[number % len(paths)]
    await pour(await target.connect(target.http), itertools.repeat(ask * 20))


async def junk(target: Target, number: int) -> None:
    """Send analysis queries that no one can answer, and those that have much to be told about."""
    query = b'"game":"yodd","board":"hex8"'
    lines = (
        b'{"id":"a",%s,"maxTime":1e999}\n' % query,
        b'{"id":%s%s}\n' % (b"[" * 900, b"]" * 900),
        b"{%s}\n" % b",".join(b'"id":%d' % n for n in range(2000)),
        b'{"id":"a",%s,"maxVisits":1,%s}\n'
        % (query, b",".join(b'"unknown%d":1' % n for n in range(1000))),
        b'{"id":"a","action":"terminate_all","turnNumbers":[%s]}\n' % b",".join([b"1"] * 5400),
        b'{"id":"a",%s,"maxVisits":10000000}\n' % query,
        b"\xff\x00\n",
    )
    await pour(await target.connect(target.analysis), itertools.repeat(lines[number % len(lines)]))


async def deaf(target: Target, number: int) -> None:
    """Ask over HTTP for long answers, and read none."""
    reader, writer = await target.connect(target.http)
    writer.transport.pause_reading()  # type: ignore[attr-defined]  # a reading transport
    path = (b"/puzzles.jsonl", b"/api/games?limit=200&as=sgf")[number % 2]
    ask = b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path
    for _ in range(1000):
        writer.write(ask * 10)
        await asyncio.wait_for(writer.drain(), 120)
    await reader.read(1)
    writer.close()


Attack = Callable[[Target, int], Awaitable[None]]
ATTACKS: Final[dict[str, tuple[Attack, ...]]] = {
    "lines": (flood_lines,),
    "requests": (flood_requests,),
    "frames": (flood_frames,),
    "http": (flood_http,),
    "monsters": (monster,),
    "squatters": (squatter,),
    "leavers": (leaver,),
    "slow": (slow,),
    "forgers": (forger,),
    "idle": (idler,),
    "getters": (getter,),
    "junk": (junk,),
    "deaf": (deaf,),
}


async def attack(kinds: list[str], ports: tuple[int, int, int]) -> None:
    """Attack until the process is ended; each kind again and again.

    It begins once the honest engines are attached, or it could take their names.
    """
    os.nice(5)
    await asyncio.sleep(HEADSTART)

    async def again(one: Attack, target: Target, number: int) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await one(target, number)
            await asyncio.sleep(0.5)  # for the refused

    attacks = [one for kind in kinds for one in ATTACKS[kind]]
    async with asyncio.TaskGroup() as group:
        for place, one in enumerate(attacks):
            target = Target(*ports, f"127.0.1.{place + 1}")
            for number in range(CONNECTIONS):
                group.create_task(again(one, target, number))
