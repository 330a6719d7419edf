"""Archives of random games, made without a referee."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

from tests.support.games import record_of
from yoddd.engine import ENGINES, Budget
from yoddd.notation import GameRecord, dump_record
from yoddd.rules import Position, make_rules


def random_record(game_id: str, black: str, white: str, seed: int) -> GameRecord:
    """A whole game of Yodd on hex2."""
    position = Position(make_rules("yodd", "hex2"))
    while not position.is_over:
        found = ENGINES["random"]().search(position, Budget(1), seed + position.number, bool)
        position.play(found.turn)
    return record_of(position, id=game_id, black=black, white=white, clock="none")


def write_archive(
    folder: Path, names: tuple[str, ...] = ("ann", "bob", "cid"), rounds: int = 1
) -> Path:
    """A folder with games of each pair of names in both seats."""
    folder.mkdir(parents=True)
    with (folder / "games.jsonl").open("w", encoding="ascii") as file:
        pairings = [pair for _ in range(rounds) for pair in permutations(names, 2)]
        for number, (black, white) in enumerate(pairings, start=1):
            record = random_record(f"g{number}", black, white, seed=100 * number)
            file.write(f"{dump_record(record)}\n")
    return folder
