"""A daemon under attack from many addresses while honest games are played on it.

    python -m tests.bench.siege [--seconds 1800] [--games 50] [--only NAME …] [--json]

The attackers are strangers, each kind at an address of its own, all in a process of their own. The
honest engines play matches by the clock, and an honest client asks for ``name`` twenty times a
second. The status is 1 if an honest game was lost or void for another reason than its groups, if a
stranger got a match between honest engines, if the tournament was stopped, if the daemon logged a
traceback or lost a thread to a search, or if it did not end on SIGTERM; times, memory, and the
growth of store and log are figures. ``reactor_cpu`` is the part of the time for which the reactor's
thread had a processor, ``reactor_waited`` that for which it could have used one and others had it,
and ``client_waited`` the same of the honest client: on a machine with other work the times are
mostly those.

Kinds of attackers: floods of blank `lines` and comments, of `requests`, of WebSocket `frames` and
of `http` requests; `monsters`, which ask for what takes longest; `squatters`, who fill the lobby
and the list of engines; `leavers`, who close as soon as they have asked; `slow` readers and
writers; `forgers` of replies, keys and tokens; `idle` sessions that have asked for one turn each;
`getters` of the costliest answers; `junk` for analysis; the `deaf`, who read no answer. A
tournament is played beside the daemon and shown by it, and the archive has games of two accounts.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, Final

import attrs
from sqlalchemy import insert

from tests.bench.attackers import ATTACKS, HONEST, SIDES, Target, attack
from tests.daemon.stores import make_store
from tests.support.games import SAMPLE
from tests.support.programs import YODDD, Program
from yoddd.notation import dump_record
from yoddd.store.database import read_url
from yoddd.store.schema import GAMES
from yoddd.store.store import Store

ENGINE: Final = Path(__file__).parents[1] / "programs" / "engine.py"
STRANGER: Final = "127.0.2.1"
TURNS: Final = 30
"""Turns of a game on hex4, at most."""

TREES: Final = 256
"""MiB of all search trees."""

DRAIN: Final = 2
ARCHIVE: Final = 2000
"""Finished games of accounts."""

FAIR: Final = ("groups", "resign")
"""The reasons of an honest game that was played to its end."""


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
    target = Target(port, 0, 0, STRANGER)
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
        async with asyncio.timeout(3 * seconds + 120):
            await asyncio.gather(asyncio.sleep(seconds), *matches)
    except TimeoutError:
        found.reasons["unfinished"] += each * len(matches) - sum(found.reasons.values())
    for task in measuring:
        task.cancel()
    return found


# -- the siege --------------------------------------------------------------------------------


@attrs.define
class Besieged:
    """A daemon with attackers, and a tournament of its own whose folder it shows.

    Attributes:
        daemon: the process.
        ports: for sessions, HTTP and analysis.
        folder: the folder of its store and its runs.
        tournament: the process of the tournament.
    """

    daemon: Program
    ports: tuple[int, int, int]
    folder: Path
    tournament: Program

    @property
    def store(self) -> int:
        """The bytes of the store, with its log of writes."""
        return sum(file.stat().st_size for file in self.folder.glob("store*"))

    @property
    def log(self) -> str:
        """The log of the daemon."""
        return self.daemon.error_text()


def start_tournament(folder: Path) -> Program:
    """A tournament without end, in which little happens; returns once its folder is there."""
    engine = f"{sys.executable} -S {ENGINE} --fault slow --delay 0.5"
    words = ["--board", "hex4", "--games", "100000", "--out", str(folder), "--quiet"]
    tournament = Program([*YODDD, "match", engine, engine, *words], stdout=subprocess.DEVNULL)
    while not folder.exists():
        time.sleep(0.1)
    return tournament


@contextlib.contextmanager
def besieged(kinds: list[str]) -> Iterator[Besieged]:
    """A daemon with attackers."""
    settings = {"limits.exempt": f"['{HONEST}/32']", "limits.trees": TREES, "drain": DRAIN}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    local = "tcp:0:interface=127.0.0.1"
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store, runs = make_store(folder / "store"), folder / "runs"
        fill_archive(store)
        runs.mkdir()
        tournament = stack.enter_context(start_tournament(runs / "cup"))
        stack.callback(tournament.wait)
        stack.callback(tournament.terminate)
        serve = [*YODDD, "serve", "--store", str(store), "--runs", str(runs)]
        daemon = stack.enter_context(
            Program([*serve, "--listen", local, "--http", local, "--analysis", local, *words])
        )
        found = [re.search(r":(\d+)[:/]", daemon.stdout.readline()) for _ in range(3)]
        port, analysis, http = (int(match[1]) for match in found if match)
        again = [sys.executable, "-m", "tests.bench.siege", "--only", *kinds]
        made = Besieged(daemon, (port, http, analysis), folder, tournament)
        attackers = [*again, "--attack", ",".join(map(str, made.ports))]
        with Program(attackers, stdout=subprocess.DEVNULL):
            yield made


def fill_archive(path: Path) -> None:
    """Add finished games of two accounts, for lists that are long."""
    row = {"game": "yodd", "board": "hex3", "clock": "60", "black_id": 1, "white_id": 2}
    row |= {"engines": "", "state": "over", "winner": "b", "reason": "groups"}
    row |= {"offered": "2030-01-31T12:00:00Z", "ended": "2030-01-31T12:00:00Z"}
    row |= {"record": dump_record(SAMPLE)}
    with contextlib.closing(Store(read_url(str(path)))) as store:
        store.transact(lambda connection: connection.execute(insert(GAMES), [row] * ARCHIVE))


def scheduled(pid: int) -> tuple[float, float]:
    """The seconds for which a process has run, and has waited for a processor: its main thread."""
    words = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
    return int(words[0]) / 1e9, int(words[1]) / 1e9


def siege(kinds: list[str], games: int, seconds: float) -> dict[str, Any]:
    """Measure a siege; the figures by name."""
    with besieged(kinds) as place:
        daemon, before, begun = place.daemon, place.store, time.monotonic()
        reactor, client = scheduled(daemon.pid), scheduled(os.getpid())
        found = asyncio.run(defend(place.ports[0], daemon.pid, games, seconds))
        store, log, lasted = place.store, len(place.log), time.monotonic() - begun
        ran, waited = (now - then for now, then in zip(scheduled(daemon.pid), reactor, strict=True))
        client_waited = scheduled(os.getpid())[1] - client[1]
        stopped = place.tournament.poll() is not None
        start = time.perf_counter()
        daemon.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            daemon.wait(DRAIN + 15)
        took = time.perf_counter() - start
        status = daemon.returncode
        tracebacks = place.log.count("Traceback")
        lost = place.log.count("its thread is lost")
        if tracebacks:
            shown = place.log.partition("Traceback")
            sys.stderr.write(f"{(shown[0][-500:] + shown[1] + shown[2][:5000])}\n")
    cuts = statistics.quantiles(found.times, n=100)
    unfair = {reason: n for reason, n in found.reasons.items() if reason not in FAIR}
    return {
        "games": sum(found.reasons.values()) - sum(unfair.values()),
        "unfair": unfair,
        "forged": dict(found.forged),
        "tournament_stopped": stopped,
        "seconds": round(lasted),
        "median_ms": round(1000 * cuts[49], 2),
        "p99_ms": round(1000 * cuts[98], 2),
        "greatest_ms": round(1000 * max(found.times), 1),
        "probes": len(found.times),
        "memory_mib": max(found.memory) >> 20,
        "growth_mib": (max(found.memory) - found.memory[0]) >> 20,
        "store_mib_an_hour": round((store - before) / 2**20 * 3600 / lasted, 1),
        "log_mib_an_hour": round(log / 2**20 * 3600 / lasted, 1),
        "reactor_cpu": round(ran / lasted, 3),
        "reactor_waited": round(waited / lasted, 3),
        "client_waited": round(client_waited / lasted, 3),
        "end_s": round(took, 2),
        "status": status,
        "tracebacks": tracebacks,
        "lost": lost,
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
        port, http, analysis = map(int, options.attack.split(","))
        asyncio.run(attack(options.only, (port, http, analysis)))
        return 0
    found = siege(options.only, options.games, options.seconds)
    rows = [json.dumps(found)] if options.json else [f"{k:<12} {v}" for k, v in found.items()]
    sys.stdout.write("\n".join(rows) + "\n")
    good = not found["unfair"] and found["games"] and not found["tracebacks"]
    good = good and not found["lost"] and not found["tournament_stopped"]
    # Before the honest games and after them their engines are not attached.
    good = good and set(found["forged"]) <= {"? not permitted", "? busy", "error not attached"}
    good = good and "? not permitted" in found["forged"]
    return 0 if good and found["status"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
