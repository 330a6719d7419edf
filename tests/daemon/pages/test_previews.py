"""Preview images of links, and the elements by which other sites find them."""

from __future__ import annotations

import base64
import zlib
from typing import Any, cast

import pytest

from tests.daemon.pages.browser import Browser
from yoddd.daemon.pages.parameters import ApiError
from yoddd.daemon.pages.previews import position_of
from yoddd.daemon.pages.site import load_assets
from yoddd.notation import format_position

RECORD = "(;GM[9633]YGAME[yodd]YBOARD[hex3];B[1c3];W[1a1,2a3])"


def packed(text: str) -> str:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = packer.compress(text.encode()) + packer.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def test_position_of_a_link_is_the_one_after_its_turns() -> None:
    link = {"game": "yodd", "board": "hex3", "turns": "1c3.1a1,2a3", "black": "person"}
    both = position_of(link)
    assert both.number == 3
    assert position_of({**link, "at": "1"}).number == 2
    line = format_position(both)
    assert format_position(position_of({"position": line})) == line
    assert format_position(position_of({"study": packed(RECORD)})) == line
    assert format_position(position_of({"puzzle": "yodd-hex3-0"})).startswith("yodd hex3 ")


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"puzzle": "none"},
        {"study": "!"},
        {"study": packed("(" * 500_000)},
        {"study": packed("")},
    ],
)
def test_position_of_a_link_that_names_none_is_refused(link: dict[str, str]) -> None:
    with pytest.raises(ApiError):
        position_of(link)


@pytest.mark.parametrize("path", ["index.html", "puzzles.html"])
def test_page_of_a_link_names_its_image_and_is_escaped(path: str) -> None:
    pytest.importorskip("resvg_py")
    browser = Browser(cast("Any", load_assets()[path]))
    plain = browser.get("/").body.decode()
    assert "og:image" not in plain
    found = browser.get('/?puzzle=yodd-hex3-0&x="><script>', host="yodd.example").body.decode()
    start = 'property="og:image" content="http://yodd.example/api/preview?puzzle=yodd-hex3-0'
    assert start in found
    assert '"><script>' not in found
