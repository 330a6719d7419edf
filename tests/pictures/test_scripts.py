"""The script and the data of a page that loads nothing."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence

import pytest

from yoddd.library.review.page import MODULES as REVIEW
from yoddd.pictures.scripts import read_resource, script_elements
from yoddd.referee.replays import MODULES as REPLAY

PAGES = pytest.mark.parametrize("modules", [REVIEW, REPLAY], ids=["review", "replay"])


def test_script_elements_hold_the_data_whatever_is_in_its_texts() -> None:
    data = {"name": "</script><b>"}
    page = script_elements(data, REPLAY)
    held = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert [json.loads(text) for text in held] == [data]


@PAGES
def test_script_elements_code_is_one_module_without_imports(modules: Sequence[str]) -> None:
    code = script_elements({}, modules).partition('<script type="module">')[2]
    assert not re.search(r"^(?:import|export)\b", code, re.MULTILINE)


@PAGES
def test_page_modules_stand_behind_what_they_import(modules: Sequence[str]) -> None:
    for place, path in enumerate(modules):
        names = re.findall(r"^import [^;]* from '([^']+)';", read_resource(path), re.MULTILINE)
        imported = {posixpath.normpath(f"{posixpath.dirname(path)}/{name}") for name in names}
        assert imported <= set(modules[:place])
