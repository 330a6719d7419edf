"""Openings from files and from an engine; early termination."""

from __future__ import annotations

import attrs
import pytest

from tests.support.engines import Answering
from tests.support.games import SAMPLE
from yoddd.engine import ENGINES, Budget, SearchResult
from yoddd.engine.mcts import UctSearcher
from yoddd.notation import dump_record, record_to_sgf, write_sgf
from yoddd.referee.game.adjudication import Adjudication, prove, standing
from yoddd.referee.tournament.config import OpeningsConfig
from yoddd.referee.tournament.openings import (
    Generator,
    Opening,
    OpeningError,
    arrange,
    begin,
    read_openings,
)
from yoddd.rules import Colour, Position, PositionLike, make_rules

RULES = make_rules("yodd", "hex3")
RECORD = attrs.evolve(SAMPLE, turns=("1c3", "1a1,2b1", "pass"), reason="resign", score=None)


def test_read_openings_lines_are_turns_or_positions() -> None:
    text = "# a comment\n\n1c3 2b1,1a1\nyodd hex3 3/4/2b2/4/3 w 0 2  # another\n"
    found = read_openings(text, "openings.txt", RULES)
    assert found == [Opening(("1c3", "1a1,2b1")), Opening((), "yodd hex3 3/4/2b2/4/3 w 0 2")]
    assert begin(RULES, found[1]).number == 2


@pytest.mark.parametrize(("turns", "expected"), [(None, 3), (2, 2), (0, 0)])
def test_read_openings_games_give_their_first_turns(turns: int | None, expected: int) -> None:
    sgf = read_openings(write_sgf([record_to_sgf(RECORD)]), "g.sgf", RULES, turns)
    jsonl = read_openings(dump_record(RECORD) + "\n", "g.jsonl", RULES, turns)
    assert sgf == jsonl == [Opening(RECORD.turns[:expected])]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "x.txt"),
        ("1c3 1c3", "x.txt"),
        ("zz9", "x.txt"),
        ("yodd hex4 4/5/6/3b3/6/5/4 w 0 2", "x.txt"),
        ("{", "x.jsonl"),
        ("(;FF[4]YGAME[yodd]YBOARD[hex3];B[zz])", "x.sgf"),
        ("1c3 pass pass", "x.txt"),
        ("(;FF[4]", "x.sgf"),
    ],
)
def test_read_openings_invalid_text_is_refused(text: str, name: str) -> None:
    with pytest.raises(OpeningError):
        read_openings(text, name, RULES)


def test_generate_turns_that_end_the_game_are_no_opening() -> None:
    judge = Generator(searcher=Answering(biased), turns=40)
    with pytest.raises(OpeningError, match="0 of 1 openings"):
        judge.generate(make_rules("yodd", "hex2"), 1, seed=1)


def test_arrange_order_follows_from_the_seed() -> None:
    openings = [Opening((f"1c{n}",)) for n in range(1, 6)]
    assert arrange(openings, None) == tuple(openings)
    assert arrange(openings, 3) == arrange(openings, 3) != tuple(openings)
    assert sorted(arrange(openings, 3), key=openings.index) == openings


def biased(position: PositionLike, _budget: Budget) -> SearchResult:
    """Take openings with a stone on c3 to be balanced."""
    good = position.cells[RULES.geometry.cell("c3")] is not None
    return SearchResult(next(position.legal_turns()), winrate=0.5 if good else 0.9)


def test_generate_openings_are_balanced_by_the_judge() -> None:
    found = Generator(searcher=Answering(biased), turns=2).generate(RULES, 4, seed=1)
    assert len(set(found)) == 4
    assert all("c3" in " ".join(opening.turns) for opening in found)
    assert found == Generator(searcher=Answering(biased), turns=2).generate(RULES, 4, seed=1)


@pytest.mark.parametrize("engine", sorted({OpeningsConfig().engine, "uct"}))
def test_generate_builtin_judges_find_openings_on_usual_boards(engine: str) -> None:
    wanted = OpeningsConfig()
    judge = Generator(
        searcher=ENGINES[engine](), playouts=wanted.playouts, turns=2, window=wanted.window
    )
    assert len(judge.generate(make_rules("yodd", "hex5"), 2, seed=1)) == 2


@pytest.mark.whole
def test_generate_too_many_openings_are_refused() -> None:
    judge = Generator(searcher=UctSearcher(), playouts=1, turns=1)
    with pytest.raises(OpeningError, match="allow a wider window"):
        judge.generate(make_rules("yodd", "hex2"), 15, seed=1)


# -- early ends -----------------------------------------------------------------------------


def test_adjudication_turn_limit_scores_the_position() -> None:
    position = begin(RULES, Opening(("1c3", "1a1,2b1")))
    assert Adjudication(turns=3)(position) is None
    found = Adjudication(turns=2)(position)
    assert found is not None
    winner, detail = found
    black, white = position.count()
    assert winner is (Colour.BLACK if black < white else Colour.WHITE)
    assert "the limit of 2 turns" in detail


def test_standing_equal_groups_have_no_winner() -> None:
    rules = make_rules("yoin", "hex3")
    position = begin(rules, Opening(("c3", "a1")))
    assert standing(position, "limit") is None


def test_prove_winner_agrees_with_playing_on() -> None:
    rules = make_rules("yodd", "hex2")
    position = Position(rules)
    assert Adjudication(solve=3)(position) is None
    winner = prove(position)
    replies = set()
    for turn in list(position.legal_turns()):
        position.play(turn)
        replies.add(prove(position))
        position.undo()
    assert None not in replies
    assert winner is (Colour.BLACK if Colour.BLACK in replies else Colour.WHITE)


def test_prove_too_hard_is_none() -> None:
    assert prove(Position(make_rules("odd", "hex4")), 1) is None


@pytest.mark.whole
def test_adjudication_proof_names_the_empty_cells() -> None:
    found = Adjudication(solve=7)(Position(make_rules("yodd", "hex2")))
    assert found is not None
    assert found[1] == "proved with 7 empty cells"
    assert Adjudication(solve=37)(Position(make_rules("odd", "hex4"))) is None
