"""Play two settings of the tree search against each other and say how sure the result is.

    python -m tests.bench.strength --board hex6 --games 100 --playouts 4000 '' 'rave_playouts=50'
    python -m tests.bench.strength --game xodd --board square9 --seconds 0.1 '' 'plain'
    python -m tests.bench.strength --board hex6 --games 200 --seconds 1 --processes 1 \\
        --out yodd-hex6.jsonl --sprt 0 100 'threads=2' 'plain'

Each side is a list of `yoddd.kernel.TreeSettings` fields; ``plain`` stands for the plain UCT
baseline. Two games in a row begin with the same two random turns, with the sides exchanged. Games
run one in each process, so figures by time compare like with like. With ``--out`` every game is
written down, and the same command resumes where it was interrupted; with ``--sprt`` the match ends
as soon as the test between two strengths in Elo is decided.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import attrs

from yoddd.engine.uniform import random_turn
from yoddd.kernel import PLAIN_UCT, NativePosition, TreeSearch, TreeSettings
from yoddd.referee.stats.sprt import Decision, Follower, Sprt
from yoddd.rules import Colour, make_rules

OPENING = 2


@attrs.frozen
class Contest:
    """The settings of a match."""

    game: str
    board: str
    sides: tuple[TreeSettings, TreeSettings]
    playouts: int | None
    seconds: float
    seed: int


def settings(text: str) -> TreeSettings:
    """Read ``name=value,…``."""
    chosen = TreeSettings(memory=256 << 20)
    for word in filter(None, text.split(",")):
        if word == "plain":
            chosen = attrs.evolve(PLAIN_UCT, memory=256 << 20)
            continue
        name, _, value = word.partition("=")
        kind = type(getattr(chosen, name))
        chosen = attrs.evolve(chosen, **{name: kind(float(value))})
    return chosen


def play(contest: Contest, number: int) -> tuple[bool, int]:
    """One game: whether the first side has won, and its length in turns."""
    position = NativePosition(make_rules(contest.game, contest.board))
    rng = random.Random(f"{contest.seed}/{number // 2}")
    for _ in range(OPENING):
        position.play(random_turn(position, rng))
    first = Colour(number % 2)
    while not position.is_over:
        side = contest.sides[position.player is not first]
        seed = rng.randrange(2**32)
        tree = TreeSearch(position, seed=seed, settings=side)
        tree.run(playouts=contest.playouts, seconds=contest.seconds)
        position.play(tree.best_turn())
    outcome = position.outcome()
    if outcome is None:
        raise RuntimeError("a finished game without outcome")
    return outcome.winner is first, position.number - 1


def wilson(wins: int, games: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a rate; E. B. Wilson, J. Am. Stat. Assoc. 22 (1927)."""
    rate = wins / games
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(rate * (1 - rate) / games + (z / games / 2) ** 2)
    return centre - half, centre + half


def results(
    contest: Contest, games: int, processes: int, out: Path | None
) -> Iterator[tuple[bool, int]]:
    """The games in order: those that ``out`` has already, then new ones."""
    head = json.dumps(attrs.asdict(contest))
    known = out.read_text().splitlines() if out is not None and out.exists() else []
    if known and known[0] != head:
        raise SystemExit(f"{out} holds another match: {known[0]}")
    for line in known[1 : games + 1]:
        won, turns = json.loads(line)
        yield won, turns
    with ProcessPoolExecutor(processes) as pool:
        if out is not None and not known:
            out.write_text(f"{head}\n")
        for found in pool.map(partial(play, contest), range(max(0, len(known) - 1), games)):
            if out is not None:
                with out.open("a") as file:
                    file.write(f"{json.dumps(found)}\n")
            yield found


def match(
    games: Iterator[tuple[bool, int]], sprt: Sprt | None
) -> tuple[list[tuple[bool, int]], str]:
    """All games, or as many as the test needs; and what it says."""
    played: list[tuple[bool, int]] = []
    follower = None if sprt is None else Follower(sprt)
    for one in games:
        played.append(one)
        if follower is None or len(played) % 2:
            continue
        follower.add(sum(won for won, _ in played[-2:]))
        if follower.decision is not Decision.CONTINUE:
            break
    return (
        played,
        "" if follower is None else f", SPRT {follower.decision} (LLR {follower.state.llr:.2f})",
    )


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sides", nargs=2, type=settings)
    parser.add_argument("--game", default="yodd")
    parser.add_argument("--board", default="hex6")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--playouts", type=int)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"))
    chosen = parser.parse_args()
    contest = Contest(
        chosen.game,
        chosen.board,
        tuple(chosen.sides),
        chosen.playouts,
        chosen.seconds,
        chosen.seed,
    )
    sprt = None if chosen.sprt is None else Sprt(elo0=chosen.sprt[0], elo1=chosen.sprt[1])
    games = results(contest, chosen.games, chosen.processes, chosen.out)
    played, said = match(games, sprt)
    wins = sum(won for won, _ in played)
    low, high = wilson(wins, len(played))
    length = sum(turns for _, turns in played) / len(played)
    print(
        f"{wins} of {len(played)}: {wins / len(played):.3f} (95 % {low:.3f} to {high:.3f}), "
        f"{length:.1f} turns a game{said}"
    )


if __name__ == "__main__":
    main()
