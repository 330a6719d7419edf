"""Play by the clock and say whether the engine was ever late.

    python -m tests.bench.clock --moves 1000 --seconds 0.1 --busy 1
    python -m tests.bench.clock --interrupts 100

A real ``yoddd gtp`` plays both sides under ``kata-time_settings byoyomi 0 SECONDS 1``. A turn is
timed as its controller sees it, from the request to the reply, and lost if it took more than
SECONDS. What was meant is the share that `yoddd.engine.allot` gives; the mean is that of the turns
that the clock has ended, for a proven result is answered at once. ``--busy`` processes spin
meanwhile. Another process only sleeps, a millisecond at a time, and notes when it was not woken:
that is what the machine allows, and what was late in such a moment is told apart; each late turn is
listed. With ``--ponder`` the engine thinks in the pause of up to 50 ms before each request. With
``--interrupts`` each turn may take long and is interrupted: timed is the way from ``# interrupt``
to the reply. Whole games by all time controls: ``tests/bench/clocks.py``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from yoddd.engine import TimeLeft, TimeSettings, allot


class Engine:
    """A ``yoddd gtp`` in a process of its own."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "yoddd", "gtp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def read_reply(self) -> str:
        """A reply of one line."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().rstrip("\n")
        while self._process.stdout.readline() != "\n":
            pass
        if not line.startswith("= "):
            raise RuntimeError(line)
        return line.removeprefix("= ")

    def ask(self, line: str) -> str:
        self.say(line)
        return self.read_reply()

    def close(self) -> None:
        self.ask("quit")
        self._process.wait(10)


def spin() -> None:
    while True:
        pass


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that do nothing but take a core each."""
    spinning = [multiprocessing.Process(target=spin, daemon=True) for _ in range(count)]
    for process in spinning:
        process.start()
    yield
    for process in spinning:
        process.kill()


HELD_UP = 0.005
"""Seconds of delay from which on a process that only sleeps counts as held up by the machine."""


def sleep_on(line: Connection) -> None:
    """Sleep a millisecond at a time until a message arrives; send the times that took longer."""
    gaps, last = [], time.perf_counter()
    while not line.poll(0.001):
        now = time.perf_counter()
        if now - last > HELD_UP:
            gaps.append((last, now))
        last = now
    line.send(gaps)


@contextmanager
def sleeping(gaps: list[tuple[float, float]]) -> Iterator[None]:
    """Run a process that only sleeps; in the end ``gaps`` are the times when it was not woken."""
    ours, its = multiprocessing.Pipe()
    process = multiprocessing.Process(target=sleep_on, args=(its,), daemon=True)
    process.start()
    yield
    ours.send(None)
    gaps += ours.recv()
    process.join()


def turns(engine: Engine, game: str, wanted: int) -> Iterator[int]:
    """The numbers of so many turns; a finished game is followed by another one."""
    engine.ask(f"game {game}")
    for number in range(wanted):
        if engine.ask("legal count") == "0":
            engine.ask(f"set_param seed {number}")
            engine.ask("clear_board")
        yield number


def clocked(
    engine: Engine, game: str, wanted: int, seconds: float, pause: float = 0.0
) -> list[tuple[float, float]]:
    """When each turn was requested and answered, after a pause of at most ``pause``."""
    rng = random.Random(0)
    engine.ask(f"kata-time_settings byoyomi 0 {seconds} 1")
    used = []
    for _ in turns(engine, game, wanted):
        time.sleep(rng.uniform(0, pause))
        begun = time.perf_counter()
        engine.ask("genmove")
        used.append((begun, time.perf_counter()))
    return used


def report_clock(
    asked: list[tuple[float, float]], gaps: list[tuple[float, float]], seconds: float
) -> Iterator[str]:
    """The late turns with their causes, and how near its target the clock ended the others."""
    meant = allot(TimeSettings(0.0, 0.0, seconds, 1), TimeLeft(seconds, 1), (1, 1)) or 0.0
    late = [(begun, ended) for begun, ended in asked if ended - begun > seconds]
    held_up = [
        max((b - a for a, b in gaps if a < ended and b > begun), default=0.0)
        for begun, ended in late
    ]
    excused = sum(held > 0 for held in held_up)
    used = [ended - begun for begun, ended in asked]
    timed = [one for one in used if one > EARLY * meant]
    off = statistics.fmean(timed) / meant - 1
    yield f"{len(used)} turns of {1000 * seconds:g} ms, {1000 * meant:g} ms meant"
    yield f"{len(late)} late: {excused} while a sleeper was held up, {len(late) - excused} not"
    yield f"{len(timed)} ended by the clock: {describe(timed)}, {100 * off:+.1f} % off"
    for (begun, ended), held in zip(late, held_up, strict=True):
        yield f"late: {1000 * (ended - begun):.1f} ms, a sleeper was held up {1000 * held:.1f} ms"


EARLY = 0.85
"""The share of the target time below which a turn was not ended by the clock."""


def interrupted(engine: Engine, game: str, wanted: int, seed: int) -> list[float]:
    rng = random.Random(seed)
    engine.ask("kata-time_settings absolute 1000000")
    used = []
    for _ in turns(engine, game, wanted):
        engine.say("genmove")
        time.sleep(rng.uniform(0.02, 0.1))
        begun = time.perf_counter()
        engine.say("# interrupt")
        engine.read_reply()
        used.append(time.perf_counter() - begun)
    return used


def describe(used: list[float]) -> str:
    used = sorted(1000 * one for one in used)
    at = {name: used[min(len(used) - 1, int(len(used) * part))] for name, part in PARTS.items()}
    parts = ", ".join(f"{name} {value:.1f}" for name, value in at.items())
    return f"mean {statistics.fmean(used):.2f} ms, {parts} ms"


PARTS = {"median": 0.5, "99 %": 0.99, "greatest": 1.0}


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="yodd hex6")
    parser.add_argument("--moves", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--interrupts", type=int, default=0)
    parser.add_argument("--busy", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    engine = Engine("--threads", str(chosen.threads))
    if chosen.ponder:
        engine.ask("set_param ponder on")
    pause = 0.05 if chosen.ponder else 0.0
    gaps: list[tuple[float, float]] = []
    with busy(chosen.busy):
        if chosen.interrupts:
            used = interrupted(engine, chosen.game, chosen.interrupts, chosen.seed)
            print(f"{len(used)} interrupts: {describe(used)}")
        else:
            with sleeping(gaps):
                asked = clocked(engine, chosen.game, chosen.moves, chosen.seconds, pause)
            print(*report_clock(asked, gaps, chosen.seconds), sep="\n")
            worst = 1000 * max((b - a for a, b in gaps), default=0.0)
            print(f"the sleeper was held up {len(gaps)} times, {worst:.0f} ms at most")
    engine.close()


if __name__ == "__main__":
    main()
