"""The files of the page as a browser gets them."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.testing import MemoryReactorClock
from twisted.web.resource import Resource
from twisted.web.server import Site

from tests.daemon.doubles import make_services
from tests.daemon.fake_time import world_of
from tests.daemon.leaks import LoggedErrors
from tests.daemon.pages.browser import Browser, no_errors_logged
from yoddd.daemon.net.websocket.transport import Origins
from yoddd.daemon.pages.browser_engine import shipped_engine
from yoddd.daemon.pages.joined import join_page
from yoddd.daemon.pages.monitoring import Health
from yoddd.daemon.pages.negotiation import accepts_gzip
from yoddd.daemon.pages.run_pages import api
from yoddd.daemon.pages.shell import render_pages
from yoddd.daemon.pages.site import load_assets, site

WEB = files("yoddd") / "web"


def make_site(**others: Resource) -> Site:
    services = make_services(MemoryReactorClock())
    return site(services, Origins(), {name.encode(): one for name, one in others.items()})


# -- one file -------------------------------------------------------------------------------------


# -- the site -------------------------------------------------------------------------------------

ASSETS = load_assets()
OTHERS = ("", "api", "api/facts.json", "api/runs", "healthz", "ws", "ws/channels", "puzzles.jsonl")
STRANGE = ("nowhere", "/", "api/x/y", "%2e%2e/%00", "index.html/x", "?a=%ff", "*", "%", "\u00e9")
METHODS = ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "G")
HEADERS = {
    "accept": ("*/*", "text/html", "application/json;q=0", "x"),
    "accept_encoding": ("gzip", "gzip;q=0", "br, *;q=0.1", "identity", ";,"),
    "accept_language": ("de", "es;q=0.8, de;q=0.9", "x-klingon", "*"),
    "cache_control": ("no-cache",),
    "content_type": ("application/json", "text/plain; charset=x"),
    "content_length": ("0",),
    "cookie": ("a=b", "session=%ff;;", "=" * 400),
    "if_match": ("*", '"x"'),
    "if_modified_since": ("Thu, 01 Jan 1970 00:00:00 GMT", "Sat, 01 Jan 2039 00:00:00 GMT", "x"),
    "if_none_match": ("*", 'W/"x", "y"', '"'),
    "origin": ("null", "http://localhost", "http://elsewhere.example"),
    "range": ("bytes=0-0", "bytes=9-1", "bytes=-5,1-", "lines=1"),
    "referer": ("x",),
    "sec_fetch_site": ("cross-site", "same-origin"),
    "upgrade": ("websocket", "h2c"),
    "x_forwarded_for": ("1.2.3.4, x", "::1"),
}
GIVEN = st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in HEADERS.items()})


@given(st.sampled_from([*ASSETS, *OTHERS, *STRANGE]), st.sampled_from(METHODS), GIVEN)
def test_every_resource_keeps_to_http_whatever_is_asked_of_it(
    path: str, method: str, fields: dict[str, str]
) -> None:
    services = make_services(MemoryReactorClock())
    others = {b"api": api(world_of(), None), b"healthz": Health(is_ready=True)}
    with patch("yoddd.daemon.pages.site.load_assets", lambda: ASSETS):
        served = site(services, Origins(), others)
    with no_errors_logged(generation=0):
        got, head, other = (
            Browser(served).get(f"/{path}", method=one, **fields) for one in ("GET", "HEAD", method)
        )
    assert head.status == got.status
    assert head.body == b""
    for name in ("content-type", "content-encoding", "etag", "vary"):
        assert head.headers.get(name) == got.headers.get(name)
    for reply in (got, other):
        assert 200 <= reply.status < 500 or reply.status == 501
        if "content-length" in reply.headers:
            assert int(reply.headers["content-length"]) == len(reply.body)
        if reply.headers.get("content-encoding") == "gzip":
            assert accepts_gzip(fields["accept_encoding"])
            assert gzip.decompress(reply.body)
        if reply.status == 304:
            assert reply.body == b""
            assert "if_none_match" in fields
        if reply.status == 405:
            assert reply.headers["allow"]
    if path in ASSETS and got.status in {200, 304}:
        assert "accept-encoding" in got.headers["vary"]


def test_site_root_is_the_board() -> None:
    browser = Browser(make_site())
    source = render_pages()["index.html"]
    expected = join_page(source, lambda path: (WEB / path).read_text()).html.encode()
    assert browser.get("/").body == expected
    assert browser.get("/index.html").body == expected
    assert browser.get("/?modules").body == source.encode()


def test_site_has_every_file_of_the_board() -> None:
    paths = load_assets()
    assert any("/" in path for path in paths), "some are in folders"
    assert not [path for path in paths if "shell" in path]
    browser = Browser(make_site())
    assert {path: browser.get(f"/{path}").status for path in paths} == dict.fromkeys(paths, 200)


@pytest.mark.parametrize(
    ("path", "query", "game"),
    [
        ("", "game=xodd&board=square9&turns=1c3", "xodd"),
        ("", "position=odd%20hex4%204/5/6/7/6/5/4", "odd"),
        ("puzzles.html", "puzzle=yoin-hex3-0&x=%22%3E%3Cscript%3E", "yoin"),
        ("index.html", "table=7", "yodd"),
    ],
)
def test_link_shows_the_picture_of_its_game_on_other_sites(
    path: str, query: str, game: str
) -> None:
    browser = Browser(make_site())
    assert "og:image" not in browser.get(f"/{path}").body.decode()
    found = browser.get(f"/{path}?{query}", host="127.0.0.1").body.decode()
    (image,) = re.findall('property="og:image" content="http://127.0.0.1([^"]*)"', found)
    assert image == f"/previews/{game}.png"
    assert browser.get(image).body.startswith(b"\x89PNG")


def test_site_page_names_files_that_last() -> None:
    browser = Browser(make_site())
    names = re.findall(rb'"(joined/.*?)"', browser.get("/").body)
    assert len(names) == (3 if shipped_engine().worker else 2)
    for name in names:
        assert "immutable" in browser.get(f"/{name.decode()}").headers["cache-control"]
    assert browser.get("/").headers["cache-control"] == "no-cache"


def test_site_serves_the_engine_of_the_browser_by_its_type() -> None:
    browser = Browser(make_site())
    kinds = {
        ".js": "text/javascript; charset=utf-8",
        ".table": "application/octet-stream",
        ".wasm": "application/wasm",
    }
    for path in shipped_engine().files:
        reply = browser.get(f"/{path}")
        assert reply.headers["content-type"] == kinds[Path(path).suffix]
        assert "script-src 'self' 'wasm-unsafe-eval';" in reply.headers["content-security-policy"]
        assert "immutable" in reply.headers["cache-control"]


@pytest.mark.parametrize("method", ["PUT", "POST", "OPTIONS", "BREW", "get"])
@pytest.mark.parametrize("path", ["/", "/style.css", "/ws", "/ws/channels"])
def test_site_method_that_an_address_does_not_have_is_refused(method: str, path: str) -> None:
    reply = Browser(make_site()).get(path, method=method)
    assert reply.status == 405
    assert reply.headers["allow"] == "GET, HEAD"
    assert b'<h1 data-t="refused.title">This page can only be read</h1>' in reply.body


def test_site_error_does_not_show_a_traceback(logged_errors: LoggedErrors) -> None:
    class Failing(Resource):
        isLeaf = True

        def render_GET(self, _request: Any) -> bytes:
            raise RuntimeError("a secret")

    reply = Browser(make_site(failing=Failing())).get("/failing")
    assert reply.status == 500
    assert b"secret" not in reply.body
    assert len(logged_errors.flush(RuntimeError)) == 1
