"""Limits of a search."""

from __future__ import annotations

import pytest

from yoddd.client import Limit

pytestmark = pytest.mark.gate


@pytest.mark.parametrize("limit", [{"playouts": 0}, {"playouts": -1}, {"time": -0.5}, {"time": 0}])
def test_limit_that_leaves_nothing_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected more than 0"):
        Limit(**limit)  # type: ignore[arg-type]  # a test names its own limits


def test_limit_of_nothing_is_no_limit() -> None:
    assert (Limit().time, Limit().playouts) == (None, None)
