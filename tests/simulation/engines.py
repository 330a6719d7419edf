"""Engines of the simulation, attached over the wire, and those who let them play."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tests.simulation.clients import DAYS, ask_beside
from tests.simulation.connections import Connection, Gone, Stream
from tests.simulation.daemon import TEXT
from tests.simulation.humans import Human, Table, scene
from tests.simulation.models import ACCOUNTS
from yoddd.defaults import LAUNCH
from yoddd.protocol.controller import MANDATORY
from yoddd.protocol.origin import fold
from yoddd.rules import make_rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation
    from tests.simulation.world import Reactor

RULES: Final = make_rules("odd", "square3")

LISTED: Final = (*MANDATORY, "game", "position", "time_left", "time_settings")


class Player:
    """An engine that mostly plays, and sometimes stalls, lies or ends.

    It tells the judge of each such deed, so that a game is lost by it for no other.
    """

    def __init__(self, sim: Simulation, chance: random.Random, name: str) -> None:
        self.sim, self.chance, self.name = sim, chance, name
        self.is_mute = False
        self.refusal = ""
        self._input = b""
        self._rules = RULES
        self._turns: list[str] = []

    def send(self, data: bytes) -> None:
        """Write to the one that plays it."""
        raise NotImplementedError

    def leave(self) -> None:
        """End."""
        raise NotImplementedError

    def stop(self) -> None:
        """End because it was told to."""
        self.leave()

    def took(self, data: bytes) -> None:
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words and words[0].isdigit():
                self._answer(words[0], words[1], words[2:])
            elif words and words[0] == "?":
                self.refusal = line.decode()
                self.leave()

    def _answer(self, number: str, command: str, words: list[str]) -> None:
        text = ""
        match command:
            case "list_commands":
                text = "\n".join(LISTED)
            case "protocol_version":
                if self._stalls and self.sim.plan.seconds > LAUNCH:
                    self.sim.judge.deed(self.name, "stall")
                    return
                text = "2"
            case "game" | "clear_board":
                self._turns = []
                self._set_up(*words[:2])
                if self._stalls:
                    self.sim.judge.deed(self.name, "stall")
                    return
            case "position":
                self._turns = words[words.index("moves") + 1 :] if "moves" in words else []
            case "play":
                self._turns.append(words[1])
            case "genmove":
                self._play(number)
                return
        self.send(f"={number} {text}\n\n".encode())
        if command == "quit":
            self.stop()

    def _set_up(self, *words: str) -> None:
        """Take the rules, of which ``clear_board`` has none; they are in the range of an engine."""
        if words:
            self._rules = make_rules(words[0], words[1])
            plays = self.sim.judge.ranges.get(fold(self.name))
            fits = plays is None or words[1] in plays.boards
            self.sim.judge.check(fits, f"{self.name} is set up for {words}")

    @property
    def _stalls(self) -> bool:
        """Whether it does not answer now, as no other that is mute."""
        return self.is_mute and int(self.sim.time.now) % 2 == 0

    def _play(self, number: str) -> None:
        text = scene(self._rules, tuple(self._turns)).choose(self.chance)
        what, think = self.chance.random(), self.chance.choice((0.0, 0.01, 0.2))
        if what < 0.01:
            self.sim.judge.deed(self.name, "time")
            return
        if what < 0.02:
            self.sim.judge.deed(self.name, "illegal")
            text = "zz"
        elif what < 0.03:
            self.sim.judge.deed(self.name, "protocol")
            number = "7" + number
        elif what < 0.04:
            self.leave()
            return
        self._turns.append(text)
        self.sim.time.callLater(think, self.send, f"={number} {text}\n\n".encode())


class Engine(Player):
    """An engine that attaches.

    Attributes:
        asked: when its request to attach had arrived; None before.
    """

    def __init__(
        self,
        sim: Simulation,
        chance: random.Random,
        name: str,
        host: str = "127.0.0.1",
        *,
        words: str = "open=yes",
        reactor: Reactor | None = None,
    ) -> None:
        """Attach to the daemon that serves, or to what listens in a reactor."""
        is_there = sim.house.listens(TEXT) if reactor is None else TEXT in reactor.ports
        if not is_there:
            raise Gone("refused")
        super().__init__(sim, chance, name)
        self.is_lost = False
        self.asked: float | None = None
        self.wire = sim.connect(TEXT, host, self, reactor)
        sim.judge.attaching(self)
        is_account = sim.plan.has_store and name in ACCOUNTS
        token = f" token=token-of-{name}" if is_account else ""
        self.wire.send(f"attach {name}{token} {words}".strip().encode() + b"\n")

    def send(self, data: bytes) -> None:
        self.wire.send(data)

    def leave(self) -> None:
        self.wire.drop()

    def heard(self, data: bytes) -> None:
        if self.asked is None and b"\n" in data:
            self.asked = self.sim.time.now

    def wrote(self, data: bytes) -> None: ...

    def closing(self) -> None: ...

    def lost(self) -> None:
        self.is_lost = True
        self.sim.judge.deed(self.name, "disconnect")


async def attached(
    sim: Simulation,
    chance: random.Random,
    name: str,
    until: Callable[[], bool] | None = None,
    attach: Callable[[], Engine] | None = None,
) -> None:
    """An engine that attaches again after each loss, until then."""
    engine: Engine | None = None
    while not (until() if until is not None else sim.is_ending):
        if engine is None or engine.is_lost:
            engine = None
            with suppress(Gone):
                engine = Engine(sim, chance, name) if attach is None else attach()
                # A turn of a human waits for its engine.
                engine.is_mute = "mute" in sim.plan.favours and until is None
        await sim.sleep(0.5)
    if engine is not None:
        engine.wire.drop()


async def solo(sim: Simulation, chance: random.Random, number: int) -> None:
    """A human who plays an engine, game after game, or several at once."""
    names = sim.names() if sim.plan.has_store else [f"h{number}", f"e{number}"]
    is_over = False
    done = sim.spawn(attached(sim, chance, names[1], lambda: is_over))
    games = 5 if "queue" in sim.plan.favours else 1
    clocks = DAYS if sim.plan.has("daily") else ("10", "none", "5+1")
    for playing in [
        sim.spawn(challenge(sim, chance, names, ("square3",), clocks)) for _ in range(games)
    ]:
        await playing
    is_over = True
    await done


async def challenge(
    sim: Simulation,
    chance: random.Random,
    names: list[str],
    boards: Sequence[str],
    clocks: Sequence[str],
) -> None:
    """A human who plays game after game against an engine."""
    while not sim.is_ending:
        await sim.sleep(chance.expovariate(1.0))
        rules = RULES if len(boards) == 1 else make_rules("odd", chance.choice(boards))
        table, seat = Table(rules), chance.choice("bw")
        human = Human(sim, chance, table, names[0], seat)
        clock = chance.choice(clocks)
        rated = " rated=yes" if sim.plan.has_store and chance.random() < 0.5 else ""
        with suppress(Gone):
            await human.offer(f"against={names[1]} clock={clock}{rated}")
            if human.wants("meddle", 0.7):
                sim.spawn(ask_beside(human, "claim", "takeback"))
                sim.spawn(ask_beside(human, "withdraw"))
            await human.play(lambda: sim.is_leaving)
        human.leave(for_good=True)


async def match(sim: Simulation, chance: random.Random, number: int) -> None:
    """A match of two engines, which goes on after each loss with the games that are not played."""
    names = sim.names() if sim.plan.has_store else [f"e{number}", f"f{number}"]
    done = [sim.spawn(attached(sim, chance, name)) for name in names]
    records: dict[int, str] = {}
    games = chance.randint(1, 6)
    if "mute" in sim.plan.favours:
        games = 12
        done.append(sim.spawn(_match_absent(sim, names[0])))
    while not sim.is_ending and len(records) < games:
        await sim.sleep(1.0)
        try:
            talk = Connection(sim)
            stream = talk.follow(
                f"match {names[0]} {names[1]} game=odd board=square3 games={games} "
                f"from={len(records) + 1} clock=5 wait=5"
            )
        except Gone:
            continue
        read = 0
        while (read < len(stream.lines) or not stream.is_over) and not sim.is_ending:
            if read == len(stream.lines):
                await stream.change(sim, 5.0)
                continue
            word, *rest = stream.lines[read].split(" ", 2)
            read += 1
            if word == "record":
                game, record = int(rest[0]), json.loads(rest[1])
                sim.judge.check(game not in records, f"game {game} of a match is played twice")
                sim.judge.check(game == len(records) + 1, f"game {game} of a match is out of turn")
                first = names[(game - 1) % 2]
                sim.judge.check(record["black"] == first, f"game {game}: {record['black']} begins")
                sim.judge.judge_engines(record)
                sim.judge.judge_result(record)
                if record["reason"] == "void":
                    break  # it is played again
                records[game] = record["reason"]
        talk.close()
    for one in done:
        await one


async def _match_absent(sim: Simulation, name: str) -> None:
    """Matches that wait in vain for the other engine."""
    while not sim.is_ending:
        await sim.sleep(1.0)
        with suppress(Gone):
            talk = Connection(sim)
            await talk.follow(f"match {name} absent game=odd wait=1").change(sim, 5.0)
            talk.close()


async def ladder(sim: Simulation, chance: random.Random, _number: int) -> None:
    """Engines that the ladder pairs, and a spectator who goes from game to game."""
    done = [sim.spawn(attached(sim, chance, name)) for name in sim.names()]
    while not sim.is_ending:
        await sim.sleep(0.3)
        try:
            talk = Connection(sim)
            listed = (await talk.ask("games"))[2:].splitlines()
            games = [line.split()[0] for line in listed if " playing " in line and line[0] == "r"]
            stream = talk.follow(f"observe {games[-1]}") if games else Stream(is_over=True)
        except Gone:
            continue
        while not stream.is_over and not sim.is_ending:
            await stream.change(sim, 2.0)
        talk.close()
    for one in done:
        await one
