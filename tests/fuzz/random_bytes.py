"""Random strings of bytes against all that reads a peer: nothing is raised, nothing piles up.

The tests take fifty thousand; a million is a command::

    python -m tests.fuzz.random_bytes 1000000
"""

from __future__ import annotations

import random
import resource
import sys
import time

from tests.fuzz.grammar_target import CONFIG
from yoddd.protocol import Phase, Session
from yoddd.protocol.controller import Controller
from yoddd.protocol.errors import LineTooLong
from yoddd.protocol.grammar import LineSplitter, parse_line


class Targets:
    """One reader of each kind; one that a string broke or closed is made again."""

    def __init__(self) -> None:
        self._splitter = LineSplitter(64)
        self._restart_controller()
        self._session = Session(CONFIG)

    def feed(self, data: bytes) -> None:
        """Let every reader read ``data``."""
        self._splitter.push(data)
        try:
            for line in iter(self._splitter.pop, None):
                parse_line(line)
        except LineTooLong:
            pass
        self._controller.receive(data)
        if self._controller.broken:
            self._restart_controller()
        self._session.receive(data)
        while self._session.wants_resume:
            self._session.resume()
        if self._session.phase is Phase.CLOSED:
            self._session = Session(CONFIG)

    def _restart_controller(self) -> None:
        self._controller = Controller(line_limit=64, reply_limit=1000)
        self._controller.request("name")


def run(count: int, seed: int = 9) -> int:
    """Feed ``count`` strings; the bytes by which memory grew after the first tenth."""
    rng, targets = random.Random(seed), Targets()
    settled = 0
    for number in range(count):
        targets.feed(rng.randbytes(rng.randrange(24)) + (b"\n" if number % 3 else b""))
        if number == count // 10:
            settled = _peak()
    return _peak() - settled


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    """Say what came of it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    start = time.perf_counter()
    growth = run(count)
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{count} strings in {seconds:.0f} s, memory grew by {growth} bytes\n")


if __name__ == "__main__":
    main()
