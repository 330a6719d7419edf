"""Archives: round trips, errors of single games, and constant memory."""

from __future__ import annotations

import itertools
import json
import random
import tracemalloc
from collections.abc import Iterator

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.games import SMALL_RULES, play_random, record_of, rules_id, seeds
from yoddd.kernel import best_position
from yoddd.notation import (
    ArchiveFormat,
    GameRecord,
    NotationError,
    parse_sgf,
    read_archive,
    write_archive,
    write_sgf,
)
from yoddd.notation.archives import MAX_PIECE, copy_trees
from yoddd.rules import Position, Rules, make_rules

NOW = "2030-02-01T00:00:00Z"
JSONL, SGF, ABSTRACT_PLAY = ArchiveFormat.JSONL, ArchiveFormat.SGF, ArchiveFormat.ABSTRACT_PLAY


def random_record(rules: Rules, seed: int) -> GameRecord:
    """A random game, with names that contain every bracket of every format."""
    position = play_random(Position, rules, seed)
    rng = random.Random(seed)
    return record_of(
        position,
        id=f"m-{seed}",
        black='Ada {"[(\\',
        white="Grace )]}",
        times=tuple(round(rng.random(), 3) for _ in position.history),
        started="2030-01-31T12:00:00.25Z",
        opening=1,
        seed=seed,
    )


def written(records: list[GameRecord], form: ArchiveFormat) -> str:
    parts = list(write_archive(records, form, NOW))
    assert all(isinstance(part, str) for part in parts)
    return "".join(map(str, parts))


def cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


@pytest.mark.parametrize("form", ArchiveFormat)
@pytest.mark.parametrize("rules", SMALL_RULES, ids=rules_id)
@settings(max_examples=5)
@given(seed=seeds(), size=st.integers(1, 300))
def test_archive_cut_anywhere_keeps_every_record(
    rules: Rules, form: ArchiveFormat, seed: int, size: int
) -> None:
    records = [random_record(rules, seed), random_record(rules, seed + 1)]
    assert list(read_archive(cut(written(records, form), size), form)) == records


@pytest.mark.parametrize("form", [SGF, ABSTRACT_PLAY])
@pytest.mark.parametrize(
    "changes",
    [
        {
            "reason": "time",
            "blame": "b",
            "winner": "w",
            "score": None,
            "detail": "0.1 s over: late",
        },
        {"reason": "void", "blame": "referee", "winner": None, "score": None},
        {"reason": "adjudicated", "winner": "b", "score": "B+3", "detail": "solved"},
        {"reason": "crash", "winner": "b", "blame": "w", "score": None},
    ],
    ids=lambda changes: str(changes["reason"]),
)
def test_archive_of_every_ending_keeps_it(
    form: ArchiveFormat, changes: dict[str, str | None]
) -> None:
    record = attrs.evolve(random_record(make_rules("yodd", "hex3"), 5), **changes)  # type: ignore[arg-type]  # values of one key each
    assert list(read_archive([written([record], form)], form)) == [record]


@pytest.mark.parametrize("form", [SGF, ABSTRACT_PLAY])
def test_archive_of_white_start_keeps_it(form: ArchiveFormat) -> None:
    record = attrs.evolve(
        random_record(make_rules("yodd", "hex3"), 1),
        position="yodd hex3 3/4/2b2/4/3 w 0 2",
        turns=("2a1,2e1", "pass", "pass"),
        times=(1.0, 2.0, 3.0),
        winner="b",
        reason="adjudicated",
        score=None,
    )
    assert list(read_archive([written([record], form)], form)) == [record]


# -- other programs' files ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("RE[B+R]", ("b", "resign", None)),
        ("RE[W+T]", ("w", "time", None)),
        ("RE[B+F]", ("b", "adjudicated", None)),
        ("RE[Void]", (None, "void", None)),
        ("RE[W+1];W[pass];B[pass]", ("w", "groups", "W+1")),
        ("DT[2026-10-01];W[pass];B[pass]", ("w", "groups", "W+1")),
    ],
)
def test_sgf_to_record_foreign_tree_keeps_given_fields(
    text: str, ending: tuple[str | None, str, str | None]
) -> None:
    properties, *nodes = text.split(";")
    tree = f"(;YGAME[yodd]YBOARD[hex2]{properties};B[1b2]{''.join(f';{node}' for node in nodes)})"
    (found,) = read_archive([tree], SGF, "file")
    assert isinstance(found, GameRecord)
    assert (found.winner, found.reason, found.score) == ending
    assert (found.id, found.black) == ("file-1", "?")
    assert found.started == ("2026-10-01T00:00:00Z" if "DT" in text else "1970-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ("(;GM[1];B[aa])", "no YGAME"),
        ("(;YGAME[yodd]RE[B+R];B[1z9])", "turn 1, 1z9"),
        ("(;YGAME[yodd];B[1a1])", "the game has no result"),
        ("(;YGAME[yodd]RE[B+R]YEND[oops];B[1a1])", "YEND[oops]: expected reason:detail"),
        ("(;YGAME[yodd]RE[B+R]YSEED[x];B[1a1])", "YSEED[x]: expected a whole number"),
        ("(;YGAME[yodd]RE[B+R];B[1a1]YTIME[x])", "YTIME[x]: expected a number"),
        ("(;YGAME[yodd]RE[B+R]DT[9999-12-31T23:00-05:00];B[1a1])", "expected a date and time"),
    ],
)
def test_sgf_to_record_unfinished_game_is_error(tree: str, reason: str) -> None:
    *_, found = read_archive([tree], SGF)
    assert isinstance(found, NotationError)
    assert reason in found.reason


# -- broken archives ------------------------------------------------------------------------


@pytest.mark.parametrize("form", ArchiveFormat)
def test_read_archive_junk_between_games_loses_none(form: ArchiveFormat) -> None:
    records = [random_record(make_rules("yodd", "hex2"), seed) for seed in (1, 2)]
    texts = [written([record], form).strip(" \n[]") for record in records]
    if form is SGF:
        texts = [written([record], form) for record in records]
    found = list(read_archive(["\n\njunk\n".join(texts)], form))
    assert [item for item in found if isinstance(item, GameRecord)] == records
    (error,) = [item for item in found if isinstance(item, NotationError)]
    assert "junk" in error.reason or "not JSON" in error.reason
    assert error.line > 1


def test_read_archive_truncated_file_ends_with_error() -> None:
    records = [random_record(make_rules("yodd", "hex2"), seed) for seed in (1, 2)]
    for form in (SGF, ABSTRACT_PLAY):
        *found, error = read_archive([written(records, form).rstrip(" \n]})")[:-5]], form)
        assert found == records[:1]
        assert isinstance(error, NotationError)
        assert error.reason == "the text ends inside a game"


@pytest.mark.parametrize(("begin", "form"), [("\n{", JSONL), ("\n(", SGF), ("\n{", ABSTRACT_PLAY)])
def test_read_archive_endless_game_is_refused(begin: str, form: ArchiveFormat) -> None:
    endless = itertools.chain([begin], itertools.repeat("x" * 1_000_000))
    (error,) = read_archive(endless, form)
    assert isinstance(error, NotationError)
    assert f"more than {MAX_PIECE} characters" in error.reason
    assert error.line == (2 if form is JSONL else 1)


def test_write_archive_unplayable_record_yields_error_and_continues() -> None:
    good = random_record(make_rules("yodd", "hex2"), 1)
    bad = attrs.evolve(good, id="bad", turns=("1a1",) * len(good.turns))
    error, text = write_archive([bad, good], SGF, NOW)
    assert isinstance(error, NotationError)
    assert "bad: turns: number 2, 1a1" in error.reason
    assert list(read_archive([str(text)], SGF)) == [good]


SPOILT_TURNS = {
    "even": ("1c3", "1a1"),
    "occupied": ("1c3", "2c3"),
    "twice": ("1c3", "1a1,2a1"),
    "too many": ("1c3,1a1",),
    "a pass at once": ("pass",),
    "no swap": ("1c3", "swap"),
    "after the end": ("1c3", "pass", "pass", "1a1"),
    "no cell": ("1c3", "1z9"),
}


@pytest.mark.parametrize("turns", SPOILT_TURNS.values(), ids=SPOILT_TURNS)
def test_read_archive_on_kernel_gives_same_errors(turns: tuple[str, ...]) -> None:
    nodes = "\n".join(f";{'BW'[n % 2]}[{turn}]" for n, turn in enumerate(turns))
    trees = f"\n(;YGAME[yodd]YBOARD[hex3]RE[B+R]\n{nodes})(;YGAME[yodd]RE[B+R];B[1a1])"
    (value,) = json.loads(written([random_record(make_rules("yodd", "hex3"), 1)], ABSTRACT_PLAY))
    objects = "\n" + json.dumps({**value, "moves": [[turn] for turn in turns]})
    for text, form in ((trees, SGF), (objects, ABSTRACT_PLAY)):
        told = [
            [str(item) for item in read_archive([text], form, on=on)]
            for on in (Position, best_position())
        ]
        assert told[0] == told[1]
        assert any(f"turn {len(turns)}, {turns[-1]}: " in line for line in told[0])


@given(text=st.text(alphabet='(){}[]";\\ab1,:\n', max_size=60), size=st.integers(1, 60))
def test_read_archive_any_text_raises_nothing(text: str, size: int) -> None:
    for form in ArchiveFormat:
        for found in read_archive(cut(text, size), form):
            assert isinstance(found, NotationError)


@pytest.mark.whole
@pytest.mark.parametrize("form", ArchiveFormat)
def test_archive_of_hundreds_of_games_needs_constant_memory(form: ArchiveFormat) -> None:
    record = random_record(make_rules("odd", "hex2"), 3)
    text = written([record], form).strip(" \n")
    text = text.strip("[]") if form is ABSTRACT_PLAY else text
    joint = "," if form is ABSTRACT_PLAY else "\n"
    chunks = itertools.chain.from_iterable((text, joint) for _ in range(800))
    errors: list[NotationError] = []

    def records() -> Iterator[GameRecord]:
        for found in read_archive(chunks, form):
            if isinstance(found, NotationError):
                errors.append(found)
            else:
                yield found

    games, peaks = 0, []
    tracemalloc.start()
    try:
        for _ in write_archive(records(), JSONL, NOW):
            games += 1
            if games % 100 == 0:
                peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    assert (games, errors) == (800, [])
    assert peaks[-1] < peaks[0] + 200_000


TREE = """(;FF[4]GM[9633]YGAME[yodd]YBOARD[hex3]PB[Bolaños]C[Un début: Größe \\] zählt]XX[kept]
;B[1c3]C[the centre]
(;W[2a1,2e3]N[main];B[1b2,1c2])
(;W[pass]C[or this]))
"""


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_copy_trees_keeps_comments_and_variations(size: int) -> None:
    text = TREE + "(;YGAME[yodd]YBOARD[hex3];B[1c3];W[1c3])\n(;GM[1];B[dd])\n"
    parts = list(copy_trees(cut(text, size)))
    errors = [part for part in parts if isinstance(part, NotationError)]
    texts = [part for part in parts if isinstance(part, str)]
    assert len(texts) == 3
    before, _ = parse_sgf(text)
    after, problems = parse_sgf("".join(texts))
    assert problems == []
    assert write_sgf(after) == write_sgf(before)
    assert [node.text("C") for node in after[0].main_line()][:2] == [
        "Un début: Größe ] zählt",
        "the centre",
    ]
    assert [child.text("C") for child in after[0].children[0].children] == [None, "or this"]
    # The second tree breaks a rule and the third is of another game: told, and kept.
    assert [error.line for error in errors] == [5, 6]
    assert "c3 is occupied" in errors[0].reason


def test_copy_trees_junk_between_trees_yields_error() -> None:
    error, tree = copy_trees(["junk(;YGAME[yodd]YBOARD[hex3])"])
    assert isinstance(error, NotationError)
    assert error.reason == "unexpected 'junk'"
    assert tree == "(;YGAME[yodd]\nYBOARD[hex3])\n"


def test_copy_trees_endless_tree_is_refused() -> None:
    (error,) = copy_trees(itertools.chain(["("], itertools.repeat("x" * 1_000_000)))
    assert isinstance(error, NotationError)
    assert f"more than {MAX_PIECE} characters" in error.reason
