"""Human seats: `Game.join`, `Game.prompted` and `Game.submit`, without an engine's link."""

from __future__ import annotations

import pytest

from tests.support.fakes import PLAIN, WALL, info, make_setup
from yoddd.notation import parse_turn
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee import (
    Ask,
    Effect,
    Finished,
    Game,
    GameSetup,
    Prompt,
    Reason,
    Seat,
    Stage,
    Termination,
    TurnPlayed,
    TurnsTakenBack,
    UnexpectedEvent,
    WakeAt,
    forfeit,
)
from yoddd.rules import Colour, IllegalTurn, Turn

BLACK, WHITE = Seat.BLACK, Seat.WHITE


def begin(setup: GameSetup | None = None, now: float = 0.0) -> Game:
    """A game of two humans; Black is prompted and the time is ``now``."""
    game = Game(setup or make_setup())
    game.start(now, WALL)
    assert Prompt(BLACK) not in game.join(BLACK, now)
    assert Prompt(BLACK) in game.join(WHITE, now)
    game.prompted(BLACK, now)
    return game


def read(game: Game, token: str) -> Turn:
    return parse_turn(token, game.setup.rules, game.history.position.player)


def submit(game: Game, seat: Seat, token: str, now: float) -> list[Effect]:
    return game.submit(seat, read(game, token), now)


def termination(effects: list[Effect]) -> Termination:
    (finished,) = (effect for effect in effects if isinstance(effect, Finished))
    return finished.termination


@pytest.mark.parametrize(
    ("seat", "token", "reason"),
    [
        (BLACK, "1c3,1a1", "2 stones: this turn is one stone"),
        (WHITE, "1c3", "black to move"),
        (WHITE, "pass", "black to move"),
    ],
)
def test_submit_refused_turn_raises_and_changes_nothing(
    seat: Seat, token: str, reason: str
) -> None:
    game = begin(make_setup(clock="60"))
    with pytest.raises(IllegalTurn) as caught:
        submit(game, seat, token, 5.0)
    assert caught.value.reason == reason
    assert (game.stage, game.history.turns, game.history.to_move) == (Stage.PLAYING, [], BLACK)
    # The clock has run on from the prompt.
    (played, *_) = submit(game, BLACK, "1c3", 7.0)
    assert isinstance(played, TurnPlayed)
    assert played.seconds == 7.0


def test_submit_before_the_prompt_is_played_with_it() -> None:
    game = begin()
    submit(game, BLACK, "1c3", 1.0)
    assert submit(game, WHITE, "pass", 2.0) == []
    with pytest.raises(IllegalTurn, match="your turn is on its way"):
        submit(game, WHITE, "pass", 2.0)
    assert len(game.history.turns) == 1
    played, prompt = game.prompted(WHITE, 9.0)
    assert isinstance(played, TurnPlayed)
    assert (played.seat, played.token, played.seconds) == (WHITE, "pass", 0.0)
    assert prompt == Prompt(BLACK)


def test_submit_swap_exchanges_colours_and_keeps_clocks() -> None:
    game = begin(make_setup("yoin", "hex3", clock="60"))
    submit(game, BLACK, "c3", 5.0)
    game.prompted(WHITE, 5.0)
    assert submit(game, WHITE, "swap", 12.0)[-1] == Prompt(BLACK)
    assert game.history.to_move is BLACK
    game.prompted(BLACK, 12.0)
    (played, *_) = submit(game, BLACK, "a1", 13.0)
    assert isinstance(played, TurnPlayed)
    assert (played.seat, game.history.position.player.letter) == (BLACK, "b")
    assert game._states[BLACK].clock.remaining == 54.0


def test_submit_against_an_engine_waits_for_its_set_up() -> None:
    game = Game(make_setup())
    game.start(0.0, WALL)
    game.join(BLACK, 0.0)
    assert submit(game, BLACK, "1c3", 0.0) == []
    effects = game.ready(WHITE, info(PLAIN), 1.0)
    for command in ("boardsize 3", "clear_board"):
        assert Ask(WHITE, command) in effects
        effects = game.reply(WHITE, ReplyReceived(command, ok=True, text=""), 1.0)
    assert effects[0] == Prompt(BLACK)
    played, ask, *_ = game.prompted(BLACK, 1.0)
    assert isinstance(played, TurnPlayed)
    assert ask == Ask(WHITE, "play b 1c3")
    (ask, *_) = game.reply(WHITE, ReplyReceived("play b 1c3", ok=True, text=""), 2.0)
    assert ask == Ask(WHITE, "genmove w")
    played, prompt, *_ = game.reply(WHITE, ReplyReceived("genmove w", ok=True, text="pass"), 3.0)
    assert isinstance(played, TurnPlayed)
    assert prompt == Prompt(BLACK)


def test_seat_of_an_engine_takes_no_submission() -> None:
    game = Game(make_setup())
    with pytest.raises(UnexpectedEvent, match="not started yet"):
        game.join(BLACK, 0.0)
    game.start(0.0, WALL)
    game.ready(BLACK, info(), 0.0)
    with pytest.raises(UnexpectedEvent, match="has no human"):
        submit(game, BLACK, "1c3", 0.0)
    with pytest.raises(UnexpectedEvent, match="has no human"):
        game.prompted(BLACK, 0.0)
    with pytest.raises(UnexpectedEvent, match="is there already"):
        game.join(BLACK, 0.0)


def play(game: Game, *turns: tuple[Seat, str, float]) -> None:
    """Each turn at its time; the next one is prompted at once."""
    for seat, token, now in turns:
        submit(game, seat, token, now)
        game.prompted(seat.other, now)


def test_take_back_turns_and_clocks_are_as_before_them() -> None:
    game = begin(make_setup(clock="60+1"))
    play(game, (BLACK, "1c3", 10.0), (WHITE, "1a1,2e3", 14.0))
    assert game.turn_time(15.0) == (BLACK, 1.0)
    assert game.take_back(1, 20.0) == [TurnsTakenBack(1), Prompt(WHITE)]
    assert game.turn_time(20.0) is None
    assert game.prompted(WHITE, 20.0) == [WakeAt(80.0)]
    assert [turn.token for turn in game.history.turns] == ["1c3"]
    play(game, (WHITE, "pass", 25.0))
    assert termination(submit(game, BLACK, "pass", 77.0)) == forfeit(  # 60 - 10 + 1, so until 76
        BLACK, Reason.TIME, "turn 3 under 60+1: used 52.00 s, 51.00 s were left"
    )


def test_take_back_of_a_swap_gives_the_colours_back() -> None:
    game = begin(make_setup("yoin", "hex3"))
    play(game, (BLACK, "c3", 1.0), (WHITE, "swap", 2.0))
    assert game.history.to_move is BLACK
    game.take_back(1, 3.0)
    history = game.history
    assert (history.to_move, history.seat_of(history.position.player)) == (WHITE, WHITE)
    assert history.colour_of(BLACK) is Colour.BLACK


@pytest.mark.parametrize("length", [-1, 1, 5])
def test_take_back_of_no_turn_is_refused(length: int) -> None:
    game = begin()
    play(game, (BLACK, "1c3", 1.0))
    with pytest.raises(IllegalTurn, match="no turn to take back"):
        game.take_back(length, 2.0)


def test_take_back_against_an_engine_is_refused() -> None:
    game = Game(make_setup())
    game.start(0.0, WALL)
    game.join(BLACK, 0.0)
    with pytest.raises(IllegalTurn, match="not in play"):
        game.take_back(0, 0.0)
    effects = game.ready(WHITE, info(), 0.0)
    while game.stage is Stage.SETTING_UP:
        (command,) = (effect.command for effect in effects if isinstance(effect, Ask))
        effects = game.reply(WHITE, ReplyReceived(command, ok=True, text=""), 1.0)
    with pytest.raises(IllegalTurn, match="an engine takes no turn back"):
        game.take_back(0, 0.0)
