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
from yoddd.daemon.play.local_executor import LocalExecutor
from yoddd.daemon.play.news import GameEnds, News, Watch
from yoddd.daemon.play.participants import ProcessParticipant
from yoddd.notation import GameRecord, replay
from yoddd.notation.evaluations import Evaluation
from yoddd.referee import TimeControl, parse_clock
from yoddd.referee.adjudication import Adjudication
from yoddd.referee.evaluations import ResignRule, WinRule
from yoddd.referee.game_setup import WaitLimits
from yoddd.referee.plan import Plan, Side
from yoddd.referee.terminations import TERMINATIONS, Reason
from yoddd.referee.tournament import Tournament
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole]

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor

FORFEITS = [
    ("banner", "protocol", ""),
    ("crash", "crash", "exit status 3; stderr: "),
    ("double", "protocol", "unrequested output"),
    ("exit-after-genmove", "crash", "exit status 0"),
    ("flood", "protocol", "line over 16384 bytes"),
    ("flood-info", "protocol", "more than 1048576 bytes of info lines"),
    ("flood-lines", "protocol", ""),
    ("grandchild", "crash", "exit status 0"),
    ("half-line", "time", "turn "),
    ("huge", "protocol", "more than 65536 bytes"),
    ("illegal", "illegal", " twice"),
    ("lacks-genmove", "protocol", "lacks genmove"),
    ("late", "time", "turn "),
    ("malformed", "protocol", "malformed reply"),
    ("no-id", "protocol", ""),
    ("nonsense", "illegal", ""),
    ("not-utf8", "protocol", "not UTF-8"),
    ("nul", "protocol", "NUL"),
    ("refuse-genmove", "protocol", "refused genmove"),
    ("refuse-play", "protocol", "refused play"),
    ("signal", "crash", "killed by SIGKILL"),
    ("stall", "time", "turn "),
    ("wrong-id", "protocol", "reply with id"),
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
    disturb: Callable[[LocalExecutor], None] = lambda _executor: None,
    **settings: object,
) -> list[GameRecord]:
    """Play a match between two command lines in this process; ``hear`` takes its news.

    The one that begins can have another clock than the other: ``first``.
    """
    before = set(reactor.getDelayedCalls())
    records: list[GameRecord] = []

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
        **settings,  # type: ignore[arg-type]  # what each test needs
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
    disturb(executor)
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


@pytest_twisted.ensureDeferred
async def test_fault_of_white_is_judged_alike(marker: str) -> None:
    faulty = engine(marker, "--fault", "illegal")
    (record,) = await play((engine(marker), faulty))
    assert (record.winner, record.reason, record.blame) == ("b", "illegal", "w")


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

    def disturb(executor: LocalExecutor) -> None:
        turn = executor.turn_time()
        if turn is None or turn[0] != "w":
            reactor.callLater(0.005, disturb, executor)
        else:
            hold_up()  # until long after the end of White's time

    engines = (engine(marker), slow)
    (record,) = await play(engines, clock=parse_clock("move=4"), disturb=disturb)
    assert record.reason == "groups", record
    assert record.times[1] > 4
    # Both are rounded to microseconds in the record.
    assert record.times[1] - record.machine[1] <= 4 + 2e-6


@pytest_twisted.ensureDeferred
async def test_engine_that_lies_about_its_chances_gains_and_loses_nothing(marker: str) -> None:
    liars = (engine(marker, "--info", "'winrate 1.0 visits 9'"), engine(marker, "--info", "lies"))
    rules = Adjudication(resign=ResignRule(score=0.4), win=WinRule(score=0.6))
    (record,) = await play(liars, adjudication=rules)
    assert (record.reason, record.blame) == ("groups", None)
    black, white = record.evaluations[::2], record.evaluations[1::2]
    assert set(black) == {Evaluation(winrate=1.0, visits=9)}
    assert set(white) == {None}
    assert record.unread == (0, len(white))


@pytest_twisted.ensureDeferred
@pytest.mark.parametrize(
    ("kind", "lead"), [("cgos", None), ("kata", 2.5), ("lz", None)], ids=["cgos", "kata", "lz"]
)
async def test_engine_that_reports_by_genmove_analyze_states_the_value_of_its_turns(
    marker: str, kind: str, lead: float | None
) -> None:
    (record,) = await play((engine(marker, "--analysis", kind), engine(marker)))
    assert (record.reason, record.unread) == ("groups", ())
    stated = zip(record.evaluations[::2], record.turns[::2], strict=True)
    assert all(
        said == Evaluation(winrate=0.75, lead=lead, visits=9, pv=(turn,)) for said, turn in stated
    )
    assert set(record.evaluations[1::2]) == {None}


@pytest_twisted.ensureDeferred
async def test_engine_that_refuses_its_genmove_analyze_is_asked_by_genmove(marker: str) -> None:
    refusing = engine(marker, "--analysis", "kata", "--fault", "refuse-analysis")
    (record,) = await play((refusing, engine(marker)))
    assert (record.reason, record.blame) == ("groups", None)
    assert set(record.evaluations) <= {None}


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


@pytest_twisted.ensureDeferred
async def test_resignation_is_no_fault(marker: str) -> None:
    (record,) = await play((engine(marker, "--fault", "resign"), engine(marker)))
    assert (record.winner, record.reason, record.blame) == ("w", "resign", None)


@pytest.mark.gate
@pytest_twisted.ensureDeferred
async def test_command_that_cannot_be_started_blames_no_engine(marker: str) -> None:
    records = await play(("/no/such/engine", engine(marker)))
    assert {(one.winner, one.reason, one.blame) for one in records} == {(None, "void", "referee")}
    assert "first could not be started" in records[0].detail
    assert "No such file" in records[0].detail


@pytest_twisted.ensureDeferred
async def test_silence_on_play_loses_by_stall(marker: str) -> None:
    faulty = engine(marker, "--fault", "stall-play")
    limits = WaitLimits(reply=5.0)
    (record,) = await play((engine(marker), faulty), clock=parse_clock("none"), limits=limits)
    assert (record.winner, record.reason, record.blame) == ("b", "stall", "w")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("crash", "disconnect"), ("illegal", "illegal"), ("flood", "protocol"), ("nul", "protocol")],
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
