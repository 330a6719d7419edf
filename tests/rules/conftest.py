"""The implementations of the rules that every test in this folder faces."""

import pytest

from tests.support.games import Implementation
from yoddd.kernel import NativePosition, backend
from yoddd.rules import Position

IMPLEMENTATIONS: dict[str, Implementation] = {"reference": Position}
"""Another implementation with the same methods is one more entry here."""
if backend().is_native:
    IMPLEMENTATIONS["native"] = NativePosition


@pytest.fixture(scope="session", params=IMPLEMENTATIONS.values(), ids=list(IMPLEMENTATIONS))
def implementation(request: pytest.FixtureRequest) -> Implementation:
    chosen: Implementation = request.param
    return chosen
