"""Terminations: winner, reason and blame; at least one test for every reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fakes import FULL, PLAIN, WALL, FakeEngine, FakeRunner, info, make_setup
from yoddd.notation.records import GameRecord, dump_record, load_record
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee import (
    TERMINATIONS,
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

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "referee-law.md"
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
        assert effects[0] == TurnPlayed(BLACK, 1, "1c3", 5.25)
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
    runner.perform(game.reply(BLACK, reply, 105.5, 0.01, held=0.48))
    finished = end_by(runner, game.terminate(void("enough"), 106.0))
    assert (finished.record.times, finished.record.machine) == ((5.5,), (0.5,))


def test_stall_reply_that_a_late_referee_reads_is_in_time() -> None:
    game = make_game()
    runner = FakeRunner(game, FakeEngine(replies={"clear_board": None}), FakeEngine())
    runner.perform(game.start(100.0, WALL))
    runner.attach(BLACK)
    runner.step()
    reply = ReplyReceived("clear_board", ok=True, text="")
    assert Finished not in map(type, game.reply(BLACK, reply, 111.0, None, held=1.0))


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


def test_terminate_twice_first_one_stands() -> None:
    game = make_game()
    game.start(0.0, "2030-01-31T12:00:00Z")
    assert game.terminate(void("first"), 1.0)
    assert game.terminate(void("second"), 2.0) == []
    assert game.wake(3.0) == game.lost(BLACK, "late", 3.0) == game.ready(BLACK, info(), 3.0) == []


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
    rows = [
        f"| `{reason}` | {clause.when} | {clause.decided_by} | {clause.blame.value} "
        f"| {clause.detail} |"
        for reason, clause in TERMINATIONS.items()
    ]
    assert "\n".join(rows) in DOCS.read_text()
