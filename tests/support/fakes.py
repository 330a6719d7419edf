"""Engines and a game runner for tests of the referee, without processes, sockets or real time."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Mapping

import attrs

from yoddd.protocol.controller import MANDATORY, EngineInfo, ReplyReceived
from yoddd.referee import (
    Ask,
    Finished,
    Game,
    GameSetup,
    Reason,
    Seat,
    TurnPlayed,
    WaitLimits,
    WakeAt,
    parse_clock,
)
from yoddd.rules import make_rules

WALL = "2030-01-31T12:00:00Z"
PLAIN = frozenset(MANDATORY)
TIMED = PLAIN | {"time_settings", "time_left"}
FULL = TIMED | {"game", "position", "set_param", "kata-time_settings"}


def info(commands: Iterable[str] = FULL, protocol: str = "2") -> EngineInfo:
    """The result of the handshake with an engine that has these commands."""
    return EngineInfo("fake", "1", protocol, frozenset(commands))


def make_setup(
    game: str = "yodd",
    board: str = "hex3",
    *,
    options: dict[str, str] | None = None,
    clock: str = "none",
    position: str | None = None,
    opening: tuple[str, ...] = (),
    seed: int | None = None,
    resume: float = 0.0,
) -> GameSetup:
    """A game of Ada, who begins, against Bob."""
    return GameSetup(
        id="g1",
        rules=make_rules(game, board, options),
        names=("Ada", "Bob"),
        clock=parse_clock(clock),
        position=position,
        opening=opening,
        seed=seed,
        limits=WaitLimits(resume=resume),
    )


@attrs.define
class ManualClock:
    """A clock that the test sets."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


class FakeEngine:
    """Plays the given turns; answers all else with nothing.

    `replies` maps a command's first word, or the whole command, to another answer: a text, one
    that begins with ``?`` for a refusal, or None for silence. After the last turn `genmove` meets
    silence, too. `infos` are the info lines before the turns.
    """

    def __init__(
        self,
        turns: Iterable[str] = (),
        replies: Mapping[str, str | None] | None = None,
        commands: Iterable[str] = FULL,
        think: float = 1.0,
        infos: Iterable[str] = (),
    ) -> None:
        self.info = info(commands)
        self.asked: list[str] = []
        self.think = think
        self._turns = list(turns)
        self._infos = list(infos)
        self._replies = dict(replies or {})

    def answer(self, command: str) -> ReplyReceived | None:
        """The reply to ``command``; None for silence."""
        self.asked.append(command)
        word = command.split(maxsplit=1)[0]
        text: str | None = ""
        info = self._infos.pop(0) if word == "genmove" and self._infos else ""
        if command in self._replies or word in self._replies:
            text = self._replies.get(command, self._replies.get(word))
        elif word == "genmove":
            text = self._turns.pop(0) if self._turns else None
        if text is None:
            return None
        said = text.removeprefix("?").strip()
        return ReplyReceived(command, not text.startswith("?"), said, info)


class FakeRunner:
    """Carries out the effects of one game with fake engines and fake time.

    Replies to `genmove` take the engine's `think` seconds, all others none. `at` lets a test do
    something at a moment; an engine that is None never connects.
    """

    def __init__(self, game: Game, *engines: FakeEngine | None, start: float = 100.0) -> None:
        self.game = game
        self.now = start
        self.played: list[TurnPlayed] = []
        self.finished: Finished | None = None
        self._engines = engines
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._alarms = 0
        self.connected = [True, True]

    def at(self, when: float, act: Callable[[], None]) -> None:
        """Do something at a moment of the runner's clock."""
        heapq.heappush(self._events, (when, next(self._order), act))

    def run(self) -> Finished:
        """Play until the end; a game that waits without a pending event fails the test."""
        self.perform(self.game.start(self.now, WALL))
        for seat in Seat:
            self.attach(seat)
        while self.finished is None:
            self.step()
        return self.finished

    def step(self) -> None:
        """Let the next event come."""
        assert self._events, "the game waits without a pending event"
        self.now, _, act = heapq.heappop(self._events)
        act()

    def attach(self, seat: Seat) -> None:
        """Complete the handshake of a seat's engine."""
        engine = self._engines[seat]
        if engine is not None:
            self.connected[seat] = True
            self.perform(self.game.ready(seat, engine.info, self.now))

    def lose(self, seat: Seat) -> None:
        """Break the connection of a seat; replies under way are lost with it."""
        self.connected[seat] = False
        self.perform(self.game.lost(seat, Reason.DISCONNECT, "connection reset", self.now))

    def perform(self, effects: Iterable[object]) -> None:
        """Carry effects out."""
        for effect in effects:
            assert self.finished is None, f"{effect} after the end"
            match effect:
                case Ask(seat, command):
                    self._ask(seat, command)
                case WakeAt(when):
                    self._alarms += 1
                    self.at(max(when, self.now), self._alarm(self._alarms))
                case TurnPlayed():
                    self.played.append(effect)
                case Finished():
                    self.finished = effect

    def _ask(self, seat: Seat, command: str) -> None:
        engine = self._engines[seat]
        assert engine is not None
        reply = engine.answer(command)
        if reply is not None:
            think = engine.think if command.startswith("genmove") else 0.0
            self.at(self.now + think, lambda: self._reply(seat, reply))

    def _reply(self, seat: Seat, reply: ReplyReceived) -> None:
        if self.connected[seat]:
            self.perform(self.game.reply(seat, reply, self.now))

    def _alarm(self, number: int) -> Callable[[], None]:
        def ring() -> None:
            if number == self._alarms:
                self.perform(self.game.wake(self.now))

        return ring
