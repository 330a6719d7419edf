"""The client of a request that came through proxies: ``X-Forwarded-For`` and ``Forwarded``."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final

from twisted.web.http_headers import Headers

HEADERS: Final = (b"x-forwarded-for", b"forwarded")
"""The headers that name the client; the second counts only without the first."""

_FOR: Final = re.compile(r'(?:^|;)\s*for=("?)([^";]*)\1\s*(?:;|$)', re.IGNORECASE)
"""The pair of ``Forwarded`` with the address (RFC 7239, section 4)."""

_ADDRESS: Final = re.compile(
    r"\[([0-9a-f:.]+)\](?::\d+)?|(\d+(?:\.\d+){3})(?::\d+)?", re.IGNORECASE
)
"""An address in brackets or of IPv4, perhaps with a port."""


def client_of(headers: Headers, peer: str | None, trusts: Callable[[str], bool]) -> str | None:
    """Return the host of the client of a request from a trusted proxy.

    Each proxy adds the address of its own peer on the right, so the client is the right-most one
    that is no trusted proxy. Whatever is left of that may be invented. If all are trusted, it is
    the left-most one, and without a header the proxy itself.

    Args:
        headers: of the request.
        peer: the host of the proxy; None for a UNIX socket.
        trusts: whether an address is that of a trusted proxy.

    Raises:
        ValueError: what a trusted proxy has added is no address.
    """
    name = next((name for name in HEADERS if headers.hasHeader(name)), None)
    if name is None:
        return peer
    text = b",".join(headers.getRawHeaders(name, ())).decode("latin-1")
    host = peer
    for word in reversed(text.split(",")):
        host = _read(word.strip() if name == HEADERS[0] else _for(word))
        if not trusts(host):
            break
    return host


def _for(element: str) -> str:
    found = _FOR.search(element)
    return "" if found is None else found[2].strip()


def _read(word: str) -> str:
    found = _ADDRESS.fullmatch(word)
    host = word if found is None else found[1] or found[2]
    if "%" in host:
        raise ValueError(f"{word}: a zone is of use on one machine only")
    return str(ipaddress.ip_address(host))
