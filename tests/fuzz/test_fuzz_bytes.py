"""Random bytes: no exception escapes, and memory stays flat."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import pytest

from tests.fuzz.grammar_target import check_bytes, check_lines
from tests.fuzz.input_targets import CORPUS, TARGETS
from tests.protocol.vectors import FILES, connections
from tests.support.programs import output_of

TARGET = Path(__file__).with_name("grammar_target.py")
LINES = [e.line for file in FILES for connection in connections(file) for e in connection]


def mutants(seed: int, count: int) -> list[bytes]:
    """Pieces of real lines with bytes exchanged, joined and cut."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        data = bytearray(b"\n".join(rng.choices(LINES, k=rng.randrange(1, 4))))
        for _ in range(rng.randrange(4)):
            data[rng.randrange(len(data) or 1) : rng.randrange(len(data) + 1)] = rng.randbytes(
                rng.randrange(4)
            )
        found.append(bytes(data) + b"\n")
    return found


@pytest.mark.parametrize("seed", range(5))
def test_mutants_of_the_vectors_do_no_harm(seed: int) -> None:
    for data in mutants(seed, 60):
        check_bytes(data)


def test_lines_of_the_vectors_round_trip() -> None:
    for line in LINES:
        check_lines(line + b"\n")


@pytest.mark.parametrize("name", TARGETS)
def test_mutants_of_each_corpus_do_no_harm(name: str) -> None:
    seeds = [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]
    for seed in seeds:
        TARGETS[name](seed)
    rng = random.Random(name)
    for _ in range(200):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(1, 5)):
            start = rng.randrange(len(data) + 1)
            data[start : start + rng.choice((0, 1, 9))] = rng.choice(
                (b"", b"9" * 400, b"[" * 500, b'"', b"\\", b"1e999", rng.randbytes(3))
            )
        TARGETS[name](bytes(data))


@pytest.mark.whole
@pytest.mark.process
def test_the_grammar_stands_guided_fuzzing() -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed")
    options = ("-max_total_time=4", "-max_len=400", "-seed=1")
    output_of(sys.executable, TARGET, *options, cwd=TARGET.parents[2])
