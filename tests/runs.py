"""Archives of real games, made without a referee: every turn is drawn at random."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

from yoddd.engine import ENGINES, Budget
from yoddd.notation import GameRecord, dump_record, format_turn
from yoddd.rules import Position, make_rules


def random_record(game_id: str, black: str, white: str, seed: int) -> GameRecord:
    """A whole game of Yodd on hex2."""
    rules = make_rules("yodd", "hex2")
    position, turns = Position(rules), []
    while not position.is_over:
        found = ENGINES["random"]().search(position, Budget(1), seed + position.number, bool)
        turns.append(format_turn(found.turn, rules))
        position.play(found.turn)
    outcome = position.outcome()
    assert outcome is not None
    return GameRecord(
        id=game_id,
        game="yodd",
        board="hex2",
        options=dict(rules.options()),
        black=black,
        white=white,
        turns=tuple(turns),
        times=(0.1,) * len(turns),
        winner=outcome.winner.letter,
        reason="groups",
        score=f"{outcome.winner.letter.upper()}+{outcome.score}",
        started="2026-01-01T00:00:00Z",
        ended="2026-01-01T00:00:01Z",
        clock="none",
    )


def write_archive(
    folder: Path, names: tuple[str, ...] = ("ann", "bob", "cid"), rounds: int = 1
) -> Path:
    """A folder with games of everybody against everybody else, in both seats."""
    folder.mkdir(parents=True)
    with (folder / "games.jsonl").open("w", encoding="ascii") as file:
        pairings = [pair for _ in range(rounds) for pair in permutations(names, 2)]
        for number, (black, white) in enumerate(pairings, start=1):
            record = random_record(f"g{number}", black, white, seed=100 * number)
            file.write(f"{dump_record(record)}\n")
    return folder
