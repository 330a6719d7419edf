"""Clients of the simulation: humans that play each other, whatever happens to their connections."""

from __future__ import annotations

import functools
import random
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import attrs
from twisted.internet.defer import Deferred

from tests.simulation.daemon import TEXT, WEB
from tests.simulation.dialogue import UPGRADE, Dialogue, Messages, Observed, Request
from tests.simulation.invariants import ACCOUNTS
from yoddd.notation import format_turn, parse_turn
from yoddd.rules import Position, Rules, make_rules

if TYPE_CHECKING:
    from tests.simulation.runner import Simulation

PATIENCE: Final = 40.0
"""Seconds after which a client that has no answer connects again."""


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


class Gone(Exception):
    """The connection is lost, or cannot be made."""


@attrs.define(eq=False)
class Stream(Observed):
    """A reply that goes on: its lines so far, and whether it has ended."""

    is_over: bool = False
    refusal: str = ""
    waiting: Deferred[None] | None = None

    def add(self, line: str) -> None:
        super().add(line)
        self.wake()

    def end(self) -> None:
        self.is_over = True
        self.wake()

    def wake(self) -> None:
        waiting, self.waiting = self.waiting, None
        if waiting is not None:
            waiting.callback(None)

    async def change(self, sim: Simulation, most: float) -> None:
        """Wait for the next line, for some seconds at most."""
        self.waiting = Deferred()
        timer = sim.time.callLater(most, self.wake)
        await self.waiting
        if timer.active():
            timer.cancel()


class Connection:
    """A connection of a client: over TCP, a WebSocket, or one of a page, with channels.

    A page asks in one channel, and follows each stream in a channel of its own.

    It is the observer of its own dialogue, of which it tells the judge at once, and itself only
    what arrives.
    """

    def __init__(self, sim: Simulation, host: str = "127.0.0.1", kind: str = "text") -> None:
        port = TEXT if kind == "text" else WEB
        world = sim.house.world
        if world is None or port not in world.reactor.ports:
            raise Gone("refused")
        self._sim, self._is_page, self._reactor = sim, kind == "page", world.reactor
        self.is_deaf = False
        self._messages = None if kind == "text" else Messages()
        # What waits until the handshake of a WebSocket is answered; None from then on.
        self._held: bytes | None = b""
        self._dialogues = [Dialogue(sim.time.seconds, self)]
        # What the daemon has written and the client has not read: the calls that tell it.
        self._coming: deque[list[Callable[[], None]]] = deque()
        self._batch: list[Callable[[], None]] = []
        self._answers: dict[int, Deferred[str]] = {}
        self._streams: dict[int, Stream] = {}
        self.wire = sim.connect(port, host, self)
        sim.connections.append(self)
        if self._messages is not None:
            self.wire.send(UPGRADE % (b"/ws/channels" if self._is_page else b"/ws"))

    @property
    def is_open(self) -> bool:
        is_open = self._messages is None or self._messages.is_open
        return is_open and self.wire.is_open and not self.wire.disconnecting

    @property
    def follows(self) -> bool:
        """Whether a stream goes on."""
        return bool(self._streams)

    def close(self) -> None:
        self.wire.drop()

    # -- requests ---------------------------------------------------------------------------

    def send(self, text: str, channel: int = 1) -> None:
        """Send a line, or what is to be none."""
        if self._messages is None:
            self.wire.send(text.encode())
        else:
            head = f"{channel} " if self._is_page else ""
            data = b"".join(self._messages.write(head + line) for line in text.splitlines())
            if self._held is None:
                self.wire.send(data)
            else:
                self._held += data

    async def ask(self, line: str, most: float = PATIENCE) -> str:
        """Send a request; its reply, without the sign and the number.

        Raises:
            Gone: the connection is lost before.
        """
        if not self.is_open:
            raise Gone("closed")
        number = self._sim.number()
        answer = self._answers[number] = Deferred()
        answer.addTimeout(most, self._sim.clock, lambda *_: "")
        self.send(f"{number} {line}\n")
        text = await answer
        if not text:
            self.close()
            raise Gone("no answer")
        return text

    def follow(self, line: str) -> Stream:
        """Send a request whose reply goes on.

        Raises:
            Gone: the connection is lost.
        """
        if not self.is_open:
            raise Gone("closed")
        number = self._sim.number()
        stream = self._streams[number] = Stream()
        if self._is_page:
            self._dialogues.append(Dialogue(self._sim.time.seconds, self))
        self.send(f"{number} {line}\n", len(self._dialogues))
        return stream

    # -- the wire ---------------------------------------------------------------------------

    def heard(self, data: bytes) -> None:
        if self._messages is None:
            self._dialogues[0].heard(data)
        else:
            for text in self._messages.heard(data):
                dialogue, line = self._channel(text)
                dialogue.request(line)

    def _channel(self, text: str) -> tuple[Dialogue, str]:
        """The dialogue that a message belongs to, and the message."""
        if not self._is_page:
            return self._dialogues[0], text
        number, _, line = text.partition(" ")
        return self._dialogues[int(number) - 1], line

    def wrote(self, data: bytes) -> None:
        self._batch = []
        self._coming.append(self._batch)
        if self._messages is None:
            self._dialogues[0].wrote(data)
        else:
            for text in self._messages.read(data):
                if self._is_page and text.isdigit():  # the channel is closed
                    continue
                dialogue, line = self._channel(text)
                dialogue.message(line)

    def arrived(self, request: Request) -> None:
        self._sim.judge.arrived(request)

    def unanswered(self, calm: float) -> list[str]:
        """The requests that have waited for too long, unless the client reads no reply."""
        is_served = self.is_open and self._sim.house.serves(self.wire)
        if not is_served or not self.wire.is_read:
            return []
        found = [one.unanswered(calm) for one in self._dialogues]
        return [one.line for one in found if one is not None]

    def reply(self, dialogue: Dialogue, request: Request, text: str) -> None:
        is_past = self._reactor.is_superseded
        self._sim.judge.reply(dialogue, request, text, is_past=is_past)
        sign, _, rest = text.partition(" ")
        number = int(sign[1:] or 0)
        self._batch.append(lambda: self._answered(number, f"{sign[0]} {rest}"))

    def line(self, dialogue: Dialogue, request: Request, text: str) -> None:
        if not self._reactor.is_superseded:
            self._sim.judge.line(dialogue, request, text)
        stream = self._streams.get(request.number)
        if stream is not None:
            self._batch.append(lambda: stream.add(text))

    def end(self, dialogue: Dialogue, request: Request) -> None:
        self._sim.judge.end(dialogue, request)
        stream = self._streams.pop(request.number, None)
        if stream is not None:
            self._batch.append(stream.end)

    def took(self, _data: bytes) -> None:
        for call in self._coming.popleft():
            call()
        if self._messages is not None and self.is_open and not self.is_deaf:
            held, self._held = self._held or b"", None
            self.wire.send(held + self._messages.sent())

    def _answered(self, number: int, text: str) -> None:
        answer = self._answers.pop(number, None)
        stream = self._streams.pop(number, None)
        if stream is not None:
            stream.refusal = text
            stream.end()
        if answer is not None and not answer.called:
            answer.callback(text)

    def closing(self) -> None:
        """Expect nothing more: the daemon has begun to close the connection."""
        for dialogue in self._dialogues:
            self._sim.judge.lost(dialogue)

    def lost(self) -> None:
        self.closing()
        streams, self._streams = self._streams, {}
        answers, self._answers = self._answers, {}
        for stream in streams.values():
            stream.end()
        for answer in answers.values():
            if not answer.called:
                answer.errback(Gone("lost"))


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
                reply = await self.talk.ask(f"login {self.name} token-of-{self.name}")
                if reply[0] != "=":
                    raise Gone(reply)
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
        if self.key is None:
            await self._come_back()
        if self.stream.is_over:
            await self._follow()
        before = len(self.stream.lines)
        position = self._scene()
        if self.table.is_over:
            return
        if not await self._asks(position):
            if position is not None and position.seat == self.seat and not position.is_over:
                await self._move(position)
            elif self.chance.random() < 0.1:
                await self._meddle(position)
        if len(self.stream.lines) == before and not self.stream.is_over:
            await self.stream.change(self.sim, self.chance.expovariate(0.5))

    async def _asks(self, position: Scene | None) -> bool:
        """Answer the other, or do what the plan favours; whether there was anything to do."""
        asked = self.stream.asked
        if asked and asked[0] == self.seat and self.wants("takeback", 0.8):
            await self.stream.change(self.sim, 1.0)
        elif asked and self.chance.random() < (0.1 if asked[0] == self.seat else 0.5):
            self.stream.asked = None
            await self.ask(f"takeback {self.key} {asked[1]}")
        elif self.wants("takeback"):
            await self.ask(f"takeback {self.key}")
        elif self.wants("claim", 0.7):
            await self.ask(f"claim {self.key}")
        elif self.wants("meddle"):
            await self._meddle(position)
        else:
            return False
        return True

    async def _follow(self) -> None:
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

    def _scene(self) -> Scene | None:
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
    chance, rules = first.chance, table.rules
    for one, seat in zip(humans, chance.choice(("bw", "wb")), strict=True):
        one.begin(table, seat)
    is_claimed = clocks is CLOCKS and first.wants("claim", 0.7)
    clock = "none" if is_claimed else chance.choice(clocks)
    words = f"game={rules.game.name} board={rules.geometry.name} seat={first.seat} clock={clock}"
    if first.has_account and chance.random() < 0.7 and not first.wants("snatch", 1.0):
        words += " rated=yes"
    if chance.random() < 0.15 or first.wants("invite", 0.8) or first.wants("meddle"):
        words += " invite=2" if first.wants("invite") else " invite=60"
    reply = await first.ask(f"seek {first.name} {words}")
    if reply[0] != "=":
        await first.sim.sleep(1.0)
        return
    table.id, first.key, *secret = reply.split()[1:]
    for _ in range(3 if first.wants("snatch", 0.8) else chance.random() < 0.15):
        first.sim.spawn(snatch(first.sim, chance, table.id))
    if first.wants("invite") or first.wants("meddle"):
        first.leave()
        await first.sim.sleep(4.0)
    if first.wants("withdraw"):
        first.sim.spawn(ask_beside(first, "withdraw"))
    try:
        reply = await second.ask(" ".join(("accept", table.id, second.name, *secret)))
    except Gone:  # perhaps it has been accepted
        table.is_over = not second.has_account
        return
    if reply[0] == "=":
        second.key = reply.split()[1]
    else:
        table.is_over = True


async def offer_rematch(humans: list[Human]) -> bool:
    """Agree on a rematch; whether it has begun."""
    chance = humans[0].chance
    replies = [await one.ask(f"rematch {one.key}") for one in humans]
    if chance.random() < 0.2:
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
