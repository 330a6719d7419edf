"""The hosts of the daemon, and the origins whose pages may open a WebSocket."""

from __future__ import annotations

import pytest

from yoddd.daemon.base.current_settings import CurrentSettings
from yoddd.daemon.base.settings import Settings
from yoddd.daemon.net.websocket.upgrade import Origins


def origins(*others: str, name: str) -> Origins:
    return Origins(CurrentSettings(Settings(origins=others)), (name,))


@pytest.mark.parametrize(
    ("origin", "host", "is_allowed"),
    [
        (None, "anything", True),
        ("http://127.0.0.1:9634", "127.0.0.1:9634", True),
        ("http://localhost:9634", "localhost:9634", True),
        ("http://[::1]:9634", "[::1]:9634", True),
        ("http://127.0.0.1:80", "127.0.0.1:9634", False),
        ("http://rebound.example:9634", "rebound.example:9634", False),
        ("http://board.lan:9634", "board.lan:9634", True),
        ("https://yodd.example", "10.0.0.1:9634", True),
        ("https://other.example", "10.0.0.1:9634", False),
        ("null", "127.0.0.1:9634", False),
    ],
)
def test_origin_is_allowed_if_listed_or_of_this_server_by_address(
    origin: str | None, host: str, is_allowed: bool
) -> None:
    assert origins("https://yodd.example", name="board.lan").allow(origin, host) is is_allowed


SERVED = (
    "127.0.0.1 127.0.0.1:1 192.168.1.7:80 [::1]:9634 [2001:DB8::7] localhost:9634 LOCALHOST "
    "localhost. board.localhost board.lan:9634 yodd.example YODD.example.:443"
)
OTHERS = (
    "rebound.example localhost.rebound.example 127.0.0.1.rebound.example notlocalhost [localhost] "
    "yodd.example.rebound.example 127.0.0.1@rebound.example 127.0.0.1/rebound.example . :9634 "
    "127.0.0.1:port [::1 [::1].rebound.example"
)


def test_host_is_served_if_it_is_an_address_or_named() -> None:
    served = origins("https://yodd.example:8443", name="Board.lan").serve
    assert [host for host in SERVED.split() if not served(host)] == []
    others = origins("https://yodd.example", "null", "http://[::1", name="").serve
    assert [host for host in [*OTHERS.split(), "", "yodd.example x"] if others(host)] == []
