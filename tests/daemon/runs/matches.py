"""Matches that `yoddd match` plays between two engines, and the games that it leaves."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.daemon.conftest import engine
from tests.support.programs import PATIENCE, YODDD
from yoddd.notation import GameRecord, load_record

SETTINGS = ["--board", "hex3", "--seed", "9"]


def play(out: Path, marker: str, *options: str) -> subprocess.CompletedProcess[str]:
    engines = [engine(marker), engine(marker, "--seed", "4")]
    command = [*YODDD, "match", *engines, *SETTINGS, "--out", str(out), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def records(out: Path) -> list[GameRecord]:
    return [load_record(line) for line in (out / "games.jsonl").read_text().splitlines()]


def games(out: Path) -> dict[str, tuple[str, ...]]:
    found = [(record.id, record.turns) for record in records(out)]
    assert len(found) == len(dict(found))
    return dict(found)
