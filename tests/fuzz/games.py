"""Random games in the reference, the kernel and the page's rules at once.

    python -m tests.fuzz.games [--seconds 60] [--seed N]

Each game has random rules: game, board, options. Before each turn all three describe the position,
and judge the same tokens: legal turns, and drops of stones drawn at random. The status is 1 at the
first difference, which is printed with the seed of its game.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from tests.support.games import random_turn
from tests.support.programs import Program
from yoddd.board import Shape, sizes_of
from yoddd.kernel import NativePosition
from yoddd.notation import format_position, format_turn, parse_turn
from yoddd.rules import (
    GAMES,
    PASS,
    SWAP,
    Colour,
    Position,
    PositionLike,
    Rules,
    Stone,
    Turn,
    make_rules,
)

SCRIPT: Final = Path(__file__).with_name("games.mjs")
ROOT: Final = SCRIPT.parents[2]

LARGEST: Final = {Shape.HEX: 8, Shape.SQUARE: 11}
TRIES: Final = 8
"""Tokens that are judged before each turn."""

Game = dict[str, Any]


class Difference(Exception):
    """Two implementations of the rules differ."""


def draw_rules(rng: random.Random) -> Rules:
    """Random rules, more often on a small board."""
    name = rng.choice(sorted(GAMES))
    game = GAMES[name]
    shape = rng.choice(sorted(game.boards))
    sizes = [size for size in sizes_of(shape) if size <= LARGEST[shape]]
    size = min(rng.choice(sizes), rng.choice(sizes))
    options = {
        option.name: str(rng.choice(option.choices))
        for option in game.options
        if rng.random() < 0.3
    }
    return make_rules(name, f"{shape}{size}", options)


def describe(position: PositionLike) -> Game:
    """The facts of a position that all implementations state."""
    groups = position.groups()
    counts = [sum(group.colour is colour for group in groups) for colour in Colour]
    outcome = position.outcome()
    return {
        "line": format_position(position),
        "groups": [*counts, sum(counts)],
        "outcome": outcome and [outcome.winner.letter, outcome.score],
        "over": position.is_over,
        "full": position.is_full,
    }


def draw_turn(position: PositionLike, rng: random.Random) -> Turn:
    """A turn that may be illegal: the stones of any, on empty cells or not."""
    if rng.random() < 0.1:
        return rng.choice((PASS, SWAP))
    cells = rng.sample(range(position.rules.geometry.cells), rng.randrange(1, 3))
    return Turn.drop(*(Stone(rng.choice(list(Colour)), cell) for cell in cells))


def is_spelt(turn: Turn, position: PositionLike) -> bool:
    """Whether a token means the turn: where only own stones are dropped, it names no colours."""
    rules = position.rules
    return parse_turn(format_turn(turn, rules), rules, position.player) == turn


def play(seed: int) -> Game:
    """Play a random game in the reference and in the kernel; return it for the page's rules.

    Raises:
        Difference: the two differ.
    """
    rng = random.Random(seed)
    rules = draw_rules(rng)
    plain, fast = Position(rules), NativePosition(rules)
    steps: list[Game] = []
    while True:
        facts = describe(plain)
        compare(seed, "facts", facts, describe(fast))
        drawn = [draw_turn(plain, rng) for _ in range(TRIES)]
        tries = [one for one in drawn if is_spelt(one, plain)]
        reasons = [plain.illegality(turn) for turn in tries]
        compare(seed, facts["line"], reasons, [fast.illegality(turn) for turn in tries])
        if plain.rules.geometry.cells <= 20:
            compare(seed, facts["line"], [*plain.legal_turns()], [*fast.legal_turns()])
        turn = None if plain.is_over else random_turn(plain, rng)
        texts = [format_turn(one, rules) for one in tries]
        step = {"facts": facts, "tries": [*zip(texts, reasons, strict=True)]}
        steps.append({**step, "turn": turn and format_turn(turn, rules)})
        if turn is None:
            break
        plain.play(turn)
        fast.play(turn)
    return {
        "game": rules.game.name,
        "board": rules.geometry.name,
        "options": rules.chosen_options(),
        "steps": steps,
    }


def compare(seed: int, what: str, plain: object, fast: object) -> None:
    """Compare what the reference says with what the kernel does.

    Raises:
        Difference: it is not the same.
    """
    if plain != fast:
        raise Difference(f"seed {seed}: {what}: the reference says {plain}, the kernel {fast}")


@attrs.frozen
class Page:
    """The page's rules in a process of Node.js."""

    process: Program

    def check(self, seed: int, game: Game) -> None:
        """Replay a game.

        Raises:
            Difference: the page's rules differ from the reference.
        """
        self.process.stdin.write(json.dumps(game) + "\n")
        found = self.process.stdout.readline()
        if found != "null\n":
            text = found or self.process.error_text()
            raise Difference(f"seed {seed}: the page's rules: {text}")


@contextmanager
def page() -> Iterator[Page]:
    """Start the page's rules."""
    node = shutil.which("node")
    assert node is not None, "Node.js is needed"
    with Program([node, str(SCRIPT)], stdin=True, cwd=ROOT) as process:
        yield Page(process)


def run(seconds: float, seed: int) -> int:
    """Play for so long; return the number of games.

    Raises:
        Difference: two implementations differ.
    """
    count, end = 0, time.monotonic() + seconds
    with page() as rules:
        while time.monotonic() < end:
            rules.check(seed + count, play(seed + count))
            count += 1
    return count


def main() -> int:
    """Fuzz, and print what differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() >> 10, help="of the first game")
    options = parser.parse_args()
    try:
        count = run(options.seconds, options.seed)
    except Difference as error:
        sys.stdout.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{count} games from seed {options.seed}: no difference\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
