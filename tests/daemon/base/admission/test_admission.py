"""Admission of connections, with a fake clock."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission.admission import Admission, Refused, is_within, network_of
from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Limits, Settings

FAR = "198.51.100.7"


def make_admission(clock: Clock, **limits: object) -> Admission:
    numbers = Limits(**limits)  # type: ignore[arg-type]  # attrs checks them
    return Admission(CurrentSettings(Settings(limits=numbers)), clock)


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
    admission = make_admission(Clock(), connections=4, reserved=0, per_address=2)
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


def test_admit_keeps_places_for_exempt_peers() -> None:
    admission = make_admission(Clock(), connections=10, reserved=3)
    for number in range(7):
        admission.admit(number, f"10.0.0.{number}")
    with pytest.raises(Refused, match=r"too many connections$"):
        admission.admit(7, FAR)
    for host in ("127.0.0.1", "127.0.0.1", None):
        admission.admit(object(), host)
    with pytest.raises(Refused, match=r"too many connections$"):
        admission.admit(8, None)
    half = make_admission(Clock(), connections=3)  # of few places
    half.admit("a", FAR)
    half.admit("b", FAR)
    with pytest.raises(Refused):
        half.admit("c", FAR)


def test_bind_counts_the_connection_of_a_proxy_for_the_client() -> None:
    admission = make_admission(Clock(), connections=8, reserved=2, per_address=1, exempt=())
    for name in "abc":
        admission.admit(name, "10.0.0.1", is_proxied=True)
    admission.bind("a", FAR)
    with pytest.raises(Refused, match="from your address"):
        admission.bind("b", FAR)
    admission.bind("b", "198.51.100.8")
    admission.unbind("a")
    admission.bind("c", FAR)
    admission.release("c")
    admission.unbind("c")
    admission.bind("a", FAR)
    assert admission.open == 2
    for number in range(4):
        admission.admit(number, f"10.0.1.{number}")
    admission.admit("d", "10.0.0.1", is_proxied=True)
    with pytest.raises(Refused, match=r"too many connections$"):
        admission.bind("d", "198.51.100.9")


def test_connection_that_is_not_needed_makes_room() -> None:
    """The networks and their order are tested with `Places`."""
    clock = Clock()
    admission = make_admission(clock, connections=40, reserved=20, per_address=12)
    closed: list[object] = []

    def admit(name: object, host: str | None, *, is_needed: bool = False) -> None:
        def close() -> bool:
            if not is_needed:
                closed.append(name)
                admission.release(name)
            return not is_needed

        admission.admit(name, host, close=close)

    for number in range(12):
        admit(number, "192.0.2.1" if number % 2 else "192.0.2.2", is_needed=number == 0)
    admission.used(1)
    for number in range(6):
        admit(f"exempt {number}", None)
    assert closed == []
    admit("new", "2001:db8::1")
    assert closed == [2]
    assert admission.open == 18
    admission.release("new")
    for name in ("proxy", "beside"):
        admission.admit(name, "127.0.0.1", close=lambda: False)
    admission.bind("proxy", "2001:db8:0:1::1")
    assert closed == [2, 3]


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
    for number in range(5000):
        admission.begin_session(f"10.0.{number // 256}.{number % 256}")
    clock.advance(11)
    admission.begin_session(FAR)
    assert len(admission._sessions._times) == 1
