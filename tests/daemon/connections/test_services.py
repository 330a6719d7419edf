"""The configuration and the rate limit that services give to a session."""

from __future__ import annotations

from twisted.internet.testing import MemoryReactorClock

from tests.daemon.doubles import make_services
from yoddd.daemon.base.settings import Limits, Settings
from yoddd.protocol.config import SessionConfig, SessionServices
from yoddd.protocol.login import LoginLimits


def test_session_config_has_the_limits_in_force() -> None:
    session = SessionConfig(version="7", services=SessionServices(login_required=True))
    services = make_services(MemoryReactorClock(), None, session)
    limits = Limits(line=100, queue=5, connections=9, login_commands=3)
    services.settings.value = Settings(limits=limits)
    config = services.session_config()
    assert (config.version, config.limits.line, config.limits.queue) == ("7", 100, 5)
    assert (config.limits.connections, config.limits.login) == (9, LoginLimits(3, 16 * 1024))
    assert config.services is session.services


def test_session_config_requires_no_login_where_none_is_configured() -> None:
    assert make_services(MemoryReactorClock()).session_config().services.login_required is False


def test_rate_limit_is_none_for_exempt_clients() -> None:
    services = make_services(MemoryReactorClock(), Limits(exempt=("10.0.0.0/8",)))
    assert services.client_at("10.1.2.3").rate_limiter is None
    assert services.client_at(None).rate_limiter is None
    assert services.client_at("198.51.100.7").rate_limiter is not None
