"""`yoddd.Board` says what the rules say, and is a value like any other."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import re
from itertools import islice
from random import Random
from unittest.mock import ANY

import chess
import chess.engine
import pytest
from hypothesis import given, settings

import yoddd
from tests.support.games import SMALL_RULES, play_random, rules_id, seeds
from yoddd import (
    Board,
    CannotUndo,
    Colour,
    IllegalTurn,
    Limit,
    NotationError,
    SimpleEngine,
    Turn,
)
from yoddd.notation import format_turn
from yoddd.rules import PASS, Position, Rules
from yoddd.suggestions import CHESS

LINE = "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"

NAMES = "__version__ geometry load_game make_rules"


def test_the_public_names_of_the_package() -> None:
    assert [name for name in yoddd.__all__ if name.islower()] == NAMES.split()
    assert {"Board", "GameRecord", "Limit", "SimpleEngine", "State"} <= set(yoddd.__all__)
    assert all(getattr(yoddd, name) is not None for name in yoddd.__all__)
    assert set(yoddd.__all__) <= set(dir(yoddd))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = yoddd.nothing


@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
@settings(max_examples=10)
@given(seed=seeds())
def test_a_board_agrees_with_the_rules_all_the_way(rules: Rules, seed: int) -> None:
    reference = play_random(Position, rules, seed)
    board = Board(rules.game.name, rules.geometry.name, rules.options())
    for turn in reference.history:
        assert turn in board.legal_turns
        assert board.outcome() is None
        board.push(format_turn(turn, rules))
    assert board.outcome() == reference.outcome()
    assert board.groups() == reference.groups()
    assert board.count() == reference.count()
    assert not board.legal_turns
    assert board.legal_turns.count() == 0
    again = pickle.loads(pickle.dumps(board))  # noqa: S301 — our own
    assert again == board
    assert again.history == board.history
    while board.history:
        board.pop()
    assert board == Board(rules.game.name, rules.geometry.name, rules.options())


def test_board_states_its_stones_and_player() -> None:
    board = Board.from_position(LINE)
    assert (board.player, board.number, board.passes) == (Colour.WHITE, 2, 0)
    assert board["d4"] is Colour.BLACK
    assert board["a1"] is None
    assert board.stones() == {"d4": Colour.BLACK}
    assert board.legal_turns.count() == 2011
    assert list(islice(board.legal_turns, 1)) == [board.parse("1a1,1a3")]
    assert (board.rules.game.name, board.geometry.name) == ("yodd", "hex4")
    assert not board.is_over
    assert "X" in str(board)
    assert repr(board) == f"Board.from_position({LINE!r})"
    assert board._repr_svg_() == board.svg()
    assert board.svg().startswith("<svg ")
    assert Board(LINE) == board


@pytest.mark.parametrize("board", [("yodd", "hex3"), ("yoin", "hex2"), ("product", "hex2")])
def test_legal_turns_are_counted_and_found_without_their_list(board: tuple[str, str]) -> None:
    game, rng = Board(*board), Random(1)
    while not game.is_over:
        listed = list(game.legal_turns)
        assert len(game.legal_turns) == len(listed)
        assert [game.legal_turns[place] for place in range(len(listed))] == listed
        assert game.legal_turns[-1] == listed[-1]
        assert game.legal_turns[:3] == listed[:3]
        for place in (len(listed), -len(listed) - 1):
            with pytest.raises(IndexError):
                game.legal_turns[place]
        game.push(game.legal_turns.sample(rng))
    with pytest.raises(IndexError):
        game.legal_turns.sample(rng)


CHESS_ONLY = re.compile(
    r"[A-H][1-8]|bb_|castl|pawn|king|queen|bishop|knight|rook|960|shredder|pin|attack|capture"
    r"|check|_ep|en_passant|draw|fifty|fivefold|seventyfive|repetition|zeroing|irreversible"
    r"|insufficient|promotion|tbw|tbz|mirror|transform|flip|shift|scan|lsb|msb|popcount|ray|between"
    r"|^square(set)?$|squares_180|square_.*(distance|file|rank)|rank_|file_|regex|generator|status"
    r"|base_?board|bitboard|board_?t$|piece_?(name|symbol|type)|pieces_mask|is_valid|send_|communicate",
    re.IGNORECASE,
)
"""Names of what these games lack, of bitboards, and of turned boards: they have no answer."""


@pytest.mark.parametrize(
    ("theirs", "ours", "instance"),
    [
        (chess, yoddd, yoddd),
        (chess.Board, Board, Board()),
        (chess.Move, Turn, Turn.parse("1d4", Board())),
        (chess.engine.SimpleEngine, SimpleEngine, None),
    ],
)
def test_name_of_python_chess_exists_or_is_answered_with_ours(
    theirs: object, ours: object, instance: object
) -> None:
    for name, value in inspect.getmembers(theirs):
        foreign = inspect.ismodule(value) or getattr(value, "__module__", "") == "typing"
        for owner in filter(None, (ours, instance)):
            if name.startswith("_") or foreign or hasattr(owner, name):
                continue
            if name not in CHESS:
                assert CHESS_ONLY.search(name), name
                continue
            with pytest.raises(AttributeError, match=re.escape(f"there is `{CHESS[name]}`")):
                getattr(owner, name)


def test_limit_of_python_chess_is_answered_with_ours() -> None:
    for name in inspect.signature(chess.engine.Limit).parameters:
        hint = f"there is `{CHESS[name]}`" if name in CHESS else "unexpected keyword"
        if name != "time":
            with pytest.raises(TypeError, match=hint):
                Limit(**{name: 1})


@pytest.mark.parametrize(("module", "name"), [("batch", "GameBatch"), ("vector", "VectorGames")])
def test_name_that_the_library_has_no_more_is_answered(module: str, name: str) -> None:
    with pytest.raises(AttributeError, match="`State`"):
        getattr(yoddd, name)
    with pytest.raises(ImportError, match="`State`"):
        importlib.import_module(f"yoddd.library.{module}")


def test_engine_module_of_python_chess_is_answered_with_ours() -> None:
    for name in ("SimpleEngine", "Limit", "EngineError", "popen_uci"):
        with pytest.raises(AttributeError, match=re.escape(f"there is `{CHESS[name]}`")):
            getattr(yoddd.engine, name)


def test_turns_are_parsed_pushed_and_popped() -> None:
    board = Board("yodd", "hex4")
    turn = Turn.parse("D4", board)
    assert turn == board.parse("1d4")
    assert len({turn, board.parse("b" + "d4")}) == 1
    with pytest.raises(CannotUndo):
        board.peek()
    assert board.push("1d4") == turn == board.peek()
    assert board.position == LINE
    assert board.illegality("1d4") == "d4 is occupied"
    assert "1a1" not in board.legal_turns
    assert "pass" in board.legal_turns
    assert 5 not in board.legal_turns
    assert "2z9" not in board.legal_turns
    assert repr(board.legal_turns) == f"{board!r}.legal_turns"
    with pytest.raises(IllegalTurn, match="2 groups, even"):
        board.push("2a1")
    with pytest.raises(NotationError):
        board.is_legal("2z9")
    assert board.pop() == turn


def test_a_turn_of_another_board_is_refused() -> None:
    turn = Turn.parse("a9", Board("xodd", "square9"))
    board = Board("yodd", "hex4")
    with pytest.raises(IllegalTurn, match="no cell 72: hex4 has 37"):
        board.push(turn)
    assert turn not in board.legal_turns


def test_boards_are_compared_by_what_is_on_them() -> None:
    one, other = Board("yodd", "hex4"), Board.from_position(LINE)
    one.push("1d4")
    assert one == other
    assert one.key == other.key == 17556469257879329597
    assert copy.copy(one) == one
    other.push(PASS)
    assert one != other
    assert one.key != other.key
    one.push("resign")
    twin = one.copy()
    twin.pop()
    assert one != twin
    assert one != LINE
    assert one == ANY
    with pytest.raises(TypeError):
        hash(one)
