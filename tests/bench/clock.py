"""Play by the clock and say whether the engine was ever late.

    python -m tests.bench.clock --moves 1000 --seconds 0.1 --busy 1
    python -m tests.bench.clock --interrupts 100

A real ``yoddd gtp`` plays both sides under ``kata-time_settings byoyomi 0 SECONDS 1``. A turn is
timed as its controller sees it, from the request to the reply, and lost if it took more than
SECONDS. What was meant is the share that `yoddd.engine.allot` gives. ``--busy`` processes spin
meanwhile. With ``--interrupts`` each turn may take long and is interrupted: timed is the way from
``# interrupt`` to the reply.
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

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
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
        return self.hear()

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


def turns(engine: Engine, game: str, wanted: int) -> Iterator[int]:
    """Before each of so many turns; a finished game is followed by another one."""
    engine.ask(f"game {game}")
    for number in range(wanted):
        if engine.ask("legal count") == "0":
            engine.ask(f"set_param seed {number}")
            engine.ask("clear_board")
        yield number


def clocked(engine: Engine, game: str, wanted: int, seconds: float) -> list[float]:
    engine.ask(f"kata-time_settings byoyomi 0 {seconds} 1")
    used = []
    for _ in turns(engine, game, wanted):
        begun = time.perf_counter()
        engine.ask("genmove")
        used.append(time.perf_counter() - begun)
    return used


def interrupted(engine: Engine, game: str, wanted: int, seed: int) -> list[float]:
    rng = random.Random(seed)
    engine.ask("kata-time_settings absolute 1000000")
    used = []
    for _ in turns(engine, game, wanted):
        engine.say("genmove")
        time.sleep(rng.uniform(0.02, 0.1))
        begun = time.perf_counter()
        engine.say("# interrupt")
        engine.hear()
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
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    engine = Engine("--threads", str(chosen.threads))
    with busy(chosen.busy):
        if chosen.interrupts:
            used = interrupted(engine, chosen.game, chosen.interrupts, chosen.seed)
            print(f"{len(used)} interrupts: {describe(used)}")  # noqa: T201 — a report
        else:
            used = clocked(engine, chosen.game, chosen.moves, chosen.seconds)
            settings = TimeSettings(0.0, 0.0, chosen.seconds, 1)
            meant = allot(settings, TimeLeft(chosen.seconds, 1), (1, 1)) or 0.0
            late = sum(one > chosen.seconds for one in used)
            off = statistics.fmean(used) / meant - 1
            print(  # noqa: T201 — a report
                f"{len(used)} turns of {1000 * chosen.seconds:g} ms, {1000 * meant:g} ms meant: "
                f"{late} late, {describe(used)}, {100 * off:+.1f} % of what was meant"
            )
    engine.close()


if __name__ == "__main__":
    main()
