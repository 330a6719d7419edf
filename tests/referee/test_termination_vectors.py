"""The vectors of protocol/vectors/engine/endings.txt, replayed by the referee."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.protocol.peer import OneTable
from tests.support.fakes import make_setup
from yoddd.engine import NO_TABLES
from yoddd.protocol.controller import MANDATORY as NEEDED
from yoddd.protocol.controller import Controller, ControllerFault, EngineInfo, ReplyReceived
from yoddd.referee import (
    TERMINATIONS,
    Ask,
    Effect,
    Finished,
    Game,
    Reason,
    Seat,
    WakeAt,
    forfeit,
    void,
    won,
)

FILE: Final = Path(__file__).parents[2] / "protocol" / "vectors" / "engine" / "endings.txt"
SEATS: Final = {"B": Seat.BLACK, "W": Seat.WHITE}
CASES: Final = {
    part.partition("\n")[0].strip(): [line for line in part.splitlines()[1:] if line.strip()]
    for part in re.split(r"^== ", FILE.read_text(), flags=re.MULTILINE)[1:]
}


class Replay:
    """One case: scripted engines, a clock that only the script moves."""

    def __init__(self, lines: list[str]) -> None:
        fields = {name: value for name, _, value in (line.partition(": ") for line in lines)}
        self.script = [line for line in lines if re.match(r"[BW]", line) and "lacks" not in line]
        self.lacks = {SEATS[k[0]]: v for k, v in fields.items() if k.endswith(" lacks")}
        self.wanted = fields["end"]
        self.now = 0.0
        self.alarm: float | None = None
        self.finished: Finished | None = None
        game, board = fields["game"].split()
        clock, resume = fields.get("clock", "none"), float(fields.get("resume", "0"))
        tables = OneTable() if "tables" in fields else NO_TABLES
        setup = make_setup(game, board, clock=clock, resume=resume)
        self.game = Game(attrs.evolve(setup, tables=tables))

    def run(self) -> Finished:
        self.perform(self.game.start(0.0, "2026-01-01T00:00:00Z"))
        for seat in Seat:
            if self.lacks.get(seat) != "everything":
                commands = frozenset({*NEEDED, "game"} - {self.lacks.get(seat, "")})
                info = EngineInfo(name="e", version="1", protocol="2", commands=commands)
                self.perform(self.game.ready(seat, info, self.now))
        while self.finished is None:
            assert self.alarm is not None
            self.now = self.alarm
            self.perform(self.game.wake(self.now))
        assert not self.script, self.script
        return self.finished

    def perform(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, WakeAt):
                self.alarm = effect.when
            elif isinstance(effect, Finished):
                self.finished = effect
            elif isinstance(effect, Ask) and self.finished is None:
                self.answer(effect.seat, effect.command)

    def answer(self, seat: Seat, command: str) -> None:
        """The reply of the script; a request that it does not mention succeeds."""
        word = command.split(maxsplit=1)[0]
        pattern = r"([BW])( play)?(?: after ([0-9.]+))?: (.*)"
        match = re.match(pattern, self.script[0] + " ") if self.script else None
        expected = "play" if match is not None and match[2] else "genmove"
        if match is None or SEATS[match[1]] is not seat or word != expected:
            self.reply(seat, command, "=")
            return
        self.script.pop(0)
        self.now += float(match[3] or 0)
        self.act(seat, command, match[4].strip())

    def act(self, seat: Seat, command: str, deed: str) -> None:
        kind, _, rest = deed.partition(" ")
        if kind in ("=", "?"):
            self.reply(seat, command, deed)
        elif kind == "bytes":
            self.fault(seat, command, rest.replace("\\n", "\n").encode())
        elif kind in ("ends", "other"):
            loser = seat if kind == "ends" else seat.other
            detail = rest.removeprefix("ends ")
            self.perform(self.game.terminate(forfeit(loser, Reason.CRASH, detail), self.now))
        elif kind == "disconnects":
            self.perform(self.game.lost(seat, "connection closed", self.now))
        elif kind == "referee":
            self.decide(*rest.split(" ", 1))
        else:
            assert kind == "silent"

    def decide(self, reason: str, rest: str) -> None:
        ending = void(rest)
        if reason == "adjudicated":
            ending = won(SEATS[rest[0].upper()], Reason.ADJUDICATED, rest[2:])
        self.perform(self.game.terminate(ending, self.now))

    def reply(self, seat: Seat, command: str, text: str) -> None:
        reply = ReplyReceived(command, text[0] == "=", text[1:].strip())
        self.perform(self.game.reply(seat, reply, self.now))

    def fault(self, seat: Seat, command: str, data: bytes) -> None:
        controller = Controller()
        controller.request(command)
        (event,) = controller.receive(data)
        assert isinstance(event, ControllerFault)
        ending = forfeit(seat, Reason.PROTOCOL, event.detail)
        self.perform(self.game.terminate(ending, self.now))


@pytest.mark.parametrize("case", CASES)
def test_game_terminates_as_its_vector_states(case: str) -> None:
    replay = Replay(CASES[case])
    record = replay.run().record
    winner, reason, blame, *detail = replay.wanted.split(" ", 3)
    assert (record.winner or "-", record.reason, record.blame or "nobody") == (
        winner,
        reason,
        blame,
    )
    pattern = detail[0].replace("[", "[[]") if detail else ""
    assert fnmatch.fnmatchcase(record.detail, pattern)


def test_terminations_each_reason_has_a_vector() -> None:
    reasons = {Reason(Replay(lines).wanted.split()[1]) for lines in CASES.values()}
    assert reasons == set(TERMINATIONS)
