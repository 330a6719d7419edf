"""Early termination of games: at a turn limit, or where a search proves the winner.

The agreement of both engines is asked for by `yoddd.referee.game`, and the rules about what they
state are in `yoddd.referee.evaluations`; here stand their settings.
"""

from __future__ import annotations

from typing import Final

import attrs
from attrs import validators

from yoddd.engine import Tables, values_of
from yoddd.kernel import backend, solve
from yoddd.referee.evaluations import ResignRule, WinRule
from yoddd.rules import Colour, PositionLike

NODES: Final = 2000
"""Positions that a proof may visit; a few tenths of a second with the plain rules."""

NATIVE: Final = 50
"""Positions that the kernel visits in the time of one here."""

TABLE: Final = 4 << 20
"""Bytes of the kernel solver's table; small, because it is allocated for each turn."""


_SOME: Final = validators.optional(validators.ge(1))


class _TooHard(Exception):
    """The proof needs more positions than it may visit."""


@attrs.frozen(kw_only=True)
class MatchAdjudication:
    """The conditions under which a game ends early.

    Attributes:
        turns: the number of turns after which the position is scored; None for no limit.
        agree: the turn from which both engines are asked who has won; None for never.
        resign: the rule by which an engine resigns that rates itself low; None for never.
        win: the rule by which a game is won that both engines rate alike; None for never.
    """

    turns: int | None = attrs.field(default=None, validator=_SOME)
    agree: int | None = attrs.field(default=None, validator=_SOME)
    resign: ResignRule | None = None
    win: WinRule | None = None


@attrs.frozen(kw_only=True)
class Adjudication(MatchAdjudication):
    """The conditions with those that need a proof, which takes time.

    Attributes:
        solve: the number of empty cells from which on a proof is tried; None for never.
    """

    solve: int | None = attrs.field(default=None, validator=_SOME)

    def __call__(self, position: PositionLike) -> tuple[Colour, str] | None:
        """The winner and why; None to play on."""
        if self.solve is not None and position.cells.count(None) <= self.solve:
            winner = prove(position)
            if winner is not None:
                return winner, f"proved with {position.cells.count(None)} empty cells"
        if self.turns is not None and position.number > self.turns:
            return standing(position, f"the limit of {self.turns} turns")
        return None


NEVER: Final = Adjudication()
"""No early termination."""


def standing(position: PositionLike, why: str) -> tuple[Colour, str] | None:
    """The winner if the game ended now; None where both sides have the same groups."""
    groups = position.groups()
    sizes = {colour: sorted(g.size for g in groups if g.colour is colour) for colour in Colour}
    if position.rules.game.name != "odd" and sizes[Colour.BLACK] == sizes[Colour.WHITE]:
        return None
    winner, score = position.rules.score(groups)
    return winner, f"{why}: {winner.letter.upper()}+{score} as it stands"


def by_tables(tables: Tables, position: PositionLike) -> tuple[Colour, str] | None:
    """The winner with best play by a table, and the value; None where there is none."""
    values = values_of(tables, position)
    if not values:
        return None
    best = values[0]
    player = position.player
    text = f"{player.title.lower()} to move {'wins' if best.wins else 'loses'}"
    if best.distance is not None:
        text += f" in {best.distance} turn{'s' * (best.distance != 1)}"
    return player if best.wins else player.opponent, text


def prove(position: PositionLike, nodes: int = NODES) -> Colour | None:
    """The winner with best play; None where the proof takes more than ``nodes`` positions.

    The native kernel's solver visits `NATIVE` times as many in the same time.
    """
    if backend().is_native:
        return solve(position, nodes=nodes * NATIVE, memory=TABLE).winner
    return prove_by_reference(position, nodes)


def prove_by_reference(position: PositionLike, nodes: int = NODES) -> Colour | None:
    """Prove a winner as `prove` does, with the reference rules alone."""
    try:
        return _Proof(nodes).winner(position.copy())
    except _TooHard:
        return None


class _Proof:
    """One exhaustive search with a transposition table."""

    def __init__(self, nodes: int) -> None:
        self._left = nodes
        self._winners: dict[tuple[object, ...], Colour] = {}

    def winner(self, position: PositionLike) -> Colour:
        outcome = position.outcome()
        if outcome is not None:
            return outcome.winner
        swappable = position.number == 2
        key = (tuple(position.cells), position.player, position.passes, swappable)
        if key not in self._winners:
            self._winners[key] = self._search(position)
        return self._winners[key]

    def _search(self, position: PositionLike) -> Colour:
        """One winning turn decides for the side to move; without one the other side wins."""
        player = position.player
        for turn in list(position.legal_turns()):
            if not self._left:
                raise _TooHard
            self._left -= 1
            position.play(turn)
            # After a swap the other participant moves with the same colour.
            found = self.winner(position)
            position.undo()
            if found is player:
                return player
        return player.opponent
