"""The services that all connections of one kind share, built once by the composition root."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from twisted.internet.defer import Deferred

from yoddd.daemon.base.admission.admission import Admission, network_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.replies import StreamOpener
from yoddd.daemon.base.world import World
from yoddd.daemon.connections.connection_table import ConnectionTable, ReplyTimes
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.connections.search_pool import SearchPool
from yoddd.engine import TreeMemory
from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Attach, ConnectionHandle
from yoddd.protocol.origin import TRUSTED, Identity, LoginLimits, Origin
from yoddd.protocol.rate_limit import RateLimiter, RateLimits

if TYPE_CHECKING:
    from yoddd.daemon.base.settings import Limits

AttachGate = Callable[
    [ConnectionHandle, Attach, Origin], Coroutine[Deferred[Any], Any, str | Origin]
]
"""Checks an engine that attaches: its request and its address.

Returns the text of the refusal, or with the owner of the engine. An owner who is named after the
engine gives it the spelling of the account.
"""


@attrs.frozen(eq=False)
class Client:
    """The parts that all sessions over one connection share.

    Attributes:
        identity: the log-in.
        rate_limiter: delays its requests; None serves them without delay.
    """

    identity: Identity = attrs.Factory(lambda: Identity(TRUSTED))
    rate_limiter: RateLimiter | None = None


@attrs.frozen(kw_only=True, eq=False)
class Services:
    """The services of a daemon that its connections use.

    Attributes:
        reactor: Twisted's.
        session: the configuration of every session; its limits are those in force.
        pool: the threads of the searches.
        settings: the settings, which a reload can replace.
        trees: the memory of all search trees.
        admission: admits connections within those limits.
        connections: the open connections of the process.
        reply_times: counts what the sessions of ``session`` reply.
        engines: the attached engines.
        streams: the functions that open streams, by command.
        attach_gate: checks engines that attach; None where there are no accounts.
    """

    reactor: Reactor
    session: SessionConfig
    pool: SearchPool = attrs.Factory(lambda self: SearchPool(World(self.reactor)), takes_self=True)
    settings: CurrentSettings = attrs.Factory(CurrentSettings)
    trees: TreeMemory = attrs.Factory(TreeMemory)
    admission: Admission = attrs.Factory(
        lambda self: Admission(self.settings, self.reactor), takes_self=True
    )
    connections: ConnectionTable = attrs.Factory(ConnectionTable)
    reply_times: ReplyTimes = attrs.Factory(
        lambda self: ReplyTimes(self.reactor.seconds), takes_self=True
    )
    engines: EngineRegistry = attrs.Factory(
        lambda self: EngineRegistry(self.reactor.seconds), takes_self=True
    )
    streams: Mapping[str, StreamOpener] = attrs.Factory(dict)
    attach_gate: AttachGate | None = None
    # What sessions that begin now have in common: by whether the client is exempt from limits of
    # time, the limits in force and the configuration.
    _configs: dict[bool, tuple[Limits, SessionConfig]] = attrs.field(factory=dict, init=False)

    @property
    def limits(self) -> Limits:
        """The limits of a connection that begins now."""
        return self.settings.limits

    def session_config(self, host: str | None = None) -> SessionConfig:
        """Return the configuration of a session of a client at ``host`` that begins now."""
        limits, is_exempt = self.limits, self.admission.is_exempt(host)
        known, config = self._configs.get(is_exempt, (None, self.session))
        if known is not limits:
            config = self._config_within(limits, is_exempt=is_exempt)
            self._configs[is_exempt] = limits, config
        return config

    def _config_within(self, limits: Limits, *, is_exempt: bool) -> SessionConfig:
        session_limits = attrs.evolve(
            self.session.limits,
            connections=limits.connections,
            line=limits.line,
            queue=limits.queue,
            work=None if is_exempt else limits.work,
            analysis=None if is_exempt else limits.analysis,
            login=LoginLimits(limits.login_commands, limits.login_output),
            searches=self.pool.threads,
            positions=limits.positions,
            queries=limits.queries,
        )
        return attrs.evolve(self.session, limits=session_limits)

    def origin_of(self, host: str | None) -> Origin:
        """Return the origin of a client at ``host`` that has not logged in."""
        if host is None or self.admission.is_exempt(host):
            return TRUSTED
        return Origin(place=str(network_of(host)))

    def client_at(self, host: str | None) -> Client:
        """Return what the sessions of a client at ``host``, which has just connected, share."""
        return Client(Identity(self.origin_of(host)), self._rate_limit_for(host))

    def _rate_limit_for(self, host: str | None) -> RateLimiter | None:
        """Return the rate limit of a client at ``host``; None if it is exempt."""
        if self.admission.is_exempt(host):
            return None
        limits = self.limits
        numbers = RateLimits(
            limits.burst, limits.rate, limits.errors, limits.error_delay, limits.error_pardon
        )
        share = self.admission.share_of(host)
        if share is None:
            return RateLimiter(numbers, self.reactor.seconds)
        return RateLimiter(numbers, self.reactor.seconds, share.wait)
