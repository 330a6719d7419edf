"""Who may come in, against a clock that stands still until it is moved."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission import Door, Refused, is_within, network_of
from yoddd.daemon.base.settings import Limits

FAR = "198.51.100.7"


def door(clock: Clock, **limits: float) -> Door:
    numbers = Limits(**limits)  # type: ignore[arg-type]  # attrs checks them
    return Door(lambda: numbers, clock.seconds)


def test_what_counts_as_one_place() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:198.51.100.7") == network_of(FAR)
    assert network_of(FAR) != network_of("198.51.100.8")


def test_whom_the_limits_spare() -> None:
    assert is_within(None, ())
    assert is_within("127.0.0.9", ("127.0.0.0/8",))
    assert is_within("::1", ("127.0.0.0/8", "::1/128"))
    assert is_within("::ffff:127.0.0.1", ("127.0.0.0/8",))
    assert not is_within("::2", ("::1/128",))
    assert not is_within(FAR, ("127.0.0.0/8", "::1/128"))
    assert is_within("10.1.2.3", ("10.0.0.0/8",))


def test_so_many_at_once_and_from_one_place() -> None:
    guard = door(Clock(), connections=4, per_address=2)
    guard.enter("a", FAR)
    guard.enter("b", FAR)
    with pytest.raises(Refused, match="from your address"):
        guard.enter("c", FAR)
    guard.leave("c")
    guard.enter("d", "127.0.0.1")
    guard.enter("e", None)
    with pytest.raises(Refused, match=r"too many connections$"):
        guard.enter("f", "127.0.0.1")
    guard.leave("a")
    guard.leave("a")
    guard.enter("g", FAR)
    assert (guard.inside, guard.accepted) == (4, 5)
    assert guard.refused == {"address": 1, "full": 1}


def test_so_many_new_ones_in_a_while() -> None:
    clock = Clock()
    guard = door(clock, new_per_address=2, new_window=10.0)
    guard.begin(FAR)
    clock.advance(6)
    guard.begin(FAR)
    with pytest.raises(Refused, match="too many new connections"):
        guard.begin(FAR)
    guard.begin("198.51.100.8")
    for _ in range(9):
        guard.begin("127.0.0.1")
    clock.advance(4)
    guard.begin(FAR)
    with pytest.raises(Refused):
        guard.begin(FAR)


def test_addresses_are_forgotten_in_time() -> None:
    clock = Clock()
    guard = door(clock, new_window=10.0)
    for number in range(5000):
        guard.begin(f"10.0.{number // 256}.{number % 256}")
    clock.advance(11)
    guard.begin(FAR)
    assert len(guard._sessions) == 1
