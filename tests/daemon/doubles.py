"""Services without a network, a transport that keeps what it is asked to do, and a client."""

from __future__ import annotations

from typing import Any, cast

import attrs
from twisted.internet.testing import MemoryReactorClock

from yoddd.daemon.base.admission.places import Network
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.daemon.connections.connection import PeerConnection
from yoddd.daemon.connections.search_pool import Job, JobKind, PoolBusy, SearchPool, Work
from yoddd.daemon.connections.services import Services
from yoddd.daemon.connections.wire import SESSION, WireProtocol
from yoddd.protocol.config import SessionConfig

FAR = "198.51.100.7"


@attrs.define(eq=False)
class FakeTransport:
    """The `Transport` of a `PeerConnection`."""

    kind: str = "tcp"
    sent: bytes = b""
    _is_reading: bool = True
    _is_closed: bool = False
    _is_aborted: bool = False

    def used(self) -> None:
        pass

    def write(self, data: bytes, *, to_engine: bool) -> None:
        del to_engine
        self.sent += data

    def read(self, *, wanted: bool) -> None:
        self._is_reading = wanted

    def disconnect(self, reason: str) -> None:
        del reason
        self._is_closed = True

    def end(self, reason: str) -> None:
        self.disconnect(reason)

    def abort(self) -> None:
        self._is_aborted = True

    # Functions, because mypy takes an attribute for what the last assertion said of it.

    def is_reading(self) -> bool:
        return self._is_reading

    def is_closed(self) -> bool:
        return self._is_closed

    def is_aborted(self) -> bool:
        return self._is_aborted

    def take(self) -> bytes:
        """Return what was sent since the last call."""
        sent, self.sent = self.sent, b""
        return sent


def make_services(
    clock: MemoryReactorClock,
    limits: Limits | None = None,
    session: SessionConfig | None = None,
    **more: Any,
) -> Services:
    """Services in fake time."""
    return Services(
        reactor=cast("Reactor", clock),
        session=session or SessionConfig(),
        settings=CurrentSettings(Settings(limits=limits or Limits())),
        **more,
    )


class FakePool:
    """A pool whose jobs end when the test says so."""

    threads = 1

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.stopped: list[Job] = []
        self.dropped: list[object] = []
        self.is_full = False
        self.is_needed = False

    def submit(
        self,
        owner: object,
        work: Work,
        kind: JobKind = JobKind.ONCE,
        _seconds: float | None = None,
        client: object = None,
        network: Network | None = None,
    ) -> Job:
        if self.is_full:
            raise PoolBusy("9 searches wait already")
        job = Job(owner, work, kind, client=client, network=network)
        job.stop = lambda: self.stopped.append(job)  # type: ignore[method-assign]
        self.jobs.append(job)
        return job

    def drop(self, owner: object) -> None:
        self.dropped.append(owner)


class Client:
    """A connection, and the reactor, the pool and the transport below it."""

    def __init__(
        self,
        limits: Limits | None = None,
        session: SessionConfig | None = None,
        wire: WireProtocol = SESSION,
        **more: Any,
    ) -> None:
        self.clock = MemoryReactorClock()
        self.pool = FakePool()
        pool = cast("SearchPool", self.pool)
        self.services = make_services(self.clock, limits, session, pool=pool, **more)
        self.transport = FakeTransport()
        self.connection = PeerConnection(self.services, self.transport, FAR, wire=wire)

    def ask(self, *lines: str) -> bytes:
        """Send lines; return what was sent since the last call."""
        self.connection.received("".join(f"{line}\n" for line in lines).encode())
        return self.transport.take()
