"""Load on a real daemon, and the same load on a bare Twisted server beside it.

Run ``python -m tests.bench.load [games|watched|fanout|soak]… [--games N] [--spectators N]
[--seconds N] [--json]``. Each server runs on one core. Figures are for
docs/explanation/benchmarks.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

from yoddd.cli.bench.protocol import ECHO, Server, running
from yoddd.notation import format_turn
from yoddd.rules import Position, make_rules

SERVE = ("yoddd", "serve", "--listen", "tcp:0:interface=127.0.0.1")
OURS = (*SERVE, "--set", "drain=0", "--set", "limits.tables=2000")
STORE = "{folder}/store.sqlite"
BOARD = "hex6"
TURN = re.compile(rb"^turn ", re.MULTILINE)


# -- the servers ------------------------------------------------------------------------------


def open_files(server: Server) -> int:
    """Open file descriptors."""
    return sum(1 for _ in Path(f"/proc/{server.process.pid}/fd").iterdir())


def cpu_time(server: Server) -> float:
    """Seconds of CPU so far."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii").split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def pinned(command: tuple[str, ...]) -> Iterator[Server]:
    """A server on a core of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running([word.format(folder=folder) for word in command]) as server,
    ):
        os.sched_setaffinity(server.process.pid, sorted(os.sched_getaffinity(0))[:1])
        yield server


# -- clients ----------------------------------------------------------------------------------


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def reply(self) -> str:
        return (await self.reader.readuntil(b"\n\n")).decode().strip()

    async def ask(self, line: str) -> str:
        self.writer.write(f"{line}\n".encode())
        return await self.reply()

    async def line(self) -> bytes:
        return await self.reader.readuntil(b"\n")


@contextlib.asynccontextmanager
async def connected(port: int, count: int) -> AsyncIterator[list[Client]]:
    clients: list[Client] = []
    try:
        while len(clients) < count:
            streams = await asyncio.open_connection("127.0.0.1", port)
            clients += [Client(*streams)]
        yield clients
    finally:
        for client in clients:
            client.writer.close()
        for client in clients:
            with contextlib.suppress(OSError):
                await client.writer.wait_closed()


def long_game(turns: int) -> list[str]:
    """The tokens of a game with so many turns and no pass."""
    position, rng = Position(make_rules("yodd", BOARD)), random.Random(1)
    tokens: list[str] = []
    while len(tokens) < turns:
        # Not a pass: two of them would end it.
        found = [t for t in islice(position.legal_turns(), 60) if t.stones]
        turn = rng.choice(found)
        tokens.append(format_turn(turn, position.rules))
        position.play(turn)
    return tokens


async def seat(host: Client, opponent: Client) -> tuple[str, list[tuple[Client, str]]]:
    """Begin a game between two clients and return its id, and each with its key, Black first."""
    game, black = (await host.ask(f"seek ann board={BOARD} seat=b")).removeprefix("= ").split()
    white = (await opponent.ask(f"accept {game} bob")).removeprefix("= ")
    return game, [(host, black), (opponent, white)]


async def put(client: Client, key: str, token: str) -> float:
    """Play a turn and return the seconds until its acknowledgement."""
    while True:
        start = time.perf_counter()
        reply = await client.ask(f"put {key} {token}")
        if reply == "=":
            return time.perf_counter() - start
        assert "not begun" in reply, reply
        await asyncio.sleep(0.01)


# -- figures ----------------------------------------------------------------------------------

Figures = dict[str, str]


def milliseconds(times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=100)
    return f"p50 {cuts[49] * 1000:.2f} ms, p99 {cuts[98] * 1000:.2f} ms ({len(times)})"


async def games(server: Server, seconds: float, count: int = 500, watchers: int = 100) -> Figures:
    """Acknowledgement times of so many games at a turn a second each."""
    tokens, late = long_game(round(seconds)), []
    seen: list[float] = []
    took: list[float] = []
    played: list[float] = []
    async with (
        connected(server.port, 2 * count) as clients,
        connected(server.port, watchers) as observers,
    ):
        tables = [await seat(*clients[2 * n : 2 * n + 2]) for n in range(count)]
        tasks = [
            asyncio.create_task(observe(each, tables[0][0], len(tokens), seen))
            for each in observers
        ]
        await asyncio.sleep(2)
        start, cpu = time.perf_counter(), cpu_time(server)

        async def play(number: int) -> None:
            for turn, token in enumerate(tokens):
                due = start + turn + number / count
                await asyncio.sleep(due - time.perf_counter())
                late.append(time.perf_counter() - due)
                if number == 0:
                    played.append(time.perf_counter())
                client, key = tables[number][1][turn % 2]
                took.append(await put(client, key, token))

        await asyncio.gather(*map(play, range(count)))
        used = cpu_time(server) - cpu
        busy = used / (time.perf_counter() - start)
        await asyncio.gather(*tasks)
    lags = [at - played[n % len(tokens)] for n, at in enumerate(seen)]
    return {
        "games.turn": milliseconds(took),
        "games.observed": milliseconds(lags),
        "games.core": f"{busy:.0%} of a core, {used / len(took) * 1e6:.0f} µs a turn",
        "games.client_late": milliseconds(late),
    }


@attrs.define
class Watched:
    """One game of `watched`, whose turns are timed to each connection that observes it.

    Attributes:
        game: its id.
        sides: its participants.
        observers: how many connections observe it.
        played: when each turn was sent.
        seen: for each turn, the seconds after which each observer had it.
    """

    game: str
    sides: list[tuple[Client, str]]
    observers: int = 0
    played: list[float] = attrs.Factory(list)
    seen: list[list[float]] = attrs.Factory(list)

    async def observe(self, client: Client, turns: int, key: str = "") -> None:
        """Receive so many turns."""
        self.observers += 1
        client.writer.write(f"observe {self.game} {key}\n".encode())
        count = 0
        while count < turns:
            if (await client.line()).startswith(b"turn "):
                self.seen[count].append(time.perf_counter() - self.played[count])
                count += 1

    async def play(self, tokens: list[str], start: float) -> None:
        """Play a turn a second from ``start`` on."""
        for turn, token in enumerate(tokens):
            await asyncio.sleep(start + turn - time.perf_counter())
            self.played.append(time.perf_counter())
            self.seen.append([])
            client, key = self.sides[turn % 2]
            await put(client, key, token)


async def watched(
    server: Server, seconds: float, count: int = 200, spectators: int = 200
) -> Figures:
    """Time until a turn is seen by all: games at a turn a second each, one with spectators.

    Both participants observe their own game over further connections, as the page does.
    """
    tokens = long_game(round(seconds))
    async with (
        connected(server.port, 2 * count) as clients,
        connected(server.port, 2 * count) as own,
        connected(server.port, spectators) as others,
    ):
        games = [Watched(*await seat(*clients[2 * n : 2 * n + 2])) for n in range(count)]
        observing = [games[0].observe(each, len(tokens)) for each in others]
        for number, game in enumerate(games):
            for side, (_, key) in enumerate(game.sides):
                observing.append(game.observe(own[2 * number + side], len(tokens), key))
        tasks = [asyncio.create_task(one) for one in observing]
        await asyncio.sleep(2)
        cpu, start = cpu_time(server), time.perf_counter()
        await asyncio.gather(
            *(game.play(tokens, start + n / count) for n, game in enumerate(games))
        )
        await asyncio.gather(*tasks)
        busy = (cpu_time(server) - cpu) / (time.perf_counter() - start)
    assert all(len(turn) == game.observers for game in games for turn in game.seen)
    return {
        "watched.all": milliseconds([max(turn) for game in games for turn in game.seen]),
        "watched.spectators": milliseconds([max(turn) for turn in games[0].seen]),
        "watched.each": milliseconds([one for game in games for turn in game.seen for one in turn]),
        "watched.core": f"{busy:.0%} of a core",
    }


async def observe(client: Client, game: str, turns: int, seen: list[float]) -> None:
    """Watch until so many turns were seen; append their times to ``seen``."""
    client.writer.write(f"observe {game}\n".encode())
    mine: list[float] = []
    while len(mine) < turns:
        if (await client.line()).startswith(b"turn "):
            mine.append(time.perf_counter())
    seen += mine


async def bare_games(server: Server, seconds: float, count: int = 500) -> Figures:
    """Echo the same number of lines from the same number of connections."""
    took: list[float] = []
    async with connected(server.port, 2 * count) as clients:
        start, cpu = time.perf_counter(), cpu_time(server)

        async def talk(number: int) -> None:
            for turn in range(round(seconds)):
                await asyncio.sleep(start + turn + number / count - time.perf_counter())
                begun = time.perf_counter()
                await clients[2 * number + turn % 2].ask("put 0123456789012345678901 1a1,2b2")
                took.append(time.perf_counter() - begun)

        await asyncio.gather(*map(talk, range(count)))
        used = cpu_time(server) - cpu
        busy = used / (time.perf_counter() - start)
    core = f"{busy:.0%} of a core, {used / len(took) * 1e6:.0f} µs a line"
    return {"games.turn": milliseconds(took), "games.core": core}


async def fanout(server: Server, _seconds: float, count: int = 1000, turns: int = 40) -> Figures:
    """Time until the last of very many spectators of one game has seen a turn."""
    tokens, times = long_game(turns), []
    async with connected(server.port, 2) as clients, connected(server.port, count) as observers:
        game, sides = await seat(*clients)
        for each in observers:
            each.writer.write(f"observe {game}\n".encode())
        for each in observers:
            while not (await each.line()).startswith(b"game "):
                pass
        cpu = cpu_time(server)
        for number, token in enumerate(tokens):
            start = time.perf_counter()
            await put(*sides[number % 2], token)
            for each in observers:
                await each.line()
            times.append(time.perf_counter() - start)
        cost = (cpu_time(server) - cpu) / (count * turns)
    return {"fanout.turn": milliseconds(times), "fanout.cpu": f"{cost * 1e6:.1f} µs a delivery"}


async def bare_fanout(
    server: Server, _seconds: float, count: int = 1000, turns: int = 40
) -> Figures:
    """One line sent to very many connections, repeatedly."""
    times = []
    async with connected(server.port, count) as observers:
        await observers[-1].ask("x")
        cpu = cpu_time(server)
        for _ in range(turns):
            start = time.perf_counter()
            observers[0].writer.write(b"all turn b 1a1,2b2 0.001\n")
            for each in observers:
                await each.reply()
            times.append(time.perf_counter() - start)
        cost = (cpu_time(server) - cpu) / (count * turns)
    return {"fanout.turn": milliseconds(times), "fanout.cpu": f"{cost * 1e6:.1f} µs a delivery"}


async def soak(server: Server, seconds: float) -> Figures:
    """Connections, games, spectators and aborted connections until the time is over."""
    tokens, samples = long_game(6), []
    end, rounds = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        async with connected(server.port, 40) as clients:
            for host, opponent, watcher, silent in zip(*[iter(clients)] * 4, strict=True):
                game, sides = await seat(host, opponent)
                watcher.writer.write(f"observe {game}\n".encode())
                silent.writer.write(b"na")
                for number, token in enumerate(tokens):
                    await put(*sides[number % 2], token)
                await put(*sides[0], "resign")
                await host.ask("nonsense")
                opponent.writer.transport.abort()
        rounds += 1
        if rounds % 5 == 0:
            samples.append((server.memory(), open_files(server)))
    third = len(samples) // 3
    early, last = samples[third : 2 * third], samples[2 * third :]
    mean = [statistics.mean(memory for memory, _ in part) / 2**20 for part in (early, last)]
    files = [max(number for _, number in part) for part in (early, last)]
    return {
        "soak.memory": f"{mean[0]:.1f} MiB in the second third, {mean[1]:.1f} in the last",
        "soak.files": f"{files[0]} descriptors at most in the second third, {files[1]} in the last",
        "soak.done": f"{40 * rounds} connections, {10 * rounds} games in {seconds:.0f} s",
    }


Measure = Callable[[Server, float], Coroutine[Any, Any, Figures]]
Run = tuple[str, tuple[str, ...], Measure]


def runs(count: int, spectators: int) -> dict[str, list[Run]]:
    """Every run by name, with ``count`` games at once where games are played."""
    ours, bare = partial(games, count=count), partial(bare_games, count=count)
    seen = partial(watched, count=count, spectators=spectators)
    return {
        "games": [("yoddd", OURS, ours), ("bare", ECHO, bare)],
        "watched": [("yoddd", OURS, seen), ("stored", (*OURS, "--store", STORE), seen)],
        "fanout": [("yoddd", OURS, fanout), ("bare", ECHO, bare_fanout)],
        "soak": [("yoddd", OURS, soak)],
    }


def main() -> None:
    """Measure the figures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", choices=[[], *runs(0, 0)], help="all by default")
    parser.add_argument("--games", type=int, default=500, help="played at once")
    parser.add_argument("--spectators", type=int, default=200, help="of one of those games")
    parser.add_argument("--seconds", type=float, default=30.0, help="of games and soak")
    parser.add_argument("--json", action="store_true", help="an object a figure")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    known = runs(options.games, options.spectators)
    for name in options.runs or known:
        for label, command, measure in known[name]:
            with pinned(command) as server:
                for figure, value in asyncio.run(measure(server, options.seconds)).items():
                    row = {"name": f"{label}.{figure}", "value": value}
                    text = json.dumps(row) if options.json else f"{row['name']:<24} {value}"
                    sys.stdout.write(text + "\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
