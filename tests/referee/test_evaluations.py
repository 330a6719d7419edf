"""Evaluations of engines in a game: what is recorded, and the rules that end a game by them."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import pytest

from tests.support.fakes import FULL, FakeEngine, FakeRunner, make_setup
from yoddd.notation.evaluations import Evaluation
from yoddd.referee import Finished, Game, Reason
from yoddd.referee.evaluations import ResignRule, WinRule, by_evaluations
from yoddd.referee.game_record import PlayedTurn
from yoddd.referee.seat import Seat
from yoddd.rules import Colour

BLACK, WHITE = Seat.BLACK, Seat.WHITE
SAYS = FULL | {"info_lines"}


def game(
    black: Sequence[str],
    white: Sequence[str],
    resign: ResignRule | None = None,
    win: WinRule | None = None,
) -> Finished:
    """A game of a few turns, in which the engines state this before them."""
    setup = attrs.evolve(make_setup("odd"), resign=resign, win=win)
    engines = [
        FakeEngine(["1a1", "2b1", "1c1", "resign"], commands=SAYS, infos=black),
        FakeEngine(["2e1", "1d1", "2c5", "resign"], commands=SAYS, infos=white),
    ]
    finished = FakeRunner(Game(setup), *engines).run()
    assert all("info_lines on" in engine.asked for engine in engines)
    return finished


def test_evaluations_are_recorded_by_turn_and_malformed_ones_counted() -> None:
    record = game(["winrate 0.6 visits 10 pv 1a1 2e1", "winrate 7"], ["", "", "depth 4"]).record
    assert record.evaluations == (
        Evaluation(winrate=0.6, visits=10, pv=("1a1", "2e1")),
        *(None,) * 4,
        Evaluation(depth=4),
    )
    assert (record.unread, record.reason) == ((1, 0), "resign")


LOW, HIGH = "winrate 0.05", "winrate 0.95"


@pytest.mark.parametrize(
    ("black", "white", "resign", "win", "winner", "turns"),
    [
        # Its own turns in succession, and no other's word.
        ([LOW, LOW], [], ResignRule(movecount=2, score=0.05), None, WHITE, 3),
        ([LOW, LOW], [LOW, LOW], ResignRule(movecount=2, score=0.05), None, WHITE, 3),
        ([], [LOW], ResignRule(score=0.05), None, BLACK, 2),
        ([LOW, "", LOW], [], ResignRule(movecount=2, score=0.05), None, None, 6),
        ([LOW, "visits 9", LOW], [], ResignRule(movecount=2, score=0.05), None, None, 6),
        ([LOW, "winrate x", LOW], [], ResignRule(movecount=2, score=0.05), None, None, 6),
        (["winrate 0.06"] * 3, [], ResignRule(movecount=2, score=0.05), None, None, 6),
        # An engine that claims to win ends nothing by that.
        ([HIGH] * 3, ["winrate 0.5"] * 3, ResignRule(score=0.05), None, None, 6),
        ([HIGH] * 3, ["winrate 0.5"] * 3, None, WinRule(score=0.9), None, 6),
        ([HIGH] * 3, [HIGH] * 3, None, WinRule(score=0.9), None, 6),
        # Both sides agree.
        ([LOW] * 3, [HIGH] * 3, None, WinRule(movecount=4, score=0.95), WHITE, 4),
        ([LOW] * 2, [HIGH], ResignRule(score=0.05, twosided=True), None, WHITE, 2),
        ([LOW] * 3, [], ResignRule(score=0.05, twosided=True), None, None, 6),
        ([LOW] * 3, [LOW] * 3, ResignRule(score=0.05, twosided=True), None, None, 6),
        ([LOW] * 3, [HIGH] * 3, None, None, None, 6),
    ],
)
def test_rules_end_a_game_only_where_the_organiser_wants_it(
    black: list[str],
    white: list[str],
    resign: ResignRule | None,
    win: WinRule | None,
    winner: Seat | None,
    turns: int,
) -> None:
    finished = game(black, white, resign, win)
    assert len(finished.record.turns) == turns
    if winner is None:
        assert finished.termination.reason is Reason.RESIGN
    else:
        assert finished.termination.reason is Reason.ADJUDICATED
        assert finished.termination.winner is winner
        assert finished.record.blame is None


def test_by_evaluations_follow_the_seat_through_a_swap() -> None:
    low, high = Evaluation(winrate=0.1), Evaluation(winrate=0.9)
    turns = [
        PlayedTurn(BLACK, Colour.BLACK, "c3", 1.0, None, high),
        PlayedTurn(WHITE, Colour.WHITE, "swap", 1.0, None, low),
        PlayedTurn(BLACK, Colour.WHITE, "a1", 1.0, None, high),
    ]
    verdict = by_evaluations(turns, None, WinRule(movecount=3, score=0.9))
    assert verdict is not None
    assert verdict.winner is BLACK
