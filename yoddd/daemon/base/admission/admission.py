"""Admission of connections: limits on their number at once and on new ones from one network."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from twisted.internet.interfaces import IAddress, IReactorTime

from yoddd.daemon.base.admission.places import Full, Network, Places, block_of
from yoddd.daemon.base.admission.sliding_window import SlidingWindow
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.process.reactor_share import ReactorShare, ReactorTurn

_IPV6_SITE: Final = 64
"""Bits of the network that an IPv6 customer is given, counted as one address."""

_SWEEP: Final = 4096
"""Networks remembered before those without recent sessions are dropped."""

REFUSALS: Final = ("memory", "full", "address", "rate")
"""The values of `Refused.reason`."""


class Refused(Exception):
    """A connection is not admitted.

    Attributes:
        reason: one word, the label of the metric ``yoddd_refused``.
    """

    def __init__(self, reason: str, text: str) -> None:
        """Create the refusal; ``text`` is sent to the client."""
        super().__init__(text)
        self.reason = reason


def host_of(address: IAddress | None) -> str | None:
    """Return the host of an address; None for a UNIX socket."""
    host = getattr(address, "host", None)
    return host.partition("%")[0] if isinstance(host, str) else None


@lru_cache(maxsize=1024)
def network_of(host: str) -> Network:
    """Return the network that is limited as one: an IPv4 address, or an IPv6 /64."""
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return ipaddress.IPv6Network((address, _IPV6_SITE), strict=False)
        address = address.ipv4_mapped
    return ipaddress.IPv4Network(address)


def place_of(host: str | None) -> Network | None:
    """Return the network of a host; None for a UNIX socket."""
    return None if host is None else network_of(host)


@lru_cache(maxsize=1024)
def is_within(host: str | None, networks: tuple[str, ...]) -> bool:
    """Return whether a host is in one of ``networks``; a UNIX socket is in any."""
    if host is None:
        return True
    network = network_of(host)
    address = ipaddress.ip_address(host) if network.version > 4 else network.network_address
    return any(address in ipaddress.ip_network(other) for other in networks)


class Admission:
    """Counts open connections and recent sessions, and refuses those above the limits.

    Attributes:
        refused: how many connections were refused, by reason.
        accepted: how many were admitted.
        is_short_of_memory: whether every connection is refused; see `MemoryGuard`.
        has_seen_proxy: whether an exempt peer has named a client without being trusted to; set
            once, with the warning.
    """

    def __init__(self, settings: CurrentSettings, reactor: IReactorTime) -> None:
        """Create it without connections.

        Args:
            settings: has the limits, and the networks of trusted proxies.
            reactor: gives a time that never jumps.
        """
        self.refused: Counter[str] = Counter()
        self.accepted = 0
        self.is_short_of_memory = False
        self.has_seen_proxy = False
        self._settings = settings
        self._reactor = reactor
        self._now = reactor.seconds
        # Bounds the charged work of all networks in a turn of the reactor.
        self._turn = ReactorTurn(reactor)
        # Every open connection with its network; None for one that is exempt, and for that of a
        # proxy between two requests.
        self._open: dict[object, Network | None] = {}
        # How many of them each network has.
        self._count: Counter[Network] = Counter()
        self._taken = Places(reactor.seconds, lambda: settings.limits.per_network)
        # Refused connections that may still ask whether the daemon is healthy.
        self._spare: set[object] = set()
        # When the latest sessions of each network began.
        self._sessions = SlidingWindow(self._now, lambda: settings.limits.new_window)
        # What each network uses of the reactor's time; those that owe nothing may be removed.
        self._shares: dict[Network, ReactorShare] = {}

    @property
    def open(self) -> int:
        """The number of open connections."""
        return len(self._open)

    def is_exempt(self, host: str | None) -> bool:
        """Return whether clients at ``host`` are unlimited in number, rate and errors."""
        return is_within(host, self._settings.limits.exempt)

    def client_of(self, host: str | None) -> Network | None:
        """Return the network whose clients share what is shared by address; None if exempt."""
        return None if host is None or self.is_exempt(host) else network_of(host)

    def share_of(self, host: str | None) -> ReactorShare | None:
        """Return the share of the reactor's time of a client's network; None if it is exempt."""
        network = self.client_of(host)
        if network is None:
            return None
        if network not in self._shares:
            if len(self._shares) >= _SWEEP:
                idle = [one for one, share in self._shares.items() if share.is_idle]
                for one in idle:
                    if not self._count[one]:
                        del self._shares[one]
            self._shares[network] = ReactorShare(
                lambda: self._settings.limits.share, self._now, self._turn
            )
        return self._shares[network]

    def is_proxy(self, host: str | None) -> bool:
        """Return whether a peer at ``host`` is trusted to name the client of a request."""
        proxies = self._settings.value.trusted_proxies
        return bool(proxies) and is_within(host, proxies)

    def admit(
        self,
        connection: object,
        host: str | None,
        *,
        is_proxied: bool = False,
        close: Callable[[], bool] = lambda: False,
    ) -> None:
        """Count a connection as open.

        Args:
            connection: any key.
            host: the host of its peer.
            is_proxied: whether it carries requests of clients, which `bind` counts.
            close: closes and releases it to make room unless it is needed, and returns whether it
                did.

        Raises:
            Refused: there are too many, all in all or from its network, or memory is short.
        """
        if self.is_short_of_memory:
            self._refuse("memory", "the server is short of memory")
        self._enter(connection, None if is_proxied else self.client_of(host), close)
        self.accepted += 1

    def bind(
        self, connection: object, host: str | None, close: Callable[[], bool] = lambda: False
    ) -> None:
        """Count the connection of a proxy as one of the client whose request it carries.

        ``close`` is as for `admit`.

        Raises:
            Refused: the client has too many, or all strangers have.
        """
        self._enter(connection, self.client_of(host), close)

    def unbind(self, connection: object) -> None:
        """Count the connection of a proxy for no client again: the request is answered."""
        if connection in self._open:
            self._leave(connection)
            self._taken.add(connection, None)

    def spare(self, connection: object) -> bool:
        """Return whether a refused connection may still ask for the health; `release` ends it."""
        is_spare = len(self._spare) < self._reserved
        if is_spare:
            self._spare.add(connection)
        return is_spare

    def used(self, connection: object) -> None:
        """Note that a connection has sent a request that is of use to its client."""
        self._taken.use(connection)

    @property
    def _reserved(self) -> int:
        limits = self._settings.limits
        return min(limits.reserved, limits.connections // 2)

    def _enter(
        self, connection: object, network: Network | None, close: Callable[[], bool]
    ) -> None:
        limits = self._settings.limits
        if network is not None and self._count[network] >= limits.per_address:
            self._refuse("address", "too many connections from your address")
        was_open = connection in self._open
        self._leave(connection)
        block = network and block_of(network)
        try:
            reserved = 0 if network is None else self._reserved
            self._taken.make_room(block, limits.connections - reserved)
        except Full:
            if was_open:
                self.unbind(connection)
            self._refuse("full", "too many connections")
        self._taken.add(connection, block, close)
        self._open[connection] = network
        if network is not None:
            self._count[network] += 1

    def _leave(self, connection: object) -> None:
        """Count an open connection for no network, and in no place."""
        self._taken.release(connection)
        network = self._open.get(connection)
        if network is not None:
            self._open[connection] = None
            self._count[network] -= 1
            if not self._count[network]:
                del self._count[network]

    def begin_session(self, host: str | None) -> None:
        """Count a new session.

        Raises:
            Refused: there were too many from its network within ``limits.new_window``.
        """
        if host is None or self.is_exempt(host):
            return
        times = self._sessions.kept(network_of(host))
        if len(times) >= self._settings.limits.new_per_address:
            self._refuse("rate", "too many new connections from your address")
        times.append(self._now())

    def release(self, connection: object) -> None:
        """Count a connection as closed; does nothing for one that was never admitted."""
        self._spare.discard(connection)
        self._leave(connection)
        self._open.pop(connection, None)

    def _refuse(self, reason: str, text: str) -> None:
        self.refused[reason] += 1
        raise Refused(reason, text)
