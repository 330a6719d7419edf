"""The resources below ``/api``: methods, addresses, parameters, CORS, replies, and their pacer."""

from __future__ import annotations

import hashlib
from typing import Any, cast

import pytest
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.defer import Deferred
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tests.daemon.fake_time import world_of
from tests.daemon.pages.browser import Browser, Reply
from yoddd.daemon.pages.json_resource import Pacer, write_json
from yoddd.daemon.pages.run_pages import api
from yoddd.daemon.pages.site import Asset

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


@pytest.mark.parametrize("path", ["/api/openapi.json", "/api/nothing", "/api"])
@pytest.mark.parametrize(
    ("origins", "asking", "allowed", "vary"),
    [
        ((), {"Origin": PAGE}, None, None),
        ((PAGE,), {"Origin": PAGE}, PAGE, "origin"),
        ((PAGE,), {"Origin": "https://other.example"}, None, "origin"),
        ((PAGE,), {}, None, "origin"),
        (("*",), {"Origin": PAGE}, "*", None),
    ],
)
def test_cors_origin_that_is_allowed_may_read_also_errors(
    path: str,
    origins: tuple[str, ...],
    asking: dict[str, str],
    allowed: str | None,
    vary: str | None,
) -> None:
    headers = browser(*origins).get(path, **asking).headers
    told = {name: value for name, value in headers.items() if name.startswith("access-control")}
    exposed = {"access-control-expose-headers": "etag, retry-after"}
    assert told == ({"access-control-allow-origin": allowed, **exposed} if allowed else {})
    assert headers.get("vary") == vary


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


BODY = b'{"name": "cup"}'


class Page(Resource):
    isLeaf = True

    def __init__(self, status: int = 200) -> None:
        super().__init__()
        self.status = status

    def render_GET(self, request: Request) -> int:
        write_json(request, self.status, {"name": "cup"})
        return NOT_DONE_YET


def test_write_json_has_body_and_headers() -> None:
    reply = Browser(Page()).get("/")
    assert (reply.status, reply.body) == (200, BODY)
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["content-length"] == str(len(BODY))
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["etag"] == f'"{hashlib.sha256(BODY).hexdigest()[:20]}"'


@pytest.mark.parametrize("page", [Page(), Asset("answer.js", BODY)], ids=["json", "asset"])
def test_known_tag_or_head_is_answered_without_a_body(page: Resource) -> None:
    browser = Browser(page)
    tag = browser.get("/").headers["etag"]
    reply = browser.get("/", If_None_Match=tag)
    assert (reply.status, reply.body) == (304, b"")
    assert browser.get("/", If_None_Match='"other"').status == 200
    reply = browser.get("/", method="HEAD")
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["content-length"] == str(len(BODY))


def test_write_json_error_has_no_tag() -> None:
    reply = Browser(Page(404)).get("/")
    assert (reply.status, reply.body) == (404, BODY)
    assert "etag" not in reply.headers


# -- pacer -----------------------------------------------------------------------------------


class FakeRequest:
    """A request from a host; None for a UNIX socket."""

    def __init__(self, host: str | None) -> None:
        self.host = host

    def getClientAddress(self) -> Any:
        return UNIXAddress(b"x") if self.host is None else IPv4Address("TCP", self.host, 1)


def request(host: str | None) -> Request:
    return cast("Request", FakeRequest(host))


@pytest.mark.parametrize("host", ["198.51.100.7", None])
def test_pacer_runs_the_queries_of_one_address_one_by_one(host: str | None) -> None:
    pacer = Pacer()
    started: list[Deferred[str]] = []

    def query() -> Deferred[str]:
        started.append(Deferred())
        return started[-1]

    ends: list[str] = []
    for _ in range(3):
        pacer.run(request(host), query).addCallback(ends.append)
    other = pacer.run(request("203.0.113.9"), query)
    assert len(started) == 2
    started[0].callback("one")
    assert len(started) == 3
    started[1].callback("other")
    assert other.called
    started[2].callback("two")
    started[3].callback("three")
    assert ends == ["one", "two", "three"]
    assert pacer._locks == {}


def test_pacer_query_that_fails_lets_the_next_one_run() -> None:
    pacer = Pacer()

    def fail() -> Deferred[str]:
        raise RuntimeError("out of luck")

    failures: list[Any] = []
    pacer.run(request("198.51.100.7"), fail).addErrback(failures.append)
    assert len(failures) == 1
    assert pacer._locks == {}
