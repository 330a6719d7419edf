"""The phases of a game: every transition of the table, and no other."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import error_of, world_of
from yoddd.daemon.base.clock import Reactor
from yoddd.daemon.lobby import phases
from yoddd.daemon.lobby.game_writer import GameWriter
from yoddd.daemon.lobby.lobby_game import LobbyGame
from yoddd.daemon.lobby.phases import TRANSITIONS, GameEvent, GamePhase
from yoddd.daemon.lobby.seats import SeatHolder, Seats
from yoddd.daemon.play.human import HumanParticipant
from yoddd.daemon.play.live_games import LiveGame
from yoddd.protocol.errors import Code, PeerError
from yoddd.referee import Seat
from yoddd.referee.terminations import Reason, won
from yoddd.rules import make_rules

GUIDE = Path(__file__).parents[3] / "docs" / "explanation" / "lobby.md"

ROUTES: dict[GamePhase, tuple[GameEvent, ...]] = {
    GamePhase.OFFERED: (),
    GamePhase.TAKEN: (GameEvent.TAKE,),
    GamePhase.WAITING: (GameEvent.TAKE, GameEvent.WAIT),
    GamePhase.PLAYING: (GameEvent.TAKE, GameEvent.BEGIN),
    GamePhase.OVER: (GameEvent.END,),
}
"""Events that lead from the offer to each phase."""


def play(game: LobbyGame) -> None:
    error = error_of(Deferred.fromCoroutine(game.play(world_of(), (None, None))))
    if error is not None:
        raise error


METHODS: dict[GameEvent, Callable[[LobbyGame], None]] = {
    GameEvent.TAKE: LobbyGame.take,
    GameEvent.REFUSE: LobbyGame.refuse,
    GameEvent.WAIT: lambda game: game.wait(cast("Reactor", Clock())),
    GameEvent.BEGIN: play,
    GameEvent.END: lambda game: game.fail(PeerError(Code.INTERNAL)),
}
"""The method of a game for each event."""


def holder(name: str) -> SeatHolder:
    return SeatHolder(HumanParticipant(name), key=f"digest of {name}", is_user=True)


def make_game(writer: GameWriter | None = None) -> LobbyGame:
    live = LiveGame("t1", make_rules("yodd", "hex2"), "none", ("ann", "bob"))
    seats = Seats((holder("ann"), holder("bob")))
    return LobbyGame(live, seats, writer=writer or GameWriter())


def game_in(phase: GamePhase) -> LobbyGame:
    game = make_game()
    for event in ROUTES[phase]:
        METHODS[event](game)
    assert game.phase is phase
    return game


@pytest.mark.parametrize(("phase", "event"), list(itertools.product(GamePhase, GameEvent)))
def test_lobby_game_follows_the_table(phase: GamePhase, event: GameEvent) -> None:
    game = game_in(phase)
    after = TRANSITIONS.get((phase, event))
    if after is None:
        with pytest.raises(ValueError, match=f"{phase} to .* by {event}"):
            METHODS[event](game)
        assert game.phase is phase
    else:
        METHODS[event](game)
        assert game.phase is after


@pytest.mark.parametrize("phase", GamePhase)
def test_lobby_game_is_withdrawn_only_while_it_is_offered(phase: GamePhase) -> None:
    game = game_in(phase)
    if phase is GamePhase.OFFERED:
        assert game.withdraw() is None
        assert game.phase is GamePhase.OVER
    else:
        with pytest.raises(PeerError, match="the game has begun"):
            game.withdraw()
        assert game.phase is phase


@pytest.mark.parametrize("phase", [GamePhase.OFFERED, GamePhase.TAKEN])
def test_lobby_game_that_is_decided_before_it_begins_ends_then(phase: GamePhase) -> None:
    game, answers = game_in(phase), list[object]()
    game.decide(won(Seat.WHITE, Reason.RESIGN)).addBoth(answers.append)
    for event in ROUTES[GamePhase.PLAYING][len(ROUTES[phase]) :]:
        METHODS[event](game)
    with pytest.raises(PeerError, match="the game is over"):  # the referee has ended it
        game.put(Seat.BLACK, "1a1", None)
    assert answers == []
    game.fail(PeerError(Code.INTERNAL))
    assert len(answers) == 1


def test_lobby_game_that_is_over_makes_each_call_once() -> None:
    game, calls = make_game(), list[LobbyGame]()
    game.on_over(calls.append)
    game.withdraw()
    assert calls == [game]
    for request in (
        lambda: game.put(Seat.BLACK, "1a1", None),
        lambda: game.decide(won(Seat.WHITE, Reason.RESIGN)),
    ):
        with pytest.raises(PeerError, match="the game is over"):
            request()


class SlowWriter(GameWriter):
    """Keeps a key, and the beginning, once the test says so."""

    def __init__(self) -> None:
        self.kept: Deferred[None] = Deferred()

    async def begin(self, *_args: object) -> str:
        return "2026-11-21T12:00:00.000Z"

    async def set_key(self, seat: Seat, key: str) -> None:
        del seat, key
        await self.kept


def test_lobby_game_that_ends_while_a_new_key_is_kept_gives_none() -> None:
    writer = SlowWriter()
    game = make_game(writer)
    game.take()
    assert error_of(Deferred.fromCoroutine(game.persist_beginning())) is None
    replaced = Deferred.fromCoroutine(game.replace_key(Seat.BLACK, "new"))
    game.fail(PeerError(Code.INTERNAL))
    writer.kept.callback(None)
    assert str(error_of(replaced).text) == "illegal move: the game is over"
    assert "new" not in game.seats.keys


def test_documentation_phase_table_is_that_of_the_lobby() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rows = [
        f"| {phase.value} | {event.value} | {after.value} |"
        for (phase, event), after in TRANSITIONS.items()
    ]
    assert "\n".join(["|---|---|---|", *rows, ""]) in text
    diagram = inspect.getdoc(phases)
    assert diagram is not None
    drawn = inspect.cleandoc(diagram.split("::\n")[1].split("\n\nA `LobbyGame`")[0])
    assert f"```text\n{drawn}\n```" in text
