"""Results of every first turn by exact solution: the table of solved boards in the documentation.

    python -m tests.bench.solved [--seconds 20]

A board takes as many solutions as it has first turns that no symmetry maps onto one another.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from yoddd.kernel import NativePosition, solve
from yoddd.notation import format_turn
from yoddd.rules import Rules, make_rules

BOARDS = (
    make_rules("yodd", "hex2"),
    make_rules("xodd", "square2"),
    make_rules("xodd", "square3"),
    make_rules("odd", "hex2"),
    make_rules("odd", "square3"),
    make_rules("odd", "square4"),
    make_rules("yoin", "hex2", {"pie": "off"}),
    make_rules("yoin", "hex3", {"pie": "off"}),
)


def first_turns(rules: Rules, seconds: float) -> dict[str, list[str]]:
    """The first turns by result: ``b``, ``w`` or ``unknown``; images share one solution."""
    start = NativePosition(rules)
    known: dict[int, str] = {}
    found: dict[str, list[str]] = defaultdict(list)
    for turn in list(start.legal_turns()):
        start.play(turn)
        key = start.board.canonical_hash
        if key not in known:
            winner = solve(start, seconds=seconds).winner
            known[key] = winner.letter if winner is not None else "unknown"
        found[known[key]].append(format_turn(turn, rules))
        start.undo()
    return found


def main() -> None:
    """Print a board a paragraph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="for each first turn")
    seconds = parser.parse_args().seconds
    for rules in BOARDS:
        name = " ".join([rules.game.name, rules.geometry.name, *map(str, rules.chosen_options())])
        for result, turns in sorted(first_turns(rules, seconds).items()):
            line = f"{name}: {result} {len(turns)}: {' '.join(turns)}"
            print(line, flush=True)  # noqa: T201 — a report is what it is for


if __name__ == "__main__":
    main()
