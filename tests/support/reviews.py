"""Shared by the tests of reviews: engines whose chances are written down, games with a blunder."""

from __future__ import annotations

import functools
from collections.abc import Callable

import attrs

from yoddd.engine import Budget, Searcher, SearchResult, StopFlag
from yoddd.kernel import make_sweep
from yoddd.library.puzzles import parse_puzzles, shipped
from yoddd.library.review import ExactLimits, GameReview, ReviewSettings, review_game
from yoddd.library.review.texts import Heading
from yoddd.notation import parse_turn
from yoddd.rules import PositionLike

PUZZLES = {puzzle.id: puzzle for puzzle in parse_puzzles(shipped().splitlines())}
ONE_OF_EACH = [
    next(name for name in PUZZLES if name.startswith(f"{game}-"))
    for game in ("yodd", "xodd", "odd", "yoin", "product")
]
HEADING = Heading(
    id="g", black="Ada", white="Grace", result="B+1", engine="scripted", visits=1000, seed=0
)


@attrs.define
class Scripted:
    """An engine whose chances are written down, by number of the turn and last turn."""

    chances: Callable[[PositionLike], float]
    choose: str | None = None
    name: str = "scripted"

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        del seed, stop
        turn = next(position.legal_turns())
        if self.choose is not None and position.number == 1:
            turn = parse_turn(self.choose, position.rules, position.player)
        return SearchResult(turn, budget.visits or 0, self.chances(position))


def settings(engine: Searcher, *, seconds: float = 10, memory: int = 1 << 28) -> ReviewSettings:
    exact = ExactLimits(seconds=seconds, memory=memory, nodes=0)
    return ReviewSettings(engine=lambda: engine, visits=1000, exact=exact)


LIAR = Scripted(lambda _: 0.9)
"""An engine to which the player to move always has good chances, so that every turn is bad."""


@functools.cache
def blundered(name: str) -> tuple[PositionLike, GameReview]:
    """The end of a game that begins with a puzzle and a wrong turn, and its review."""
    start = PUZZLES[name].start()
    sweep = make_sweep(start)
    assert sweep is not None
    losses = [value.turn for value in sweep.turns(start) if not value.wins]
    wrong = max(losses, key=lambda turn: len(turn.stones))
    final = start.copy()
    final.play(wrong)
    for value in sweep.line(final):
        final.play(value.turn)
    return final, review_game(start, final.history, settings(LIAR))
