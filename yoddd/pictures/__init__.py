"""Positions and games as pictures: SVG text, without fonts, files or a display."""

from yoddd.pictures.board import draw
from yoddd.pictures.style import THEMES, Coordinates, Style, Theme

__all__ = ["THEMES", "Coordinates", "Style", "Theme", "draw"]
