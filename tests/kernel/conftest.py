"""Tests of the native kernel need it."""

import pytest

from yoddd.kernel import backend


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if backend().is_native:
        return
    for item in items:
        if "tests/kernel/" in item.nodeid and "test_backend" not in item.nodeid:
            item.add_marker(pytest.mark.skip(reason=backend().detail))
