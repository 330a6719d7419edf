"""Child processes in fake time: their ends, the signals that they get, and engines in them."""

from __future__ import annotations

import io
import os
import signal
from pathlib import Path
from typing import cast

import attrs
import pytest
from twisted.internet.error import ProcessDone
from twisted.internet.interfaces import IProcessProtocol
from twisted.python.failure import Failure

from tests.daemon.fake_time import FakeProcess, SpawningClock
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.play import confinement, processes, resources
from yoddd.daemon.play.confinement import FREE, Confinement, Launch
from yoddd.daemon.play.participants import (
    ProcessEngine,
    ProcessParticipant,
    UnknownEngine,
    describe_engine,
)
from yoddd.daemon.play.processes import DRAIN, GRACE, STDERR_LINES, Child
from yoddd.daemon.play.resources import WATCH
from yoddd.protocol.controller import EngineInfo

NO_PROCESS = 2**22 + 1
"""A number that no process has."""


@pytest.fixture
def reactor() -> SpawningClock:
    return SpawningClock(NO_PROCESS)


@pytest.fixture(autouse=True)
def signals(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The signals that the child has got; and no process is started to try namespaces."""
    sent: list[int] = []
    monkeypatch.setattr(confinement, "has_namespaces", lambda: False)
    monkeypatch.setattr(processes, "signal_engine", lambda _pid, number: sent.append(number))
    return sent


@attrs.define
class Started:
    """A child with its output and its ends."""

    output: list[bytes] = attrs.Factory(list)
    ends: list[str] = attrs.Factory(list)

    def child(
        self, reactor: SpawningClock, confinement: Confinement = FREE, log: Path | None = None
    ) -> Child:
        return Child(
            cast("Reactor", reactor),
            Launch(command="engine --level 3", confinement=confinement, log=log),
            output=self.output.append,
            ended=self.ends.append,
        )

    def begin(self, reactor: SpawningClock) -> tuple[FakeProcess, IProcessProtocol]:
        """Start the child; return its process, and what receives the events of that."""
        self.child(reactor)
        (process,) = reactor.started
        return process, process.protocol


def test_child_is_started_by_the_launcher_with_its_limits(reactor: SpawningClock) -> None:
    Started().child(reactor, Confinement(cpu=30, cpus=(0, 1)))
    (words,) = reactor.arguments
    assert words[-4:] == ["--", "engine", "--level", "3"]
    assert {"cpu=30", "cpus=0,1", "network=1", "report=3"}.issubset(words)


@pytest.mark.parametrize(
    ("limits", "kept", "end"),
    [
        (Confinement(memory=500), [1], None),
        (Confinement(memory=499), [1], "more than 499 MiB of memory: 500"),
        (Confinement(memory=500), [1, 2], "more than 500 MiB of memory: 600"),
        (Confinement(processes=2), [1, 2], None),
        (Confinement(processes=1), [1, 2], "more than 1 processes"),
    ],
)
def test_child_over_a_limit_is_killed_for_it(
    reactor: SpawningClock,
    signals: list[int],
    monkeypatch: pytest.MonkeyPatch,
    limits: Confinement,
    kept: list[int],
    end: str | None,
) -> None:
    monkeypatch.setattr(resources, "delegated", lambda: None)
    monkeypatch.setattr(resources.Family, "descendants", lambda *_args, **_words: kept)
    monkeypatch.setattr(resources, "resident", lambda _pid: 500 << 20)
    monkeypatch.setattr(resources, "share", lambda _pid: 300 << 20)
    started = Started()
    assert started.child(reactor, limits).was_started
    reactor.advance(WATCH - 0.01)
    assert signals == []
    reactor.advance(0.01)
    assert signals == ([] if end is None else [signal.SIGKILL])
    reactor.started[0].exit(signal=signal.SIGKILL)
    assert started.ends == ["; ".join(filter(None, [end, "killed by SIGKILL"]))]
    assert reactor.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("events", "end"),
    [
        ({"memory.events": "low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\n"}, "500 MiB of memory"),
        ({"memory.events": "oom_kill 0\n", "pids.events": "max 3\n"}, "9 processes"),
    ],
)
def test_child_in_a_control_group_is_limited_by_it(
    reactor: SpawningClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    events: dict[str, str],
    end: str,
) -> None:
    monkeypatch.setattr(resources, "delegated", lambda: tmp_path)
    started = Started()
    started.child(reactor, Confinement(memory=500, processes=9))
    (group,) = tmp_path.iterdir()
    assert (group / "memory.max").read_text() == str(500 << 20)
    assert (group / "pids.max").read_text() == "9"
    assert f"group={group}" in reactor.arguments[0]
    assert reactor.getDelayedCalls() == []
    for name, text in events.items():
        (group / name).write_text(text)
    reactor.started[0].exit(signal=signal.SIGKILL)
    assert started.ends == [f"more than {end}; killed by SIGKILL"]


def test_child_may_end_before_it_is_known_to_run(reactor: SpawningClock, tmp_path: Path) -> None:
    reactor.are_quick = True
    started = Started()
    child = started.child(reactor, Confinement(memory=500), log=tmp_path)
    reactor.advance(WATCH + DRAIN)
    (process,) = reactor.started
    assert process.is_lost
    process.protocol.processEnded(Failure(ProcessDone(0)))
    assert child.pid == NO_PROCESS
    assert started.ends == ["exit status 1"]
    assert reactor.getDelayedCalls() == []
    (log,) = tmp_path.iterdir()
    assert "exit status 1" in log.read_text()


def test_child_receives_requests_at_once_and_in_order_when_its_pipe_is_full(
    reactor: SpawningClock,
) -> None:
    child = Started().child(reactor)
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    with io.FileIO(source) as reader, io.FileIO(sink, "w") as pipe:
        reactor.started[0].pipes[0] = pipe
        child.write(b"1 name\n")
        assert reader.read(100) == b"1 name\n"
        child.write(b"x" * 1_000_000)
        room = len(reader.read(1_000_000))
        child.write(b"2 quit\n")
    assert room + len(reactor.started[0].written) == 1_000_007
    assert reactor.started[0].written.endswith(b"x2 quit\n")


def test_child_without_a_command_is_refused(reactor: SpawningClock) -> None:
    with pytest.raises(ValueError, match="empty command line"):
        Child(cast("Reactor", reactor), Launch(command=" "), output=print, ended=print)


def test_child_end_quotes_the_tail_of_standard_error(reactor: SpawningClock) -> None:
    started = Started()
    process, events = started.begin(reactor)
    events.childDataReceived(1, b"= hello\n")
    events.childDataReceived(2, b"".join(b"line %d\n" % one for one in range(STDERR_LINES + 5)))
    process.exit(status=3)
    (end,) = started.ends
    assert end.startswith("exit status 3; stderr: line 5 | ")
    assert end.endswith(f"line {STDERR_LINES + 4}")
    events.childDataReceived(1, b"too late")
    assert started.output == [b"= hello\n"]
    assert reactor.getDelayedCalls() == []


def test_child_that_does_not_end_gets_sigterm_after_the_grace(
    reactor: SpawningClock, signals: list[int]
) -> None:
    started = Started()
    child = started.child(reactor)
    child.write(b"quit\n")
    child.close()
    (process,) = reactor.started
    assert (process.written, process.is_stdin_closed) == (b"quit\n", True)
    reactor.advance(GRACE - 0.01)
    assert signals == []
    reactor.advance(0.01)
    assert signals == [signal.SIGTERM]
    process.exit(signal=signal.SIGTERM)
    child.write(b"too late")
    assert (started.ends, child.alive, process.written) == (
        ["killed by SIGTERM"],
        False,
        b"quit\n",
    )


@pytest.mark.parametrize(
    ("options", "end"), [({"signal": 9}, "closed its output"), ({"status": 3}, "exit status 3")]
)
def test_child_that_closes_its_output_is_killed_unless_its_status_comes(
    reactor: SpawningClock, signals: list[int], options: dict[str, int], end: str
) -> None:
    started = Started()
    process, events = started.begin(reactor)
    events.childConnectionLost(1)
    assert started.ends == []
    reactor.advance(DRAIN)
    assert signals == [signal.SIGKILL]
    process.exit(**options)
    assert started.ends == [end]


def test_child_that_has_exited_has_its_pipes_closed(reactor: SpawningClock) -> None:
    started = Started()
    process, events = started.begin(reactor)
    events.processExited(Failure(ProcessDone(0)))
    events.childConnectionLost(1)
    reactor.advance(DRAIN)
    assert process.is_lost
    assert started.ends == []  # its pipes may still deliver output


def test_process_engine_that_is_idle_is_asked_to_quit(reactor: SpawningClock) -> None:
    engine = ProcessEngine(cast("Reactor", reactor), "bot", Launch(command="engine"))
    gone: list[None] = []
    engine.gone.addCallback(gone.append)
    engine.close()
    (process,) = reactor.started
    assert process.written == b"1 quit\n"
    process.protocol.childDataReceived(2, b"bye\n")
    assert gone == []
    process.exit()
    assert gone == [None]
    assert engine.stderr == "bye\n"


def test_process_engine_that_owes_a_reply_is_terminated_at_once(
    reactor: SpawningClock, signals: list[int]
) -> None:
    engine = ProcessEngine(cast("Reactor", reactor), "bot", Launch(command="engine"))
    engine.ask("genmove black")
    engine.close()
    reactor.advance(0)
    assert signals == [signal.SIGTERM]
    assert reactor.started[0].written == b"1 genmove black\n"


@pytest.mark.parametrize("restart", [False, True])
def test_process_participant_keeps_an_idle_process_unless_it_restarts(
    reactor: SpawningClock, *, restart: bool
) -> None:
    participant = ProcessParticipant(
        cast("Reactor", reactor), "bot", Launch(command="engine"), restart=restart
    )
    assert participant.is_available
    link = participant.engine().result
    assert isinstance(link, ProcessEngine)
    info = EngineInfo("bot", "1", "2", frozenset())
    link.introduced(info)
    participant.release(link, busy=False)
    again = participant.engine().result
    assert isinstance(again, ProcessEngine)
    assert (again is link) is not restart
    assert again.info == (None if restart else info)
    participant.release(again, busy=True)
    assert again in participant.leaving
    assert participant.engine().result is not again
    for process in reactor.started:
        process.exit()
    assert participant.leaving == set()
    assert participant.engine().result not in (link, again)  # all have ended


@pytest.mark.parametrize(
    ("text", "name"),
    [("builtin:random", "random"), ("./bin/my-engine --fast", "my-engine"), ("gtp", "gtp")],
)
def test_engine_description_gives_a_name(text: str, name: str) -> None:
    assert describe_engine(text, ["random"])[0] == name


@pytest.mark.parametrize("text", ["builtin:nothing", "", "engine 'open"])
def test_engine_description_without_an_engine_is_refused(text: str) -> None:
    with pytest.raises(UnknownEngine):
        describe_engine(text, ["random"])
