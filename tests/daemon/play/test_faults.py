"""Engines that misbehave in refereed games: real processes, defined terminations, right blame."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest
import pytest_twisted
from twisted.internet import reactor as installed
from twisted.internet.abstract import FileDescriptor
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater

from tests.daemon.conftest import engine
from tests.daemon.leaks import calls_since
from tests.support.programs import PATIENCE
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.world import World
from yoddd.daemon.play.confinement import Launch
from yoddd.daemon.play.executor import LocalExecutor
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.news import GameEnds, News
from yoddd.daemon.play.participants import ProcessParticipant
from yoddd.daemon.play.slot import Slot
from yoddd.notation import GameRecord, replay
from yoddd.referee import Seat, parse_clock
from yoddd.referee.tournament.plan import Plan, Side
from yoddd.referee.tournament.tournament import Tournament
from yoddd.rules import make_rules

pytestmark = [pytest.mark.process, pytest.mark.whole]

reactor: Reactor = installed  # type: ignore[assignment]  # a module stands for the reactor


async def play(
    commands: tuple[str, str],
    clock: str = "move=60",
    disturb: Callable[[list[GameRunner]], None] = lambda _shown: None,
) -> GameRecord:
    """Play a game between two command lines in this process."""
    before = set(reactor.getDelayedCalls())
    heard: list[News] = []
    shown: list[GameRunner] = []
    sides = tuple(Side(name, parse_clock(clock)) for name in ("first", "second"))
    plan = Plan(sides=sides, rules=make_rules("yodd", "hex3"), seed=1, games=1, pairs=1)
    launches = [Launch(command=command) for command in commands]

    def seat(entrant: int, _slot: int) -> ProcessParticipant:
        return ProcessParticipant(reactor, plan.sides[entrant].name, launches[entrant])

    executor = LocalExecutor(
        reactor,
        Tournament(plan),
        None,
        heard.append,
        make_slot=lambda number: Slot(World(reactor), number, seat, show=shown.append),
    )
    disturb(shown)
    await executor.play()
    await calm(before)
    return next(news.record for news in heard if isinstance(news, GameEnds))


async def calm(before: set[IDelayedCall]) -> None:
    """Wait until nothing is left to do: no process to end, no timer but those of ``before``."""
    deadline = reactor.seconds() + PATIENCE
    while left := calls_since(before):
        assert reactor.seconds() < deadline, left
        await deferLater(reactor, 0.02)


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        pytest.param("crash", "exit status 3; stderr: ", marks=pytest.mark.gate),
        pytest.param("grandchild", "exit status 0", marks=pytest.mark.gate),
        ("signal", "killed by SIGKILL"),
    ],
)
@pytest_twisted.ensureDeferred
async def test_fault_of_black_has_its_termination(marker: str, fault: str, detail: str) -> None:
    faulty = engine(marker, "--fault", fault, "--turn", "2", "--delay", "60")
    record = await play((faulty, engine(marker)))
    assert (record.winner, record.reason, record.blame) == ("w", "crash", "b"), record
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

    def disturb(shown: list[GameRunner]) -> None:
        game = shown[0].game.game if shown else None
        turn = None if game is None else game.turn_time(shown[0].now)
        if turn is None or turn[0] is not Seat.WHITE:
            reactor.callLater(0.005, disturb, shown)
        else:
            hold_up()  # until long after the end of White's time

    record = await play((engine(marker), slow), "move=4", disturb)
    assert record.reason == "groups", record
    assert record.times[1] > 4
    # Both are rounded to microseconds in the record.
    assert record.times[1] - record.machine[1] <= 4 + 2e-6
