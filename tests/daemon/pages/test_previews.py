"""Preview images of links, and the elements by which other sites find them."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_twisted import ensureDeferred

from tests.daemon.pages.browser import Browser
from tests.daemon.pages.test_run_pages import get
from tests.support.runs import write_archive
from yoddd.daemon.pages.parameters import ApiError
from yoddd.daemon.pages.previews import PreviewResource, link_of, position_of, table_finder
from yoddd.daemon.pages.run_pages import Runs, run_finder
from yoddd.daemon.pages.site import load_assets
from yoddd.daemon.play.live_games import LiveGame, LiveGames
from yoddd.notation import format_position
from yoddd.rules import make_rules

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


def test_link_of_a_record_begins_where_the_record_does() -> None:
    record: dict[str, Any] = {"game": "odd", "board": "hex3", "options": {"end_on_full": "on"}}
    link = link_of({**record, "turns": ["1c3", "1a1"]})
    assert link == {"game": "odd", "board": "hex3", "end_on_full": "on", "turns": "1c3.1a1"}
    line = "yodd hex3 3/4/2b2/4/3 w 0 2"
    assert link_of({**record, "position": line, "turns": []}) == {"position": line, "turns": ""}


def images_of(live: LiveGames) -> Browser:
    return Browser(PreviewResource({"table": table_finder(live)}))


@pytest.mark.process
@pytest.mark.whole
@ensureDeferred
async def test_preview_of_a_game_in_play_is_that_of_its_turns() -> None:
    pytest.importorskip("resvg_py")
    live = LiveGames()
    game = live.add(LiveGame("t1", make_rules("yodd", "hex3"), "none", ("ann", "bob")))
    game.begin("ann", "bob")
    game.turn("b", "1c3", 1.0)
    game.turn("w", "1a1,2a3", 1.0)
    game.turn("b", "1b2", 1.0)
    game.rewind(2)
    assert game.turns == ["1c3", "1a1,2a3"]
    spelt_out = await get(images_of(live), "/?game=yodd&board=hex3&turns=1c3.1a1,2a3")
    found = await get(images_of(live), "/?table=t1")
    assert (found.status, found.headers["content-type"]) == (200, "image/png")
    assert found.body == spelt_out.body
    assert found.headers["cache-control"] == "public, max-age=60"


@pytest.mark.parametrize("query", ["table=t9", "run=cup&game=g1", "archive=r1"])
def test_preview_of_a_game_that_is_not_found_is_refused(query: str) -> None:
    assert images_of(LiveGames()).get(f"/?{query}").status == 404


@ensureDeferred
async def test_link_to_a_game_of_a_run_is_found_in_its_folder(tmp_path: Path) -> None:
    write_archive(tmp_path / "cup")
    find = run_finder(Runs(tmp_path))
    found = await find({"run": "cup", "game": "g1"})
    assert position_of(found).outcome() is not None
    for wrong in ({"run": "cup"}, {"run": "cup", "live": "g1"}, {"run": "..", "game": "g1"}):
        with pytest.raises(ApiError):
            await find(wrong)
