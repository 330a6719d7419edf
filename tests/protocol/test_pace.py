"""Requests and errors against a clock that stands still until it is moved."""

from __future__ import annotations

import attrs

from yoddd.protocol.config import SessionConfig
from yoddd.protocol.effects import Close, Effect, Send
from yoddd.protocol.entrance import LoginLimits
from yoddd.protocol.pace import Bucket, Pace, PaceLimits
from yoddd.protocol.session import Session

LIMITS = PaceLimits(burst=3, rate=2, errors=3, delay=1.0, pardon=10.0)


@attrs.define
class Hands:
    """A clock that shows what it is told."""

    time: float = 100.0

    def __call__(self) -> float:
        return self.time


def said(effects: list[Effect]) -> bytes:
    return b"".join(effect.data for effect in effects if isinstance(effect, Send))


def test_a_bucket_gives_what_it_holds_and_then_what_flows_in() -> None:
    bucket = Bucket(capacity=2, rate=4)
    for _ in range(2):
        assert bucket.wait(5.0) == 0
        bucket.take(5.0)
    assert bucket.wait(5.0) == 0.25
    assert bucket.wait(5.25) == 0
    bucket.take(5.25)
    assert bucket.wait(5.25) == 0.25
    bucket.take(100.0)
    assert bucket.wait(100.0) == 0, "time fills it, but not beyond its capacity"
    bucket.take(100.0)
    assert bucket.wait(100.0) == 0.25


def test_requests_that_come_too_fast_are_served_later_and_none_is_lost() -> None:
    clock = Hands()
    session = Session(SessionConfig(), Pace(LIMITS, clock))
    assert said(session.receive(b"name\n" * 5)) == b"= yoddd\n\n" * 3
    assert session.wants_resume
    assert session.resume_after == 0.5
    assert not session.wants_input, "what is delayed must not pile up"
    assert said(session.resume()) == b""
    clock.time += 0.5
    assert said(session.resume()) == b"= yoddd\n\n"
    clock.time += 0.5
    assert said(session.resume()) == b"= yoddd\n\n"
    assert session.wants_input


def test_an_error_holds_up_what_follows() -> None:
    clock = Hands()
    session = Session(SessionConfig(), Pace(LIMITS, clock))
    assert said(session.receive(b"nonsense\nname\n")) == b"? unknown command: nonsense\n\n"
    assert session.resume_after == 1.0
    clock.time += 1.0
    assert said(session.resume()) == b"= yoddd\n\n"


def test_a_refused_turn_is_no_error() -> None:
    session = Session(SessionConfig(), Pace(LIMITS, Hands()))
    answers = said(session.receive(b"play w 1a1\nundo\n"))
    assert answers.startswith(b"? illegal move")
    assert b"? cannot undo" in answers
    assert session.errors == 0


def test_too_many_errors_end_the_connection() -> None:
    clock = Hands()
    session = Session(SessionConfig(), Pace(LIMITS, clock))
    effects = []
    for _ in range(3):
        effects = session.receive(b"name of what\n")
        clock.time += 1.0
    assert said(effects) == b"? syntax error: too many errors\n\n"
    assert isinstance(effects[-1], Close)


def test_errors_are_forgiven_in_time() -> None:
    clock = Hands()
    session = Session(SessionConfig(), Pace(LIMITS, clock))
    for _ in range(20):
        assert not any(isinstance(effect, Close) for effect in session.receive(b"what\n"))
        clock.time += 10.0
    assert session.errors == 20


LOGIN = SessionConfig(login=LoginLimits(commands=3, output=1000))


def test_only_the_door_is_open_before_log_in() -> None:
    session = Session(LOGIN)
    assert not session.is_admitted
    assert (
        said(session.receive(b"genmove b\nname\n")) == b"? login required: genmove\n\n= yoddd\n\n"
    )
    session._client.logged_in = True
    assert said(session.receive(b"game yodd hex2\n" * 5)) == b"= \n\n" * 5


def test_a_peer_that_does_not_log_in_has_had_enough_at_some_time() -> None:
    effects = Session(LOGIN).receive(b"name\n" * 9)
    assert said(effects) == b"= yoddd\n\n" * 3 + b"? login required: enough asked without it\n\n"
    assert isinstance(effects[-1], Close)


def test_output_before_log_in_counts_too() -> None:
    effects = Session(LOGIN).receive(b"help\nname\n")
    assert said(effects).endswith(b"\n\n? login required: enough asked without it\n\n")
    assert isinstance(effects[-1], Close)
