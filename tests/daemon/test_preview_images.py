"""Preview images over HTTP: each is drawn beside the daemon, and charged to who asked for it."""

from __future__ import annotations

import http.client
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.daemon.conftest import PATIENCE, Daemon, serving
from yoddd.board import geometry
from yoddd.daemon.pages.rasterizer import MOST_WAITING

pytestmark = [pytest.mark.process, pytest.mark.whole]
pytest.importorskip("resvg_py")

HTTP = ("--http", "tcp:0:interface=127.0.0.1")


def image(daemon: Daemon, number: int, source: str = "127.0.0.1") -> tuple[int, bytes]:
    """The status and content of the image of a board that has no other number."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", daemon.ports[0], timeout=3 * PATIENCE, source_address=(source, 0)
    )
    cells = geometry("hex4").labels
    turn = f"{number % 2 + 1}{cells[number // 2]}"
    connection.request("GET", f"/api/preview?game=odd&board=hex4&turns={turn}")
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, content


def test_image_is_drawn_outside_of_the_daemon() -> None:
    with serving(*HTTP) as daemon:
        status, content = image(daemon, 0)
        maps = Path(f"/proc/{daemon.process.pid}/maps").read_text(encoding="utf-8")
    assert (status, content[:4]) == (200, b"\x89PNG")
    assert "resvg" not in maps  # it would hold the interpreter while it draws


def test_images_of_many_are_bounded_in_number() -> None:
    hosts = [f"127.0.3.{number}" for number in range(1, 2 * MOST_WAITING + 1)]
    with (
        serving(*HTTP, "--set", "limits.exempt=127.0.0.2/32") as daemon,
        ThreadPoolExecutor(len(hosts)) as pool,
    ):
        found = list(
            pool.map(lambda number: image(daemon, number, hosts[number]), range(len(hosts)))
        )
        assert {status for status, _ in found} == {200, 503}
        assert Counter(status for status, _ in found)[200] > MOST_WAITING


def test_images_are_charged_to_their_address() -> None:
    with serving(*HTTP, "--set", "limits.exempt=127.0.0.2/32") as daemon:
        begun = time.monotonic()
        for number in range(4):
            assert image(daemon, number)[0] == 200
        lasted = time.monotonic() - begun
        begun = time.monotonic()
        assert image(daemon, 3, "127.0.3.1")[0] == 200  # it is kept
        again = time.monotonic() - begun
    assert lasted > 1
    assert again < lasted / 4
