"""Places shared by networks: who gives way, drawn by Hypothesis."""

from __future__ import annotations

import ipaddress
import operator
from collections import Counter
from contextlib import suppress
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from twisted.internet.task import Clock

from yoddd.daemon.base.admission.places import PATIENCE, Full, Network, Places, block_of

NETWORKS: list[Network | None] = [
    None,
    *(ipaddress.ip_network(f"10.0.{n}.0/24") for n in range(6)),
    *(ipaddress.ip_network(f"2001:db8:{n:x}::/48") for n in range(3)),
]


@given(st.ip_addresses(), st.integers(0, 255))
def test_block_is_an_ipv4_24_or_an_ipv6_48(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address, last: int
) -> None:
    bits = {4: 24, 6: 48}[address.version]
    block = block_of(ipaddress.ip_network(address))
    assert block.prefixlen == bits
    assert address in block
    beside = type(address)((int(address) & ~255) | last)
    assert block_of(ipaddress.ip_network(beside)) == block


class SharedPlaces(RuleBasedStateMachine):
    """Things of networks that take places, are used, needed, left and released.

    What gives way is compared with the principle, said in plain words over lists.
    """

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.share, self.most = 3, 20
        self.places = Places(self.clock.seconds, lambda: self.share)
        # By thing, its network; in the order of their last use.
        self.network: dict[int, Network | None] = {}
        self.used: dict[int, float] = {}
        self.needed: set[int] = set()
        self.left: list[int] = []
        self.count = 0
        # Those that gave way at the present request.
        self.gone: list[int] = []

    def yields(self, item: int) -> bool:
        if item in self.needed:
            # What is needed counts as used, and what is left and needed is asked last.
            self.note_use(item)
            return False
        self.check_turn(item)
        self.forget(item)
        self.gone.append(item)
        return True

    def note_use(self, item: int) -> None:
        self.used[item] = self.clock.seconds()

    def forget(self, item: int) -> None:
        del self.network[item], self.used[item]
        self.needed.discard(item)
        if item in self.left:
            self.left.remove(item)

    def check_turn(self, item: int) -> None:
        """It is the turn of ``item`` to give way."""
        assert 10 * (len(self.network) + 1) > 9 * self.most
        network = self.network[item]
        assert network is not None or item in self.left
        free = [one for one in self.left if one not in self.needed]
        if free:
            assert item == free[0]
            return
        held = Counter(self.network.values())
        assert network is not None
        if held[network] <= self.share:
            assert len(self.network) >= self.most
            assert held[network] > held[self.newcomer] or self.newcomer is None
            assert self.used[item] <= self.clock.seconds() - PATIENCE
        # No network that holds more has anything to give.
        more = [
            one
            for one, other in self.network.items()
            if other is not None and held[other] > held[network] and one not in self.needed
        ]
        assert all(held[self.network[one]] <= self.share for one in more)
        assert not any(self.used[one] <= self.clock.seconds() - PATIENCE for one in more)
        mine = [one for one, other in self.network.items() if other == network]
        assert self.used[item] == min(self.used[one] for one in mine if one not in self.needed)

    newcomer: Network | None = None

    @rule(network=st.sampled_from(NETWORKS), is_needed=st.booleans())
    def arrive(self, network: Network | None, is_needed: bool) -> None:
        self.newcomer, self.gone = network, []
        held = Counter(self.network.values())
        try:
            self.places.make_room(network, self.most)
        except Full:
            assert len(self.network) == self.most
            assert not [one for one in self.left if one not in self.needed]
            for one, other in self.network.items():
                is_idle = self.used[one] <= self.clock.seconds() - PATIENCE
                rich = other is not None and held[other] > self.share
                own = held[network] if network is not None else 0
                has_more = other is not None and held[other] > own and is_idle
                assert one in self.needed or not (rich or has_more)
            return
        self.count += 1
        item = self.count
        self.network[item], self.used[item] = network, self.clock.seconds()
        if is_needed:
            self.needed.add(item)
        self.places.add(item, network, lambda: self.yields(item))

    @precondition(lambda self: self.network)
    @rule(
        data=st.data(), what=st.sampled_from(["use", "need", "end", "leave", "return", "release"])
    )
    def change(self, data: st.DataObject, what: str) -> None:
        item = data.draw(st.sampled_from(sorted(self.network)))
        if what == "use":
            self.places.use(item)
            self.note_use(item)
        elif what == "need":
            self.needed.add(item)
        elif what == "end":
            self.needed.discard(item)
        elif what == "release":
            self.places.release(item)
            self.places.release(item)
            self.forget(item)
        else:
            self.places.leave(item, is_left=what == "leave")
            if what == "leave" and item not in self.left:
                self.left.append(item)
            elif what == "return" and item in self.left:
                self.left.remove(item)

    @rule(seconds=st.sampled_from([0.5, 4.0, PATIENCE]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def count_is_right(self) -> None:
        assert len(self.places) == len(self.network) <= self.most
        held = Counter(self.network.values())
        for one in NETWORKS[1:]:
            assert self.places.held_by(one) == held[one]


TestSharedPlaces = SharedPlaces.TestCase
TestSharedPlaces.settings = settings(stateful_step_count=80, deadline=None)


@given(
    strangers=st.integers(1, 60),
    each=st.integers(1, 30),
    playing=st.integers(0, 8),
    data=st.data(),
)
@settings(deadline=None)
def test_new_network_gets_in_within_15_s_whatever_others_hold(
    strangers: int, each: int, playing: int, data: st.DataObject
) -> None:
    """From however many networks, also while a school plays on, which loses no place."""
    clock, most = Clock(), 50
    places = Places(clock.seconds, lambda: 8)
    school = ipaddress.ip_network("192.0.2.0/24")
    for number in range(playing):
        places.add(f"board {number}", school, lambda: False)
    crowd = [(n, one) for n in range(strangers) for one in range(each)]
    for n, one in data.draw(st.permutations(crowd)) if len(crowd) < 200 else crowd:
        try:
            places.make_room(ipaddress.ip_network(f"10.0.{n}.0/24"), most)
        except Full:
            continue
        places.add((n, one), ipaddress.ip_network(f"10.0.{n}.0/24"), lambda: True)
    clock.advance(15)
    places.make_room(ipaddress.ip_network("198.51.100.0/24"), most)
    places.add("visitor", ipaddress.ip_network("198.51.100.0/24"))
    assert places.held_by(school) == playing


def test_what_is_needed_by_many_is_asked_in_turn() -> None:
    """However many do not yield, the one that does is found in a few requests."""
    clock = Clock()
    places = Places(clock.seconds, lambda: 1)
    for number in range(3000):
        network = ipaddress.ip_network(f"10.{number // 250}.{number % 250}.0/24")
        places.add(number, network, partial(operator.eq, number, 2999))
    clock.advance(PATIENCE)
    for _ in range(30):
        with suppress(Full):
            places.make_room(None, 3000)
        clock.advance(1)
    assert len(places) == 2999
