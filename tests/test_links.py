"""Every link whose address comes from data goes through the function that knows schemes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.gate
PACKAGE = Path(__file__).parents[1] / "yoddd"
CONSTANT = {"icon.href = href;", "link.href = URL.createObjectURL(content);"}
"""The addresses of the page's icon and of a file that the page itself has made."""


def test_javascript_sets_no_href_without_the_check() -> None:
    found = {
        match[0]
        for path in (PACKAGE / "web" / "js").rglob("*.js")
        for match in re.finditer(
            r"[^\s(]*\.href = [^\n]*|[^\n ]*setAttribute\(['\"]href[^\n]*", path.read_text()
        )
        if "hrefOf(" not in match[0]
    }
    assert found == CONSTANT


def test_pages_written_in_python_have_no_href_of_data_without_the_check() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in PACKAGE.rglob("*.py")
        for match in re.finditer(r"(?:href|src)=\\?[\"']?\{[^\"']*", path.read_text())
    }
    assert found == {
        # from the shell of the pages, whose addresses are constants
        'daemon/pages/joined.py: href="{css_path}',
        'daemon/pages/shell.py: href="{path}',
        'daemon/pages/shell.py: href="{address}',
        'daemon/pages/static_site.py: src="{plain}',
        'daemon/pages/static_site.py: href="{path}',
        'daemon/pages/static_site.py: src="{path}',
        # the check itself
        'referee/reports/links.py: href="{escape(',
    }
