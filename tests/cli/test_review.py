"""``yoddd review``: files in, tables and files out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import yoddd
from tests.support.clusters import working_here
from tests.support.games import SAMPLE
from tests.support.runs import random_record
from tests.support.schemas import validator
from yoddd.kernel import backend
from yoddd.notation import (
    ArchiveFormat,
    dump_record,
    parse_sgf,
    read_sgf_game,
    record_to_sgf,
    write_archive,
    write_sgf,
)

FAST = ("--visits", "50")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two games of random players."""
    records = [random_record(f"g{seed}", "ann", "bob", 100 * seed) for seed in (1, 2)]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{dump_record(record)}\n" for record in records))
    return path


def test_review_writes_tables_and_every_kind_of_file(archive: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"out.{suffix}" for suffix in ("sgf", "json", "jsonl", "html")]
    result = yoddd("review", archive, *FAST, *(word for out in outs for word in ("--out", out)))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "g1: ann (Black) against bob (White): " in result.stdout
    assert "Yodd on hex2, " in result.stdout
    assert "average loss" in result.stdout
    sgf, array, lines, page = (out.read_text() for out in outs)
    trees, problems = parse_sgf(sgf)
    assert problems == []
    assert [read_sgf_game(tree).errors for tree in trees] == [(), ()]
    found = json.loads(array)
    assert [json.loads(line) for line in lines.splitlines()] == found
    assert [one["id"] for one in found] == ["g1", "g2"]
    for one in found:
        validator("review").validate(one)
    assert page.startswith("<!doctype html>")


def test_review_of_one_game_in_any_format_is_the_same(archive: Path, tmp_path: Path) -> None:
    record = random_record("g2", "ann", "bob", 200)
    sources = [archive, tmp_path / "one.sgf", tmp_path / "one.json"]
    sources[1].write_text(write_sgf([record_to_sgf(record)]))
    text = write_archive([record], ArchiveFormat.ABSTRACT_PLAY, "2030-01-31T12:00:00Z")
    sources[2].write_text("".join(map(str, text)))
    found = []
    for source, number in zip(sources, ("2", "1", "1"), strict=True):
        out = tmp_path / "out.json"
        assert yoddd("review", source, *FAST, "--number", number, "--out", out).exit_code == 0
        (one,) = json.loads(out.read_text())
        found.append(one["turns"])
    assert found[0] == found[1] == found[2]


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
def test_review_does_not_depend_on_the_number_of_threads(archive: Path, tmp_path: Path) -> None:
    texts = set()
    for threads in ("1", "3"):
        out = tmp_path / "out.json"
        words = ("--solve-seconds", "0", "--concurrency", threads, "--out", out)
        assert yoddd("review", archive, *FAST, *words).exit_code == 0
        texts.add(out.read_text())
    assert len(texts) == 1


@pytest.mark.skipif(not backend().is_native, reason=backend().detail)
@pytest.mark.process
@pytest.mark.whole
def test_review_on_a_cluster_is_the_same(archive: Path, tmp_path: Path) -> None:
    words = ("--solve-seconds", "0", *FAST)
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert yoddd("review", archive, *words, "--out", here).exit_code == 0
    with working_here() as address:
        result = yoddd("review", archive, *words, "--out", there, "--cluster", address)
    assert result.exit_code == 0, result.output
    assert there.read_text() == here.read_text()


def test_review_of_an_unfinished_game_with_comments_keeps_them(tmp_path: Path) -> None:
    source = tmp_path / "game.sgf"
    source.write_text("(;FF[4]YGAME[yodd]YBOARD[hex2];B[1b2]C[my own](;W[2a1,2c2])(;W[pass]))")
    out = tmp_path / "out.sgf"
    result = yoddd("review", source, *FAST, "--turns", "--out", out)
    assert result.exit_code == 0, result.output
    assert "game-1: ? (Black) against ? (White): no result" in result.stdout
    assert "1b2" in result.stdout
    (tree,), _ = parse_sgf(out.read_text())
    assert (tree.children[0].text("C") or "").startswith("my own")
    assert [child.text("W") for child in tree.children[0].children[:2]] == ["2a1,2c2", "pass"]


def test_review_reports_bad_games_and_reviews_the_others(archive: Path) -> None:
    bad = dump_record(SAMPLE).replace('"1c3"', '"1z3"')
    archive.write_text(f"{bad}\n{archive.read_text()}")
    result = yoddd("review", archive, *FAST)
    assert result.exit_code == 1
    assert "line 1" in result.stderr
    assert result.stdout.count("against bob") == 2


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ("games.txt", 2, "expected a name that ends in .sgf, .jsonl, .json"),
        ("games.jsonl --out x.pdf", 2, "expected a name that ends in .sgf, .json, .jsonl, .html"),
        ("games.jsonl --number 9", 1, "has fewer than 9 games"),
        ("games.jsonl --number 1 --tables /nowhere --visits 1", 0, "--tables is gone"),
    ],
)
def test_review_with_wrong_words_is_refused(
    archive: Path, words: str, status: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(archive.parent)
    (archive.parent / "games.txt").write_text("")
    result = yoddd("review", *words.split())
    assert (result.exit_code, text in result.output.replace("\n", " ")) == (status, True)
