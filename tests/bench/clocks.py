"""Play whole games under every kind of time control and say whether a flag ever fell.

    python -m tests.bench.clocks --games 2 --busy 1

A real ``yoddd gtp`` plays both sides, each on a clock of its own, which is kept here and stated by
``time_left`` before each turn as controllers do. Said of each control: how many turns and games
there were, how many flags fell, the least that was left on a clock when a turn ended, and how much
of their time players had used when their games were over.
"""

from __future__ import annotations

import argparse
import time
from typing import Final

import attrs

from tests.bench.clock import Engine, busy

CONTROLS: Final = (
    "kata-time_settings absolute 2",
    "kata-time_settings fischer 0.5 0.05",
    "kata-time_settings fischer-capped 0.5 0.05 1 0.2",
    "kata-time_settings byoyomi 0.5 0.1 1",
    "kata-time_settings byoyomi 0 0.05 1",
    "kata-time_settings canadian 0.5 0.6 6",
    "time_settings 1 1 8",
    "time_settings 2 0 0",
)


@attrs.define
class Clock:
    """One player's clock.

    Attributes:
        left: seconds of main time, or of the period.
        increment: seconds added after each turn.
        period: seconds for ``stones`` turns once the main time is used up.
        stones: 0 where there is no such period.
        cap: the most that it shows.
        due: turns left in the period; 0 in main time.
        least: the smallest ``left`` at the end of a turn, before anything was added.
        fallen: how often it fell below zero.
    """

    left: float
    increment: float = 0.0
    period: float = 0.0
    stones: int = 0
    cap: float = float("inf")
    due: int = 0
    least: float = float("inf")
    fallen: int = 0

    def __attrs_post_init__(self) -> None:
        if not self.left:
            self._next_period()

    def charge(self, seconds: float) -> None:
        """Charge the time of a turn."""
        self.left -= seconds
        if self.left < 0 and self.stones and not self.due:
            used = -self.left
            self._next_period()
            self.left -= used
        self.least = min(self.least, self.left)
        self.fallen += self.left < 0
        self.left = min(max(0.0, self.left) + self.increment, self.cap)
        if self.due:
            self.due -= 1
            if not self.due:
                self._next_period()

    def _next_period(self) -> None:
        self.left, self.due = self.period, self.stones


def clock_of(control: str) -> Clock:
    """The clock that an order to an engine is about."""
    command, *words = control.split()
    kind = "canadian" if command == "time_settings" else words.pop(0)
    numbers = [float(word) for word in words]
    match kind:
        case "absolute":
            return Clock(numbers[0])
        case "fischer":
            return Clock(numbers[0], numbers[1])
        case "fischer-capped":
            return Clock(numbers[0], numbers[1], cap=numbers[2])
        case "byoyomi":
            return Clock(numbers[0], 0.0, numbers[1], 1)
        case _:
            return Clock(numbers[0], 0.0, numbers[1], int(numbers[2]) if numbers[1] else 0)


def play(engine: Engine, game: str, control: str, seed: int) -> tuple[list[Clock], list[float]]:
    """One game: both clocks at its end, and how long each turn took."""
    clocks, used = [clock_of(control), clock_of(control)], list[float]()
    engine.ask(f"game {game}")
    engine.ask(f"set_param seed {seed}")
    engine.ask(control)
    while engine.ask("legal count") != "0":
        clock, colour = clocks[len(used) % 2], "bw"[len(used) % 2]
        fractions = control.startswith("kata")
        left = f"{clock.left:.3f}" if fractions else str(int(clock.left))
        begun = time.perf_counter()
        engine.ask(f"time_left {colour} {left} {clock.due}")
        engine.ask(f"genmove {colour}")
        used.append(time.perf_counter() - begun)
        clock.charge(used[-1])
    return clocks, used


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="yodd hex5")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--busy", type=int, default=1)
    parser.add_argument("--control", action="append")
    chosen = parser.parse_args()
    engine = Engine()
    with busy(chosen.busy):
        for control in chosen.control or CONTROLS:
            games = [play(engine, chosen.game, control, seed) for seed in range(chosen.games)]
            clocks = [clock for both, _ in games for clock in both]
            spent = [sum(used[side::2]) for _, used in games for side in (0, 1)]
            turns = [turn for _, used in games for turn in used]
            print(
                f"{control}: {len(games)} games, {len(turns)} turns, "
                f"{sum(clock.fallen for clock in clocks)} flags; "
                f"least left {1000 * min(clock.least for clock in clocks):.0f} ms; "
                f"longest turn {1000 * max(turns):.0f} ms; "
                f"used {min(spent):.2f} to {max(spent):.2f} s a player",
                flush=True,
            )
    engine.close()


if __name__ == "__main__":
    main()
