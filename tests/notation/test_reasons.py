"""Lists of reasons outside the program, which cannot be derived from the enumeration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yoddd.daemon.pages.shell import ENGLISH, read_catalogue
from yoddd.notation.reasons import FORFEITS, Blame, Reason

ROOT = Path(__file__).parents[2]
SCHEMAS = sorted((ROOT / "protocol" / "schemas").glob("*-record.schema.json"))
KINDS = {
    frozenset(reason.value for reason in kind)
    for kind in (
        Reason,
        FORFEITS,
        (reason for reason in Reason if reason.blame is Blame.NONE),
        (Reason.GROUPS, Reason.ADJUDICATED),  # those with a score
    )
}


def enums(schema: Any) -> Iterator[frozenset[object]]:
    """Yield every list of reasons in a schema."""
    parts = schema.values() if isinstance(schema, dict) else schema
    for part in parts if isinstance(schema, dict | list) else ():
        yield from enums(part)
    found = schema.get("enum", ()) if isinstance(schema, dict) else ()
    if {"groups", "stall"} & {*found}:
        yield frozenset(found)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_schema_lists_the_reasons_of_the_enumeration(path: Path) -> None:
    found = set(enums(json.loads(path.read_text())))
    assert frozenset(Reason) in found
    assert found <= KINDS


@pytest.mark.parametrize(
    ("page", "phrase", "reasons"),
    [
        ("tournament-file", "effect of (.*?):", [one for one in Reason if one.is_crash]),
        ("referee-law", "would forfeit by (.*?), or", [one for one in Reason if one.is_never_ours]),
    ],
)
def test_page_names_the_reasons_of_a_kind(page: str, phrase: str, reasons: list[Reason]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text()
    (named,) = re.findall(phrase, text)
    assert sorted(re.findall(r"`(\w+)`", named)) == sorted(reasons)


def test_catalogue_has_words_for_every_reason() -> None:
    texts = read_catalogue(ENGLISH)
    named = {key.removeprefix("end.") for key in texts if key.startswith("end.")}
    told = {key.removeprefix("reason.") for key in texts if key.startswith("reason.")}
    assert (named, told) == (set(Reason), set(Reason) - {Reason.VOID})
