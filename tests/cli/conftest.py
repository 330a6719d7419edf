from tests.daemon.conftest import marker

__all__ = ["marker"]
