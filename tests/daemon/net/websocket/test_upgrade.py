"""The origins whose pages may open a WebSocket."""

from __future__ import annotations

import pytest

from yoddd.daemon.net.websocket.upgrade import Origins


@pytest.mark.parametrize(
    ("origin", "host", "is_allowed"),
    [
        (None, "anything", True),
        ("http://127.0.0.1:9634", "127.0.0.1:9634", True),
        ("http://localhost:9634", "localhost:9634", True),
        ("http://[::1]:9634", "[::1]:9634", True),
        ("http://127.0.0.1:80", "127.0.0.1:9634", False),
        ("http://rebound.example:9634", "rebound.example:9634", False),
        ("https://yodd.example", "10.0.0.1:9634", True),
        ("https://other.example", "10.0.0.1:9634", False),
        ("null", "127.0.0.1:9634", False),
    ],
)
def test_origin_is_allowed_if_listed_or_of_this_server_by_address(
    origin: str | None, host: str, is_allowed: bool
) -> None:
    assert Origins(("https://yodd.example",)).allow(origin, host) is is_allowed
