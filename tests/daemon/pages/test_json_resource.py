"""Methods, unknown addresses, parameters and CORS of the resources below ``/api``."""

from __future__ import annotations

import pytest
from twisted.web.resource import Resource

from tests.daemon.fake_time import world_of
from tests.daemon.pages.browser import Browser, Reply
from yoddd.daemon.pages.run_pages import api

PAGE = "https://page.example"


def browser(*origins: str) -> Browser:
    root = Resource()
    root.putChild(b"api", api(world_of(), None, lambda: origins))
    return Browser(root)


def error_of(reply: Reply) -> str:
    """The text of an error, which has the one shape that errors have."""
    assert reply.headers["content-type"] == "application/json"
    assert list(reply.values) == ["error"]
    text: str = reply.values["error"]
    return text


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing/below", "/api/ladder/x", "/api/openapi.json/"]
)
def test_api_unknown_address_is_404(path: str) -> None:
    reply = browser().get(path)
    assert (reply.status, error_of(reply)) == (404, f"no such address: {path}")


@pytest.mark.parametrize("path", ["/api", "/api/nothing", "/api/ladder", "/api/openapi.json"])
def test_api_other_method_is_refused(path: str) -> None:
    for method in ("POST", "DELETE", "BREW", "get"):
        reply = browser().get(path, method=method)
        assert (reply.status, error_of(reply)) == (405, f"{method}: expected GET, HEAD, OPTIONS")
        assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["/api/ladder", "/api/runs", "/api/openapi.json"])
def test_api_unknown_parameter_is_400(path: str) -> None:
    reply = browser().get(f"{path}?mood=good")
    assert reply.status == 400
    assert error_of(reply).startswith("'mood': expected ")


def test_api_options_names_methods() -> None:
    reply = browser().get("/api/ladder", method="OPTIONS")
    assert (reply.status, reply.body) == (204, b"")
    assert reply.headers["allow"] == "GET, HEAD, OPTIONS"
    assert "access-control-allow-origin" not in reply.headers


# -- CORS -----------------------------------------------------------------------------------


def test_cors_without_origins_allows_none() -> None:
    headers = browser().get("/api/openapi.json", Origin=PAGE).headers
    assert not [name for name in headers if name.startswith("access-control")]
    assert "vary" not in headers


def test_cors_allowed_origin_may_read_also_errors() -> None:
    for path in ("/api/openapi.json", "/api/nothing", "/api"):
        headers = browser(PAGE).get(path, Origin=PAGE).headers
        assert headers["access-control-allow-origin"] == PAGE
        assert headers["access-control-expose-headers"] == "etag, retry-after"
        assert headers["vary"] == "origin"


def test_cors_other_origin_may_not_read() -> None:
    for headers in ({"Origin": "https://other.example"}, {}):
        reply = browser(PAGE).get("/api/openapi.json", **headers)
        assert "access-control-allow-origin" not in reply.headers
        assert reply.headers["vary"] == "origin"


def test_cors_star_allows_every_origin() -> None:
    reply = browser("*").get("/api/openapi.json", Origin=PAGE)
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == "*"
    assert "vary" not in reply.headers


def test_cors_preflight_is_answered() -> None:
    reply = browser(PAGE).get(
        "/api/games",
        method="OPTIONS",
        Origin=PAGE,
        Access_Control_Request_Method="GET",
        Access_Control_Request_Headers="if-none-match",
    )
    assert reply.status == 204
    assert reply.headers["access-control-allow-origin"] == PAGE
    assert reply.headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert reply.headers["access-control-allow-headers"] == "if-none-match"
    assert reply.headers["access-control-max-age"] == "86400"
