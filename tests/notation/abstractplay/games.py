"""Games that Abstract Play's code has judged: ``judged.jsonl.gz``.

``make.py`` of commit eb2956d has written it.

Each line is a game with the verdicts of `gameslib <https://github.com/AbstractPlay/gameslib>`_: the
moves, for each position in hexadecimal which of eight turns it takes, the winner, and the counts of
groups (of Product its scores) at the end. The turns that are tried depend on nothing but the cells
and the number of the game and the position, so they need no place in the file.

Product was judged by the checkout b8c31156. It is older than ``yodd.ts``, so Yodd and Xodd were
judged by the rule functions of c3b7bfd2's, copied by hand without messages, rendering and chat.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from yoddd.notation import parse_turn
from yoddd.rules import PASS, Colour, PositionLike, Rules, Stone, Turn, make_rules

JUDGED: Final = Path(__file__).with_name("judged.jsonl.gz")
TRIED: Final = 8
KINDS: Final[tuple[tuple[str, str, dict[str, Any], list[str]], ...]] = (
    ("yodd", "hex2", {"end_on_full": True}, ["hex-2"]),
    ("yodd", "hex3", {"end_on_full": True}, ["hex-3"]),
    ("yodd", "hex4", {"end_on_full": True}, ["hex-4"]),
    ("xodd", "square3", {"end_on_full": True}, ["square-3"]),
    ("xodd", "square4", {"end_on_full": True}, ["square-4"]),
    ("xodd", "square5", {"end_on_full": True}, ["square-5"]),
    ("product", "hex3", {"tie": "black"}, ["size-3"]),
    ("product", "hex3", {"tie": "black", "one_group": True}, ["size-3", "1-group"]),
)
"""Games, boards and options here; the variants there."""


def rules_of(number: int) -> tuple[Rules, list[str]]:
    """The rules of a game by its number, and its variants there."""
    game, board, options, variants = KINDS[number % len(KINDS)]
    return make_rules(game, board, options), variants


def tries(position: PositionLike, number: int) -> list[Turn]:
    """A pass, and turns that are legal or not, mostly on empty cells.

    No cell comes twice in a turn: their code takes ``1a1,2a1`` for one stone.
    """
    rng = random.Random(f"{number}:{len(position.history)}")
    every = range(position.rules.geometry.cells)
    empty = [cell for cell in every if position.cells[cell] is None]
    found = [PASS]
    while len(found) < TRIED:
        pool = empty if rng.randrange(8) else every
        cells = rng.sample(pool, min(len(pool), 1 + rng.randrange(2)))
        found.append(Turn.drop(*sorted(Stone(Colour(rng.randrange(2)), cell) for cell in cells)))
    return found


def judged() -> Iterator[dict[str, Any]]:
    """The games of the file."""
    with gzip.open(JUDGED, "rt", encoding="ascii") as lines:
        yield from map(json.loads, lines)


def disagreement(game: dict[str, Any], on: type[PositionLike]) -> str:
    """The first difference between their verdicts and ours; empty if there is none."""
    number: int = game["number"]
    rules, _ = rules_of(number)
    position = on(rules)
    for at, (move, bits) in enumerate(zip(game["moves"], game["taken"], strict=True)):
        if position.is_over:
            return f"game {number} is over before move {at + 1}"
        taken = int(
            "".join(str(int(position.is_legal(turn))) for turn in tries(position, number)), 2
        )
        if taken != int(bits, 16):
            return f"game {number}, move {at + 1}: takes {taken:02x}, and they {bits}"
        position.play(parse_turn(move, rules, position.player))
    return _end(position, game)


def _end(position: PositionLike, game: dict[str, Any]) -> str:
    outcome = position.outcome()
    winner = None if outcome is None else 1 + int(outcome.winner)
    if winner != game["winner"]:
        return f"game {game['number']}: {winner} wins, and there {game['winner']}"
    counts = list(position.count())
    if position.rules.game.name != "product" and counts != game["counts"]:
        return f"game {game['number']}: counts {counts}, and there {game['counts']}"
    return ""
