"""Terminations: winner, reason and blame, and the vectors of each reason."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.protocol.peer import OneTable
from tests.support.fakes import FULL, PLAIN, WALL, FakeEngine, FakeRunner, info, make_setup
from yoddd.engine import NO_TABLES
from yoddd.notation.records import GameRecord, dump_record, load_record
from yoddd.protocol.controller import MANDATORY as NEEDED
from yoddd.protocol.controller import Controller, ControllerFault, EngineInfo, ReplyReceived
from yoddd.referee import (
    Ask,
    Effect,
    Finished,
    Game,
    Reason,
    Seat,
    Termination,
    TurnPlayed,
    WakeAt,
    forfeit,
    void,
    won,
)

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "referee-law.md"

BLACK, WHITE = Seat.BLACK, Seat.WHITE


def make_game(clock: str = "none", resume: float = 0.0, position: str | None = None) -> Game:
    return Game(make_setup(clock=clock, resume=resume, position=position))


def play(
    black: FakeEngine | None, white: FakeEngine | None, clock: str = "none", resume: float = 0.0
) -> Finished:
    return FakeRunner(make_game(clock, resume), black, white).run()


def waiting(clock: str) -> tuple[Game, FakeRunner]:
    """A game that waits from 100 s on for the first turn of Black."""
    game = make_game(clock)
    black = FakeEngine(commands=PLAIN)
    runner = FakeRunner(game, black, FakeEngine(commands=PLAIN))
    runner.perform(game.start(100.0, WALL))
    for seat in Seat:
        runner.attach(seat)
    while "genmove b" not in black.asked:
        runner.step()
    return game, runner


def end_by(runner: FakeRunner, effects: list[Effect]) -> Finished:
    """The end of the game that the effects carry out."""
    runner.perform(effects)
    assert runner.finished is not None
    return runner.finished


def assert_lost(finished: Finished, loser: Seat, reason: Reason, detail: str) -> GameRecord:
    termination, record = finished.termination, finished.record
    assert termination == forfeit(loser, reason, termination.detail)
    assert detail in termination.detail
    assert termination.blame is loser
    assert (record.winner, record.blame) == (loser.other.key, loser.key)
    assert load_record(dump_record(record)) == record
    return record


def test_time_forfeit_says_what_was_used_left_and_unfinished() -> None:
    game, runner = waiting("2+1")
    lack = "received `=9 1c3` but no empty line after it"
    finished = end_by(runner, game.wake(102.5, unfinished=(lack, "")))
    wanted = f"turn 1 under 2+1: used 2.50 s, 2.00 s were left; {lack}"
    assert finished.termination.detail == wanted


@pytest.mark.parametrize(("machine", "reason"), [(0.25, None), (0.2, Reason.TIME)])
def test_time_turn_held_up_by_the_machine_is_late_by_the_rest_only(
    machine: float, reason: Reason | None
) -> None:
    game, runner = waiting("move=5")
    reply = ReplyReceived("genmove b", ok=True, text="1c3")
    effects = game.reply(BLACK, reply, 105.25, machine)
    if reason is None:
        assert isinstance(effects[0], TurnPlayed)
        assert effects[0].seconds == 5.25
        (record,) = [
            effect.record
            for effect in game.terminate(void("enough"), 106.0)
            if isinstance(effect, Finished)
        ]
        assert (record.times, record.machine) == ((5.25,), (machine,))
    else:
        assert_lost(end_by(runner, effects), BLACK, reason, "turn 1")


def test_time_turn_that_a_late_referee_reads_is_in_time() -> None:
    game, runner = waiting("move=5")
    assert game.wake(105.0, (0.02, 0.0)) == [WakeAt(105.02)]
    reply = ReplyReceived("genmove b", ok=True, text="1c3")
    runner.perform(game.reply(BLACK, reply, 105.5, 0.01, delay=0.48))
    finished = end_by(runner, game.terminate(void("enough"), 106.0))
    assert (finished.record.times, finished.record.machine) == ((5.5,), (0.5,))


def test_stall_reply_that_a_late_referee_reads_is_in_time() -> None:
    game = make_game()
    runner = FakeRunner(game, FakeEngine(replies={"clear_board": None}), FakeEngine())
    runner.perform(game.start(100.0, WALL))
    runner.attach(BLACK)
    runner.step()
    reply = ReplyReceived("clear_board", ok=True, text="")
    assert Finished not in map(type, game.reply(BLACK, reply, 111.0, None, delay=1.0))


def test_wake_while_the_machine_holds_up_a_turn_waits_for_as_long() -> None:
    game, runner = waiting("2+0")
    assert game.wake(102.0, (0.5, 0.0)) == [WakeAt(102.5)]
    assert game.wake(102.5, (0.75, 0.0)) == [WakeAt(102.75)]
    finished = end_by(runner, game.wake(102.75, (0.75, 0.0)))
    assert_lost(finished, BLACK, Reason.TIME, "turn 1")


def test_void_turn_that_the_machine_holds_up_without_end() -> None:
    game, runner = waiting("move=5")
    finished = end_by(runner, game.wake(200.0, (61.0, 0.0)))
    assert finished.termination.reason is Reason.VOID
    assert finished.termination.detail == "the machine took 61 s of a turn of Ada"


@pytest.mark.parametrize(
    ("token", "detail"),
    [
        ("1a1,1a1", "1a1,1a1: a1 twice"),
        ("2c4", "2c4: 2 groups, even"),
        ("swap", "swap: no pie rule in this game"),
        ("1z9", "1z9: no cell 'z9' on hex3; the letters of hex3 are a to e, i included"),
        ("1a0", "1a0: no cell 'a0' on hex3; the cells of a are a1 to a3"),
        ("1a1 2b2", "1a1 2b2: no cell 'a1 2b2' on hex3; a comma joins two stones: 1a1,2b2"),
        ("x" * 9000, "xxx…: no cell 'xxx"),
        ("\u202e\u0085", "?: no cell"),
    ],
)
def test_illegal_turn_forfeits(token: str, detail: str) -> None:
    finished = play(FakeEngine(["1c3"]), FakeEngine([token]))
    record = assert_lost(finished, WHITE, Reason.ILLEGAL, detail)
    assert len(record.detail) < 200
    assert record.turns == ("1c3",)


def test_disconnect_after_the_resume_window_forfeits() -> None:
    runner = FakeRunner(make_game(resume=20), FakeEngine(["1c3"]), FakeEngine())
    runner.at(103.0, lambda: runner.lose(BLACK))
    runner.at(110.0, lambda: runner.lose(BLACK))
    finished = runner.run()
    assert_lost(finished, BLACK, Reason.DISCONNECT, "connection reset; not resumed within 20 s")
    assert runner.now == 123.0


def test_time_runs_while_the_connection_is_lost() -> None:
    runner = FakeRunner(make_game("move=5", resume=20), FakeEngine([]), FakeEngine())
    runner.at(103.0, lambda: runner.lose(BLACK))
    assert_lost(runner.run(), BLACK, Reason.TIME, "turn 1")
    assert runner.now == 105.0


@pytest.mark.parametrize("command", ["game", "clear_board", "set_param", "kata-time_settings"])
def test_stall_in_the_set_up_forfeits(command: str) -> None:
    black = FakeEngine(replies={command: None}, commands=FULL)
    finished = FakeRunner(Game(make_setup("odd", seed=1)), black, FakeEngine()).run()
    assert finished.termination.reason is Reason.STALL
    assert f"no reply to {command}" in finished.termination.detail
    assert finished.termination.blame is BLACK
    assert finished.busy == (BLACK,)


def test_stall_late_handshake_before_the_alarm_forfeits() -> None:
    game = make_game()
    game.start(0.0, "2030-01-31T12:00:00Z")
    (finished,) = game.ready(WHITE, info(), 60.5)
    assert isinstance(finished, Finished)
    assert_lost(finished, WHITE, Reason.STALL, "no handshake")


def test_wake_late_earlier_deadline_decides() -> None:
    game = make_game()
    game.start(0.0, "2030-01-31T12:00:00Z")
    game.ready(WHITE, info(), 40.0)
    (finished,) = game.wake(1000.0)
    assert isinstance(finished, Finished)
    assert_lost(finished, WHITE, Reason.STALL, "no reply to game")


def test_void_engine_without_position_command() -> None:
    game = make_game(position="yodd hex3 3/4/2b2/4/3 w 0 2")
    finished = FakeRunner(game, FakeEngine(), FakeEngine(commands=PLAIN)).run()
    assert finished.termination == void("Bob cannot be given a position: it lists none")


@pytest.mark.parametrize(
    "build",
    [
        lambda: won(BLACK, Reason.TIME),
        lambda: forfeit(BLACK, Reason.GROUPS),
        lambda: Termination(BLACK, Reason.VOID),
        lambda: Termination(None, Reason.CRASH),
    ],
)
def test_termination_contradicting_its_rule_raises(build: object) -> None:
    assert callable(build)
    with pytest.raises(ValueError, match=r"time|groups|void|crash"):
        build()


def test_terminations_manual_has_the_same_table() -> None:
    rows = [line.split(" | ") for line in DOCS.read_text().splitlines() if line.startswith("| `")]
    found = {row[0].strip("| `"): row[3] for row in rows if len(row) == 5}
    assert found == {reason.value: reason.blame.value for reason in Reason}


FILE: Final = Path(__file__).parents[3] / "protocol" / "vectors" / "engine" / "endings.txt"

SEATS: Final = {"B": Seat.BLACK, "W": Seat.WHITE}

CASES: Final = {
    part.partition("\n")[0].strip(): [line for line in part.splitlines()[1:] if line.strip()]
    for part in re.split(r"^== ", FILE.read_text(), flags=re.MULTILINE)[1:]
}


class Replay:
    """One case: scripted engines, a clock that only the script moves."""

    def __init__(self, lines: list[str]) -> None:
        fields = {name: value for name, _, value in (line.partition(": ") for line in lines)}
        self.lacks = {SEATS[k[0]]: v for k, v in fields.items() if k.endswith(" lacks")}
        self.unstarted = {SEATS[k[0]]: v for k, v in fields.items() if k.endswith(" not started")}
        about = r"[BW](?! lacks| not started)"
        self.script = [line for line in lines if re.match(about, line)]
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
            if seat in self.unstarted:
                self.lose(seat, Reason.VOID, self.unstarted[seat])
            elif self.lacks.get(seat) != "everything":
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
            self.lose(loser, Reason.CRASH, rest.removeprefix("ends "))
        elif kind == "disconnects":
            self.lose(seat, Reason.DISCONNECT, "connection closed")
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
        self.lose(seat, Reason.PROTOCOL, event.detail)

    def lose(self, seat: Seat, reason: Reason, detail: str) -> None:
        self.perform(self.game.lost(seat, reason, detail, self.now))


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
    assert reasons == set(Reason)
