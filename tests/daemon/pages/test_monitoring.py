"""The metrics without their library."""

from __future__ import annotations

import sys

import pytest

from yoddd.daemon.pages import monitoring


def test_metrics_without_their_library_have_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    assert monitoring._renderer(None, None, None) is None  # type: ignore[arg-type]  # neither is looked at
