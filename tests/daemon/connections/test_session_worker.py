"""The driver of a session, in fake time: its rate limit, searches, streams and attach."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.daemon.doubles import FAR, Client
from tests.daemon.leaks import LoggedErrors
from tests.protocol.peer import begin_match
from yoddd.daemon.base.replies import End, Say
from yoddd.daemon.base.settings import Limits
from yoddd.daemon.connections.search_pool import JobKind
from yoddd.daemon.connections.session_worker import SessionWorker
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.effects import Attach
from yoddd.protocol.origin import Origin

OFFERED = SessionServices(attach=True, match=begin_match, list_matches=tuple)


def connect(limits: Limits | None = None, **more: Any) -> Client:
    return Client(limits, SessionConfig(version="test", services=OFFERED), **more)


@pytest.fixture
def client() -> Client:
    return connect()


def test_worker_delays_requests_above_the_rate_limit() -> None:
    client = connect(Limits(burst=1, rate=0.5))
    assert client.ask("name", "version") == b"= yoddd\n\n"
    client.clock.advance(1.9)
    assert client.transport.take() == b""
    client.connection.pauseProducing()
    client.clock.advance(0.1)
    assert client.transport.take() == b""  # while the client does not read
    client.connection.resumeProducing()
    assert client.transport.take() == b"= test\n\n"
    client.connection.lost("bye")


def test_search_sends_its_reply_once_its_job_is_done(client: Client) -> None:
    assert client.ask("genmove b", "name") == b""
    (job,) = client.pool.jobs
    assert job.kind is JobKind.SLICED
    job.result.callback(job.work(lambda: True))
    sent = client.transport.take()
    assert sent.startswith(b"= ")
    assert sent.endswith(b"\n\n= yoddd\n\n")
    assert client.clock.getDelayedCalls() == []


def test_search_that_fails_is_logged_and_refused(
    client: Client, logged_errors: LoggedErrors
) -> None:
    client.ask("genmove b")
    client.pool.jobs[0].result.errback(ZeroDivisionError("bug"))
    assert client.transport.take() == b"? engine failed\n\n"
    client.pool.is_full = True
    assert client.ask("genmove b") == b"? busy: 9 searches wait already\n\n"
    assert len(logged_errors.flush(ZeroDivisionError)) == 1


def test_lost_connection_drops_its_jobs_and_timers(client: Client) -> None:
    worker = client.connection.worker
    assert isinstance(worker, SessionWorker)
    calls: list[str] = []
    worker.on_disconnect(lambda: calls.append("before"))
    client.ask("genmove b", "# interrupt")
    assert client.pool.stopped == client.pool.jobs
    assert calls == []
    client.connection.lost("bye")
    worker.on_disconnect(lambda: calls.append("after"))
    assert calls == ["before", "after"]
    assert client.pool.dropped == [worker]
    assert client.clock.getDelayedCalls() == []


class Streams:
    """Opens streams that the test feeds."""

    def __init__(self) -> None:
        self.args: tuple[str, ...] = ()
        self.stopped = 0

    def open(self, args: tuple[str, ...], say: Say, end: End, _origin: Origin) -> Streams:
        self.args, self.say, self.end = args, say, end
        return self

    def stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def streams() -> Streams:
    return Streams()


@pytest.fixture
def watcher(streams: Streams) -> Client:
    return connect(streams={"match": streams.open})


def test_stream_sends_its_lines_until_its_end(streams: Streams, watcher: Client) -> None:
    assert watcher.ask("match ann bob") == b"= \n"
    assert streams.args == ("ann", "bob")
    assert watcher.connection.is_in_game
    streams.say("begin 1")
    assert watcher.transport.take() == b"begin 1\n"
    streams.end(None)
    assert watcher.transport.take() == b"\n"
    assert not watcher.connection.is_in_game


def test_stream_is_stopped_by_the_client_or_the_end_of_its_connection(
    streams: Streams, watcher: Client
) -> None:
    watcher.ask("match ann bob")
    assert watcher.ask("stop").startswith(b"\n")
    assert streams.stopped == 1
    watcher.ask("match ann bob")
    watcher.connection.lost("bye")
    assert streams.stopped == 2


def test_attach_waits_for_the_check_of_its_token() -> None:
    checks: list[Deferred[str | Origin]] = []
    asked: list[tuple[str, str | None, str | None]] = []

    async def gate(_connection: object, request: Attach, origin: Origin) -> str | Origin:
        asked.append((request.name, request.options.get("token"), origin.place))
        checks.append(Deferred())
        return await checks[-1]

    client = connect(attach_gate=gate)
    client.ask("attach bot token=t")
    assert asked == [("bot", "t", f"{FAR}/32")]
    assert not client.transport.is_reading()
    checks[0].callback(Origin("Bot", f"{FAR}/32"))
    assert client.connection.engine_name == "Bot"
    refused = connect(attach_gate=gate)
    refused.ask("attach bot")
    checks[1].callback("not permitted: no")
    assert refused.transport.take() == b"? not permitted: no\n\n"
    assert refused.transport.is_closed()
    lost = connect(attach_gate=gate)
    lost.ask("attach bot")
    lost.connection.lost("bye")
    checks[2].callback(Origin())
    assert lost.connection.engine is None
