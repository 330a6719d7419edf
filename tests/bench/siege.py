"""A daemon under attack from many addresses while honest games are played on it.

    python -m tests.bench.siege [--seconds 1800] [--games 50] [--only NAME …] [--json]

The attackers are strangers, each kind at an address of its own, all in a process of their own. The
honest engines play matches by the clock, and an honest client asks for ``name`` twenty times a
second. The status is 1 if an honest game was lost or void for another reason than its groups, if a
stranger got a match between honest engines, if the daemon logged a traceback, or if it did not end
on SIGTERM; times and memory are figures.

Kinds of attackers: floods of blank `lines` and comments, of `requests`, of WebSocket `frames` and
of `http` requests; `monsters`, which ask for what takes longest; `squatters`, who fill the lobby
and the list of engines; `leavers`, who close as soon as they have asked; `slow` readers and
writers; `forgers` of replies, keys and tokens; `idle` sessions that have asked for one turn each.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Final

import attrs
from wsproto import ConnectionType, WSConnection
from wsproto.events import Ping, Request, TextMessage

ENGINE: Final = Path(__file__).parents[1] / "programs" / "engine.py"
HONEST: Final = "127.0.0.1"
STRANGER: Final = "127.0.2.1"
SIDES: Final = 5
"""Matches of honest engines at once."""

TURNS: Final = 30
"""Turns of a game on hex4, at most."""

TREES: Final = 256
"""MiB of all search trees."""

DRAIN: Final = 2
HEADSTART: Final = 5
"""Seconds for the honest engines to attach."""

CONNECTIONS: Final = 31
"""Connections of each kind of attacker: one less than an address may have."""

FAIR: Final = ("groups", "resign")
"""The reasons of an honest game that was played to its end."""


# -- attackers --------------------------------------------------------------------------------

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@attrs.frozen
class Target:
    """The ports of the daemon, and the address that an attacker comes from."""

    port: int
    http: int
    source: str

    async def connect(self, *, http: bool = False) -> Streams:
        port = self.http if http else self.port
        return await asyncio.open_connection(HONEST, port, local_addr=(self.source, 0))


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
    reader, writer = await target.connect(http=True)
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
    await pour(await target.connect(http=True), itertools.repeat(ask * 50))


async def monster(target: Target, number: int) -> None:
    ask = (
        b"perft 99\n",
        b"set_param playouts 10000000\ngenmove\n",
        b"analyze 1\n",
        b"legal turns from=400000 limit=10000\n",
        b"set_param ponder on\nset_param playouts 100\ngenmove\n",
        b"match ann bob openings=" + b";".join([b"1a1"] * 3000) + b"\n",
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
        b"match a b pairs=1000000\n",
        b"match honest%d honest%d games=1\n" % (2 * (number % SIDES), 2 * (number % SIDES) + 1),
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
}


async def attack(kinds: list[str], port: int, http: int) -> None:
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
            target = Target(port, http, f"127.0.1.{place + 1}")
            for number in range(CONNECTIONS):
                group.create_task(again(one, target, number))


# -- the honest -------------------------------------------------------------------------------


@attrs.define
class Findings:
    """The figures of a siege.

    Attributes:
        times: seconds until ``name`` was answered.
        memory: resident bytes, each second.
        reasons: of the honest games.
        forged: the replies to a stranger's matches between honest engines, without their texts.
    """

    times: list[float] = attrs.Factory(list)
    memory: list[int] = attrs.Factory(list)
    reasons: Counter[str] = attrs.Factory(Counter)
    forged: Counter[str] = attrs.Factory(Counter)


async def probe(port: int, found: Findings) -> None:
    reader, writer = await asyncio.open_connection(HONEST, port)
    while True:
        start = time.perf_counter()
        writer.write(b"name\n")
        await reader.readuntil(b"\n\n")
        found.times.append(time.perf_counter() - start)
        await asyncio.sleep(0.05)


async def forge(port: int, found: Findings) -> None:
    """Ask as a stranger for a match between two engines of another peer, once a second."""
    target = Target(port, 0, STRANGER)
    while True:
        await asyncio.sleep(1)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await target.connect()
            writer.write(b"match honest0 honest1 games=1\n")
            reply = (await reader.readuntil(b"\n")).decode().strip()
            if reply == "=":  # of a stream: engines that are not there are no error of the request
                reply = (await reader.readuntil(b"\n")).decode().strip()
            found.forged[reply.partition(":")[0]] += 1
            writer.close()


async def weigh(pid: int, found: Findings) -> None:
    page = os.sysconf("SC_PAGE_SIZE")
    while True:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:  # noqa: ASYNC230, PTH123 — no disk
            found.memory.append(int(file.read().split()[1]) * page)
        await asyncio.sleep(1)


async def play(port: int, number: int, games: int, seconds: float, found: Findings) -> None:
    """Play a match between two honest engines that lasts about as long as the siege."""
    think = seconds / games / TURNS
    names = [f"honest{2 * number + side}" for side in (0, 1)]
    command = [sys.executable, "-S", str(ENGINE), "--connect", f"{HONEST}:{port}"]
    engines = [
        await asyncio.create_subprocess_exec(
            *command, "--as", name, "--fault", "slow", "--delay", f"{think:.3f}", "--seed", "5"
        )
        for name in names
    ]
    try:
        reader, writer = await asyncio.open_connection(HONEST, port, limit=1 << 20)
        clock = f"{think * TURNS + 20:.0f}"
        words = f"board=hex4 games={games} clock={clock} wait=60 seed={number}"
        writer.write(f"match {' '.join(names)} {words}\n".encode())
        await reader.readline()  # the first line of a stream is empty
        while line := (await reader.readline()).decode().rstrip():
            if line.startswith("record "):
                found.reasons[json.loads(line.split(" ", 2)[2])["reason"]] += 1
            elif line.startswith(("error", "?")):
                found.reasons[line] += 1
                return
        writer.close()
    finally:
        for engine in engines:
            with contextlib.suppress(ProcessLookupError):
                engine.kill()
            await engine.wait()


def _measures(port: int, pid: int, found: Findings) -> tuple[Coroutine[Any, Any, None], ...]:
    return probe(port, found), weigh(pid, found), forge(port, found)


async def defend(port: int, pid: int, games: int, seconds: float) -> Findings:
    """Play the honest games to their end, and measure meanwhile for at least ``seconds``."""
    found = Findings()
    measuring = [asyncio.create_task(one) for one in _measures(port, pid, found)]
    each = max(1, games // SIDES)
    matches = [play(port, n, each, seconds * 0.9, found) for n in range(min(SIDES, games))]
    try:
        async with asyncio.timeout(1.5 * seconds + 30):
            await asyncio.gather(asyncio.sleep(seconds), *matches)
    except TimeoutError:
        found.reasons["unfinished"] += each * len(matches) - sum(found.reasons.values())
    for task in measuring:
        task.cancel()
    return found


# -- the siege --------------------------------------------------------------------------------


@contextlib.contextmanager
def besieged(kinds: list[str]) -> Iterator[tuple[subprocess.Popen[bytes], int, list[bytes]]]:
    """A daemon with attackers; the list has its log in the end."""
    settings = {"limits.exempt": f"['{HONEST}/32']", "limits.trees": TREES, "drain": DRAIN}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    serve = [sys.executable, "-m", "yoddd", "serve", "--listen", "tcp:0:interface=127.0.0.1"]
    daemon = subprocess.Popen(
        [*serve, "--http", "tcp:0:interface=127.0.0.1", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert daemon.stdout is not None
    found = [re.search(rb":(\d+)[:/]", daemon.stdout.readline()) for _ in range(2)]
    port, http = (int(match[1]) for match in found if match)
    log: list[bytes] = []
    again = [sys.executable, "-m", "tests.bench.siege", "--only", *kinds]
    attackers = subprocess.Popen([*again, "--attack", f"{port},{http}"], stderr=subprocess.DEVNULL)
    assert daemon.stderr is not None
    errors = daemon.stderr
    # In a thread, because the log must not fill its pipe.
    reader = threading.Thread(target=lambda: log.append(errors.read()))
    reader.start()
    try:
        yield daemon, port, log
    finally:
        if daemon.poll() is None:
            daemon.send_signal(signal.SIGKILL)
        attackers.kill()
        attackers.wait()
        daemon.wait()
        reader.join()


def siege(kinds: list[str], games: int, seconds: float) -> dict[str, Any]:
    """Measure a siege; the figures by name."""
    with besieged(kinds) as (daemon, port, log):
        found = asyncio.run(defend(port, daemon.pid, games, seconds))
        start = time.perf_counter()
        daemon.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            daemon.wait(DRAIN + 15)
        took = time.perf_counter() - start
        status = daemon.returncode
    cuts = statistics.quantiles(found.times, n=100)
    unfair = {reason: n for reason, n in found.reasons.items() if reason not in FAIR}
    return {
        "games": sum(found.reasons.values()) - sum(unfair.values()),
        "unfair": unfair,
        "forged": dict(found.forged),
        "median_ms": round(1000 * cuts[49], 2),
        "p99_ms": round(1000 * cuts[98], 2),
        "greatest_ms": round(1000 * max(found.times), 1),
        "probes": len(found.times),
        "memory_mib": max(found.memory) >> 20,
        "growth_mib": (max(found.memory) - found.memory[0]) >> 20,
        "end_s": round(took, 2),
        "status": status,
        "tracebacks": b"".join(log).count(b"Traceback"),
        "load": os.getloadavg()[0],
    }


def main() -> int:
    """Run the siege that was asked for; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--games", type=int, default=50, help="honest games in all")
    parser.add_argument("--only", nargs="+", choices=list(ATTACKS), default=list(ATTACKS))
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--attack", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.attack:
        port, http = map(int, options.attack.split(","))
        asyncio.run(attack(options.only, port, http))
        return 0
    found = siege(options.only, options.games, options.seconds)
    rows = [json.dumps(found)] if options.json else [f"{k:<12} {v}" for k, v in found.items()]
    sys.stdout.write("\n".join(rows) + "\n")
    good = not found["unfair"] and found["games"] and not found["tracebacks"]
    # Before the honest games and after them their engines are not attached.
    good = good and set(found["forged"]) <= {"? not permitted", "? busy", "error not attached"}
    good = good and "? not permitted" in found["forged"]
    return 0 if good and found["status"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
