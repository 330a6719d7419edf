"""The pages of ``protocol/`` in the built documentation, with anchors for numbered paragraphs.

They are copied to ``docs/protocol``, which git ignores. Other pages link to the folder as it lies
in the repository, so that the links work there too; they are shortened before a page is read.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

_NUMBER = re.compile(r"(?P<number>[A-Z][0-9]+(?:\.[0-9]+)+)\. ")


def copy_pages(app: Sphinx) -> None:
    """Copy the folder with its times, by which Sphinx sees what has changed."""
    copy = Path(app.srcdir) / "protocol"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(copy.parents[1] / "protocol", copy)


def shorten_links(_app: Sphinx, page: str, source: list[str]) -> None:
    """Take one step out of each link from a page of ``docs`` to ``protocol/``."""
    up = "../" * page.count("/")
    source[0] = source[0].replace(f"](../{up}protocol/", f"]({up}protocol/")


def add_anchors(app: Sphinx, tree: nodes.document) -> None:
    """Make the number of each paragraph, such as E5.4, a link to the anchor ``e5.4``."""
    if not app.env.docname.startswith("protocol/"):
        return
    for paragraph in tree.findall(nodes.paragraph):
        text = paragraph[0] if paragraph.children else None
        if isinstance(text, nodes.Text) and (found := _NUMBER.match(text)):
            number = found["number"]
            anchor = number.lower()
            paragraph["ids"].append(anchor)
            link = nodes.reference("", number, refid=anchor)
            paragraph[0:1] = [link, nodes.Text(text[len(number) :])]


def setup(app: Sphinx) -> None:
    """Connect the functions."""
    app.connect("builder-inited", copy_pages)
    app.connect("source-read", shorten_links)
    app.connect("doctree-read", add_anchors)
