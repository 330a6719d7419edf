"""The OpenAPI document of the HTTP interface, which is served as ``/api/openapi.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from twisted.web.server import NOT_DONE_YET, Request

import yoddd
from yoddd.daemon.pages.json_reply import write_json
from yoddd.daemon.pages.json_resource import JsonResource
from yoddd.daemon.pages.parameters import read_parameters


def load_document() -> dict[str, Any]:
    """Return ``openapi.json`` with the version of this program."""
    text = (files("yoddd") / "daemon" / "pages" / "openapi.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    document["info"]["version"] = yoddd.__version__
    return document


class Document(JsonResource):
    """A document that stays the same while the daemon runs."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Create it from what its replies hold."""
        super().__init__()
        self._document = document

    def render_GET(self, request: Request) -> int:
        """Reply with the document."""
        read_parameters(request, {})
        write_json(request, 200, self._document)
        return NOT_DONE_YET
