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
    "specification",
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


MOVED = {
    "how-to/records-and-pictures": "reference/notation.html#archives",
    "how-to/run-the-daemon": "how-to/operate-a-server.html#on-your-own-machine",
    "how-to/train-a-value": "how-to/tune-an-engine.html#train-a-value",
    "how-to/use-go-controllers": "how-to/use-go-programs.html#gogui-twogtp-and-gomill",
    "how-to/use-gogui": "how-to/use-go-programs.html#gogui",
    "how-to/use-sabaki": "how-to/use-go-programs.html#sabaki",
    "how-to/use-several-machines": "how-to/run-a-tournament.html#more-than-one-machine",
    "lab/results": "reference/results.html",
    "reference/analysis": "how-to/analyze-games.html",
    "reference/api": "how-to/embed-the-library.html#reference",
    "reference/game-file": "how-to/make-a-game.html#the-file",
    "reference/http-api": "reference/http.html#ladders-games-and-accounts",
    "reference/review": "how-to/review-games.html#the-numbers",
    "reference/runs": "reference/tournament-file.html#the-folder-of-a-run",
    "reference/tables": "how-to/analyze-games.html#solved-positions",
}
"""Pages of 0.2 that are parts of others now; their addresses lead on until 0.4."""


def forward(app: Sphinx, error: Exception | None) -> None:
    """Leave at the address of each page of `MOVED` one that leads on."""
    for page, target in MOVED.items() if error is None else ():
        there = "../" + target
        (Path(app.outdir) / f"{page}.html").write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={there}">'
            f'<a href="{there}">This page has moved.</a>\n'
        )


def keep_lab_apart(_app: Sphinx, env: BuildEnvironment) -> None:
    """Leave the pages for maintainers out of the search and of the users' navigation."""
    for page in env.found_docs:
        if page.startswith("lab/"):
            env.metadata[page]["nosearch"] = True
    env.metadata["lab/index"]["orphan"] = True


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("build-finished", forward)
    app.connect("env-updated", keep_lab_apart)
