"""The examples of the documentation run, and do what they say."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.programs import output_of
from yoddd.kernel import backend

pytestmark = [
    pytest.mark.gate,
    pytest.mark.skipif(not backend().is_native, reason="needs the native kernel"),
]

ALPHAZERO = Path(__file__).parents[1] / "docs" / "examples" / "alphazero.py"


@pytest.fixture(scope="module")
def alphazero() -> ModuleType:
    spec = importlib.util.spec_from_file_location("alphazero", ALPHAZERO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_run_of_the_example_goes_on_after_a_break_as_without_one(
    alphazero: ModuleType, tmp_path: Path
) -> None:
    chosen = argparse.Namespace(
        **{name: default for name, (default, _) in alphazero.SETTINGS.items()}
        | {"board": "hex2", "games": 4, "ways": 4, "file": tmp_path / "run.npz"}
    )
    whole, broken = alphazero.Run(chosen), alphazero.Run(chosen)
    for _ in range(2):
        whole.iterate()
    broken.iterate()
    broken.save()
    resumed = alphazero.Run(chosen)
    resumed.load()
    resumed.iterate()
    assert resumed.done == whole.done == 2
    for name, weights in whole.net.weights.items():
        assert (resumed.net.weights[name] == weights).all(), name


@pytest.mark.whole
@pytest.mark.process
def test_example_learns_and_plays(tmp_path: Path) -> None:
    file = str(tmp_path / "hex2.npz")
    tiny = ("--board", "hex2", "--games", "8", "--ways", "8", "--strong", "16", "--file", file)
    example = (sys.executable, ALPHAZERO)
    lines = output_of(*example, "train", *tiny, "--iterations", "5").splitlines()
    assert [line.split()[0] for line in lines] == ["iteration", "1", "2", "3", "4", "5"]
    assert lines[-1].endswith(" of 20")
    again = output_of(*example, "train", *tiny, "--iterations", "6").splitlines()
    assert again[1].split()[0] == "6"
    strong = ("--games", "40", "--strong", "100", "--level", "1")
    wins, _, games = output_of(*example, "match", *tiny, *strong).split()
    assert games == "40"
    assert int(wins) >= 25  # 33, and 16 with the 16 ways of the matches above
