"""Rate limits and the login gate, against a clock that the test sets."""

from __future__ import annotations

from tests.support.fakes import ManualClock
from yoddd.protocol.config import SessionConfig, SessionLimits, SessionServices
from yoddd.protocol.effects import Close, Effect, Send
from yoddd.protocol.origin import LoginLimits
from yoddd.protocol.rate_limit import RateLimiter, RateLimits, TokenBucket
from yoddd.protocol.session import Session

LIMITS = RateLimits(burst=3, rate=2, errors=3, delay=1.0, pardon=10.0)


def sent(effects: list[Effect]) -> bytes:
    return b"".join(effect.data for effect in effects if isinstance(effect, Send))


def test_token_bucket_allows_its_burst_then_its_rate() -> None:
    bucket = TokenBucket(capacity=2, rate=4)
    for _ in range(2):
        assert bucket.wait(5.0) == 0
        bucket.take(5.0)
    assert bucket.wait(5.0) == 0.25
    assert bucket.wait(5.25) == 0
    bucket.take(5.25)
    assert bucket.wait(5.25) == 0.25
    bucket.take(100.0)
    assert bucket.wait(100.0) == 0, "it refills up to its capacity"
    bucket.take(100.0)
    assert bucket.wait(100.0) == 0.25


def test_rate_limit_exceeded_delays_and_loses_nothing() -> None:
    clock = ManualClock()
    session = Session(SessionConfig(), RateLimiter(LIMITS, clock))
    assert sent(session.receive(b"name\n" * 5)) == b"= yoddd\n\n" * 3
    assert session.wants_resume
    assert session.resume_after == 0.5
    assert not session.wants_input, "delayed requests must not accumulate"
    assert sent(session.resume()) == b""
    clock.now += 0.5
    assert sent(session.resume()) == b"= yoddd\n\n"
    clock.now += 0.5
    assert sent(session.resume()) == b"= yoddd\n\n"
    assert session.wants_input


def test_rate_limit_refused_turn_is_no_error() -> None:
    session = Session(SessionConfig(), RateLimiter(LIMITS, ManualClock()))
    answers = sent(session.receive(b"play w 1a1\nundo\n"))
    assert answers.startswith(b"? illegal move")
    assert b"? cannot undo" in answers
    assert session.errors == 0


def test_rate_limit_errors_are_pardoned_in_time() -> None:
    clock = ManualClock()
    session = Session(SessionConfig(), RateLimiter(LIMITS, clock))
    for _ in range(20):
        assert not any(isinstance(effect, Close) for effect in session.receive(b"what\n"))
        clock.now += 10.0
    assert session.errors == 20


LOGIN = SessionConfig(
    limits=SessionLimits(login=LoginLimits(commands=3, output=1000)),
    services=SessionServices(login_required=True),
)


def test_login_gate_before_log_in_serves_open_commands_only() -> None:
    session = Session(LOGIN)
    assert not session.is_admitted
    assert (
        sent(session.receive(b"genmove b\nname\n")) == b"? login required: genmove\n\n= yoddd\n\n"
    )
    session._client.identity.logged_in = True
    assert sent(session.receive(b"game yodd hex2\n" * 5)) == b"= \n\n" * 5


def test_login_gate_too_many_commands_close_the_connection() -> None:
    effects = Session(LOGIN).receive(b"name\n" * 9)
    assert sent(effects) == b"= yoddd\n\n" * 3 + b"? login required: enough asked without it\n\n"
    assert isinstance(effects[-1], Close)


def test_login_gate_too_much_output_closes_the_connection() -> None:
    effects = Session(LOGIN).receive(b"help\nname\n")
    assert sent(effects).endswith(b"\n\n? login required: enough asked without it\n\n")
    assert isinstance(effects[-1], Close)
