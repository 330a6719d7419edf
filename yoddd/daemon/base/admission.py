"""Admission of connections: limits on their number at once and on new ones from one network."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import attrs
from twisted.internet.interfaces import IAddress, IDelayedCall, IReactorTime

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.reactor_share import ReactorShare, ReactorTurn
from yoddd.daemon.base.recent import RecentTimes

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV6_SITE: Final = 64
"""Bits of the network that an IPv6 customer is given, counted as one address."""

_IPV6_BLOCK: Final = 48
"""Bits of the network of an IPv6 site, which has 65,536 of those and at most a quarter of the
places."""

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


@lru_cache(maxsize=1024)
def block_of(network: Network) -> Network | None:
    """Return the network of the site that an IPv6 network belongs to; None for IPv4."""
    return None if network.version == 4 else network.supernet(new_prefix=_IPV6_BLOCK)


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


@attrs.define(eq=False)
class _Silent:
    """A connection that may be closed for its silence.

    Attributes:
        since: the time of its last complete line, or of its admission.
        close: closes it unless something depends on it; returns whether it did.
    """

    since: float
    close: Callable[[], bool]


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
        # How many of them each network has, and each IPv6 site.
        self._count: Counter[Network] = Counter()
        # Those that may be closed for their silence, the longest silence first.
        self._silent: dict[object, _Silent] = {}
        # Closes the first of them; set while nine tenths of the places are taken and there are any.
        self._silence_timer: IDelayedCall | None = None
        # Refused connections that may still ask whether the daemon is healthy.
        self._spare: set[object] = set()
        # When the latest sessions of each network began.
        self._sessions = RecentTimes(self._now, lambda: settings.limits.new_window)
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
        close: Callable[[], bool] | None = None,
    ) -> None:
        """Count a connection as open.

        Args:
            connection: any key.
            host: the host of its peer.
            is_proxied: whether it carries requests of clients, which `bind` counts.
            close: closes it for its silence unless something depends on it, and returns whether it
                did; None if that is never done.

        Raises:
            Refused: there are too many, all in all or from its network, or memory is short.
        """
        network = None if is_proxied else self.client_of(host)
        if self.is_short_of_memory:
            self._refuse("memory", "the server is short of memory")
        self._enter(connection, network)
        self.accepted += 1
        if network is not None and close is not None:
            self._silent[connection] = _Silent(self._now(), close)
        if self._silence_timer is None:
            self._close_silent()

    def bind(self, connection: object, host: str | None) -> None:
        """Count the connection of a proxy as one of the client whose request it carries.

        Raises:
            Refused: the client has too many, or all strangers have.
        """
        self._enter(connection, self.client_of(host))

    def unbind(self, connection: object) -> None:
        """Count the connection of a proxy for no client again: the request is answered."""
        if connection in self._open:
            self._leave(self._open[connection])
            self._open[connection] = None

    def spare(self, connection: object) -> bool:
        """Return whether a refused connection may still ask for the health; `release` ends it."""
        is_spare = len(self._spare) < self._reserved
        if is_spare:
            self._spare.add(connection)
        return is_spare

    def heard(self, connection: object) -> None:
        """Note that a connection has sent a complete line."""
        silent = self._silent.pop(connection, None)
        if silent is not None:
            silent.since = self._now()
            self._silent[connection] = silent

    @property
    def _reserved(self) -> int:
        limits = self._settings.limits
        return min(limits.reserved, limits.connections // 2)

    @property
    def _places(self) -> int:
        """The places of clients that are not exempt."""
        return self._settings.limits.connections - self._reserved

    def _enter(self, connection: object, network: Network | None) -> None:
        limits = self._settings.limits
        block = network and block_of(network)
        if network is not None and self._count[network] >= limits.per_address:
            self._refuse("address", "too many connections from your address")
        if block is not None and self._count[block] >= max(1, limits.connections // 4):
            self._refuse("address", "too many connections from your network")
        places = limits.connections if network is None else self._places
        if len(self._open) + (connection not in self._open) > places:
            self._refuse("full", "too many connections")
        self._count.update(one for one in (network, block) if one is not None)
        self._open[connection] = network

    def _leave(self, network: Network | None) -> None:
        for one in (network, network and block_of(network)):
            if one is not None:
                self._count[one] -= 1
                if not self._count[one]:
                    del self._count[one]

    def _close_silent(self) -> None:
        """Close silent connections, the longest silence first, while nine tenths are taken."""
        self._silence_timer = None
        while self._silent and 10 * len(self._open) >= 9 * self._places:
            connection, silent = next(iter(self._silent.items()))
            wait = silent.since + self._settings.limits.slow_line - self._now()
            if wait > 0:
                self._silence_timer = self._reactor.callLater(wait, self._close_silent)
                return
            if silent.close():
                self.release(connection)
            else:
                self.heard(connection)  # looked at again later

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
        self._silent.pop(connection, None)
        self._spare.discard(connection)
        self._leave(self._open.pop(connection, None))

    def _refuse(self, reason: str, text: str) -> None:
        self.refused[reason] += 1
        raise Refused(reason, text)
