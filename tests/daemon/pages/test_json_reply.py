"""Replies in JSON, and what is left out of them."""

from __future__ import annotations

import hashlib

import pytest
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from tests.daemon.pages.browser import Browser
from yoddd.daemon.pages.json_resource import write_json
from yoddd.daemon.pages.site import Asset

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
