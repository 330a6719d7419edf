from tests.daemon.conftest import marker
from tests.daemon.runs.conftest import namespaces

__all__ = ["marker", "namespaces"]
