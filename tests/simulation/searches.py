"""Clients of the daemon's own engine, whose searches take virtual time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.simulation.connections import Connection, Gone
from yoddd.notation import parse_turn
from yoddd.rules import IllegalTurn, Position, make_rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

RULES: Final = make_rules("yodd", "hex5")
"""No table has all positions of the board, so that a search is needed."""


async def searcher(sim: Simulation, chance: random.Random, number: int) -> None:
    """Several clients of the engine at once, who share its thread."""
    clients = [sim.spawn(_client(sim, chance, f"127.0.2.{number}")) for _ in range(3)]
    for done in clients:
        await done


async def _client(sim: Simulation, chance: random.Random, host: str) -> None:
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(1.0))
        try:
            talk = Connection(sim, host, chance.choice(("text", "text", "web")))
            await _play(sim, chance, talk)
            talk.close()
        except Gone:
            continue


async def _play(sim: Simulation, chance: random.Random, talk: Connection) -> None:
    """Let the engine play against itself, and analyse in between."""
    position, seconds = Position(RULES), chance.choice((0.2, 1.0, 3.0))
    await talk.ask(f"game {RULES.game.name} {RULES.geometry.name}")
    engine, ponder = chance.choice(("mcts", "mcts", "random")), chance.choice(("on", "off"))
    for words in (f"engine {engine}", f"ponder {ponder}", f"seconds {seconds}"):
        await talk.ask(f"set_param {words}")
    while not position.is_over and chance.random() < 0.8:
        if engine == "mcts" and chance.random() < 0.4:
            stream = talk.follow("analyze 10")
            await stream.change(sim, chance.expovariate(1.0))
            reply = await talk.ask("stop")
            sim.judge.check(reply[0] == "=" and stream.is_over, f"stop: {reply}")
            continue
        reply = await talk.ask("genmove")
        if reply[0] != "=":
            sim.judge.check("busy" in reply, f"genmove: {reply}")
            continue
        try:
            position.play(parse_turn(reply.split()[1], RULES, position.player))
        except IllegalTurn as error:
            sim.fail(f"genmove chose {reply}: {error.reason}")
