"""Environment steps a second, ours and OpenSpiel's, under the same random policy in one run.

    pip install open_spiel          # only for the comparison; nothing of ours needs it
    python -m tests.bench.environments

A step is one action: the legal ones are asked for, one is drawn uniformly, and it is applied.
OpenSpiel's states are stepped one by one from Python, the way its Python programs do it, on boards
of about as many cells. Seconds are those of the processor, since machines have other work.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from yoddd.cli.bench import library
from yoddd.cli.bench.measure import rate
from yoddd.library import load_game
from yoddd.library.pettingzoo import env

_STEPS: Final = 5_000
_THEIRS: Final = (
    "hex(board_size=10)",  # 100 cells
    "havannah(board_size=6)",  # 91 cells
)


def walk(game: Any) -> int:
    """Play single states at random; return the number of actions."""
    rng = random.Random(1)
    state = game.new_initial_state()
    for _ in range(_STEPS):
        if state.is_terminal():
            state = game.new_initial_state()
        state.apply_action(rng.choice(state.legal_actions()))
    return _STEPS


def roam(environment: Any) -> int:
    """The same through PettingZoo's environment with its wrappers."""
    rng = random.Random(1)
    for step in range(_STEPS):
        if step == 0 or not environment.agents:
            environment.reset()
        observation, _, termination, truncation, _ = environment.last()
        legal = observation["action_mask"].nonzero()[0]
        over = termination or truncation
        environment.step(None if over else int(rng.choice(legal)))
    return _STEPS


def tell(name: str, work: Callable[[], int]) -> None:
    """Print a figure."""
    value = rate(work, 3, time.process_time)
    print(f"{name:<40} {value:>12,.0f} steps/s")


def main() -> None:
    """Print a figure a line."""
    tell("yodd hex6, batch of 1,024", library.Walk("hex6", 1, observe=False))
    tell("yodd hex6, single State", partial(walk, load_game("yodd", "hex6")))
    tell("yodd hex6, PettingZoo", partial(roam, env("yodd", "hex6")))
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        sys.exit("for OpenSpiel's figures: pip install open_spiel")
    for name in _THEIRS:
        tell(f"OpenSpiel {name}", partial(walk, pyspiel.load_game(name)))


if __name__ == "__main__":
    main()
