"""Admission of connections: limits on their number at once and on new ones from one network."""

from __future__ import annotations

import ipaddress
from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from twisted.internet.interfaces import IAddress

from yoddd.daemon.base.reactor_share import ReactorShare, ReactorTurn
from yoddd.daemon.base.settings import CurrentSettings, Network

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
    """

    def __init__(
        self, settings: CurrentSettings, now: Callable[[], float], turn: ReactorTurn | None = None
    ) -> None:
        """Create it without connections.

        Args:
            settings: has the limits.
            now: a clock in seconds that never jumps.
            turn: bounds the charged work of all networks in a turn of the reactor; None for none.
        """
        self.refused: Counter[str] = Counter()
        self.accepted = 0
        self.is_short_of_memory = False
        self._settings = settings
        self._now = now
        self._turn = turn
        # Every open connection with its network; None for one that is exempt.
        self._open: dict[object, Network | None] = {}
        # How many of them each network has.
        self._count: Counter[Network] = Counter()
        # When the latest sessions of each network began, oldest first.
        self._sessions: dict[Network, deque[float]] = {}
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

    def admit(self, connection: object, host: str | None) -> None:
        """Count a connection as open.

        Raises:
            Refused: there are too many, all in all or from its network, or memory is short.
        """
        limits = self._settings.limits
        if self.is_short_of_memory:
            self._refuse("memory", "the server is short of memory")
        if len(self._open) >= limits.connections:
            self._refuse("full", "too many connections")
        network = self.client_of(host)
        if network is not None and self._count[network] >= limits.per_address:
            self._refuse("address", "too many connections from your address")
        self._open[connection] = network
        self.accepted += 1
        if network is not None:
            self._count[network] += 1

    def begin_session(self, host: str | None) -> None:
        """Count a new session.

        Raises:
            Refused: there were too many from its network within ``limits.new_window``.
        """
        if host is None or self.is_exempt(host):
            return
        limits, now = self._settings.limits, self._now()
        if len(self._sessions) > _SWEEP:
            self._sweep(now - limits.new_window)
        times = self._sessions.setdefault(network_of(host), deque())
        while times and times[0] <= now - limits.new_window:
            times.popleft()
        if len(times) >= limits.new_per_address:
            self._refuse("rate", "too many new connections from your address")
        times.append(now)

    def release(self, connection: object) -> None:
        """Count a connection as closed; does nothing for one that was never admitted."""
        network = self._open.pop(connection, None)
        if network is not None:
            self._count[network] -= 1
            if not self._count[network]:
                del self._count[network]

    def _refuse(self, reason: str, text: str) -> None:
        self.refused[reason] += 1
        raise Refused(reason, text)

    def _sweep(self, before: float) -> None:
        for network in [one for one, times in self._sessions.items() if times[-1] <= before]:
            del self._sessions[network]
