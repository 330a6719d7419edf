"""The range of an engine: the games, boards and time controls that it plays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from yoddd.board import BoardError, Geometry, geometry
from yoddd.protocol.errors import Code, PeerError, Subcode
from yoddd.referee.game.clock import ClockError, TimeControl, parse_clock
from yoddd.rules import Rules

OPTIONS: Final = ("games", "boards", "clock", "closed")
"""Those of ``attach`` that state a range."""

_TO: Final = ".."
"""Stands between the two ends of a range."""


_REASON: Final = re.compile(r"[!-~]{1,64}")


@attrs.frozen
class EngineRange:
    """The games that an engine plays, as ``attach`` states them; by default all.

    Attributes:
        games: the names of the games; all if empty.
        boards: the smallest and the largest board of each range; all if empty.
        least: the shortest time control; None for any.
        most: the longest time control; None for any.
        closed: the reason for which it begins no game, with low lines for spaces; else empty.
    """

    games: tuple[str, ...] = ()
    boards: tuple[tuple[Geometry, Geometry], ...] = ()
    least: TimeControl | None = None
    most: TimeControl | None = None
    closed: str = ""

    @classmethod
    def read(cls, options: Mapping[str, str]) -> EngineRange:
        """Read the `OPTIONS` that are given.

        Raises:
            PeerError: one of them is malformed, or its second end is below the first.
        """
        closed = options.get("closed", "")
        if "closed" in options and not _REASON.fullmatch(closed):
            raise PeerError(Code.SYNTAX, "closed: expected up to 64 ASCII characters")
        games = [word.partition(":")[0] for word in _words(options, "games")]
        try:
            boards = [_boards(word) for word in _words(options, "boards")]
            return cls(tuple(games), tuple(boards), *_clocks(options.get("clock", _TO)), closed)
        except (BoardError, ClockError) as error:
            raise PeerError(Code.SYNTAX, str(error)) from None

    def includes(self, rules: Rules, control: TimeControl) -> bool:
        """Whether the engine plays this game on its board with this time control."""
        is_known = not self.games or rules.game.name in self.games
        return (
            not self.closed
            and is_known
            and self.has_board(rules.geometry)
            and self.has_clock(control)
        )

    def has_board(self, board: Geometry) -> bool:
        """Whether the engine plays on a board."""
        sizes = [(low.shape, low.size, high.size) for low, high in self.boards]
        return not sizes or any(s == board.shape and a <= board.size <= b for s, a, b in sizes)

    def has_clock(self, control: TimeControl) -> bool:
        """Whether the engine plays with a time control."""
        low = 0.0 if self.least is None else self.least.length
        return low <= control.length and (self.most is None or control.length <= self.most.length)

    def check(self, name: str, rules: Rules, control: TimeControl) -> None:
        """Refuse what the engine ``name`` does not play.

        Raises:
            PeerError: the refusal, with the range.
        """
        if self.closed:
            raise PeerError(
                Subcode.RANGE, f"{name} begins no game: {self.closed.replace('_', ' ')}"
            )
        if not self.includes(rules, control):
            raise PeerError(Subcode.RANGE, f"{name} plays only {' '.join(self.words)}")

    @property
    def words(self) -> list[str]:
        """The options that state it, in canonical spelling."""
        boards = [low.name + f"{_TO}{high.name}" * (low != high) for low, high in self.boards]
        least, most = ("" if one is None else str(one) for one in (self.least, self.most))
        stated: dict[str, Sequence[str]] = {
            "games": self.games,
            "boards": boards,
            "clock": [f"{least}{_TO}{most}"],
        }
        if not least and not most:
            del stated["clock"]
        stated["closed"] = [self.closed] if self.closed else []
        return [f"{name}={','.join(values)}" for name, values in stated.items() if values]


EVERYTHING: Final = EngineRange()
"""The range of an engine that states none."""


def _words(options: Mapping[str, str], name: str) -> list[str]:
    return options[name].lower().split(",") if name in options else []


def _boards(text: str) -> tuple[Geometry, Geometry]:
    first, _, second = text.partition(_TO)
    low, high = geometry(first), geometry(second or first)
    if low.shape is not high.shape or low.size > high.size:
        raise BoardError(f"boards {text!r}: expected two of one shape, the smaller one first")
    return low, high


def _clocks(text: str) -> tuple[TimeControl | None, TimeControl | None]:
    first, dots, second = text.partition(_TO)
    least, most = (parse_clock(one) if one else None for one in (first, second))
    if not dots:
        raise ClockError(f"clock {text!r}: expected LEAST..MOST; either may be left out")
    if least is not None and most is not None and least.length > most.length:
        raise ClockError(f"clock {text!r}: {most} leaves less time than {least}")
    return least, most
