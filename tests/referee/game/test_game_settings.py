"""Settings of a game: odds, parameters, early ends, and evaluations that engines state."""

from __future__ import annotations

import json
from collections.abc import Sequence

import attrs
import pytest

from tests.protocol.peer import OneTable
from tests.support.descriptions import drawn_game
from tests.support.fakes import FULL, FakeEngine, FakeRunner, make_setup
from yoddd.engine import SmallBoards
from yoddd.notation import parse_position
from yoddd.notation.evaluations import Evaluation
from yoddd.referee import Finished, Game, GameSetup, Reason, Seat, TurnPlayed, parse_clock
from yoddd.referee.game.adjudication import Adjudication, by_tables
from yoddd.referee.game.evaluations import ResignRule, WinRule, by_evaluations
from yoddd.rules import Colour, Position, PositionLike, make_rules
from yoddd.rules.game import rules_of

BLACK, WHITE = Seat.BLACK, Seat.WHITE

JUDGE = frozenset(FULL) | {"final_score"}


def run(setup: GameSetup, black: FakeEngine, white: FakeEngine) -> Finished:
    return FakeRunner(Game(setup), black, white).run()


# -- clocks ---------------------------------------------------------------------------------


def test_odds_each_seat_has_its_own_clock() -> None:
    odds = (parse_clock("60"), parse_clock("move=0.5"))
    setup = attrs.evolve(make_setup(), odds=odds)
    black, white = FakeEngine(["1c3"]), FakeEngine(["pass"])
    finished = run(setup, black, white)
    assert "kata-time_settings absolute 60" in black.asked
    assert "kata-time_settings byoyomi 0 0.5 1" in white.asked
    assert (finished.termination.winner, finished.termination.reason) == (BLACK, Reason.TIME)
    assert finished.termination.detail == "turn 2 under move=0.5: used 0.50 s, 0.50 s were left"
    assert finished.record.clock == "60+0 vs move=0.5"


# -- parameters -----------------------------------------------------------------------------


def test_params_are_set_before_the_game() -> None:
    setup = attrs.evolve(make_setup(), params=({"level": "3"}, {}))
    black, white = FakeEngine(["resign"]), FakeEngine()
    run(setup, black, white)
    assert black.asked.index("set_param level 3") < black.asked.index("genmove b")
    assert not any(command.startswith("set_param") for command in white.asked)


def test_engine_with_other_rules_of_a_described_game_makes_it_void() -> None:
    game, rules = drawn_game(5)
    other = next(one for seed in range(99) if (one := drawn_game(seed)[0]).facts != game.facts)
    setup = attrs.evolve(make_setup(), rules=rules_of(game, None, {}))
    able = frozenset(FULL) | {"describe"}
    for described, reason in ((game, Reason.RESIGN), (other, Reason.VOID)):
        replies = {"describe": json.dumps(described.description())}
        black, white = (FakeEngine(["resign"], replies, able) for _ in range(2))
        finished = run(setup, black, white)
        assert finished.termination.reason is reason
    assert black.asked == ["describe drawn"]
    assert finished.termination.detail.startswith(("Ada: drawn", "Bob: drawn"))
    assert rules.game == game


def test_params_refused_game_is_void() -> None:
    setup = attrs.evolve(make_setup(), params=({}, {"level": "3"}))
    finished = run(setup, FakeEngine(["1c3"]), FakeEngine(replies={"set_param": "? unknown"}))
    assert (finished.termination.winner, finished.termination.reason) == (None, Reason.VOID)
    assert finished.termination.detail == "Bob: refused set_param level 3: unknown"


# -- early ends -----------------------------------------------------------------------------


def test_adjudicator_ends_the_game_before_the_next_turn() -> None:
    def adjudicate(position: PositionLike) -> tuple[Colour, str] | None:
        return (Colour.WHITE, "by decree") if position.number == 3 else None

    setup = attrs.evolve(make_setup(), adjudicator=adjudicate)
    black, white = FakeEngine(["1c3"]), FakeEngine(["1a1,2e3"])
    finished = run(setup, black, white)
    assert (finished.termination.winner, finished.termination.detail) == (WHITE, "by decree")
    assert finished.termination.reason is Reason.ADJUDICATED
    assert finished.busy == ()
    assert finished.record.blame is None


def test_agreement_of_both_engines_ends_the_game() -> None:
    setup = attrs.evolve(make_setup(), agree_from=2, adjudicator=Adjudication(agree=2))
    sure = {"final_score": "W+3"}
    black = FakeEngine(["1c3"], sure, commands=JUDGE)
    white = FakeEngine(["1a1,2e3"], sure, commands=JUDGE)
    finished = run(setup, black, white)
    assert finished.record.turns == ("1c3", "1a1,2e3")
    assert (finished.termination.winner, finished.termination.reason) == (WHITE, Reason.ADJUDICATED)
    assert finished.termination.detail == "both sides agree on White"


@pytest.mark.parametrize("opinion", ["B+1", "? cannot score", "0", "nonsense"])
def test_agreement_missing_game_continues(opinion: str) -> None:
    setup = attrs.evolve(make_setup(), agree_from=1)
    black = FakeEngine(["1c3", "resign"], {"final_score": "W+3"}, commands=JUDGE)
    white = FakeEngine(["pass"], {"final_score": opinion}, commands=JUDGE)
    finished = run(setup, black, white)
    assert (finished.termination.winner, finished.termination.reason) == (WHITE, Reason.RESIGN)
    assert black.asked.count("final_score") == 2


def test_agreement_without_final_score_is_not_asked() -> None:
    setup = attrs.evolve(make_setup(), agree_from=0)
    black, white = FakeEngine(["1c3", "pass"]), FakeEngine(["pass"], commands=JUDGE)
    run(setup, black, white)
    assert "final_score" not in white.asked


def test_agreement_silence_is_a_stall() -> None:
    setup = attrs.evolve(make_setup(), agree_from=0)
    silent = FakeEngine(["pass"], {"final_score": None}, commands=JUDGE)
    finished = run(setup, FakeEngine(["1c3"], {"final_score": "B+1"}, commands=JUDGE), silent)
    assert (finished.termination.winner, finished.termination.reason) == (BLACK, Reason.STALL)


@pytest.mark.parametrize(
    ("line", "winner", "text"),
    [
        ("yodd hex2 2/3/2 b 0 1", Colour.BLACK, "black to move wins in 8 turns"),
        ("yodd hex2 2/1b1/2 w 0 2", Colour.BLACK, "white to move loses in 7 turns"),
        ("yodd hex2 bb/bbb/bb w 1 9", Colour.WHITE, "white to move wins in 1 turn"),
    ],
)
def test_by_tables_says_who_wins_and_when(line: str, winner: Colour, text: str) -> None:
    assert by_tables(OneTable(), parse_position(line)) == (winner, text)


def test_by_tables_without_distances_says_who_wins() -> None:
    tables = SmallBoards()
    assert by_tables(tables, Position(make_rules("xodd", "square5"))) == (
        Colour.BLACK,
        "black to move wins",
    )


def test_game_without_a_table_is_played_on() -> None:
    setup = attrs.evolve(make_setup(), tables=OneTable())
    finished = run(setup, FakeEngine(["resign"]), FakeEngine())
    assert finished.termination.reason is Reason.RESIGN


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
        TurnPlayed(BLACK, 1, "c3", 1.0, Colour.BLACK, None, high),
        TurnPlayed(WHITE, 2, "swap", 1.0, Colour.WHITE, None, low),
        TurnPlayed(BLACK, 3, "a1", 1.0, Colour.WHITE, None, high),
    ]
    verdict = by_evaluations(turns, None, WinRule(movecount=3, score=0.9))
    assert verdict is not None
    assert verdict.winner is BLACK
