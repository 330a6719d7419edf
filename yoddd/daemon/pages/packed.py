"""Pages whose host may not compress: their script comes packed, and a small script unpacks it.

The policy of such a page names both scripts by their digests, since they run within the page.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from base64 import b64encode
from string import Template
from typing import Final

import attrs

from yoddd.daemon.pages.joined import JoinedPage, path_of
from yoddd.daemon.pages.shell import FOLDER, POLICY, policy_element
from yoddd.pictures.scripts import read_resource

SUFFIX: Final = "packed"
"""A suffix of no type: of a compressed file a host could say that the browser has to unpack it."""

_SOURCES: Final = "script-src 'self'"
_COMMENT: Final = re.compile("^//.*\n", re.MULTILINE)


@attrs.frozen
class PackedPage:
    """A page that unpacks its script.

    Attributes:
        html: the page.
        files: what it loads, by path.
        plain: the path of the script for browsers that cannot unpack it.
    """

    html: str
    files: dict[str, bytes]
    plain: str


def pack_page(page: JoinedPage, offline: str) -> PackedPage:
    """Return a joined page with its script packed.

    Args:
        page: one of a site without a server.
        offline: the path of the script that keeps the site.
    """
    (plain,) = (path for path in page.files if path.endswith(".js"))
    packed = gzip.compress(page.files[plain].encode(), 9, mtime=0)
    path = path_of(packed, SUFFIX)
    source = _COMMENT.sub("", read_resource(f"web/{FOLDER}/load.js"))
    loader = Template(source).substitute(packed=path, plain=plain, offline=offline)
    digests = " ".join(f"'{_digest(text)}'" for text in (loader, page.files[plain]))
    policy = policy_element(POLICY.replace(_SOURCES, f"{_SOURCES} {digests}"))
    # A script behind a style sheet would wait for it.
    html = page.html.replace(f'  <script type="module" src="{plain}"></script>\n', "")
    html = html.replace(policy_element(POLICY), f"{policy}  <script>{loader}</script>\n")
    files = {name: text.encode() for name, text in page.files.items()}
    return PackedPage(html, {**files, path: packed}, plain)


def _digest(text: str) -> str:
    """Return the source of a script within the page, as a policy names it."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
