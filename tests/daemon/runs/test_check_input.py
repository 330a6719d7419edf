"""Input of `yoddd check`: its arguments, and the output of an engine."""

from __future__ import annotations

import shlex

import pytest
from click.testing import CliRunner
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from yoddd.cli.main import main
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.runs.check import MAX_BUFFERED, OutputBuffer
from yoddd.referee.conformance import Ended, Event, Received, TimedOut


def listen(buffer: OutputBuffer, seconds: float) -> Deferred[Event]:
    return Deferred.fromCoroutine(buffer.listen(seconds))


def test_output_buffer_returns_what_is_there_and_then_waits(clock: Clock, reactor: Reactor) -> None:
    buffer = OutputBuffer(reactor)
    buffer.received(b"= 1\n")
    buffer.received(b"\n")
    assert listen(buffer, 5).result == Received(b"= 1\n\n", 0)
    waiting = listen(buffer, 5)
    clock.advance(2)
    assert not waiting.called
    buffer.received(b"late")
    assert waiting.result == Received(b"late", 2)
    assert clock.getDelayedCalls() == []


def test_output_buffer_reports_silence_and_the_end(clock: Clock, reactor: Reactor) -> None:
    buffer = OutputBuffer(reactor)
    waiting = listen(buffer, 5)
    clock.advance(5)
    assert waiting.result == TimedOut(5)
    buffer.gone("exit status 0")
    buffer.gone("exit status 0")
    assert listen(buffer, 5).result == Ended("exit status 0", 5)
    assert buffer.ended.called


def test_output_buffer_drops_what_is_over_its_limit(reactor: Reactor) -> None:
    buffer = OutputBuffer(reactor)
    for _ in range(3):
        buffer.received(b"x" * (MAX_BUFFERED // 2 + 1))
    assert listen(buffer, 5).result == Received(b"x" * MAX_BUFFERED, 0)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("check", "Missing argument"),
        ("check --only nothing true", "nothing"),
        ("check --game chess true", "chess"),
        ("check --game yodd@square4 true", "hex boards"),
        ("check tcp:nowhere", "expected HOST:PORT"),
        ("check builtin:nothing", "expected one of"),
        ("check ./no-such-engine --fast", "./no-such-engine: no such file"),
        ("check conf:mine", "engines.toml: No such file"),
        ("check --engines no.toml conf:mine", "no.toml"),
    ],
)
def test_check_with_bad_arguments_is_refused(arguments: str, reason: str) -> None:
    result = CliRunner().invoke(main, shlex.split(arguments))
    assert result.exit_code == 2
    assert reason in result.output
