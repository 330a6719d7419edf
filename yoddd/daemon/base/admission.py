"""Who may come in: how many connections at once, and from one address at once and in a while."""

from __future__ import annotations

import ipaddress
from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from twisted.internet.interfaces import IAddress

from yoddd.daemon.base.settings import Limits, Network

_IPV6_SITE: Final = 64
_SWEEP: Final = 4096
"""Addresses that are remembered before those that need not be are looked for."""


class Refused(Exception):
    """Somebody may not come in; the text says why, and ``reason`` in one word."""

    def __init__(self, reason: str, text: str) -> None:
        """``reason`` is for the metrics."""
        super().__init__(text)
        self.reason = reason


def host_of(address: IAddress | None) -> str | None:
    """The host behind an address; None for a UNIX socket."""
    host = getattr(address, "host", None)
    return host.partition("%")[0] if isinstance(host, str) else None


@lru_cache(maxsize=1024)
def network_of(host: str) -> Network:
    """What counts as one place: an IPv4 address, or the /64 network of an IPv6 one."""
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return ipaddress.IPv6Network((address, _IPV6_SITE), strict=False)
        address = address.ipv4_mapped
    return ipaddress.IPv4Network(address)


@lru_cache(maxsize=1024)
def is_within(host: str | None, networks: tuple[str, ...]) -> bool:
    """Whether a host is in one of ``networks``; a UNIX socket is as near as any."""
    if host is None:
        return True
    place = network_of(host)
    near = ipaddress.ip_address(host) if place.version > 4 else place.network_address  # noqa: PLR2004 — IPv6
    return any(near in ipaddress.ip_network(network) for network in networks)


class Door:
    """Counts connections in and out.

    Attributes:
        refused: how many had to stay outside, by reason.
        accepted: how many came in.
        is_short: whether nobody is let in, for want of memory.
    """

    def __init__(self, limits: Callable[[], Limits], now: Callable[[], float]) -> None:
        """Nobody is here; the limits are asked for each time, for they may change."""
        self.refused: Counter[str] = Counter()
        self.accepted = 0
        self.is_short = False
        self._limits = limits
        self._now = now
        self._inside: dict[object, Network | None] = {}
        self._count: Counter[Network] = Counter()
        self._sessions: dict[Network, deque[float]] = {}

    @property
    def inside(self) -> int:
        """How many connections there are."""
        return len(self._inside)

    def is_exempt(self, host: str | None) -> bool:
        """Whether peers at ``host`` are not limited in number, rate and errors."""
        return is_within(host, self._limits().exempt)

    def enter(self, who: object, host: str | None) -> None:
        """Count a connection in.

        Raises:
            Refused: there are too many, all in all or from there.
        """
        limits = self._limits()
        if self.is_short:
            self._refuse("memory", "the server is short of memory")
        if len(self._inside) >= limits.connections:
            self._refuse("full", "too many connections")
        place = None if self.is_exempt(host) or host is None else network_of(host)
        if place is not None and self._count[place] >= limits.per_address:
            self._refuse("address", "too many connections from your address")
        self._inside[who] = place
        self.accepted += 1
        if place is not None:
            self._count[place] += 1

    def begin(self, host: str | None) -> None:
        """Count a new session.

        Raises:
            Refused: there were too many from this address lately.
        """
        if host is None or self.is_exempt(host):
            return
        limits, now = self._limits(), self._now()
        if len(self._sessions) > _SWEEP:
            self._sweep(now - limits.new_window)
        times = self._sessions.setdefault(network_of(host), deque())
        while times and times[0] <= now - limits.new_window:
            times.popleft()
        if len(times) >= limits.new_per_address:
            self._refuse("rate", "too many new connections from your address")
        times.append(now)

    def leave(self, who: object) -> None:
        """Count a connection out; one that never came in may leave too."""
        place = self._inside.pop(who, None)
        if place is not None:
            self._count[place] -= 1
            if not self._count[place]:
                del self._count[place]

    def _refuse(self, reason: str, text: str) -> None:
        self.refused[reason] += 1
        raise Refused(reason, text)

    def _sweep(self, before: float) -> None:
        for place in [place for place, times in self._sessions.items() if times[-1] <= before]:
            del self._sessions[place]
