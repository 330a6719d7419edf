"""The ``board`` directive: a position line as a picture, drawn by yoddd itself.

The argument is the position line. Options: ``marks`` (``A=d4 B=e5``), ``groups``, ``cells`` (names
in the empty cells), ``cell`` (pixels), ``caption``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from yoddd.notation import parse_position
from yoddd.pictures import THEMES, Coordinates, Style, draw
from yoddd.rules import PositionLike


class BoardDirective(SphinxDirective):
    """Both themes lie in the page; the page's own theme hides one of them."""

    required_arguments = 1
    optional_arguments = 99
    option_spec: ClassVar[dict[str, Any]] = {
        "marks": directives.unchanged,
        "groups": directives.flag,
        "cells": directives.flag,
        "cell": directives.positive_int,
        "caption": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """One figure."""
        position = parse_position(" ".join(self.arguments))
        pictures = "".join(
            f'<div class="only-{theme}">{draw(position, style=self._style(position, theme))}</div>'
            for theme in ("light", "dark")
        )
        caption = self.options.get("caption")
        below = f"<figcaption><p>{caption}</p></figcaption>" if caption else ""
        figure = f'<figure class="align-center board">{pictures}{below}</figure>'
        return [nodes.raw("", figure, format="html")]

    def _style(self, position: PositionLike, theme: str) -> Style:
        pairs = (pair.split("=") for pair in self.options.get("marks", "").split())
        names = Coordinates.CELLS if "cells" in self.options else Coordinates.EDGE
        return Style(
            theme=THEMES[theme],
            coordinates=names,
            groups="groups" in self.options,
            marks={position.rules.geometry.cell(label): letter for letter, label in pairs},
            cell=self.options.get("cell", 34),
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx about the directive."""
    app.add_directive("board", BoardDirective)
    return {"version": "1", "parallel_read_safe": True}
