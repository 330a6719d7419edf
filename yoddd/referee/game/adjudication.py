"""Early termination of games: at a turn limit, or where a search proves the winner.

The agreement of both engines is asked for by `Game`, and the rules about what they state are in
`yoddd.referee.game.evaluations`; here stand their settings.
"""

from __future__ import annotations

from typing import Final

import attrs

from yoddd.engine import Tables, values_of
from yoddd.kernel import solve
from yoddd.notation.reasons import Reason
from yoddd.referee.bounds import bounded
from yoddd.referee.game.evaluations import ResignRule, WinRule, by_evaluations
from yoddd.referee.game.history import GameHistory
from yoddd.referee.game.setup import GameSetup
from yoddd.referee.game.terminations import Termination, won
from yoddd.rules import Colour, PositionLike

NODES: Final = 100_000
"""Positions that a proof may visit, in a few tenths of a second."""

TABLE: Final = 4 << 20
"""Bytes of the kernel solver's table; small, because it is allocated for each turn."""


@attrs.frozen(kw_only=True)
class MatchAdjudication:
    """The conditions under which a game ends early.

    Attributes:
        turns: the number of turns after which the position is scored; None for no limit.
        agree: the turn from which both engines are asked who has won; None for never.
        resign: the rule by which an engine resigns that rates itself low; None for never.
        win: the rule by which a game is won that both engines rate alike; None for never.
    """

    turns: int | None = bounded(None, 1)
    agree: int | None = bounded(None, 1)
    resign: ResignRule | None = None
    win: WinRule | None = None


@attrs.frozen(kw_only=True)
class Adjudication(MatchAdjudication):
    """The conditions with those that need a proof, which takes time.

    Attributes:
        solve: the number of empty cells from which on a proof is tried; None for never.
    """

    solve: int | None = bounded(None, 1)

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


def adjudicate(setup: GameSetup, history: GameHistory) -> Termination | None:
    """The end of a game that need not be played to its end; None to play on."""
    found = by_tables(setup.tables, history.position)
    if found is not None:
        return won(history.seat_of(found[0]), Reason.TABLES, found[1])
    found = setup.adjudicator and setup.adjudicator(history.position)
    if found is not None:
        return won(history.seat_of(found[0]), Reason.ADJUDICATED, found[1])
    verdict = by_evaluations(history.turns, setup.resign, setup.win)
    if verdict is None:
        return None
    return won(verdict.winner, Reason.ADJUDICATED, verdict.detail)


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
    """The winner with best play; None where the proof takes more than ``nodes`` positions."""
    return solve(position, nodes=nodes, memory=TABLE).winner
