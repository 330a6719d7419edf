"""Sphinx configuration."""

import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from yoddd import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "yoddd"
author = "The yoddd maintainers"
copyright = "2026, The yoddd maintainers"  # noqa: A001 — Sphinx' own name
release = version = __version__

extensions = [
    "boards",
    "perft",
    "solved",
    "myst_parser",
    "sphinx_design",
    "sphinxcontrib.programoutput",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/games/*/README.md", "_build"]
nitpicky = False

linkcheck_ignore = [r"http://127\.0\.0\.1", r"https://yodd\.example"]  # the reader's own server

html_theme = "furo"
html_title = f"yoddd {release}"

autodoc_member_order = "bysource"
autodoc_typehints = "description"


def keep_lab_apart(_app: Sphinx, env: BuildEnvironment) -> None:
    """Leave the pages for maintainers out of the search and of the users' navigation."""
    for page in env.found_docs:
        if page.startswith("lab/"):
            env.metadata[page]["nosearch"] = True
    env.metadata["lab/index"]["orphan"] = True


def setup(app: Sphinx) -> None:
    """Connect the function above."""
    app.connect("env-updated", keep_lab_apart)
