"""Requests to engines, seats and colours, the record of a game, and a restart of the referee."""

from __future__ import annotations

import random

import attrs
import pytest

from tests.support.fakes import FULL, PLAIN, TIMED, WALL, FakeEngine, FakeRunner, info, make_setup
from tests.support.games import outcome_of
from yoddd.notation import format_turn
from yoddd.notation.records import dump_record, load_record, replay
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee import (
    Ask,
    Effect,
    Finished,
    Game,
    GameError,
    GameSetup,
    Reason,
    Seat,
    UnexpectedEvent,
    WakeAt,
    derive_seed,
    void,
)
from yoddd.rules import Colour, make_rules

BLACK, WHITE = Seat.BLACK, Seat.WHITE


# -- what engines are asked -----------------------------------------------------------------


def test_set_up_full_engine_gets_every_request() -> None:
    black, white = FakeEngine(["1c3", "pass"]), FakeEngine(["pass"])
    setup = make_setup(options={"end_on_full": "on"}, clock="60+1", seed=7)
    FakeRunner(Game(setup), black, white).run()
    assert black.asked == [
        "game yodd hex3 end_on_full=on",
        "clear_board",
        f"set_param seed {derive_seed(7, 0)}",
        "kata-time_settings fischer 60 1",
        "time_left b 60 0",
        "genmove b",
        "play w pass",
        "time_left b 60 0",
        "genmove b",
    ]
    assert white.asked[4:] == ["play b 1c3", "time_left w 60 0", "genmove w"]
    assert white.asked[2] == f"set_param seed {derive_seed(7, 1)}"


def test_set_up_plain_engine_gets_gtp_requests_only() -> None:
    black, white = FakeEngine(["1c3", "pass"], commands=PLAIN), FakeEngine(["pass"], commands=TIMED)
    FakeRunner(Game(make_setup(clock="60+1", seed=7)), black, white).run()
    assert black.asked == ["boardsize 3", "clear_board", "genmove b", "play w pass", "genmove b"]
    assert white.asked[:3] == ["boardsize 3", "clear_board", "time_settings 60 0 0"]
    assert white.asked[3:] == ["play b 1c3", "time_left w 60 0", "genmove w"]


def test_play_request_has_canonical_spelling() -> None:
    black, white = FakeEngine(["C3"]), FakeEngine(["WE3,BA1", "resign"])
    FakeRunner(Game(make_setup()), black, white).run()
    assert white.asked[-2:] == ["play b 1c3", "genmove w"]
    assert black.asked[-2:] == ["play w 1a1,2e3", "genmove b"]


def test_set_up_opening_is_sent_by_play_or_position() -> None:
    opening = ("bc3", "we3,ba1")
    black, white = FakeEngine(["resign"], commands=FULL), FakeEngine(commands=PLAIN)
    finished = FakeRunner(Game(make_setup(opening=opening)), black, white).run()
    assert black.asked[3:] == ["position startpos moves 1c3 1a1,2e3", "genmove b"]
    assert white.asked[2:] == ["play b 1c3", "play w 1a1,2e3"]
    record = finished.record
    assert (record.turns, record.times, record.opening) == (("1c3", "1a1,2e3"), (0.0, 0.0), 2)


def test_set_up_start_position_has_canonical_spelling() -> None:
    line = "yodd hex3 3/4/2b2/4/3 w 0 2"
    black, white = FakeEngine(), FakeEngine(["resign"])
    setup = make_setup(position=line.upper(), opening=("pass", "1a1,2e3"))
    finished = FakeRunner(Game(setup), black, white).run()
    assert black.asked[3] == white.asked[3] == f"position {line} moves pass 1a1,2e3"
    assert white.asked[4] == "genmove w"
    assert finished.record.position == line
    assert replay(load_record(dump_record(finished.record))).player is Colour.WHITE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"opening": ("2z9",)}, "no cell"),
        ({"opening": ("1c3", "2c4")}, "2 groups, even"),
        ({"opening": ("1c3", "pass", "pass")}, "over before"),
        ({"opening": ("resign",)}, "over before"),
        ({"position": "yodd hex3"}, "placement is missing"),
        ({"position": "yodd hex4 4/5/6/3b3/6/5/4 w 0 2"}, "other rules"),
    ],
)
def test_game_contradictory_setup_is_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(GameError, match=reason):
        Game(make_setup(**changes))  # type: ignore[arg-type]


def test_game_empty_name_is_refused() -> None:
    setup = GameSetup(id="g", rules=make_rules("odd"), names=("Ada", " "))
    with pytest.raises(GameError, match="name is empty"):
        Game(setup)


# -- swap -----------------------------------------------------------------------------------


def test_swap_clock_and_requests_follow_the_seat() -> None:
    black = FakeEngine(["c3", "d4"], commands=TIMED, think=2.0)
    white = FakeEngine(["swap", "a1", "resign"], commands=TIMED, think=5.0)
    game = Game(make_setup("yoin", clock="60+1"))
    finished = FakeRunner(game, black, white).run()
    assert white.asked[3:6] == ["play b c3", "time_left w 60 0", "genmove w"]
    # Ada has become White and is to move with White's colour and her own clock.
    assert black.asked[-6:] == [
        "play w swap",
        "time_left w 59 0",
        "genmove w",
        "play b a1",
        "time_left w 58 0",
        "genmove w",
    ]
    assert white.asked[-3:] == ["play w d4", "time_left b 56 0", "genmove b"]
    history = game.history
    assert (history.colour_of(BLACK), history.seat_of(Colour.BLACK)) == (Colour.WHITE, WHITE)
    assert finished.record.turns == ("c3", "swap", "d4", "a1")


def test_swap_result_belongs_to_the_seat() -> None:
    setup = make_setup("yoin", "hex2")
    black, white = FakeEngine(["a1", "b1", "c2", "c1"]), FakeEngine(["swap", "a2", "b2", "b3"])
    finished = FakeRunner(Game(setup), black, white).run()
    outcome = outcome_of(replay(finished.record))
    assert finished.termination.reason is Reason.GROUPS
    # After the swap Ada is White and Bob is Black.
    assert finished.termination.winner == (BLACK if outcome.winner is Colour.WHITE else WHITE)
    assert finished.record.score == f"{outcome.winner.letter.upper()}+{outcome.score}"


# -- observers and records ------------------------------------------------------------------


def test_record_has_every_field() -> None:
    setup = make_setup(options={"end_on_full": "on"}, clock="60+1,lag=0.25", seed=7)
    runner = FakeRunner(Game(setup), FakeEngine(["1c3", "pass"], think=2.5), FakeEngine(["pass"]))
    record = runner.run().record
    assert load_record(dump_record(record)) == record
    assert record.id == "g1"
    assert (record.game, record.board) == ("yodd", "hex3")
    assert record.options == {"end_on_full": "on", "own_colour": "off"}
    assert (record.black, record.white) == ("Ada", "Bob")
    assert record.times == (2.5, 1.0, 2.5)
    assert record.started == "2030-01-31T12:00:00.000Z"
    assert record.ended == "2030-01-31T12:00:06.000Z"
    assert (record.clock, record.seed, record.opening) == ("60+1,lag=0.25", 7, 0)


def test_record_times_are_in_utc() -> None:
    game = Game(make_setup())
    game.start(5.0, "2030-01-31T13:00:00+01:00")
    (finished,) = game.terminate(void("stopped"), 4.0)
    assert isinstance(finished, Finished)
    assert finished.record.started == finished.record.ended == "2030-01-31T12:00:00.000Z"


# -- resumption -----------------------------------------------------------------------------


def test_lost_engine_to_move_is_set_up_and_finishes_its_turn() -> None:
    black = FakeEngine(["1c3", "pass", "resign"], think=2.0)
    white = FakeEngine(["pass"])
    runner = FakeRunner(Game(make_setup(clock="60+1", resume=20)), black, white)
    runner.at(104.0, lambda: runner.lose(BLACK))
    runner.at(110.0, lambda: runner.attach(BLACK))
    finished = runner.run()
    assert black.asked[-5:] == [
        "game yodd hex3",
        "clear_board",
        "kata-time_settings fischer 60 1",
        "position startpos moves 1c3 pass",
        "genmove b",
    ]
    # The clock ran from the first genmove on: 103 to 110, and 2 more.
    assert finished.termination.reason is Reason.RESIGN
    assert runner.now == 112.0


def test_lost_engine_waiting_gets_the_missed_turn() -> None:
    black = FakeEngine(["1c3", "1a1,2e3"])
    white = FakeEngine(["pass", "resign"], commands=PLAIN, think=10.0)
    runner = FakeRunner(Game(make_setup(resume=60)), black, white)
    runner.at(102.0, lambda: runner.lose(BLACK))
    runner.at(115.0, lambda: runner.attach(BLACK))
    finished = runner.run()
    assert black.asked[-3:] == [
        "kata-time_settings none",
        "position startpos moves 1c3 pass",
        "genmove b",
    ]
    assert finished.record.turns == ("1c3", "pass", "1a1,2e3")


# -- the machine ----------------------------------------------------------------------------


def test_game_impossible_events_raise() -> None:
    game = Game(make_setup())
    with pytest.raises(UnexpectedEvent, match="not started"):
        game.ready(BLACK, info(), 0.0)
    game.start(0.0, WALL)
    with pytest.raises(UnexpectedEvent, match="twice"):
        game.start(0.0, WALL)
    with pytest.raises(UnexpectedEvent, match="no question"):
        game.reply(BLACK, ReplyReceived("name", ok=True, text=""), 0.0)
    game.ready(BLACK, info(), 0.0)
    with pytest.raises(UnexpectedEvent, match="there already"):
        game.ready(BLACK, info(), 0.0)


def test_wake_too_early_sets_the_alarm_again() -> None:
    game = Game(make_setup())
    assert game.start(0.0, WALL) == [WakeAt(60.0)]
    assert game.wake(59.5) == [WakeAt(60.0)]


def random_game(seed: int) -> tuple[list[Effect], Finished]:
    """Two engines that play random turns; all effects in order."""
    rng = random.Random(seed)
    game = Game(make_setup("yoin", clock="60+1", seed=seed))
    log: list[Effect] = []
    queue = game.start(0.0, WALL)
    for seat in Seat:
        queue += game.ready(seat, info(), 0.0)
    now = 0.0
    while queue:
        effect = queue.pop(0)
        log.append(effect)
        if isinstance(effect, Ask):
            now += rng.random() / 100
            text = ""
            if effect.command.startswith("genmove"):
                text = format_turn(
                    rng.choice(list(game.history.position.legal_turns())), game.setup.rules
                )
            queue += game.reply(effect.seat, ReplyReceived(effect.command, True, text), now)
    assert isinstance(log[-1], Finished)
    return log, log[-1]


@pytest.mark.parametrize("seed", range(10))
def test_game_same_events_give_the_same_record(seed: int) -> None:
    log, finished = random_game(seed)
    assert (log, finished) == random_game(seed)
    outcome = outcome_of(replay(load_record(dump_record(finished.record))))
    swapped = "swap" in finished.record.turns
    assert finished.termination.winner == outcome.winner ^ swapped


FIRST = (("1c3", 10.0), ("1a1,2e3", 4.0))


def restored(played: tuple[tuple[str, float], ...] = FIRST, clock: str = "60+1") -> Game:
    return Game(attrs.evolve(make_setup(clock=clock), played=played))


def test_restart_engines_are_set_up_with_past_turns() -> None:
    black, white = FakeEngine(["resign"]), FakeEngine()
    finished = FakeRunner(restored(), black, white).run()
    assert "position startpos moves 1c3 1a1,2e3" in black.asked
    assert "position startpos moves 1c3 1a1,2e3" in white.asked
    record = finished.record
    assert (record.turns, record.times, record.opening) == (("1c3", "1a1,2e3"), (10.0, 4.0), 0)


def test_restart_clocks_are_charged_with_past_turns() -> None:
    black, white = FakeEngine(["pass"], think=2.0), FakeEngine(["pass"])
    FakeRunner(restored(), black, white).run()
    # 60 - 10 + 1 and 60 - 4 + 1; the time until the restart is not charged.
    assert [line for line in black.asked if "time_left" in line] == ["time_left b 51 0"]
    assert [line for line in white.asked if "time_left" in line] == ["time_left w 57 0"]


def test_restart_past_swap_keeps_clocks_with_seats() -> None:
    setup = make_setup("yoin", "hex3", clock="60")
    game = Game(attrs.evolve(setup, played=(("c3", 5.0), ("swap", 7.0), ("a1", 20.0))))
    assert [(turn.seat, turn.token) for turn in game.history.turns] == [
        (BLACK, "c3"),
        (WHITE, "swap"),
        (BLACK, "a1"),
    ]
    white = FakeEngine(["resign"])
    FakeRunner(game, FakeEngine(), white).run()
    assert [line for line in white.asked if "time_left" in line] == ["time_left b 53 0"]


def test_restart_illegal_past_turn_is_refused() -> None:
    with pytest.raises(GameError, match="opening"):
        restored((("1c3", 1.0), ("1c3", 1.0)))


def test_sent_late_request_has_its_full_time() -> None:
    game = restored(())
    game.start(0.0, WALL)
    asks = [effect for seat in Seat for effect in game.ready(seat, info(), 0.0)]
    while not any("genmove" in ask.command for ask in asks if isinstance(ask, Ask)):
        seat, command = next((ask.seat, ask.command) for ask in asks if isinstance(ask, Ask))
        asks.remove(next(ask for ask in asks if isinstance(ask, Ask)))
        asks += game.reply(seat, ReplyReceived(command, ok=True, text=""), 0.0)
    effects = game.reply(BLACK, ReplyReceived("genmove b", ok=True, text="1c3"), 1.0)
    assert any(isinstance(effect, Ask) and "play" in effect.command for effect in effects)
    # The turn took 8 seconds to be kept: `play` is sent only now, and may take its full time.
    assert [effect.when for effect in game.sent(9.0) if isinstance(effect, WakeAt)] == [19.0]
    assert not any(isinstance(effect, Finished) for effect in game.wake(18.9))
    assert any(isinstance(effect, Finished) for effect in game.wake(19.0))
    assert game.sent(20.0) == []
