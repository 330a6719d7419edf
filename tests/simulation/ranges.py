"""An engine of several copies that plays some games alone, and humans who ask it for all."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tests.simulation.connections import Connection, Gone
from tests.simulation.engines import Engine, attached, challenge
from tests.simulation.models import Range
from yoddd.protocol.origin import fold

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

BOARDS: Final = ("square3", "square4")
CLOCKS: Final = ("5", "10", "30", "none")

RANGES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("boards=square3 clock=..10+0", ("square3",), ("5", "10")),
    ("boards=square3..square4 clock=10+0..", BOARDS, ("10", "30", "none")),
    ("boards=square4 clock=10+0..30+0", ("square4",), ("10", "30")),
)
"""The words of ``attach``, and what of that which humans ask for is in the range."""

PLAYERS: Final = 3


async def choosy(sim: Simulation, chance: random.Random, number: int) -> None:
    """Humans who challenge an engine that has a range, and begins no game at times."""
    names = sim.names() if sim.plan.has_store else [f"h{number}", f"e{number}"]
    plays = sim.judge.ranges[fold(names[1])] = Range(*chance.choice(RANGES))
    plays.copies = chance.randint(1, PLAYERS)
    secret, is_over = f"secret-of-engine-{number}", False
    engines: dict[int, Engine] = {}

    def copy(one: int) -> Callable[[], Engine]:
        def attach() -> Engine:
            words = f"open=yes secret={secret} {plays.words}" + f" copy={one}" * (one > 1)
            words += " closed=at_lunch" * (plays.closed < math.inf)
            engines[one] = Engine(sim, chance, names[1], words=words)
            return engines[one]

        return attach

    done = [
        sim.spawn(attached(sim, chance, names[1], lambda: is_over, copy(one)))
        for one in range(1, plays.copies + 1)
    ]
    playing = [sim.spawn(challenge(sim, chance, names, BOARDS, CLOCKS)) for _ in range(PLAYERS)]
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(0.2))
        _turn(sim, plays, engines, is_closed=plays.closed == math.inf)
        with suppress(Gone):
            talk = Connection(sim)
            await talk.ask("who")
            talk.close()
    _turn(sim, plays, engines, is_closed=False)
    for one in playing:
        await one
    is_over = True
    for one in done:
        await one


def _turn(sim: Simulation, plays: Range, engines: dict[int, Engine], *, is_closed: bool) -> None:
    """Let the engine begin no game any more, or games again: all its copies attach again."""
    for engine in engines.values():
        engine.wire.drop()
    if is_closed:
        plays.closed = sim.time.now
    else:
        plays.closed, plays.opened = math.inf, sim.time.now
