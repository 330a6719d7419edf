"""The script and the data of a page that loads nothing."""

from __future__ import annotations

import json
import posixpath
import re

from yoddd.pictures.scripts import read_resource, script_elements
from yoddd.referee.replays import MODULES


def test_script_elements_hold_the_data_whatever_is_in_its_texts() -> None:
    data = {"name": "</script><b>"}
    page = script_elements(data, MODULES)
    held = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert [json.loads(text) for text in held] == [data]


def test_script_elements_code_is_one_module_without_imports() -> None:
    code = script_elements({}, MODULES).partition('<script type="module">')[2]
    assert not re.search(r"^(?:import|export)\b", code, re.MULTILINE)


def test_page_modules_stand_behind_what_they_import() -> None:
    for place, path in enumerate(MODULES):
        names = re.findall(r"^import [^;]* from '([^']+)';", read_resource(path), re.MULTILINE)
        imported = {posixpath.normpath(f"{posixpath.dirname(path)}/{name}") for name in names}
        assert imported <= set(MODULES[:place])
