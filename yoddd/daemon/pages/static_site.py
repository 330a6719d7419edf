"""Pages without a server: a site for any static host and any folder of it, and files of reviews.

The site has the pages that need no server, and the engine is that of the browser. A service worker
keeps one version of the site for use without a network; its name is the digest of all files, and
every file is checked against its own. Tables, and the scripts of browsers that cannot unpack, are
kept once a page has asked for them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

import attrs

from yoddd.daemon.pages.browser_engine import BrowserEngine
from yoddd.daemon.pages.joined import JoinedPage, join_modules, join_page, path_of
from yoddd.daemon.pages.shell import (
    FOLDER,
    POLICY,
    policy_element,
    render_file,
    render_static_pages,
)
from yoddd.library.puzzles import shipped
from yoddd.pictures import THEMES
from yoddd.pictures.scripts import data_element, read_resource

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
    plain = page.script
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


KEEPER: Final = "sw.js"
"""The service worker; its path has to stay the same."""

MANIFEST: Final = "manifest.webmanifest"
"""What a system needs to install the page like a program."""

_OFFLINE: Final = "js/base/offline.js"

SIZES: Final = (192, 512)
"""Pixels of the icons; the greater one may be cut to the shape of a system's icons."""

ICONS: Final = ("icon.svg", *(f"icon-{size}.png" for size in SIZES))

_NAME: Final = "yoddd"


class NoEngine(Exception):
    """This installation was made without the kernel's WebAssembly module."""


def make_site(engine: BrowserEngine) -> dict[str, bytes]:
    """Return the files of the site by path.

    Args:
        engine: that of the browser.

    Raises:
        NoEngine: it is an empty one.
    """
    if not engine.worker:
        raise NoEngine("the site needs the kernel as WebAssembly: run `make wasm` first")
    offline = join_modules(_OFFLINE, _read).encode()
    web = files("yoddd") / "web"
    data = {
        "puzzles.jsonl": shipped().encode(),
        **{
            f"{folder}/{one.name}": one.read_bytes()
            for folder in ("lessons", "texts")
            for one in (web / folder).iterdir()
        },
    }
    folder = _folder_of(data)
    made = {path_of(offline, "js"): offline, **engine.files}
    made |= {f"{folder}{path}": content for path, content in data.items()}
    plain = set[str]()
    for path, source in render_static_pages(folder).items():
        page = pack_page(join_page(source, _read), path_of(offline, "js"))
        made |= {path: page.html.encode(), **page.files}
        plain.add(page.plain)
    made |= {icon: (web / icon).read_bytes() for icon in ICONS}
    made[MANIFEST] = manifest()
    return {**made, KEEPER: keeper(made, plain)}


def write_site(folder: Path, engine: BrowserEngine) -> int:
    """Write the site into a folder, which is made; return the number of bytes.

    Files that are there and not of the site are left alone, and so is what Jekyll would do to them:
    GitHub Pages serves a folder with ``.nojekyll`` as it is.
    """
    made = make_site(engine)
    for path, content in made.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    (folder / ".nojekyll").touch()
    return sum(map(len, made.values()))


def _folder_of(data: Mapping[str, bytes]) -> str:
    """Return a folder named by its content, so that no page reads data of another version."""
    digest = hashlib.sha256()
    for path, content in sorted(data.items()):
        digest.update(f"{path} {len(content)} ".encode() + content)
    return f"data-{digest.hexdigest()[:16]}/"


def _read(path: str) -> str:
    return read_resource(f"web/{path}")


def manifest() -> bytes:
    """Return the manifest of the site."""
    background = THEMES["light"].background
    values = {
        "name": _NAME,
        "short_name": _NAME,
        "description": "Play and study Yodd, Xodd, Odd, Yoin and Product",
        "id": "./",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": background,
        "theme_color": background,
        "icons": [
            {"src": "icon.svg", "type": "image/svg+xml", "sizes": "any"},
            *(
                {
                    "src": f"icon-{size}.png",
                    "type": "image/png",
                    "sizes": f"{size}x{size}",
                    "purpose": "any maskable",
                }
                for size in SIZES
            ),
        ],
    }
    return json.dumps(values, indent=2).encode()


def keeper(
    made: Mapping[str, bytes], later: Collection[str] = (), *, is_fresh: bool = False
) -> bytes:
    """Return the service worker.

    Args:
        made: the files of the site by path.
        later: those that only some browsers need, which are kept on first use, as tables are.
        is_fresh: whether what is kept only stands in for a server that cannot be reached.
    """
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(made.items())}
    is_later = {path: path in later or path.endswith(".table") for path in digests}
    listed, listed_later = (
        json.dumps({path: digests[path] for path in digests if is_later[path] is wanted}, indent=2)
        for wanted in (False, True)
    )
    version = hashlib.sha256((listed + listed_later).encode()).hexdigest()[:16]
    source = read_resource(f"web/{FOLDER}/{KEEPER}")
    values = {"version": version, "files": listed, "later": listed_later}
    values["fresh"] = json.dumps(is_fresh)
    return Template(source).substitute(values).encode()


# -- files of reviews -----------------------------------------------------------------------

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'"
)
"""The sources that the file may load from: itself."""

_NO_LINKS: Final = "a:is([href*='.html'], [href='#']) { display: none; }"
"""The other pages are not beside the file; `hrefOf` makes `#` of their addresses."""


def review_file(reviews: Sequence[Mapping[str, object]]) -> str:
    """Return the HTML file of some reviews: the page of the board with their games, to read alone.

    They are as `yoddd.library.review.texts.as_json` has them. The file loads nothing.
    """
    page = join_page(render_file(), lambda path: read_resource(f"web/{path}"), is_alone=True)
    html = page.html
    for path, text in page.files.items():
        for loaded, held in (
            (f'<link rel="stylesheet" href="{path}">', f"<style>{text}{_NO_LINKS}</style>"),
            (f'type="module" src="{path}">', f'type="module">{text}'),
        ):
            html = html.replace(loaded, held)
    html = html.replace("<head>\n", f"<head>\n{policy_element(_POLICY)}", 1)
    html = html.replace("icon.svg", "data:,")
    return html.replace("</body>", f"{data_element('reviewed', reviews)}</body>")
