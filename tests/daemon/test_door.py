"""Who may come in, against a clock that stands still until it is moved."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission import Admission, Refused, is_within, network_of
from yoddd.daemon.base.limits import CurrentLimits
from yoddd.daemon.base.settings import Limits

FAR = "198.51.100.7"


def admission(clock: Clock, **limits: float) -> Admission:
    numbers = Limits(**limits)  # type: ignore[arg-type]  # attrs checks them
    return Admission(CurrentLimits(numbers), clock.seconds)


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
    guard = admission(Clock(), connections=4, per_address=2)
    guard.admit("a", FAR)
    guard.admit("b", FAR)
    with pytest.raises(Refused, match="from your address"):
        guard.admit("c", FAR)
    guard.release("c")
    guard.admit("d", "127.0.0.1")
    guard.admit("e", None)
    with pytest.raises(Refused, match=r"too many connections$"):
        guard.admit("f", "127.0.0.1")
    guard.release("a")
    guard.release("a")
    guard.admit("g", FAR)
    assert (guard.open, guard.accepted) == (4, 5)
    assert guard.refused == {"address": 1, "full": 1}


def test_so_many_new_ones_in_a_while() -> None:
    clock = Clock()
    guard = admission(clock, new_per_address=2, new_window=10.0)
    guard.begin_session(FAR)
    clock.advance(6)
    guard.begin_session(FAR)
    with pytest.raises(Refused, match="too many new connections"):
        guard.begin_session(FAR)
    guard.begin_session("198.51.100.8")
    for _ in range(9):
        guard.begin_session("127.0.0.1")
    clock.advance(4)
    guard.begin_session(FAR)
    with pytest.raises(Refused):
        guard.begin_session(FAR)


def test_addresses_are_forgotten_in_time() -> None:
    clock = Clock()
    guard = admission(clock, new_window=10.0)
    for number in range(5000):
        guard.begin_session(f"10.0.{number // 256}.{number % 256}")
    clock.advance(11)
    guard.begin_session(FAR)
    assert len(guard._sessions) == 1
