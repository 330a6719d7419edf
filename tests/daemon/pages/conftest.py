"""A store for each test that asks for one."""

from tests.daemon.lobby.journals import journal

__all__ = ["journal"]
