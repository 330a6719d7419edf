"""Admission of connections, with a fake clock."""

from __future__ import annotations

from functools import partial

import pytest
from twisted.internet.task import Clock

from yoddd.daemon.base.admission import Admission, Refused, is_within, network_of
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


def test_admit_ipv6_site_has_a_quarter_of_the_places() -> None:
    admission = make_admission(Clock(), connections=40)
    for number in range(10):
        admission.admit(number, f"2001:db8:0:{number}::1")
    with pytest.raises(Refused, match="from your network"):
        admission.admit("late", "2001:db8:0:ffff::1")
    admission.admit("other", "2001:db8:1::1")
    for number in range(9):
        admission.admit(-1 - number, f"198.51.100.{number}")
    admission.release(3)
    admission.admit("late", "2001:db8:0:ffff::1")


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


# -- silence ------------------------------------------------------------------------------------


class Silent:
    """Connections that note whether they are closed for their silence."""

    def __init__(self, **limits: object) -> None:
        self.clock = Clock()
        self.admission = make_admission(self.clock, reserved=0, **limits)
        self.closed: list[str] = []
        self.occupied: set[str] = set()

    def admit(self, *names: str, host: str = FAR) -> None:
        for name in names:
            self.admission.admit(name, host, close=partial(self._close, name))

    def _close(self, name: str) -> bool:
        if name in self.occupied:
            return False
        self.closed.append(name)
        return True


def test_silent_connections_are_closed_while_nine_tenths_are_taken() -> None:
    silent = Silent(connections=10)
    silent.admit(*"abcdefgh")
    silent.clock.advance(60)
    assert silent.closed == []
    silent.admit("i")
    assert silent.closed == ["a"]
    silent.clock.advance(60)
    assert silent.closed == ["a"]
    assert silent.clock.getDelayedCalls() == []


def test_silent_connection_is_closed_after_ten_seconds() -> None:
    silent = Silent(connections=10)
    silent.admit(*"abcdefghij")
    silent.clock.advance(5)
    for name in ("a", "unknown"):
        silent.admission.heard(name)
    silent.clock.advance(4.9)
    assert silent.closed == []
    silent.clock.advance(0.2)
    assert silent.closed == ["b", "c"]
    assert silent.admission.open == 8


def test_occupied_and_exempt_connections_stay() -> None:
    silent = Silent(connections=10)
    silent.admit("z", host="127.0.0.1")
    silent.admit(*"abcdefgh")
    silent.occupied |= set("abcdefgh")
    silent.clock.advance(10.1)
    assert silent.closed == []
    silent.occupied.clear()
    silent.clock.advance(9.8)
    assert silent.closed == []
    silent.clock.advance(0.3)
    assert silent.closed == ["a"]


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
