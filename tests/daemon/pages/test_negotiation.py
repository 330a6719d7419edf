"""The reply is the one that a client and its caches accept."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.daemon.pages.browser import Browser
from yoddd.daemon.pages.negotiation import accepts_gzip, best_language
from yoddd.daemon.pages.site import Asset

SCRIPT = b"const answer = 42;\n" * 100
WEIGHTS = st.sampled_from(["", "0", "0.", "0.000", "0.001", "0.5", "0.8", "1", "1.000"])


@st.composite
def members(draw: st.DrawFn, names: list[str]) -> tuple[dict[str, float], str]:
    """The weights of some names, and a header that has them."""
    found = draw(st.dictionaries(st.sampled_from(names), WEIGHTS))
    parts = []
    for name, weight in found.items():
        space = draw(st.sampled_from(["", " ", "\t"]))
        shown = draw(st.sampled_from([name, name.upper()]))
        parts.append(f"{space}{shown}{space};{space}q={weight}" if weight else f"{space}{shown}")
    text = draw(st.sampled_from([",", ", ", " , , "])).join(parts)
    return {name: float(weight or 1) for name, weight in found.items()}, text


@given(members(["gzip", "x-gzip", "br", "identity", "*"]))
def test_gzip_is_used_only_where_it_has_a_weight(case: tuple[dict[str, float], str]) -> None:
    found, text = case
    weight = found.get("gzip", found.get("x-gzip", found.get("*", 0)))
    assert accepts_gzip(text) == (0 < weight >= found.get("identity", 0))


@given(members(["de", "de-AT", "es", "es-MX", "en", "fr", "den", "*"]))
def test_language_of_the_greatest_weight_is_chosen(case: tuple[dict[str, float], str]) -> None:
    found, text = case
    language = best_language(text, ("en", "de", "es"), "en")
    by_range = {
        name: max((w for one, w in found.items() if one.partition("-")[0] == name), default=0)
        for name in ("en", "de", "es", "*")
    }
    by_range["en"] = max(by_range["en"], by_range.pop("*"))
    assert by_range[language] == max(by_range.values()) or not any(by_range.values())


@pytest.mark.parametrize("text", ["gzip;q=", "gzip;q=x", "gzip;q=nan", "gzip;q=2", "gzip;q=-1"])
def test_member_with_a_malformed_weight_is_not_used(text: str) -> None:
    assert not accepts_gzip(text)


@given(
    st.lists(st.tuples(st.sampled_from(["plain", "gzip", "other"]), st.booleans()), max_size=4),
    st.sampled_from([",", ", ", " ,\t"]),
    st.booleans(),
)
def test_tag_that_the_client_has_weak_or_not_spares_the_body(
    tags: list[tuple[str, bool]], comma: str, packs: bool
) -> None:
    browser = Browser(Asset("answer.js", SCRIPT))
    accepted = {"Accept_Encoding": "gzip" if packs else "gzip;q=0"}
    known = {
        "plain": browser.get("/").headers["etag"],
        "gzip": browser.get("/", Accept_Encoding="gzip").headers["etag"],
        "other": '"plain, gzip"',
    }
    assert len(set(known.values())) == 3
    text = comma.join(f"{'W/' if weak else ''}{known[name]}" for name, weak in tags)
    reply = browser.get("/", If_None_Match=text, **accepted)
    form = "gzip" if packs else "plain"
    assert reply.status == (304 if form in dict(tags) else 200)
    assert reply.headers["etag"] == known[form]
    assert reply.headers["vary"] == "accept-encoding"
    if reply.status == 304:
        assert not reply.body
        assert "content-length" not in reply.headers
    else:
        assert reply.headers.get("content-encoding") == ("gzip" if packs else None)
        assert (gzip.decompress(reply.body) if packs else reply.body) == SCRIPT


def test_lists_that_a_proxy_has_split_are_read_whole() -> None:
    browser = Browser(Asset("answer.js", SCRIPT))
    tag = browser.get("/").headers["etag"]
    reply = browser.get("/", If_None_Match='"other"\r\nIf-None-Match: ' + tag)
    assert reply.status == 304
    assert browser.get("/", If_None_Match="*").status == 304
