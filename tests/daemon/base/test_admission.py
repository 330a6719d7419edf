"""Admission of connections, with a fake clock."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission import Admission, Refused, is_within, network_of
from yoddd.daemon.base.settings import CurrentSettings, Limits, Settings

FAR = "198.51.100.7"


def make_admission(clock: Clock, **limits: float) -> Admission:
    numbers = Limits(**limits)  # type: ignore[arg-type]  # attrs checks them
    return Admission(CurrentSettings(Settings(limits=numbers)), clock.seconds)


def test_network_of_an_address_is_the_one_that_is_limited() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("::ffff:198.51.100.7") == network_of(FAR)
    assert network_of(FAR) != network_of("198.51.100.8")


def test_is_within_accepts_mapped_addresses_and_unix_sockets() -> None:
    assert is_within(None, ())
    assert is_within("127.0.0.9", ("127.0.0.0/8",))
    assert is_within("::1", ("127.0.0.0/8", "::1/128"))
    assert is_within("::ffff:127.0.0.1", ("127.0.0.0/8",))
    assert not is_within("::2", ("::1/128",))
    assert not is_within(FAR, ("127.0.0.0/8", "::1/128"))
    assert is_within("10.1.2.3", ("10.0.0.0/8",))


def test_admit_refuses_connections_above_the_limits() -> None:
    admission = make_admission(Clock(), connections=4, per_address=2)
    admission.admit("a", FAR)
    admission.admit("b", FAR)
    with pytest.raises(Refused, match="from your address"):
        admission.admit("c", FAR)
    admission.release("c")
    admission.admit("d", "127.0.0.1")
    admission.admit("e", None)
    with pytest.raises(Refused, match=r"too many connections$"):
        admission.admit("f", "127.0.0.1")
    admission.release("a")
    admission.release("a")
    admission.admit("g", FAR)
    assert (admission.open, admission.accepted) == (4, 5)
    assert admission.refused == {"address": 1, "full": 1}


def test_begin_session_refuses_sessions_above_the_rate() -> None:
    clock = Clock()
    admission = make_admission(clock, new_per_address=2, new_window=10.0)
    admission.begin_session(FAR)
    clock.advance(6)
    admission.begin_session(FAR)
    with pytest.raises(Refused, match="too many new connections"):
        admission.begin_session(FAR)
    admission.begin_session("198.51.100.8")
    for _ in range(9):
        admission.begin_session("127.0.0.1")
    clock.advance(4)
    admission.begin_session(FAR)
    with pytest.raises(Refused):
        admission.begin_session(FAR)


def test_begin_session_drops_networks_without_recent_sessions() -> None:
    clock = Clock()
    admission = make_admission(clock, new_window=10.0)
    for number in range(5000):
        admission.begin_session(f"10.0.{number // 256}.{number % 256}")
    clock.advance(11)
    admission.begin_session(FAR)
    assert len(admission._sessions) == 1
