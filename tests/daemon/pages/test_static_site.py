"""Pages without a server: the files of the site, before any browser has them, and of reviews."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest

from tests.support.js_package import WASM
from tests.support.reviews import HEADING, ONE_OF_EACH, blundered
from yoddd.daemon.pages.browser_engine import BrowserEngine, shipped_engine
from yoddd.daemon.pages.shell import POLICY, STATIC
from yoddd.daemon.pages.static_site import NoEngine, make_site, review_file, write_site
from yoddd.kernel import backend
from yoddd.library.review.texts import as_json


@pytest.fixture(scope="module")
def made() -> Mapping[str, bytes]:
    pytest.importorskip("resvg_py")
    if not WASM.is_file():
        pytest.skip("the kernel is not compiled to WebAssembly: make wasm")
    return make_site(shipped_engine())


def test_make_site_has_all_that_its_pages_name(made: Mapping[str, bytes]) -> None:
    for name in STATIC:
        page = made[name].decode()
        named = re.findall(r'(?:href|src|content)="([\w./-]+\.\w+)[#"]', page)
        loaded = re.findall(r"'(joined/[\w.]+)'", page)
        assert (len(named) > 4, len(loaded)) == (True, 3)
        named += loaded
        assert [one for one in named if one not in made] == []
        (folder,) = re.findall(r'<body class="[^"]*" data-static="([^"]+)">', page)
        assert f"{folder}puzzles.jsonl" in made
        assert f"{folder}lessons/yodd.json" in made
        assert re.findall(r'(?:href|src)="/[^"]*"', page) == []  # from the root of its host


def test_make_site_pages_have_their_policy_before_anything_that_loads(
    made: Mapping[str, bytes],
) -> None:
    for name in STATIC:
        page = made[name].decode()
        scripts = " ".join(f"'{digest}'" for digest in scripts_of(page, made))
        policy = POLICY.replace("script-src 'self'", f"script-src 'self' {scripts}")
        element = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        assert 0 < page.index(element) < min(page.index("<link"), page.index("<script"))
        assert page.index("<script") < page.index('<link rel="stylesheet"')


def scripts_of(page: str, made: Mapping[str, bytes]) -> list[str]:
    """The sources of the scripts that run within a page, as a policy names them."""
    loader = page.partition("<script>")[2].partition("</script>")[0]
    packed, plain, _offline = re.findall(r"'(joined/[\w.]+)'", loader)
    code = gzip.decompress(made[packed])
    assert code == made[plain]
    digests = (hashlib.sha256(text).digest() for text in (loader.encode(), code))
    return [f"sha256-{b64encode(digest).decode()}" for digest in digests]


def test_make_site_keeper_has_the_digest_of_every_other_file(made: Mapping[str, bytes]) -> None:
    kept, later = (listed(made, name) for name in ("FILES", "LATER"))
    assert kept | later == {
        path: hashlib.sha256(content).hexdigest()
        for path, content in made.items()
        if path != "sw.js"
    }
    assert {Path(path).suffix for path in later} == {".js", ".table"}
    assert {Path(path).suffix for path in kept} > {".css", ".html", ".js", ".packed", ".wasm"}
    assert not kept.keys() & later.keys()


def listed(made: Mapping[str, bytes], name: str) -> dict[str, str]:
    found = re.search(rf"const {name} = (\{{.*?\n\}});", made["sw.js"].decode(), re.DOTALL)
    assert found
    files: dict[str, str] = json.loads(found[1])
    return files


def test_write_site_without_an_engine_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoEngine, match="run `make wasm` first"):
        write_site(tmp_path, BrowserEngine("", {}))


# -- files of reviews ------------------------------------------------------------------------


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_review_file_holds_the_games_and_loads_nothing() -> None:
    _, review = blundered(ONE_OF_EACH[0])
    named = attrs.evolve(HEADING, black="</script><b>")
    reviews = [as_json(review, heading) for heading in (named, HEADING)]
    page = review_file(reviews)
    held = re.findall(r'<script type="application/json" id="reviewed">(.*?)</script>', page)
    assert [json.loads(text) for text in held] == [reviews]
    assert page.count("</script") == page.count("<script") == 3
    assert "default-src 'none'" in page
    assert re.findall(r'<(?:link|script)[^>]* (?:src|href)="([^"]*)"', page) == ["data:,"]
