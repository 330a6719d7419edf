"""A game that continues after a restart of the referee, with its turns and clocks."""

from __future__ import annotations

import attrs
import pytest

from tests.support.fakes import WALL, FakeEngine, FakeRunner, info, make_setup
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee import Ask, Finished, Game, GameError, Seat, WakeAt

BLACK, WHITE = Seat.BLACK, Seat.WHITE
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
    assert [(seat, token) for seat, token, _ in game.played] == [
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
