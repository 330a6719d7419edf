"""The headers by which a client and the caches before it choose a reply (RFC 9110, 12 and 13)."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from twisted.web.http import NOT_MODIFIED
from twisted.web.server import Request

_TAG: Final = re.compile(r'"[^"]*"')
"""An entity tag without the mark of a weak one, which counts only for parts of a reply."""


def field(request: Request, name: str) -> str:
    """A header that is a list, which may be spread over several lines; empty if absent."""
    return ",".join(request.requestHeaders.getRawHeaders(name, ()))


def weights(text: str) -> dict[str, float]:
    """The members of a list in lower case with their weights, 0 for a malformed one."""
    found = {}
    for member in text.lower().split(","):
        name, *parameters = map(str.strip, member.split(";"))
        weight = 0.0
        with suppress(ValueError):
            weight = float(next((one[2:] for one in parameters if one.startswith("q=")), "1"))
        found[name] = weight if 0 <= weight <= 1 else 0.0
    return found


def accepts_gzip(text: str) -> bool:
    """Whether a reply is to be compressed by gzip, by the header ``Accept-Encoding``."""
    known = weights(text)
    gzip = known.get("gzip", known.get("x-gzip", known.get("*", 0.0)))
    return gzip > 0 and gzip >= known.get("identity", 0.0)


def best_language(text: str, known: Collection[str], default: str) -> str:
    """The language of the greatest weight in the header ``Accept-Language``."""
    found = weights(text)
    for name in sorted(found, key=found.__getitem__, reverse=True):  # stable: the first of equals
        language = default if name == "*" else name.partition("-")[0]
        if found[name] > 0 and language in known:
            return language
    return default


def add_vary(request: Request, name: bytes) -> None:
    """Tell caches that a header of the request decides the reply."""
    known = request.responseHeaders.getRawHeaders(b"vary", ())
    if name not in known:
        request.setHeader(b"vary", b", ".join([*known, name]))


def is_cached(request: Request, tag: str) -> bool:
    """Set the tag of a reply, and its status if the client has it already: it gets no body."""
    request.setHeader(b"etag", tag.encode())
    given = field(request, "if-none-match")
    if given.strip() != "*" and tag not in _TAG.findall(given):
        return False
    request.setResponseCode(NOT_MODIFIED)
    return True
