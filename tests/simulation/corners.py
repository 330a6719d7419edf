"""Humans who bring their games into the phases that others rarely reach, and there ask for all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from tests.simulation import others
from tests.simulation.clients import offer_rematch, snatch
from tests.simulation.connections import Gone, Refused, granted
from tests.simulation.engines import attached
from tests.simulation.humans import Human, Table
from yoddd.referee.hosted.state import Phase
from yoddd.rules import make_rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from yoddd.daemon.play.game_runner import GameRunner

RULES: Final = make_rules("yodd", "hex2")
"""Its games are over after a few turns."""

AWAY: Final = 3.3
"""Seconds after which a human counts as away, and its game can be claimed where that is often."""


async def corner(sim: Simulation, chance: random.Random, number: int) -> None:
    """Two humans, one of whom is an engine at times, in one corner after the other."""
    names = sim.names() if sim.plan.has_store else [f"c{number}", f"d{number}"]
    left: list[int] = []
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(5.0))
        if not sim.house.is_ready:
            continue
        table = Table(RULES)
        pair = [
            Human(sim, chance, table, name, seat) for name, seat in zip(names, "bw", strict=True)
        ]
        left = left or chance.sample(range(len(CORNERS)), len(CORNERS))
        with suppress(Gone):
            await CORNERS[left.pop()](*pair)
        for one in pair:
            one.leave(for_good=True)


async def inviter(sim: Simulation, chance: random.Random, number: int) -> None:
    """Offers invites, which another accepts after a crash, or not; some are withdrawn."""
    names = sim.names() if sim.plan.has_store else [f"i{number}", f"j{number}"]
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(1.0))
        table = Table(RULES)
        first, second = (
            Human(sim, chance, table, name, seat) for name, seat in zip(names, "bw", strict=True)
        )
        with suppress(Gone):
            secret = await first.offer(f"clock=10 invite={chance.choice((9, 30))}")
            if chance.random() < 0.5:
                first.leave()
            await crash(first, 0.7)
            await sim.sleep(chance.choice((0.0, 1.0, 4.0)))
            if chance.random() < 0.2:
                await first.ask(f"withdraw {first.key}")
            await _accept_again(second, secret)
            for done in [sim.spawn(one.play(lambda: sim.is_leaving)) for one in (first, second)]:
                await done
        for one in (first, second):
            one.leave(for_good=True)


async def _accept_again(human: Human, secret: list[str]) -> None:
    """Accept an invite, as often as there is no answer.

    Raises:
        Gone: there is none, or the invite is not to be had.
    """
    for _ in range(5):
        try:
            await human.accept(*secret)
        except Refused:
            raise
        except Gone:
            await human.sim.sleep(1.0)
        else:
            return
    raise Gone("no answer")


# -- what they have in common ---------------------------------------------------------------


async def begin(first: Human, second: Human, words: str) -> None:
    """Begin a game that both follow."""
    await first.offer(words)
    await second.accept()
    await follow(first, second)


async def follow(*humans: Human) -> None:
    for human in humans:
        await human.follow()
        await wait(human, "is_begun")


async def wait(human: Human, what: str) -> None:
    """Wait for something that the lines of the game tell."""
    for _ in range(10):
        if getattr(human.stream, what):
            return
        if human.stream.is_over:
            break
        await human.stream.change(human.sim, 1.0)
    raise Gone(f"not {what}")


async def against(human: Human, engine: Human) -> str:
    """The words of an offer to an engine, once that is attached."""
    await human.connect()
    for _ in range(20):
        await human.sim.sleep(0.5)
        if human.sim.house.has_engine(engine.name):
            return f"against={engine.name} clock=60"
    raise Gone(f"{engine.name} is not attached")


async def play(human: Human) -> None:
    """Play a turn as soon as it is due."""
    for _ in range(10):
        position = human.scene()
        if human.stream.is_over or human.table.is_over:
            break
        if position is not None and position.seat == human.seat:
            text = position.choose(human.chance)
            granted(await human.ask(f"put {human.key} {text} {position.number}"))
            return
        await human.stream.change(human.sim, 1.0)
    raise Gone("not to move")


async def beside(human: Human, *lines: str) -> None:
    """Ask for something while something else goes on."""
    with suppress(Gone):
        for line in lines:
            await human.ask(line.replace("KEY", str(human.key)))


async def crash(human: Human, share: float) -> bool:
    """Let the daemon crash, where that happens; whether it has."""
    sim, chance = human.sim, human.chance
    if "crash" not in sim.plan.faults or sim.is_ending or chance.random() >= share:
        return False
    await sim.sleep(0.0)
    if sim.house.world is not None and not sim.is_ending:
        sim.faults.note("crash")
        sim.crash(chance)
        await sim.sleep(3.0)
    return True


@contextmanager
def surely(human: Human, kind: str) -> Iterator[None]:
    """Let a kind of faults happen wherever it may, if the plan has it."""
    human.sim.faults.sure.add(kind)
    try:
        yield
    finally:
        human.sim.faults.sure.discard(kind)


def find(human: Human) -> GameRunner | None:
    """The game of a human."""
    games = human.sim.house.games()
    return next((one for one in games if one.game.id == human.table.id), None)


def abort(human: Human) -> None:
    """Let the administrator end the game as void."""
    runner = find(human)
    if runner is not None:
        others.end(human.sim, runner)


# -- the corners ----------------------------------------------------------------------------


async def absent(first: Human, second: Human) -> None:
    """An invite is accepted while its owner is away; one of them does not come, or neither."""
    await invite(first, second)
    if first.chance.random() < 0.5:
        second.leave()
    else:
        await second.follow()
    await first.sim.sleep(7.0)


async def invite(first: Human, second: Human) -> None:
    """Offer an invite, which is accepted later, perhaps in the moment when its owner is back."""
    secret = await first.offer("clock=10 invite=60" + " rated=yes" * first.has_account)
    first.leave()
    await first.sim.sleep(AWAY)
    if first.chance.random() < 0.35:
        await first.connect()
        first.sim.spawn(_return(first))
    with surely(first, "slow"):
        await second.accept(*secret)
    first.leave()


async def _return(human: Human) -> None:
    """Come back while the beginning is being kept."""
    for _ in range(100):
        await human.sim.sleep(0.1)
        runner = find(human)
        if runner is None or runner.game.phase is not Phase.OFFERED:
            await beside(human, f"resume {human.table.id} KEY")
            return


async def interrupted(first: Human, second: Human) -> None:
    """A game whose other human is away takes all requests, and an end."""
    chance = first.chance
    await invite(first, second)
    turn = "resign" if chance.random() < 0.1 else "pass"
    await beside(second, "takeback KEY", "withdraw KEY", f"put KEY {turn}")
    if second.has_account:
        (second.key,) = granted(await second.ask(f"resume {second.table.id}"))
    if await crash(second, 0.4):
        return
    if chance.random() < 0.8:
        await second.ask(f"claim {second.key}")
    else:
        abort(second)


async def queue(first: Human, second: Human) -> None:
    """A game that waits for an engine, which plays another one, takes all requests."""
    sim, is_over = first.sim, False
    done = sim.spawn(attached(sim, first.chance, second.name, lambda: is_over or sim.is_ending))
    try:
        words = await against(first, second)
        await first.offer(words)
        key = first.key
        await first.offer(words)
        await beside(first, "takeback KEY", "claim KEY", "put KEY pass")
        if first.has_account:
            (first.key,) = granted(await first.ask(f"resume {first.table.id}"))
        if await crash(first, 0.65):
            return
        if first.chance.random() < 0.3:
            abort(first)
        with surely(first, "away"):
            await beside(first, "withdraw KEY")
        await beside(first, f"put {key} resign")
    finally:
        is_over = True
        await done


async def hasty(first: Human, second: Human) -> None:
    """Requests come while the beginning of a game is being kept."""
    sim, is_over = first.sim, False
    done = sim.spawn(attached(sim, first.chance, second.name, lambda: is_over or sim.is_ending))
    try:
        words = await against(first, second)
        with surely(first, "slow"):
            await first.offer(words)
            lines = "takeback KEY", "claim KEY", "withdraw KEY", "put KEY pass"
            asked = sim.spawn(beside(first, *lines))
            await sim.sleep(0.1)
        if not await crash(first, 0.6):
            abort(first)
            await asked
    finally:
        is_over = True
        await done


async def snatched(first: Human, second: Human) -> None:
    """Several accept an offer at once, while it is withdrawn."""
    sim = first.sim
    for _ in range(3):
        await first.offer("clock=10")
        await second.connect()
        for _ in range(3):
            sim.spawn(snatch(sim, first.chance, str(first.table.id)))
        sim.spawn(beside(first, "withdraw KEY"))
        with suppress(Gone):
            await second.accept()
            await sim.sleep(0.1)
            await second.ask(f"put {second.key} resign")
        await sim.sleep(1.0)


async def taken_back(first: Human, second: Human) -> None:
    """The first turn is taken back, then two turns, then one."""
    await begin(first, second, "clock=60")
    await play(first)
    await _take_back(first, second)
    await play(first)
    await play(second)
    await _take_back(first, second)
    await play(first)
    await play(second)
    await _take_back(second, first)
    if second.has_account:
        (second.key,) = granted(await second.ask(f"resume {second.table.id}"))
    await first.ask(f"put {first.key} resign")


async def _take_back(first: Human, second: Human) -> None:
    """Ask to take one's last turn back; the other agrees."""
    granted(await first.ask(f"takeback {first.key}"))
    await wait(second, "asked")
    assert second.stream.asked is not None
    left, turns = second.stream.asked[2], len(second.stream.turns)
    second.stream.asked = None
    granted(await second.ask(f"takeback {second.key} {left}"))
    for _ in range(10):
        if len(second.stream.turns) < turns:
            return
        await second.stream.change(second.sim, 1.0)


async def again(first: Human, second: Human) -> None:
    """Game after game, each the rematch of the one before, which has ended in another way."""
    chance = first.chance
    await begin(first, second, "clock=5")
    for end in chance.sample(ENDINGS, len(ENDINGS)):
        await end(first, second)
        await wait(first, "has_record")
        if await crash(first, 0.1) or first.sim.is_ending:
            return
        if not await offer_rematch([first, second]):
            return
        first, second = sorted((first, second), key=lambda one: one.seat)
        await follow(first, second)


async def _play(first: Human, second: Human) -> None:
    with suppress(Gone):  # there is no turn any more
        while True:
            await play(first)
            await play(second)


async def _resign(first: Human, _second: Human) -> None:
    await first.ask(f"put {first.key} resign")


async def _wait(first: Human, _second: Human) -> None:
    """Let the time of the one who is to move run out."""
    await wait(first, "has_record")


async def _leave(first: Human, second: Human) -> None:
    """Let the other claim the game."""
    second.leave()
    await first.sim.sleep(AWAY)
    await first.ask(f"claim {first.key}")


async def _abort(first: Human, _second: Human) -> None:
    abort(first)


ENDINGS: Final = (_play, _resign, _wait, _leave, _abort)
"""How games end: by groups, resignation, time, absence, and the administrator."""


async def suspended(first: Human, second: Human) -> None:
    """A game whose humans are away gives its place up, and takes it again."""
    sim, chance = first.sim, first.chance
    if chance.random() < 0.5:
        await invite(first, second)
    else:
        await begin(first, second, "clock=none")
        await play(first)
        first.leave()
    second.leave()
    await sim.sleep(AWAY)
    hosts = [Human(sim, chance, Table(RULES), f"g{sim.number()}", "b") for _ in range(3)]
    for one in hosts:
        with suppress(Gone):
            await one.offer("invite=1.5")
    await beside(first, f"resume {first.table.id} KEY")
    await sim.sleep(1.5)
    for one in hosts:
        one.leave(for_good=True)
    await beside(first, "put KEY resign")


CORNERS: Final = (
    *(absent, interrupted) * 2,
    queue,
    hasty,
    snatched,
    taken_back,
    again,
    suspended,
)
