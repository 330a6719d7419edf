"""Puzzles: symmetry, proof, and the file that comes with the program."""

from __future__ import annotations

import json
from collections import Counter

import attrs
import pytest

from tests.support.games import wins_by
from tests.support.schemas import validator
from yoddd.kernel import backend
from yoddd.library.puzzles import (
    Puzzle,
    PuzzleError,
    check,
    images_of,
    key_of,
    parse_puzzles,
    repeated,
    shipped,
)
from yoddd.notation import format_turn, parse_position, parse_turn
from yoddd.rules import Position

native_only = pytest.mark.skipif(not backend().is_native, reason=backend().detail)

PUZZLES = list(parse_puzzles(shipped().splitlines()))
QUICK = [puzzle for puzzle in PUZZLES if puzzle.start().cells.count(None) < 15]
DEEP = [puzzle for puzzle in PUZZLES if puzzle.start().cells.count(None) >= 18]
"""Those that a sweep takes seconds to prove."""
SAMPLE = [*QUICK[:: len(QUICK) // 40], DEEP[0]]
FAMILY = ("yodd", "xodd", "odd", "yoin")


def games(puzzles: list[Puzzle]) -> Counter[str]:
    return Counter(puzzle.position.split()[0] for puzzle in puzzles)


# -- the file -------------------------------------------------------------------------------


def test_shipped_file_is_small_and_after_its_schema() -> None:
    text = shipped()
    assert len(text.encode()) < 300_000
    for line in text.splitlines():
        validator("puzzle").validate(json.loads(line))


def test_shipped_puzzles_have_every_game_and_many_levels() -> None:
    count = games(PUZZLES)
    assert sum(count[game] for game in FAMILY) >= 1000
    assert count["product"] >= 200
    assert min(count[game] for game in FAMILY) >= 200
    assert {puzzle.level for puzzle in PUZZLES} >= set(range(2, 11))


def test_shipped_puzzles_are_each_there_once() -> None:
    assert repeated(PUZZLES) == []


@native_only
@pytest.mark.parametrize("puzzle", SAMPLE, ids=lambda puzzle: puzzle.id)
def test_check_proves_a_sample_of_the_shipped_puzzles(puzzle: Puzzle) -> None:
    check(puzzle)


@native_only
@pytest.mark.whole
def test_check_proves_the_shipped_puzzles_and_every_twentieth_deep_one() -> None:
    for puzzle in [*QUICK, *DEEP[::20]]:
        check(puzzle)


def smallest(puzzles: list[Puzzle]) -> list[Puzzle]:
    """One puzzle of each game, with the fewest legal turns."""
    ordered = sorted(puzzles, key=lambda puzzle: (puzzle.legal, puzzle.distance), reverse=True)
    return list({puzzle.position.split()[0]: puzzle for puzzle in ordered}.values())


# -- symmetry -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("yodd hex2 b1/3/2 w 0 3", "yodd hex2 1b/3/2 w 0 3", True),
        ("yodd hex2 b1/3/2 w 0 3", "yodd hex2 2/3/w1 b 0 4", True),
        ("yodd hex2 b1/3/2 w 0 3", "yodd hex2 b1/3/2 b 0 3", False),
        ("yodd hex2 b1/3/2 w 0 3", "yodd hex2 b1/3/2 w 1 3", False),
        ("yodd hex2 b1/3/2 w 0 3", "yodd hex2 b1/3/2 w 0 3 own_colour=on", False),
        ("odd hex2 bw/3/2 b 0 3", "odd hex2 2/3/bw b 0 3", True),
        ("odd hex2 bb/3/2 b 0 3", "odd hex2 ww/3/2 b 0 3", True),
        ("odd hex2 bw/3/2 b 0 3", "odd hex2 bw/3/2 w 0 3", False),
    ],
)
def test_key_of_is_the_same_for_symmetric_positions_only(
    one: str, other: str, *, same: bool
) -> None:
    assert (key_of(parse_position(one)) == key_of(parse_position(other))) is same


@pytest.mark.parametrize(
    ("line", "turn", "images"),
    [
        ("yodd hex2 2/1b1/2 w 0 2", "1a1,2a2", 12),
        ("yodd hex2 2/1b1/2 w 0 2", "pass", 1),
        ("xodd square2 b1/2 w 0 2", "1a1", 2),
        ("odd hex2 b1/3/w1 w 0 3", "1b2", 2),
        ("odd hex2 b1/3/b1 w 0 3", "1b2", 1),
    ],
)
def test_images_of_are_those_under_symmetries_of_the_position(
    line: str, turn: str, images: int
) -> None:
    position = parse_position(line)
    found = images_of(parse_turn(turn, position.rules, position.player), position)
    assert len(found) == images


# -- proof ----------------------------------------------------------------------------------


def changed(**fields: object) -> Puzzle:
    return attrs.evolve(PUZZLES[0], **fields)  # type: ignore[arg-type]


@native_only
@pytest.mark.parametrize(
    ("puzzle", "reason"),
    [
        (changed(position="yodd"), "board is missing"),
        (changed(position="yodd hex4 4/5/6/7/6/5/4 b 0 1"), "37 empty cells"),
        (changed(position="odd hex2 2/3/1b b 0 2 min_group=7"), "not exactly one turn wins"),
        (changed(turns=("pass",)), f"{' '.join(PUZZLES[0].turns)} wins in {PUZZLES[0].distance}"),
        (changed(distance=99), f"wins in {PUZZLES[0].distance}"),
        (changed(legal=1), f"of {PUZZLES[0].legal} turns"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_check_refuses_wrong_puzzles(puzzle: Puzzle, reason: str) -> None:
    with pytest.raises(PuzzleError) as refused:
        check(puzzle)
    assert reason in str(refused.value)


def test_repeated_names_ids_and_positions_that_were_there_before() -> None:
    first, second = PUZZLES[:2]
    assert repeated([first, second, first]) == [first.id]
    assert repeated([first, attrs.evolve(second, id=first.id)]) == [first.id]
    assert repeated([first, attrs.evolve(first, id="other")]) == ["other"]


def test_parse_puzzles_ignores_a_key_that_is_not_known() -> None:
    line = shipped().splitlines()[0]
    more = json.dumps({**json.loads(line), "author": "unknown key"})
    assert list(parse_puzzles([more])) == PUZZLES[:1]


# -- files and exhaustive search ------------------------------------------------------------


@pytest.mark.parametrize("line", ["", "[]", "{", '{"id": "yodd-hex3-0"}'])
def test_parse_puzzles_bad_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(PuzzleError, match="line 2 is no puzzle"):
        list(parse_puzzles([shipped().splitlines()[0], line]))


@pytest.mark.parametrize("puzzle", smallest(PUZZLES), ids=lambda puzzle: puzzle.id)
def test_exhaustive_search_by_the_reference_agrees_with_puzzle(puzzle: Puzzle) -> None:
    start = parse_position(puzzle.position, Position)
    known: dict[tuple[object, ...], bool] = {}
    found = [turn for turn in list(start.legal_turns()) if wins_by(start, turn, known)]
    assert sorted(format_turn(turn, start.rules) for turn in found) == sorted(puzzle.turns)
