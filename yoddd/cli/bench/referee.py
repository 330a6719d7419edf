"""Figures of the referee with engines that answer at once, each in a process of its own."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from yoddd.cli.bench.measure import Figure
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.reactor_runner import run
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.local_executor import LocalExecutor
from yoddd.daemon.play.news import GameEnds, News
from yoddd.daemon.play.participants import Participant, ProcessParticipant
from yoddd.daemon.play.process_engine import ProcessEngine
from yoddd.daemon.runs.archive_writer import ArchiveWriter
from yoddd.daemon.runs.run_folder import RunFolder
from yoddd.notation import format_turn
from yoddd.referee.config import EngineConfig, TournamentConfig, make_plan
from yoddd.referee.tournament import Tournament
from yoddd.rules import Position, Rules
from yoddd.system import page_size

_BOARD: Final = "hex4"
_CONCURRENT: Final = 8
_GAMES: Final = 400
_MANY: Final = 2000
_INSTANT: Final = str(Path(__file__).with_name("instant.py"))


class _Meter:
    """The seconds between a reply and the next request, in one slot."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self._heard: float | None = None

    def heard(self) -> None:
        self._heard = time.perf_counter()

    def asked(self) -> None:
        if self._heard is not None:
            self.gaps.append(time.perf_counter() - self._heard)
            self._heard = None


class _MeteredEngine(ProcessEngine):
    """An engine whose bytes are timed."""

    def __init__(self, reactor: Reactor, name: str, launch: Launch, meter: _Meter) -> None:
        self._meter = meter
        super().__init__(reactor, name, launch)

    def received(self, data: bytes) -> None:
        self._meter.heard()
        super().received(data)

    def send(self, data: bytes) -> None:
        self._meter.asked()
        super().send(data)


class _Metered(ProcessParticipant):
    """A participant with such an engine."""

    def __init__(self, reactor: Reactor, name: str, launch: Launch, meter: _Meter) -> None:
        super().__init__(reactor, name, launch)
        self._parts = (reactor, name, launch, meter)

    def start(self) -> ProcessEngine:
        return _MeteredEngine(*self._parts)


@attrs.define
class _Bench:
    """One run over a temporary folder.

    Attributes:
        games: how many.
        concurrency: at once.
        is_metered: whether the bytes are timed, which takes memory.
        meters: by table.
        seconds: that it took.
        memory: resident bytes after each game.
    """

    games: int
    concurrency: int
    is_metered: bool = False
    meters: dict[int, _Meter] = attrs.Factory(dict)
    seconds: float = 0.0
    memory: list[int] = attrs.Factory(list)

    def play(self) -> None:
        """Play the games of one repetition."""
        with tempfile.TemporaryDirectory(prefix="yoddd-bench-") as path:
            folder = RunFolder(Path(path), _config(self.games))
            run(lambda reactor: self._program(reactor, folder))
            folder.close()

    def _hear(self, news: News) -> None:
        if isinstance(news, GameEnds):
            self.memory.append(_resident())

    async def _program(self, reactor: Reactor, folder: RunFolder) -> int:
        launch = Launch(command=_instant_command(make_plan(folder.config).rules))

        def seat(entrant: int, table: int) -> Participant:
            name = folder.config.engine[entrant].name
            if not self.is_metered:
                return ProcessParticipant(reactor, name, launch)
            return _Metered(reactor, name, launch, self.meters.setdefault(table, _Meter()))

        writer = ArchiveWriter(reactor, folder.archive)
        tournament = Tournament(make_plan(folder.config))
        executor = LocalExecutor(
            reactor,
            tournament,
            seat,
            writer,
            self._hear,
            self.concurrency,
        )
        start = time.perf_counter()
        await executor.play()
        self.seconds = time.perf_counter() - start
        writer.close()
        return 0


def _config(games: int) -> TournamentConfig:
    engines = tuple(EngineConfig(engine="instant", name=name) for name in ("first", "second"))
    return TournamentConfig(name="bench", board=_BOARD, games=games, engine=engines)


def _instant_command(rules: Rules) -> str:
    """The command line of an engine that plays one random game from both sides."""
    rng = random.Random(1)
    position = Position(rules)
    while not position.is_over:
        position.play(rng.choice(list(position.legal_turns())))
    turns = [format_turn(turn, rules) for turn in position.history]
    return shlex.join([sys.executable, "-I", "-S", _INSTANT, *turns])


def _resident() -> int:
    """Resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * page_size()


# -- figures --------------------------------------------------------------------------------


def _overhead(share: float) -> float:
    bench = _Bench(_GAMES, _CONCURRENT, is_metered=True)
    bench.play()
    gaps = sorted(gap for meter in bench.meters.values() for gap in meter.gaps)
    return 1000 * gaps[int(share * (len(gaps) - 1))]


def _pace() -> float:
    bench = _Bench(_GAMES, 2)
    bench.play()
    return _GAMES / bench.seconds


def _growth() -> float:
    """Kilobytes a game, over the second half of a long run."""
    bench = _Bench(_MANY, 2)
    bench.play()
    half = len(bench.memory) // 2
    return (bench.memory[-1] - bench.memory[half]) / 1024 / (_MANY / 2)


_MEASURES: Final[Mapping[str, tuple[Callable[[], float], str]]] = {
    "referee.overhead.median": (partial(_overhead, 0.5), "ms"),
    "referee.overhead.p99": (partial(_overhead, 0.99), "ms"),
    "referee.games": (_pace, "games/s"),
    "referee.memory.growth": (_growth, "KiB/game"),
}


def _figure(name: str) -> Figure:
    """Measure in a process of its own: a reactor runs once."""
    command = [sys.executable, "-m", "yoddd.cli.bench.referee", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Figure(name, float(done.stdout), _MEASURES[name][1])


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    name: partial(_figure, name) for name in _MEASURES
}

if __name__ == "__main__":
    sys.stdout.write(f"{_MEASURES[sys.argv[1]][0]()}\n")
