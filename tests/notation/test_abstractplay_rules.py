"""The rules agree with Abstract Play's code, and games that it judged kill mutants of the rules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from tests.notation.abstractplay.games import disagreement, judged
from tests.notation.abstractplay.mutants import MUTANTS
from yoddd.kernel import best_position
from yoddd.rules import Position

ROOT = Path(__file__).parents[2]

# Prints the first disagreement of the reference in a folder of its own. An editable install of
# yoddd would be found first.
FIRST = """
import sys
from itertools import islice
sys.meta_path = [one for one in sys.meta_path if "editable" not in type(one).__module__]
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import yoddd
assert yoddd.__file__.startswith(sys.argv[1]), yoddd.__file__
from tests.notation.abstractplay.games import disagreement, judged
from yoddd.rules import Position
for game in islice(judged(), 3000):
    try:
        found = disagreement(game, Position)
    except Exception as error:
        found = repr(error)
    if found:
        print(found)
        break
"""


@pytest.mark.invariant
def test_the_first_hundred_games_are_judged_as_by_abstract_play() -> None:
    assert [
        found for game in islice(judged(), 100) if (found := disagreement(game, Position))
    ] == []


@pytest.mark.invariant
@pytest.mark.whole
def test_a_hundred_thousand_positions_are_judged_as_by_abstract_play() -> None:
    positions = 0
    for game in judged():
        positions += len(game["moves"])
        assert disagreement(game, best_position()) == ""
    assert positions >= 100_000


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package that mutants may change."""
    folder = tmp_path_factory.mktemp("mutants")
    unused = shutil.ignore_patterns("web", "src", "data", "__pycache__", "*.so")
    shutil.copytree(ROOT / "yoddd", folder / "yoddd", ignore=unused)
    return folder


def first_disagreement(package: Path) -> str:
    words = [sys.executable, "-B", "-W", "ignore", "-c", FIRST, str(package), str(ROOT)]
    done = subprocess.run(
        words, cwd=package, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
@pytest.mark.whole
@pytest.mark.parametrize(("file", "old", "new"), MUTANTS, ids=range(len(MUTANTS)))
def test_mutant_of_the_rules_is_killed(package: Path, file: str, old: str, new: str) -> None:
    path = package / "yoddd" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        assert first_disagreement(package)
    finally:
        path.write_text(text, encoding="utf-8")


@pytest.mark.process
@pytest.mark.whole
def test_rules_without_a_mutation_survive(package: Path) -> None:
    assert first_disagreement(package) == ""
