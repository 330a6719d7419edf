"""Styles of a picture: colours, patterns and labels."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from typing import Final

import attrs

from yoddd.rules import Colour


@attrs.frozen(kw_only=True)
class StoneLook:
    """The colours of one colour's stones.

    Attributes:
        fill: of the disc.
        edge: of its outline.
        ink: of what is written on it.
    """

    fill: str
    edge: str
    ink: str


@attrs.frozen(kw_only=True)
class Theme:
    """A palette.

    Attributes:
        background: of the whole picture.
        cell: of an empty cell.
        line: between cells.
        label: of coordinates.
        accent: of marks, such as that of the last turn.
        win: of empty cells where a stone wins.
        stones: for each colour.
        patterned: whether black stones have bars and white ones a ring.
    """

    background: str
    cell: str
    line: str
    label: str
    accent: str
    win: str
    stones: Mapping[Colour, StoneLook]
    patterned: bool = False


THEMES: Final[Mapping[str, Theme]] = {
    "light": Theme(
        background="#f6f1e7",
        cell="#eadfc9",
        line="#cdbd9d",
        label="#75664c",
        accent="#d6450a",
        win="#a9cf8f",
        stones={
            Colour.BLACK: StoneLook(fill="#2a2d33", edge="#101215", ink="#f6f1e7"),
            Colour.WHITE: StoneLook(fill="#fffdf8", edge="#8f8370", ink="#2a2d33"),
        },
    ),
    "dark": Theme(
        background="#15181c",
        cell="#2b3138",
        line="#434c56",
        label="#a3adb8",
        accent="#ffb020",
        win="#3f6b35",
        stones={
            Colour.BLACK: StoneLook(fill="#08090b", edge="#7d8894", ink="#e8ecf0"),
            Colour.WHITE: StoneLook(fill="#eceff2", edge="#ffffff", ink="#15181c"),
        },
    ),
    "patterns": Theme(
        background="#ffffff",
        cell="#ffffff",
        line="#8c8c8c",
        label="#000000",
        accent="#0072b2",
        win="#9fd3f2",
        stones={
            Colour.BLACK: StoneLook(fill="#000000", edge="#000000", ink="#ffffff"),
            Colour.WHITE: StoneLook(fill="#ffffff", edge="#000000", ink="#000000"),
        },
        patterned=True,
    ),
}
"""By name: for light pages, for dark pages, and one without colours."""


class Coordinates(enum.StrEnum):
    """The places of cell names: the border, every empty cell, or none."""

    EDGE = "edge"
    CELLS = "cells"
    NONE = "none"


@attrs.frozen(kw_only=True)
class Style:
    """The look of a picture.

    Attributes:
        theme: its palette.
        coordinates: the places of cell names.
        groups: whether the groups are numbered, each colour from 1.
        marks: a letter or a number for each marked cell.
        wins: for cells where a stone wins, the colours of such stones: the cell is tinted and shows
            a small disc of each.
        cell: the distance of two neighbouring cells in pixels.
    """

    theme: Theme = THEMES["light"]
    coordinates: Coordinates = Coordinates.EDGE
    groups: bool = False
    marks: Mapping[int, str] = attrs.field(factory=dict)
    wins: Mapping[int, Collection[Colour]] = attrs.field(factory=dict)
    cell: float = 40.0


PLAIN: Final = Style()
"""The default style."""
