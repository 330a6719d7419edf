"""Games that end before their rules end them: at a turn limit, or where a search proves the winner.

Whether both engines agree is asked by the game itself; here is only from when.
"""

from __future__ import annotations

from typing import Final

import attrs
from attrs import validators

from yoddd.kernel import backend, solve
from yoddd.rules import Colour, PositionLike

NODES: Final = 2000
"""How many positions a proof may look at; a few tenths of a second with the plain rules."""

NATIVE: Final = 50
"""How many positions the kernel looks at for each one here."""

TABLE: Final = 4 << 20
"""Bytes of the table that its solver has, small because it is made for each turn."""


_SOME: Final = validators.optional(validators.ge(1))


class _TooHard(Exception):
    """The proof needs more positions than it may look at."""


@attrs.frozen
class Adjudication:
    """When a game ends early.

    Attributes:
        turns: after so many turns the board as it stands is scored; None for no limit.
        solve: from so few empty cells on a proof of the winner is tried; None for never.
        agree: from which turn both engines are asked who has won; None for never.
    """

    turns: int | None = attrs.field(default=None, validator=_SOME)
    solve: int | None = attrs.field(default=None, validator=_SOME)
    agree: int | None = attrs.field(default=None, validator=_SOME)

    def __call__(self, position: PositionLike) -> tuple[Colour, str] | None:
        """The winner, and by what; None to play on."""
        if self.solve is not None and position.cells.count(None) <= self.solve:
            winner = prove(position)
            if winner is not None:
                return winner, f"proved with {position.cells.count(None)} empty cells"
        if self.turns is not None and position.number > self.turns:
            return standing(position, f"the limit of {self.turns} turns")
        return None


NEVER: Final = Adjudication()
"""Every game is played to its end."""


def standing(position: PositionLike, why: str) -> tuple[Colour, str] | None:
    """The winner of the board as it stands; None where both sides have the same groups."""
    groups = position.groups()
    sizes = {colour: sorted(g.size for g in groups if g.colour is colour) for colour in Colour}
    if position.rules.game.name != "odd" and sizes[Colour.BLACK] == sizes[Colour.WHITE]:
        return None
    winner, score = position.rules.game.score(groups, position.rules.min_group)
    return winner, f"{why}: {winner.letter.upper()}+{score} as it stands"


def prove(position: PositionLike, nodes: int = NODES) -> Colour | None:
    """Who wins with best play; None where that takes more than ``nodes`` positions.

    With the native kernel its solver looks, at so many times more positions as it is faster.
    """
    if backend().is_native:
        return solve(position, nodes=nodes * NATIVE, memory=TABLE).winner
    try:
        return _Proof(nodes).winner(position.copy())
    except _TooHard:
        return None


class _Proof:
    """One exhaustive search; transpositions are remembered."""

    def __init__(self, nodes: int) -> None:
        self._left = nodes
        self._known: dict[tuple[object, ...], Colour] = {}

    def winner(self, position: PositionLike) -> Colour:
        outcome = position.outcome()
        if outcome is not None:
            return outcome.winner
        swappable = position.number == 2  # noqa: PLR2004 — Yoin's second turn has a choice more
        key = (tuple(position.cells), position.player, position.passes, swappable)
        if key not in self._known:
            self._known[key] = self._search(position)
        return self._known[key]

    def _search(self, position: PositionLike) -> Colour:
        """A turn that wins for the side to move is enough; without one the other side wins."""
        player = position.player
        for turn in list(position.legal_turns()):
            if not self._left:
                raise _TooHard
            self._left -= 1
            position.play(turn)
            # After a swap the player is the same colour again but another person.
            found = self.winner(position)
            position.undo()
            if found is player:
                return player
        return player.opponent
