"""Figures of archives: how fast they are converted, and in how much memory."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from yoddd.cli.bench.measure import Figure, rate
from yoddd.kernel import best_position
from yoddd.notation import ArchiveFormat, GameRecord, dump_record, format_turn
from yoddd.notation.archives import read_archive, write_archive
from yoddd.rules import make_rules

_KINDS: Final = 50
_GAMES: Final = 100
_MANY: Final = 10_000
_MEASURED: Final = """
import sys
from yoddd.cli import main

main(sys.argv[1:], standalone_mode=False)
with open("/proc/self/status") as status:  # getrusage would count what its parent had, too
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""
"""Runs the program and prints its peak memory in KiB."""

_NOW: Final = "2030-01-01T00:00:00Z"


def _records(count: int) -> Iterator[GameRecord]:
    """An archive of games of Yodd on hex5: a few random ones, repeated under other names."""
    kinds = [_play(seed) for seed in range(_KINDS)]
    for number in range(count):
        turns, winner, score = kinds[number % _KINDS]
        yield GameRecord(
            id=f"bench-{number}",
            game="yodd",
            board="hex5",
            options={"end_on_full": "off", "own_colour": "off"},
            black="ada",
            white="grace",
            turns=turns,
            times=(0.125,) * len(turns),
            winner=winner,
            reason="groups",
            detail="",
            score=score,
            started=_NOW,
            ended=_NOW,
            clock="60+1",
        )


@cache
def _play(seed: int) -> tuple[tuple[str, ...], str, str]:
    rng = random.Random(seed)
    rules = make_rules("yodd", "hex5")
    position = best_position()(rules)
    tokens = []
    while (outcome := position.outcome()) is None:
        turn = rng.choice(list(position.legal_turns()))
        tokens.append(format_turn(turn, rules))
        position.play(turn)
    letter = outcome.winner.letter
    return tuple(tokens), letter, f"{letter.upper()}+{outcome.score}"


def _archive(count: int, form: ArchiveFormat) -> str:
    parts = write_archive(_records(count), form, _NOW, best_position())
    return "".join(str(part) for part in parts)


def _read(name: str, form: ArchiveFormat) -> Figure:
    text = _archive(_GAMES, form)
    chunks = [text[at : at + 65536] for at in range(0, len(text), 65536)]

    def work() -> int:
        return sum(1 for _ in read_archive(chunks, form, on=best_position()))

    return Figure(name, rate(work, 3), "games/s")


def _write(name: str, form: ArchiveFormat) -> Figure:
    records = list(_records(_GAMES))

    def work() -> int:
        for _ in write_archive(records, form, _NOW, best_position()):
            pass
        return len(records)

    return Figure(name, rate(work, 3), "games/s")


def _peak(folder: Path, count: int, form: ArchiveFormat) -> float:
    """Peak memory in MiB of ``yoddd convert`` for an archive of so many games."""
    source = folder / f"{count}.jsonl"
    with source.open("w", encoding="ascii") as file:
        file.writelines(f"{dump_record(record)}\n" for record in _records(count))
    arguments = ["convert", str(source), str(folder / f"out.{form}")]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


def _convert(name: str, source: ArchiveFormat, target: ArchiveFormat) -> Figure:
    """Seconds of one ``yoddd convert`` of many games, with start-up."""
    with TemporaryDirectory() as made:
        file = Path(made) / f"in.{source}"
        with file.open("w", encoding="utf-8") as lines:
            parts = write_archive(_records(_MANY), source, _NOW, best_position())
            lines.writelines(map(str, parts))
        command = [sys.executable, "-m", "yoddd", "convert", str(file), f"{made}/out.{target}"]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return Figure(name, time.perf_counter() - start, "s")


def _growth(name: str, form: ArchiveFormat) -> Figure:
    with TemporaryDirectory() as made:
        few, many = (_peak(Path(made), count, form) for count in (_MANY // 100, _MANY))
    return Figure(name, many - few, "MiB")


FIGURES: Final[Mapping[str, Callable[[], Figure]]] = {
    **{
        f"records.{word}.{form}": partial(measure, f"records.{word}.{form}", form)
        for word, measure in (("read", _read), ("write", _write))
        for form in ArchiveFormat
    },
    **{
        f"records.convert.{source}": partial(_convert, f"records.convert.{source}", source, target)
        for source, target in (
            (ArchiveFormat.SGF, ArchiveFormat.JSONL),
            (ArchiveFormat.ABSTRACT_PLAY, ArchiveFormat.JSONL),
            (ArchiveFormat.JSONL, ArchiveFormat.SGF),
        )
    },
    "records.memory.growth": partial(_growth, "records.memory.growth", ArchiveFormat.ABSTRACT_PLAY),
}
