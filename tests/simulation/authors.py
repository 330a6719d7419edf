"""Authors who have their attached engines play each other, and need not be there."""

from __future__ import annotations

import random
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from tests.simulation.connections import Connection, Gone, granted
from tests.simulation.engines import RULES, attached

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation


async def author(sim: Simulation, chance: random.Random, number: int) -> None:
    """An author of two engines, who has them play game after game."""
    names = sim.names() if sim.plan.has_store else [f"a{number}", f"b{number}"]
    is_over = False
    done = [sim.spawn(attached(sim, chance, one, lambda: is_over)) for one in names]
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(1.0))
        with suppress(Gone):
            await _watch(sim, chance, await _offer(sim, chance, names))
    is_over = True
    for one in done:
        await one


async def _offer(sim: Simulation, chance: random.Random, names: list[str]) -> str:
    """Let the engines play a game; its id. Who has asked for it may leave at once.

    Raises:
        Gone: no game comes of it.
    """
    names = chance.sample(names, 2)
    clock, seat = chance.choice(("5", "10", "none")), chance.choice(("b", "w", "any"))
    board = f"game={RULES.game.name} board={RULES.geometry.name}"
    words = f"seek {names[0]} as=engine against={names[1]} {board} clock={clock} seat={seat}"
    with closing(Connection(sim, kind=chance.choice(("text", "web")))) as talk:
        (game,) = granted(await talk.ask(words))
    return game


async def _watch(sim: Simulation, chance: random.Random, game: str) -> None:
    """Follow a game to its end, which comes by itself; or offer the next one meanwhile."""
    is_over = False
    while chance.random() < 0.95 and not is_over and not sim.is_ending:
        with closing(Connection(sim)) as talk:
            stream = talk.follow(f"observe {game}")
            while not stream.is_over and not sim.is_ending:
                await stream.change(sim, 5.0)
        ends = [one for one in stream.lines if one.startswith("record")]
        is_over = bool(stream.refusal or ends)
