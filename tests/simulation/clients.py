"""Clients of the simulation: humans that play each other, spectators, and strangers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tests.simulation.connections import Connection, Gone, Refused
from tests.simulation.humans import Human, Table
from tests.simulation.models import ACCOUNTS
from yoddd.rules import make_rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

RULES: Final = [
    make_rules(*one) for one in [("yodd", "hex2")] * 4 + [("odd", "square3"), ("yoin", "hex3")]
]
CLOCKS: Final = ("2", "10", "5+1", "move=3", "none", "60", "60")
DAYS: Final = ("days=1", "days=1", "days=3")


async def daily(sim: Simulation, chance: random.Random, number: int) -> None:
    """Two humans who play by the day."""
    await pair(sim, chance, number, DAYS)


async def pair(
    sim: Simulation, chance: random.Random, number: int, clocks: Sequence[str] = CLOCKS
) -> None:
    """Two humans who play game after game."""
    names = sim.names() if sim.plan.has_store else [f"p{number}", f"q{number}"]
    table = Table(RULES[0])
    humans = [Human(sim, chance, table, name, seat) for name, seat in zip(names, "bw", strict=True)]
    sim.pairs.append(humans)
    while not sim.is_ending:
        try:
            share = 0.2 if sim.plan.favours else 0.6
            if not table.has_record or chance.random() < share or not await offer_rematch(humans):
                await _offer(humans, Table(chance.choice(RULES)), clocks)
        except Gone:
            await sim.sleep(chance.expovariate(1.0))
        table = humans[0].table
        if table.id is not None and not table.is_over:
            players = [sim.spawn(one.play(lambda: sim.is_leaving)) for one in humans]
            if chance.random() < 0.3:
                players.append(sim.spawn(spectate(sim, chance, table)))
            for done in players:
                await done
        if chance.random() < 0.3:
            for one in humans:
                one.leave()
        await sim.sleep(chance.expovariate(2.0))
    for one in humans:
        one.leave(for_good=True)


async def _offer(humans: list[Human], table: Table, clocks: Sequence[str]) -> None:
    """Offer a game, to all or by an invite, and accept it."""
    first, second = humans
    chance = first.chance
    for one, seat in zip(humans, chance.choice(("bw", "wb")), strict=True):
        one.begin(table, seat)
    is_claimed = clocks is CLOCKS and first.wants("claim", 0.7)
    clock = "none" if is_claimed else chance.choice(clocks)
    words = f"clock={clock}"
    if first.has_account and chance.random() < 0.7 and not first.wants("snatch", 1.0):
        words += " rated=yes"
    if chance.random() < 0.15 or first.wants("invite", 0.8) or first.wants("meddle"):
        words += " invite=2" if first.wants("invite") else " invite=60"
    try:
        secret = await first.offer(words)
    except Refused:
        await first.sim.sleep(1.0)
        return
    assert table.id is not None
    for _ in range(3 if first.wants("snatch", 0.8) else chance.random() < 0.15):
        first.sim.spawn(snatch(first.sim, chance, table.id))
    if first.wants("invite") or first.wants("meddle"):
        first.leave()
        await first.sim.sleep(4.0)
    if first.wants("withdraw"):
        first.sim.spawn(ask_beside(first, "withdraw"))
    try:
        await second.accept(*secret)
    except Refused:
        table.is_over = True
    except Gone:  # perhaps it has been accepted
        table.is_over = not second.has_account


async def offer_rematch(humans: list[Human]) -> bool:
    """Agree on a rematch; whether it has begun."""
    chance = humans[0].chance
    is_declined = chance.random() < 0.2
    if is_declined:  # by the other, or by the one who has offered it
        await humans[0].ask(f"rematch {humans[0].key}")
        one = humans[humans[0].seat == "b"]
        await one.ask(f"rematch {one.key} no")
    replies = [await one.ask(f"rematch {one.key}") for one in humans]
    if is_declined:
        await humans[0].ask(f"rematch {humans[0].key} no")
    if any(reply[0] != "=" for reply in replies):
        return False
    if chance.random() < 0.3:  # there is only one
        await humans[0].ask(f"rematch {humans[0].key}")
    table = Table(humans[0].table.rules, replies[1].split()[1])
    for one, reply in zip(humans, replies, strict=True):
        one.begin(table, {"b": "w", "w": "b"}[one.seat], reply.split()[2])
    return True


async def ask_beside(human: Human, *requests: str) -> None:
    """Ask for something with a key while something else goes on, such as the beginning."""
    await human.sim.sleep(human.chance.choice((0.0, 0.004, 0.3)))
    with suppress(Gone):
        for request in requests:
            await human.ask(f"{request} {human.key}")


async def snatch(sim: Simulation, chance: random.Random, game_id: str) -> None:
    """Accept a game at the same moment as another."""
    try:
        talk = Connection(sim, "127.0.0.8")
        reply = await talk.ask(f"accept {game_id} snatcher")
        if reply[0] == "=":
            await sim.sleep(chance.expovariate(1.0))
            await talk.ask(f"put {reply.split()[1]} resign")
        talk.close()
    except Gone:
        return


async def spectate(sim: Simulation, chance: random.Random, table: Table) -> None:
    """A spectator, who leaves and comes back."""
    while not table.is_over and not sim.is_leaving:
        try:
            watch = Connection(sim, "127.0.0.7")
            stream = watch.follow(f"observe {table.id}")
        except Gone:
            await sim.sleep(1.0)
            continue
        end = sim.time.now + chance.expovariate(0.2)
        while not stream.is_over and sim.time.now < end and not table.is_over:
            await stream.change(sim, end - sim.time.now)
        watch.close()


async def stranger(sim: Simulation, chance: random.Random, number: int) -> None:
    """A client that tries what only others may."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(2.0))
        try:
            talk = Connection(sim, f"127.0.1.{number}")
            await _try_all(sim, chance, talk)
            talk.close()
        except Gone:
            continue


async def _try_all(sim: Simulation, chance: random.Random, talk: Connection) -> None:
    name = "stranger"
    for _ in range(chance.randint(1, 10)):
        listed = await talk.ask("games")
        ids = [line.split()[0] for line in listed[2:].splitlines() if line] or ["t1"]
        found, key = chance.choice(ids), chance.choice(sim.judge.void_keys or ["nokey"])
        line = chance.choice(
            (
                f"accept {found} {name}",
                f"accept {found} {chance.choice(ACCOUNTS)}",
                f"seek {chance.choice(ACCOUNTS)}",
                f"seek {name} rated=yes",
                f"resume {found}",
                f"resume {found} {key}",
                f"put {key} 1a1",
                f"put {key} resign",
                f"takeback {key}",
                f"withdraw {key}",
                f"login {chance.choice(ACCOUNTS)} token-of-none",
                f"attach {chance.choice(ACCOUNTS)}",
                "\x00\xff",
            )
        )
        line = chance.choice(("", "", "yoddd-")) + line if line[0] != "\x00" else line
        reply = await talk.ask(line)
        if line.startswith(("accept", "yoddd-accept")) and reply[0] == "=":
            await sim.sleep(chance.expovariate(1.0))
            await talk.ask(f"put {reply.split()[1]} resign")
