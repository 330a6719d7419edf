"""Replies in JSON with an ETag, which a browser revalidates before it uses them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from twisted.web.http import CACHED, OK
from twisted.web.server import Request

HEADERS: Final = {
    b"cache-control": b"no-cache",
    b"content-type": b"application/json",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}


def write_json(request: Request, status: int, values: Mapping[str, Any]) -> None:
    """Write the reply to a request, without a body if the browser has the same one already.

    Args:
        request: the request to finish.
        status: the HTTP status; only a reply with 200 has an ETag.
        values: the body.
    """
    body = json.dumps(values, allow_nan=False).encode()
    for name, value in HEADERS.items():
        request.setHeader(name, value)
    request.setResponseCode(status)
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'.encode()
    if status != OK or request.setETag(tag) is not CACHED:
        request.setHeader(b"content-length", str(len(body)).encode())
        request.write(b"" if request.method == b"HEAD" else body)
    request.finish()
