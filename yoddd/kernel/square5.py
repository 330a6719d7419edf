"""The values of Xodd's and Odd's positions of few stones on square5, from a file.

``docs/lab/tables.md`` specifies the file for other languages.
"""

from __future__ import annotations

import functools
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import attrs

from yoddd.kernel.backend import native
from yoddd.kernel.position import board_of
from yoddd.kernel.sweep import TurnValue, read
from yoddd.rules import PositionLike, Rules, make_rules

if TYPE_CHECKING:
    from yoddd.kernel import _native

BOARD: Final = "square5"
PATH: Final = "library/square5.table"
"""The file, in the package."""

_STONES: Final = {True: 7, False: 6}
"""The most stones of a position that is held, of Xodd, which has passes, and of Odd."""


@attrs.frozen
class Square5:
    """The values of the positions of one game, with the default options.

    Attributes:
        rules: the game, the board and the options.
    """

    rules: Rules

    def reaches(self, position: PositionLike) -> bool:
        """Whether all that the turns of a position lead to is held."""
        stones = len(position.cells) - position.cells.count(None)
        most = _STONES[self.rules.has_pass] - 1 - self.rules.two_stones
        return position.rules == self.rules and stones <= most

    def turns(self, position: PositionLike) -> list[TurnValue]:
        """Every legal turn with its value, the best first, of a position that it reaches."""
        return list(read(self.rules, _table().turns(board_of(position))))


def square5(rules: Rules) -> Square5 | None:
    """The values of a game; None if the file has none of these rules."""
    held = [make_rules(game, BOARD) for game in ("xodd", "odd")]
    is_held = any(rules.facts == one.facts and rules.geometry is one.geometry for one in held)
    return Square5(rules) if is_held else None


@functools.cache
def _table() -> _native.Square5:
    data = zlib.decompress(files("yoddd").joinpath(PATH).read_bytes())
    table: _native.Square5 = native().Square5(data)
    return table
