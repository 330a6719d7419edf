"""What all connections of one daemon share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Protocol

import attrs

import yoddd
from yoddd.daemon.base.admission import Door
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.ports import AttachGate, End, Say, Stream, StreamOpener
from yoddd.daemon.base.settings import QUEUE_LIMIT, Limits
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.daemon.play.start_gate import PairingGate
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.login import LoginLimits
from yoddd.protocol.rate_limit import RateLimiter, RateLimits

if TYPE_CHECKING:
    from yoddd.daemon.connections.attached_engine import AttachedEngine, Carrier
    from yoddd.daemon.connections.engine_registry import EngineRegistry
    from yoddd.daemon.connections.session_worker import SessionWorker
    from yoddd.daemon.play.live_games import LiveGames


Ferry = Callable[[str, "Carrier"], "AttachedEngine | None"]
"""Takes an engine's name and its connection; answers with None if it is to stay here."""


class Peer(Protocol):
    """A connection as the rest of the daemon sees it; see `PeerConnection`."""

    number: int
    host: str | None
    is_unread: bool
    worker: SessionWorker | None
    engine: AttachedEngine | None

    @property
    def kind(self) -> str:
        """What carries it."""

    def part(self, reason: str) -> None:
        """Close it."""


@attrs.define
class Tally:
    """How much was asked.

    Attributes:
        requests: all of them.
        errors: unknown commands and syntax errors.
    """

    requests: int = 0
    errors: int = 0


class Rooms:
    """What a daemon has once, however many hubs lead to it.

    Attributes:
        pool: where searches run.
        pairing: whether games may begin.
        peers: those who are connected, by number.
        numbers: of those who will be.
        cut_off: how many were cut off, by reason.
        past: what sessions that are over have asked.
    """

    def __init__(self, reactor: Reactor, threads: int = 1, queue: int = QUEUE_LIMIT) -> None:
        """For so many ``threads`` of searches, and a ``queue`` of those that wait for one."""
        self.pool = SearchPool(reactor, threads, queue)
        self.pairing = PairingGate()
        self.peers: dict[int, Peer] = {}
        self.numbers = count(1)
        self.cut_off: Counter[str] = Counter()
        self.past = Tally()

    @cached_property
    def registry(self) -> EngineRegistry:
        """The engines that have attached."""
        from yoddd.daemon.connections.engine_registry import EngineRegistry  # noqa: PLC0415 — see `live`

        return EngineRegistry()

    @cached_property
    def live(self) -> LiveGames:
        """The games that can be watched."""
        from yoddd.daemon.play.live_games import LiveGames  # noqa: PLC0415 — an engine on pipes needs none

        return LiveGames()


class Hub:
    """What connections of one kind share: the rooms, and what may be done there.

    Attributes:
        reactor: Twisted's.
        config: what sessions are told of their surroundings.
        rooms: what they share with all others; a hub has what is there as its own, too.
        streams: how to open each kind of streaming job.
        gate: whether an engine may attach under a name with a token; it answers with the refusal
            if not. None where there are no accounts.
        ferry: passes an engine on to where engines are wanted; None for here.
        limits: what peers can and cannot do.
        door: who may come in.
        is_closing: whether the daemon goes down.
    """

    def __init__(
        self,
        reactor: Reactor,
        config: SessionConfig | None = None,
        *,
        limits: Limits | None = None,
        rooms: Rooms | None = None,
    ) -> None:
        """Prepare; nothing runs yet. Without ``rooms`` there are new ones."""
        self.reactor = reactor
        self.config = config or SessionConfig(version=yoddd.__version__)
        self.rooms = rooms = rooms or Rooms(reactor)
        self.pool, self.pairing, self.peers = rooms.pool, rooms.pairing, rooms.peers
        self.cut_off, self.past = rooms.cut_off, rooms.past
        self.streams: dict[str, StreamOpener] = {}
        self.gate: AttachGate | None = None
        self.ferry: Ferry | None = None
        self.is_closing = False
        self.limits = limits or Limits()
        self.door = Door(lambda: self.limits, reactor.seconds)
        if limits is not None:
            self.set_limits(limits)

    @property
    def registry(self) -> EngineRegistry:
        """The engines that have attached."""
        return self.rooms.registry

    @property
    def live(self) -> LiveGames:
        """The games that can be watched."""
        return self.rooms.live

    def set_limits(self, limits: Limits) -> None:
        """What holds for connections from now on; those that there are keep theirs."""
        self.limits = limits
        session_limits = attrs.evolve(
            self.config.limits,
            connections=limits.connections,
            line=limits.line,
            queue=limits.queue,
            login=LoginLimits(limits.login_commands, limits.login_output),
        )
        self.config = attrs.evolve(self.config, limits=session_limits)

    def pace_for(self, host: str | None) -> RateLimiter | None:
        """How fast a new session of a peer at ``host`` is served; None for as fast as it asks."""
        if self.door.is_exempt(host):
            return None
        limits = self.limits
        numbers = RateLimits(
            limits.burst, limits.rate, limits.errors, limits.error_delay, limits.error_pardon
        )
        return RateLimiter(numbers, self.reactor.seconds)

    def add_peer(self, peer: Peer) -> int:
        """Somebody is connected; the number to call it by."""
        number = next(self.rooms.numbers)
        self.peers[number] = peer
        return number

    def remove_peer(self, peer: Peer) -> None:
        """Somebody is gone."""
        self.peers.pop(peer.number, None)

    def asked(self) -> tuple[int, int]:
        """How many requests there were, and how many of them were errors."""
        requests, errors = self.past.requests, self.past.errors
        for peer in self.peers.values():
            if peer.worker is not None:
                more = peer.worker.asked
                requests, errors = requests + more[0], errors + more[1]
        return requests, errors

    def count(self, reason: str) -> None:
        """Somebody was cut off."""
        self.cut_off[reason] += 1

    def open_stream(self, name: str, args: tuple[str, ...], *, say: Say, end: End) -> Stream:
        """Begin the streaming job called ``name``."""
        return self.streams[name](args, say, end)

    def close(self) -> None:
        """End the searches."""
        self.pool.close()
