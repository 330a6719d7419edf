"""A human of the simulation, who plays a game, whatever happens to the connections."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from tests.simulation.connections import Connection, Gone, Stream, granted
from tests.simulation.models import ACCOUNTS
from yoddd.notation import format_turn, parse_turn
from yoddd.rules import Position, Rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation


@attrs.frozen(eq=False)
class Scene:
    """A position as a client needs it: the seat to move, the number of the turn, the legal turns.

    The seats take turns, also after a swap of their colours.
    """

    position: Position
    seat: str
    number: int
    is_over: bool
    tokens: tuple[str, ...]

    def choose(self, chance: random.Random) -> str:
        return chance.choice(self.tokens) if self.tokens else "pass"


@functools.lru_cache(maxsize=50_000)
def scene(rules: Rules, turns: tuple[str, ...]) -> Scene:
    """The position after some turns; most simulations begin with the same ones."""
    position = Position(rules)
    if turns:
        position = scene(rules, turns[:-1]).position.copy()
        position.play(parse_turn(turns[-1], rules, position.player))
    tokens = tuple(format_turn(turn, rules) for turn in position.legal_turns())
    return Scene(
        position, "bw"[(position.number - 1) % 2], position.number, position.is_over, tokens
    )


@attrs.define(eq=False)
class Table:
    """A game that two clients play, as they agree on it outside of the daemon.

    Attributes:
        id: of the game; None before it is offered.
        rules: of the game.
        is_over: whether one of them knows that it is.
        has_record: whether one has received the record.
    """

    rules: Rules
    id: str | None = None
    is_over: bool = False
    has_record: bool = False


class Human:
    """One of two humans; it follows the game, plays, and comes back after each loss."""

    def __init__(
        self, sim: Simulation, chance: random.Random, table: Table, name: str, seat: str
    ) -> None:
        self.sim, self.chance, self.name = sim, chance, name
        self.talk: Connection | None = None
        self.watch: Connection | None = None
        self.host = "127.0.0.1"
        self.has_account = sim.plan.has_store and name in ACCOUNTS
        self.has_left = False
        self.begin(table, seat)
        self.kind = chance.choice(("text", "text", "web", "page"))

    def begin(self, table: Table, seat: str, key: str | None = None) -> None:
        """Take a seat of another game."""
        self.table, self.seat, self.key = table, seat, key
        self.stream = Stream(is_over=True)
        self.refusals = 0
        self.is_playing = False

    # -- connections ------------------------------------------------------------------------

    async def connect(self) -> Connection:
        """The connection for requests, logged in."""
        if self.has_left:
            raise Gone("left")
        if self.talk is None or not self.talk.is_open:
            self.talk = Connection(self.sim, self.host, self.kind)
            if self.has_account:
                granted(await self.talk.ask(f"login {self.name} token-of-{self.name}"))
        return self.talk

    async def ask(self, line: str) -> str:
        return await (await self.connect()).ask(line)

    def wants(self, operation: str, share: float = 0.3) -> bool:
        """Whether to do now what the plan favours; nothing is drawn where it does not."""
        is_set = operation in self.sim.plan.favours and not self.sim.is_ending
        return is_set and self.chance.random() < share

    def leave(self, *, for_good: bool = False) -> None:
        self.has_left = for_good
        for one in (self.talk, self.watch):
            if one is not None:
                one.close()

    # -- the game ---------------------------------------------------------------------------

    async def offer(self, words: str) -> list[str]:
        """Offer the game of the table; the words after the key.

        Raises:
            Refused: the daemon does not take it.
        """
        rules = self.table.rules
        game = f"game={rules.game.name} board={rules.geometry.name} seat={self.seat}"
        reply = granted(await self.ask(f"seek {self.name} {game} {words}"))
        self.table.id, self.key = reply[:2]
        return reply[2:]

    async def accept(self, *secret: str) -> None:
        """Accept the game of the table.

        Raises:
            Refused: it is not to be had.
        """
        words = ("accept", str(self.table.id), self.name, *secret)
        (self.key,) = granted(await self.ask(" ".join(words)))

    async def play(self, until: Callable[[], bool]) -> None:
        """Play the game to its end, or until then."""
        self.is_playing = True
        while not self.table.is_over and not until():
            try:
                await self._act()
            except Gone:
                self.stream.is_over = True
                await self.sim.sleep(self.chance.expovariate(1.0))
        self.is_playing = False

    async def _act(self) -> None:
        if any(self.wants(word, 0.1) for word in ("away", "claim", "crowd", "desert")):
            self.leave()
            is_long = self.wants("desert", 0.5)
            await self.sim.sleep(30.0 if is_long else self.chance.choice((1.0, 4.0, 8.0, 20.0)))
        if not self.stream.is_over:
            await self._look_for_itself()
        if self.key is None:
            await self._come_back()
        if self.stream.is_over:
            await self.follow()
        before = len(self.stream.lines)
        position = self.scene()
        if self.table.is_over:
            return
        if not await self._asks(position):
            if position is not None and position.seat == self.seat and not position.is_over:
                await self._move(position)
            elif self.chance.random() < 0.1:
                await self._meddle(position)
        if len(self.stream.lines) == before and not self.stream.is_over:
            await self.stream.change(self.sim, self.chance.expovariate(0.5))

    async def _look_for_itself(self) -> None:
        """Come back if it is told that it is away: the lost answer to a ``resume`` had another key
        for it.
        """
        told = [one for one in self.stream.lines if one.startswith(f"presence {self.seat} ")]
        if self.has_account and told and " away " in told[-1]:
            self.stream.is_over = True
            if self.watch is not None and self.watch is not self.talk:
                self.watch.close()
            await self._lost_key()

    async def _asks(self, position: Scene | None) -> bool:
        """Answer the other, or do what the plan favours; whether there was anything to do."""
        asked = self.stream.asked
        if asked and asked[0] == self.seat and self.wants("takeback", 0.8):
            await self.stream.change(self.sim, 1.0)
        elif asked and self.chance.random() < (0.1 if asked[0] == self.seat else 0.5):
            self.stream.asked = None
            await self.ask(f"{asked[1]} {self.key} {asked[2]}")
        elif self.wants("takeback"):
            await self.ask(f"takeback {self.key}")
        elif self.wants("pause", 0.5):
            days = self.chance.choice(("1", "1", "3", "14", "15", "no"))
            await self.ask(f"pause {self.key} {days}")
        elif self.wants("claim", 0.7):
            await self.ask(f"claim {self.key}")
        elif self.wants("meddle"):
            await self._meddle(position)
        else:
            return False
        return True

    async def follow(self) -> None:
        if self.stream.refusal:
            await self._refused()
        if self.stream.lines:  # it ended, perhaps because the store is away
            await self.sim.sleep(0.5)
        if self.watch is None or not self.watch.is_open:
            is_page = self.kind == "page"
            watch = await self.connect() if is_page else None
            self.watch = watch or Connection(self.sim, self.host, self.kind)
        self.stream = self.watch.follow(f"observe {self.table.id} {self.key or ''}".strip())

    async def _refused(self) -> None:
        """Wait: the game that cannot be observed is over, or comes back from the store."""
        self.refusals += 1
        await self.sim.sleep(1.0)
        if self.refusals > 8:
            self.table.is_over = True

    def scene(self) -> Scene | None:
        """The position as the stream tells it; None before the game has begun."""
        stream = self.stream
        self.table.has_record |= stream.has_record
        self.table.is_over |= stream.has_record
        rules = f"position {self.table.rules.game.name} {self.table.rules.geometry.name} "
        if stream.is_begun and not stream.lines[0].startswith(rules):
            self.table.is_over = True  # without a store a restart gives its id to another game
            return None
        return scene(self.table.rules, tuple(stream.turns)) if stream.is_begun else None

    async def _come_back(self) -> None:
        """Get a key after it was lost with a connection."""
        reply = await self.ask(f"resume {self.table.id}")
        if reply[0] == "=":
            self.key = reply.split()[1]
        elif "you play no game" in reply or "log in first" in reply:
            self.table.is_over = True

    async def _move(self, position: Scene) -> None:
        think = self.chance.choice((0.0, 0.0, 0.01, 0.3, 1.5))
        if self.chance.random() < 0.02 or self.wants("think"):
            think = self.chance.choice((4.0, 12.0))
        if think:
            await self.sim.sleep(think)
        number = position.number
        turn = position.choose(self.chance)
        what = self.chance.random()
        if what < 0.02 or self.wants("resign", 0.2):
            turn = "resign"
        line = f"put {self.key} {turn}" + (f" {number}" if turn != "resign" else "")
        if what > 0.97:
            line = self.chance.choice((f"put {self.key} zz {number}", f"put nokey {turn} {number}"))
        talk = await self.connect()
        if what > 0.93:  # the same once more: it is played once
            talk.send(f"{line}\n")
        reply = await talk.ask(line)
        if "no game has this key" in reply and "nokey" not in line:
            await self._lost_key()
        elif "busy" in reply:
            await self.sim.sleep(0.5)

    async def _lost_key(self) -> None:
        """The key plays no game: that is over, or not yet restored, or another key replaced it."""
        reply = await self.ask(f"games {self.table.id}")
        if f"{self.table.id} playing" not in reply and self.sim.house.is_ready:
            self.table.is_over = True
        elif self.has_account:
            self.key = None

    async def _meddle(self, position: Scene | None) -> None:
        """Ask for something out of turn."""
        turn = "pass" if position is None else position.choose(self.chance)
        length = self.chance.randrange(3)
        line = self.chance.choice(
            (
                f"put {self.key} {turn}",
                f"takeback {self.key}",
                f"takeback {self.key} {length}",
                f"takeback {self.key} no",
                f"claim {self.key}",
                f"withdraw {self.key}",
                f"resume {self.table.id} {self.key}",
                f"resume {self.table.id}",
                f"games {self.table.id}",
                "who",
                "\x00\xff",
            )
        )
        reply = await self.ask(line)
        if "no game has this key" in reply:
            await self._lost_key()
        elif line == f"resume {self.table.id}" and reply[0] == "=":
            self.key = reply.split()[1]
