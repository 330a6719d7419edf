"""A preview image over HTTP."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.daemon.conftest import PATIENCE, serving

pytestmark = [pytest.mark.process, pytest.mark.whole]
pytest.importorskip("resvg_py")


def test_image_is_drawn_outside_of_the_daemon() -> None:
    with serving("--http", "tcp:0:interface=127.0.0.1") as daemon:
        address = f"http://127.0.0.1:{daemon.ports[0]}/api/preview?game=odd&board=hex4&turns=1a1"
        with urlopen(address, timeout=PATIENCE) as reply:
            content = reply.read()
        maps = Path(f"/proc/{daemon.process.pid}/maps").read_text(encoding="utf-8")
    assert content.startswith(b"\x89PNG")
    assert "resvg" not in maps  # it would hold the interpreter while it draws
