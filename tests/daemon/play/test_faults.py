"""Engines that misbehave in refereed games: real processes, defined terminations, right blame."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.abstract import FileDescriptor
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater

from tests.daemon.conftest import ENGINE, Daemon, engine
from tests.daemon.leaks import calls_since
from tests.support.programs import PATIENCE, YODDD, Program
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.live_games import LiveGame
from yoddd.daemon.play.local_executor import LocalExecutor
from yoddd.daemon.play.news import GameEnds, News, Watch
from yoddd.daemon.play.participants import ProcessParticipant
from yoddd.notation import GameRecord, replay
from yoddd.referee import TimeControl, parse_clock
from yoddd.referee.plan import Plan, Side
from yoddd.referee.terminations import TERMINATIONS, Reason
from yoddd.referee.tournament import Tournament
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole]

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor

FORFEITS = [
    ("crash", "crash", "exit status 3; stderr: "),
    ("exit-after-genmove", "crash", "exit status 0"),
    ("flood", "protocol", "line over 16384 bytes"),
    ("grandchild", "crash", "exit status 0"),
    ("signal", "crash", "killed by SIGKILL"),
    ("stall", "time", "turn "),
]


CLOCK = parse_clock("move=60")
HASTY = parse_clock("move=0.6")
CONTRACTS = ("crash", "grandchild")
"""Faults that only a real process can have: they run at each landing."""


async def play(
    commands: tuple[str, str],
    hear: Watch = lambda _news: None,
    clock: TimeControl = CLOCK,
    first: TimeControl | None = None,
    games: int = 1,
    disturb: Callable[[list[LiveGame]], None] = lambda _shown: None,
) -> list[GameRecord]:
    """Play a match between two command lines in this process; ``hear`` takes its news.

    The one that begins can have another clock than the other: ``first``.
    """
    before = set(reactor.getDelayedCalls())
    records: list[GameRecord] = []
    shown: list[LiveGame] = []

    def watch(news: News) -> None:
        hear(news)
        if isinstance(news, GameEnds):
            records.append(news.record)

    plan = Plan(
        sides=(Side("first", first or clock), Side("second", clock)),
        rules=make_rules("yodd", "hex3"),
        seed=1,
        games=games,
        pairs=(games + 1) // 2,
    )
    launches = [Launch(command=command) for command in commands]
    executor = LocalExecutor(
        World(reactor),
        Tournament(plan),
        lambda entrant, _slot: ProcessParticipant(
            reactor, plan.sides[entrant].name, launches[entrant]
        ),
        None,
        watch,
    )
    executor.show = shown.append
    disturb(shown)
    await executor.play()
    await calm(before)
    return records


async def calm(before: set[IDelayedCall]) -> None:
    """Wait until nothing is left to do: no process to end, no timer but those of ``before``."""
    deadline = reactor.seconds() + PATIENCE
    while left := calls_since(before):
        assert reactor.seconds() < deadline, left
        await deferLater(reactor, 0.02)


@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        pytest.param(*one, marks=[pytest.mark.gate] if one[0] in CONTRACTS else [])
        for one in FORFEITS
    ],
)
@pytest_twisted.ensureDeferred
async def test_fault_of_black_has_its_termination(
    marker: str, fault: str, reason: str, detail: str
) -> None:
    faulty = engine(marker, "--fault", fault, "--turn", "2", "--delay", "60")
    clock = HASTY if reason == "time" else CLOCK
    (record,) = await play((faulty, engine(marker)), first=clock)
    assert (record.winner, record.reason, record.blame) == ("w", reason, "b"), record
    assert detail in record.detail
    replay(record)


def hold_up_call() -> None:
    """Let the reactor stand still for 5 s in a delayed call; it reads before it makes others."""
    reactor.callLater(0.02, time.sleep, 5)


def hold_up_read() -> None:
    """Let it stand still while it reads; it makes delayed calls before it reads again."""
    ours, theirs = socket.socketpair()

    class Sleeper(FileDescriptor):
        def fileno(self) -> int:
            return theirs.fileno()

        def doRead(self) -> None:
            reactor.removeReader(self)
            ours.close()
            theirs.close()
            time.sleep(5)

    reactor.addReader(Sleeper())
    reactor.callLater(0.02, ours.send, b"x")


@pytest.mark.parametrize("hold_up", [hold_up_call, hold_up_read])
@pytest_twisted.ensureDeferred
async def test_turn_that_a_busy_referee_reads_too_late_is_in_time(
    marker: str, hold_up: Callable[[], None]
) -> None:
    slow = engine(marker, "--fault", "slow", "--delay", "0.3")

    def disturb(shown: list[LiveGame]) -> None:
        turn = shown[0].turn_time() if shown else None
        if turn is None or turn[0] != "w":
            reactor.callLater(0.005, disturb, shown)
        else:
            hold_up()  # until long after the end of White's time

    engines = (engine(marker), slow)
    (record,) = await play(engines, clock=parse_clock("move=4"), disturb=disturb)
    assert record.reason == "groups", record
    assert record.times[1] > 4
    # Both are rounded to microseconds in the record.
    assert record.times[1] - record.machine[1] <= 4 + 2e-6


@pytest_twisted.ensureDeferred
async def test_match_continues_after_a_fault(marker: str) -> None:
    faulty = engine(marker, "--fault", "crash", "--turn", "2")
    records = await play((faulty, engine(marker)), games=4)
    assert [(record.black, record.reason) for record in records] == [
        ("first", "crash"),
        ("second", "crash"),
        ("first", "crash"),
        ("second", "crash"),
    ]
    assert {record.winner for record in records} == {"w", "b"}


@pytest_twisted.ensureDeferred
async def test_engine_that_ignores_sigterm_is_killed(marker: str) -> None:
    stubborn = engine(marker, "--fault", "ignore-sigterm")
    (record,) = await play((stubborn, engine(marker)))
    assert record.reason == "groups"


@pytest.mark.gate
@pytest_twisted.ensureDeferred
async def test_command_that_cannot_be_started_blames_no_engine(marker: str) -> None:
    records = await play(("/no/such/engine", engine(marker)))
    assert {(one.winner, one.reason, one.blame) for one in records} == {(None, "void", "referee")}
    assert "first could not be started" in records[0].detail
    assert "No such file" in records[0].detail


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("crash", "disconnect"), ("flood", "protocol")],
)
def test_faults_over_tcp_leave_the_daemon_and_the_other_engine_running(
    daemon: Daemon, marker: str, tmp_path: Path, fault: str, reason: str
) -> None:
    faulty = ["--as", f"bad-{fault}", "--fault", fault, "--turn", "2"]
    words = [sys.executable, str(ENGINE), marker, "--connect", daemon.address]
    settings = ["--daemon", daemon.address, "--out", str(tmp_path), "--board", "hex3"]
    settings += ["--games", "1", "--clock", "move=60"]
    with Program([*words, *faulty]), Program([*words, "--as", f"good-{fault}"]) as good:
        match = subprocess.run(
            [*YODDD, "match", f"tcp:bad-{fault}", f"tcp:good-{fault}", *settings],
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        assert match.returncode == 0, match.stderr
        line = f"game 1: good-{fault} wins: bad-{fault} {TERMINATIONS[Reason(reason)].deed}"
        assert line in match.stdout.decode()
        daemon.check_alive()
        assert good.poll() is None
