"""Places that networks share: connections, games of the lobby, and searches that wait."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Final

import attrs

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

PATIENCE: Final = 10.0
"""Seconds for which what was just used stays, in a network that holds no more than its share."""

_BITS: Final = {4: 24, 6: 48}
"""Bits of the networks that places are counted by, by the version of IP."""

_LOOKS: Final = 256
"""How much is asked for its place at once; the rest the next time."""


@lru_cache(maxsize=1024)
def block_of(network: Network) -> Network:
    """Return the IPv4 /24 or IPv6 /48 network that an address or a network belongs to."""
    return network.supernet(new_prefix=min(network.prefixlen, _BITS[network.version]))


class Full(Exception):
    """All places are taken, and none yields."""


@attrs.define(eq=False)
class _Place:
    """A taken place.

    Attributes:
        network: that it counts for; None if it counts for none, and then never yields.
        used: when what has it was last used.
        yields: gives it up unless that would cost someone a game or a search; returns whether.
    """

    network: Network | None
    used: float
    yields: Callable[[], bool]


class Places:
    """Places of one kind: when nine tenths are taken, the network that holds the most gives way.

    First goes what is left by all who need it, of any network and the longest time first. Then,
    of the network that holds the most, what was not used for the longest time. Each network keeps
    its share; once no place is free, that shrinks for a network that holds less.
    """

    def __init__(self, now: Callable[[], float], share: Callable[[], int]) -> None:
        """Create it without taken places.

        Args:
            now: a clock in seconds that never jumps.
            share: returns how many places each network keeps.
        """
        self._now = now
        self._share = share
        self._taken: dict[object, _Place] = {}
        # By network, what has its places, the longest unused first; none without any.
        self._networks: dict[Network, dict[object, None]] = {}
        # The networks by how many places they hold.
        self._sizes: dict[int, dict[Network, None]] = {}
        # What is left by all who need it, the longest time first.
        self._left: dict[object, None] = {}

    def __len__(self) -> int:
        """Return the number of taken places."""
        return len(self._taken)

    def held_by(self, network: Network | None) -> int:
        """Return the number of places of a network; 0 for those that count for none."""
        return len(self._networks.get(network, ())) if network is not None else 0

    def make_room(self, network: Network | None, most: int) -> None:
        """Let places be given up so that one of ``most`` is free for a network.

        Raises:
            Full: none is.
        """
        looks = [_LOOKS]
        while 10 * (len(self) + 1) > 9 * most and self._yield(network, most, looks):
            pass
        if len(self) >= most:
            raise Full

    def add(
        self, item: object, network: Network | None, yields: Callable[[], bool] = lambda: False
    ) -> None:
        """Give a place to ``item``, whether or not one is free; see `_Place`."""
        self.release(item)
        self._taken[item] = _Place(network, self._now(), yields)
        if network is not None:
            items = self._networks.setdefault(network, {})
            items[item] = None
            self._sort(network, len(items) - 1)

    def use(self, item: object) -> None:
        """Note that what has a place is used."""
        place = self._taken.get(item)
        if place is not None:
            place.used = self._now()
            if place.network is not None:
                items = self._networks[place.network]
                items[item] = items.pop(item)

    def leave(self, item: object, *, is_left: bool) -> None:
        """Note whether what has a place is left by all who need it."""
        if not is_left:
            self._left.pop(item, None)
        elif item in self._taken:
            self._left.setdefault(item)

    def release(self, item: object) -> None:
        """Free a place; does nothing for what has none."""
        self._left.pop(item, None)
        place = self._taken.pop(item, None)
        if place is not None and place.network is not None:
            items = self._networks[place.network]
            del items[item]
            self._sort(place.network, len(items) + 1)
            if not items:
                del self._networks[place.network]

    def _sort(self, network: Network, before: int) -> None:
        """Note that a network holds another number of places than ``before``."""
        if before:
            self._sizes[before].pop(network)
            if not self._sizes[before]:
                del self._sizes[before]
        if held := len(self._networks[network]):
            self._sizes.setdefault(held, {})[network] = None

    def _yield(self, network: Network | None, most: int, looks: list[int]) -> bool:
        """Have one place given up; return whether one was."""
        if any(self._evict(item, looks) for item in tuple(islice(self._left, max(0, looks[0])))):
            return True
        share = self._share()
        least = share if len(self) < most else min(share, self.held_by(network))
        for size in sorted((one for one in self._sizes if one > least), reverse=True):
            before = self._now() - (PATIENCE if size <= share else 0.0)
            for one in tuple(islice(self._sizes[size], max(0, looks[0]))):
                if self._evict_unused(one, before, looks):
                    return True
                held = self._sizes[size]  # others come first the next time
                held[one] = held.pop(one)
        return False

    def _evict_unused(self, network: Network, before: float, looks: list[int]) -> bool:
        """Take the place of what a network has not used since a moment, if it yields it."""
        items = self._networks[network]
        looks[0] -= 1
        for item in tuple(islice(items, max(0, looks[0]))):
            if self._taken[item].used > before:
                return False
            if self._evict(item, looks):
                return True
            self.use(item)
        return False

    def _evict(self, item: object, looks: list[int]) -> bool:
        """Take the place of what yields it; return whether it does."""
        looks[0] -= 1
        if looks[0] < 0 or not self._taken[item].yields():
            return False
        self.release(item)
        return True
