"""A hosted game: each event with the exact effects that it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import pytest

from yoddd.notation import format_turn
from yoddd.notation.records import dump_record
from yoddd.protocol.errors import Code, PeerError
from yoddd.protocol.lobby import Claim, Pause, Put, SeatRequest, TakeBack
from yoddd.referee import (
    Finished,
    Paused,
    Prompt,
    Reason,
    Seat,
    TurnPlayed,
    TurnsTakenBack,
    WakeAt,
    void,
)
from yoddd.referee.game.clock import DAY
from yoddd.referee.hosted.events import (
    Accept,
    Alarm,
    Answer,
    Arrived,
    Beginning,
    Begun,
    Connect,
    Drop,
    Effect,
    Event,
    Holder,
    Kept,
    Lapse,
    Lost,
    NewKey,
    Open,
    Over,
    Present,
    Propose,
    Refused,
    Rematched,
    Requested,
    SetKey,
    Suspend,
    Tell,
    Terminate,
    Terms,
    Withdraw,
)
from yoddd.referee.hosted.game import RETURN, HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.referee.hosted.view import describe, line_of, lines_so_far
from yoddd.rules import Colour, Position, make_rules
from yoddd.store.errors import StoreError

BLACK, WHITE = Seat
ANN, BOB, BOT = Holder("ann", True, "a"), Holder("bob", True, "b"), Holder("bot")
WHEN = "2026-11-21T12:00:00.000Z"
TITLE = "game t1 ann bob none"
AWAY = OSError("away")
TURN = TurnPlayed(BLACK, 1, "1a1", 2.0, Colour.BLACK)
BEGINNING = Beginning((ANN, BOB), "accept")
STORE = "busy: t1 waits for the store: resume it"


def make_game(white: Holder | None = None, clock: str = "none", **fields: Any) -> HostedGame:
    return HostedGame("t1", make_rules("yodd", "hex2"), clock, (ANN, white), **fields)


def text(game: HostedGame, effect: Effect, now: float) -> object:
    """An effect that can be compared: a line that is told, the text of an error, no record."""
    if isinstance(effect, Tell):
        return line_of(game, effect.what, now)
    if isinstance(effect, Answer) and isinstance(effect.error, PeerError):
        return effect.token, effect.error.text
    if isinstance(effect, Finished):
        return "finished", effect.record.reason, effect.record.winner, effect.record.detail
    return effect


def run(game: HostedGame, *events: Event, now: float = 0.0) -> list[object]:
    """The effects of the last event, or the text of its refusal; those to give back are given."""
    effects: Sequence[Effect] = ()
    for event in events:
        try:
            effects = game.handle(event, now)
        except PeerError as error:
            return [error.text]
        for effect in effects:
            if isinstance(effect, Prompt | Begun):
                effects = [*effects, *game.handle(effect, now)]
    return [text(game, one, now) for one in effects]


def offered(**fields: Any) -> HostedGame:
    return make_game(clock=fields.pop("clock", "none"), terms=Terms(**fields))


def playing(clock: str = "none") -> HostedGame:
    game = make_game(clock=clock)
    run(game, Accept(BOB, "accept"), Kept(BEGINNING, WHEN))
    return game


def against_an_engine() -> HostedGame:
    game = make_game(BOT, clock="days=1")
    run(game, Open(), Kept(Beginning((ANN, BOT)), WHEN))
    return game


def begun_with_engine() -> HostedGame:
    """A game whose engine has been called, and is not ready."""
    game = make_game(BOT)
    run(game, Open(), Arrived(WHITE), Kept(Beginning((ANN, BOT)), WHEN))
    return game


def waiting() -> HostedGame:
    """A game after a restart, of which both humans are away."""
    game = make_game(BOB, past=(("1a1", 3.0),), clock="60")
    run(game, Present(BLACK, 0.0, 300), Present(WHITE, 0.0, 300), Open(WHEN, 5.0))
    return game


def ask(seat: Seat, request: SeatRequest, token: str) -> Requested:
    return Requested(seat, request, 0.0, 300, token)


def taken() -> HostedGame:
    game = make_game()
    run(game, Accept(BOB, "accept"))
    return game


def played(*turns: str) -> HostedGame:
    """A game whose turns are kept."""
    game = playing()
    for turn in turns:
        seat = game.on_turn
        assert seat is not None
        run(game, ask(seat, Put(turn), "put"))
        token = game.game.history.turns[-1].token if game.game is not None else turn
        run(game, Kept(attrs.evolve(TURN, seat=seat, token=token)))
    return game


def put(seat: Seat, turn: str, number: int | None = None) -> Requested:
    return ask(seat, Put(turn, number), f"put {turn}")


OVER = "illegal move: the game is over"
NEW_KEY = NewKey(BLACK, "k", True, "s")
NOT_BEGUN = "illegal move: the game waits for"
UNKEPT = "a turn could not be kept"
PAUSED = ask(BLACK, Pause(7), "t"), ask(WHITE, Pause(7), "u")
RESIGNED = ("finished", "resign", "w", "")

CASES: list[tuple[HostedGame, tuple[Event, ...], list[object], Phase]] = [
    # An offer is taken, and begins once that is kept.
    (offered(), (Open(),), [], Phase.OFFERED),
    (offered(), (Accept(BOB, "accept"),), [BEGINNING], Phase.TAKEN),
    (taken(), (Withdraw("w"),), ["illegal move: the game has begun"], Phase.TAKEN),
    (taken(), (Refused(BEGINNING, AWAY),), [Answer("accept", AWAY)], Phase.OFFERED),
    (
        offered(),
        (Open(patience=600), Accept(BOB, "accept"), Refused(BEGINNING, AWAY)),
        [WakeAt(600.0), Answer("accept", AWAY)],
        Phase.OFFERED,
    ),
    (offered(), (Withdraw("w"),), [Over(stays=False), Drop("w")], Phase.OVER),
    (offered(), (Withdraw("w"), Kept(Drop("w"))), [Answer("w")], Phase.OVER),
    # A turn is shown and answered once it is kept.
    (
        playing(),
        (put(BLACK, "1a1"), Refused(TURN, AWAY)),
        [("finished", "void", None, UNKEPT)],
        Phase.PLAYING,
    ),
    (playing(), (put(BLACK, "resign"),), [RESIGNED], Phase.PLAYING),
    (playing(), (put(BLACK, "resign"), put(WHITE, "1a1")), [OVER], Phase.PLAYING),
    (playing(), (Terminate(void("x"), "t"), Terminate(void("y"), "u")), [], Phase.PLAYING),
    (playing(), (Refused(None, AWAY), Terminate(void("y"), "u")), [OVER], Phase.OVER),
    # Before both sides are here, requests wait for a moment.
    (waiting(), (put(WHITE, "pass"),), [], Phase.WAITING),
    (waiting(), (put(WHITE, "pass"), Lapse("put")), [], Phase.WAITING),
    (
        waiting(),
        (put(WHITE, "pass"), Lapse("put pass")),
        [("put pass", f"{NOT_BEGUN} ann and bob: send the turn again")],
        Phase.WAITING,
    ),
    (
        taken(),
        (put(BLACK, "1a1"), Lapse("put 1a1")),
        [("put 1a1", f"{NOT_BEGUN} the store: send the turn again")],
        Phase.TAKEN,
    ),
    (
        make_game(BOT),
        (Open(), put(BLACK, "1a1"), Lapse("put 1a1")),
        [("put 1a1", f"{NOT_BEGUN} bot: send the turn again")],
        Phase.OFFERED,
    ),
    # What is asked before a turn is told would be told before it.
    (
        playing(),
        (put(BLACK, "1a1"), ask(BLACK, TakeBack(True), "t")),
        ["illegal move: a turn is being kept: ask again"],
        Phase.PLAYING,
    ),
    # A turn waits until its engine is ready, but not for long.
    (begun_with_engine(), (put(BLACK, "1a1"),), [], Phase.PLAYING),
    (
        begun_with_engine(),
        (put(BLACK, "1a1"), Lapse("put 1a1")),
        [("put 1a1", f"{NOT_BEGUN} bot: send the turn again")],
        Phase.PLAYING,
    ),
    (
        begun_with_engine(),
        (put(BLACK, "1a1"), Lapse("put 1a1"), put(BLACK, "1a1"), Lapse("put 1a1")),
        [("put 1a1", f"{NOT_BEGUN} bot: send the turn again")],
        Phase.PLAYING,
    ),
    (waiting(), (put(BLACK, "resign"),), [RESIGNED], Phase.WAITING),
    (waiting(), (Present(BLACK, None, 300),), ["presence b here"], Phase.WAITING),
    (waiting(), (Alarm(),), [], Phase.WAITING),
    # A claim needs an absence.
    (playing(), (ask(BLACK, Claim(), "c"),), ["illegal move: bob is not away"], Phase.PLAYING),
    # A key plays its seat once it is kept, unless the game has begun with another meanwhile.
    (offered(), (SetKey(BLACK, "k", "s"), Kept(NEW_KEY)), [Answer("s")], Phase.OFFERED),
    (
        offered(),
        (SetKey(BLACK, "k", "s"), Accept(BOB, "accept"), Kept(NEW_KEY)),
        [("s", "busy: the game begins: resume it in a moment")],
        Phase.TAKEN,
    ),
    (playing(), (Refused(None, AWAY), Kept(NEW_KEY)), [("s", OVER)], Phase.OVER),
    # Two humans agree to take turns back.
    (
        playing(),
        (ask(BLACK, TakeBack(True), "t"),),
        ["illegal move: no turn of yours to take back"],
        Phase.PLAYING,
    ),
    (
        played("1a1"),
        (ask(BLACK, TakeBack(True), "t"), ask(WHITE, TakeBack(False), "u")),
        ["refuse w takeback", Answer("u")],
        Phase.PLAYING,
    ),
    (
        played("1a1"),
        (ask(WHITE, TakeBack(False), "u"),),
        ["illegal move: no request to answer"],
        Phase.PLAYING,
    ),
    (
        played("1a1"),
        (ask(BLACK, TakeBack(True), "t"), put(WHITE, "pass"), ask(WHITE, TakeBack(True, 0), "u")),
        ["illegal move: no such request to answer"],
        Phase.PLAYING,
    ),
    (
        played("1a1"),
        (
            ask(BLACK, TakeBack(True), "t"),
            ask(WHITE, TakeBack(True, 0), "u"),
            put(BLACK, "1b1"),
            Kept(TurnsTakenBack(0)),
        ),
        ["rewind 0", Answer("u"), ("put 1b1", "illegal move: turns were taken back")],
        Phase.PLAYING,
    ),
    (
        played("1a1"),
        (
            ask(BLACK, TakeBack(True), "t"),
            ask(WHITE, TakeBack(True, 0), "u"),
            ask(BLACK, TakeBack(True), "v"),
        ),
        ["illegal move: an agreement is being kept: ask again"],
        Phase.PLAYING,
    ),
    # Two humans agree on a pause by the day, which ends with the next turn.
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"),),
        ["request b pause 7", Answer("t")],
        Phase.PLAYING,
    ),
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"), ask(WHITE, Pause(None), "u")),
        ["refuse w pause", Answer("u")],
        Phase.PLAYING,
    ),
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"), ask(WHITE, Pause(7), "u")),
        [Paused(0, 0.0, 7 * DAY), WakeAt(8 * DAY)],
        Phase.PLAYING,
    ),
    (
        playing("days=1"),
        (*PAUSED, Kept(Paused(0, 0.0, 7 * DAY))),
        ["pause 604800.000", Answer("u")],
        Phase.PLAYING,
    ),
    (
        playing("days=1"),
        (*PAUSED, Refused(Paused(0, 0.0, 7 * DAY), StoreError("away"), is_store=True)),
        [Over(STORE, stays=False), ("u", STORE)],
        Phase.OVER,
    ),
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"), put(BLACK, "1a1"), ask(WHITE, Pause(None), "u")),
        ["illegal move: no request to answer"],
        Phase.PLAYING,
    ),
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"), ask(WHITE, TakeBack(False), "u")),
        ["illegal move: no request to answer"],
        Phase.PLAYING,
    ),
    # A rematch is offered, declined or begun.
    (offered(), (Propose(BLACK, "t2"),), ["request b rematch t2"], Phase.OFFERED),
    (offered(), (Propose(WHITE, None),), ["refuse w rematch"], Phase.OFFERED),
    (offered(), (Rematched("t2"),), ["rematch t2"], Phase.OFFERED),
]


# A participant agrees to the last request of the other one, and to nothing else.
CASES += [
    (
        played("1a1"),
        (ask(BLACK, TakeBack(True), "t"), ask(seat, TakeBack(True, length), "u")),
        [f"illegal move: {refusal}"],
        Phase.PLAYING,
    )
    for seat, length, refusal in (
        (WHITE, None, "the other asks already for takeback 0: agree, or decline"),
        (WHITE, 1, "no such request to answer"),
    )
]

CASES += [
    (
        playing("days=1"),
        (ask(BLACK, Pause(7), "t"), ask(WHITE, request, "u")),
        ["illegal move: the other asks already for pause 7: agree, or decline"],
        Phase.PLAYING,
    )
    for request in (Pause(6), TakeBack(True))
]

# An engine that has disconnected may return; any other loss of it ends the game.
CASES += [
    (make_one(), (Lost(WHITE, reason, "why"),), [*effects], Phase.PLAYING)
    for make_one in (begun_with_engine, against_an_engine)
    for reason, effects in (
        (Reason.DISCONNECT, []),
        (Reason.CRASH, [("finished", "crash", "b", "why")]),
        (Reason.PROTOCOL, [("finished", "protocol", "b", "why")]),
        (Reason.VOID, [("finished", "void", None, "bot could not be started: why")]),
    )
]

# Of others there is no pause.
CASES += [
    (
        game,
        (ask(BLACK, Pause(7), "t"),),
        ["illegal move: only a game by the day between two humans is paused"],
        Phase.PLAYING,
    )
    for game in (playing("move=99"), against_an_engine())
]


@pytest.mark.parametrize(("game", "events", "effects", "phase"), CASES)
def test_hosted_game_event_has_its_effects(
    game: HostedGame, events: tuple[Event, ...], effects: list[object], phase: Phase
) -> None:
    assert run(game, *events) == effects
    assert game.phase is phase


def test_hosted_game_accepted_begins_once_it_is_kept() -> None:
    game = taken()
    begun = run(game, Kept(BEGINNING, WHEN))
    assert (begun[0], begun[-2:]) == (TITLE, [Answer("accept"), WakeAt(3600.0 * 24 * 7)])
    assert (game.keys, game.phase) == ({"a": BLACK, "b": WHITE}, Phase.PLAYING)
    assert describe(game, 0.0) == "t1 playing yodd hex2 ann bob 0 clock=none turn=b"


def test_hosted_game_accepted_by_an_invite_waits_for_its_owner() -> None:
    game = offered(invite="digest", expires=1e9, clock="60")
    assert not game.is_listed
    run(game, Present(BLACK, 0.0, 300), Accept(BOB, "accept"))
    told = run(game, Kept(BEGINNING, WHEN), now=4.0)
    assert told[:2] == ["game t1 ann bob 60", "presence b away 4 296"]
    assert (game.phase, game.is_listed) == (Phase.WAITING, True)
    begun = run(game, Present(BLACK, None, 300))
    assert begun[0] == "presence b here"
    assert (game.phase, "clock b 0.000" in begun) == (Phase.PLAYING, True)


def test_hosted_game_whose_last_turn_was_played_tells_who_is_here_before_its_end() -> None:
    position, turns = Position(make_rules("yodd", "hex2")), list[tuple[str, float]]()
    while not position.is_over:
        turn = next(iter(position.legal_turns()))
        turns.append((format_turn(turn, position.rules), 1.0))
        position.play(turn)
    game = make_game(BOB, past=tuple(turns), clock="60")
    run(game, Present(BLACK, 0.0, 300), Present(WHITE, 0.0, 300), Open(WHEN, 5.0))
    run(game, Present(BLACK, None, 300))
    told = run(game, Present(WHITE, None, 300))
    assert (told[0], game.is_ending) == ("presence w here", True)


def test_hosted_game_against_an_engine_begins_when_it_is_free() -> None:
    game = make_game(BOT)
    assert run(game, Open()) == [Connect(WHITE)]
    assert run(game, Arrived(WHITE)) == [Beginning((ANN, BOT))]
    begun = run(game, Kept(Beginning((ANN, BOT)), WHEN))
    assert Connect(WHITE) in begun
    game = make_game(BOT)
    run(game, Open(), Arrived(WHITE))
    assert run(game, Refused(Beginning((ANN, BOT)), AWAY)) == [Over()]


def test_hosted_game_restored_shows_its_past_and_handles_what_has_waited() -> None:
    game = waiting()
    past = ["game t1 ann bob 60", "turn b 1a1 3.000", "clock - 0.000"]
    assert list(lines_so_far(game, 10.0))[1:] == past
    assert [line_of(game, one, 10.0) for one in game.absences] == [
        "presence b away 10 290",
        "presence w away 10 290",
    ]
    run(game, put(WHITE, "pass"), put(BLACK, "pass"), Present(BLACK, None, 300))
    begun = run(game, Present(WHITE, None, 300))
    (turn,) = [one for one in begun if isinstance(one, TurnPlayed)]
    assert (turn.seat, turn.token, game.phase) == (WHITE, "pass", Phase.PLAYING)


def test_hosted_game_that_is_over_tells_no_absence() -> None:
    game = waiting()
    assert game.absences
    ended = game.handle(put(BLACK, "resign"), 0.0)
    run(game, *(Kept(one) for one in ended if isinstance(one, Finished)))
    assert (game.phase, game.absences) == (Phase.OVER, [])


def test_hosted_game_of_days_restored_goes_on_although_both_are_away() -> None:
    game = make_game(BOB, past=(("1a1", 3.0),))
    run(game, Present(BLACK, 0.0, 300), Present(WHITE, 0.0, 300), Open(WHEN, 5.0))
    (turn, *_) = run(game, put(WHITE, "pass"))
    assert isinstance(turn, TurnPlayed)
    assert (turn.token, game.phase) == ("pass", Phase.PLAYING)


@pytest.mark.parametrize(
    ("back", "winner", "reason"),
    [((), None, "void"), ((BLACK,), "b", "disconnect"), ((WHITE,), "w", "disconnect")],
)
def test_hosted_game_restored_is_lost_by_those_who_stay_away(
    back: tuple[Seat, ...], winner: str | None, reason: str
) -> None:
    game = make_game(BOB, terms=Terms(is_rated=True))
    events = [Present(seat, 0.0, 300) for seat in Seat if seat not in back]
    run(game, *events, Open(WHEN, 0.0))
    (found,) = run(game, Alarm(), now=RETURN)
    assert isinstance(found, tuple)
    assert found[1:3] == (reason, winner)


def test_hosted_game_lingers_once_its_record_is_kept() -> None:
    game = played("1a1")
    run(game, put(WHITE, "pass"), put(BLACK, "resign"))
    record = attrs.evolve(run_record(), id="t1")
    effects = run(game, Kept(Finished(void("x"), record, ())))
    assert effects[0] == f"record {dump_record(record)}"
    assert effects[1:] == [Over(), ("put pass", OVER), Answer("put resign")]
    assert (game.lingers, list(lines_so_far(game, 0.0))[-1]) == (
        True,
        f"record {dump_record(record)}",
    )
    run(game, Propose(BLACK, "t2"))
    run(game, Rematched("t2"))
    assert game.open_proposal is None
    assert describe(game, 0.0).endswith(" rematch=t2")


def run_record() -> Any:
    game = playing()
    assert game.game is not None
    (finished,) = game.game.terminate(void("x"), 0.0)
    assert isinstance(finished, Finished)
    return finished.record


def test_hosted_game_that_fails_refuses_what_waits() -> None:
    game = taken()
    run(game, put(BLACK, "1a1"), Terminate(void("x"), "t"))
    assert run(game, Refused(None, AWAY)) == [Over(), ("put 1a1", OVER), ("t", OVER)]
    game = playing()
    run(game, Terminate(void("x"), "t"))
    assert run(game, Refused(None, AWAY)) == [Over(), ("t", str(Code.INTERNAL))]


def test_hosted_game_that_comes_back_later_says_so_to_what_waits() -> None:
    game = waiting()
    run(game, put(WHITE, "pass"), put(BLACK, "pass"))
    ended, *refused = run(game, Suspend())
    later = "busy: t1 waits for its players: resume it"
    assert (ended, refused) == (Over(later, stays=False), [("put pass", later)] * 2)


def test_hosted_game_restored_after_its_last_turn_ends_without_a_clock() -> None:
    game = make_game(BOB, past=(("1a1", 1.0), ("pass", 1.0), ("pass", 1.0)), clock="60")
    run(game, Present(BLACK, 0.0, 300), Present(WHITE, 0.0, 300), Open(WHEN, 5.0))
    run(game, Present(BLACK, None, 300))
    effects = run(game, Present(WHITE, None, 300))
    assert ("finished", "groups") in [one[:2] for one in effects if isinstance(one, tuple)]
    assert not [one for one in effects if str(one).startswith("clock")]


def test_hosted_game_description_has_its_terms_and_options() -> None:
    game = make_game(terms=Terms(is_rated=True, invited="bob"))
    assert describe(game, 0.0) == "t1 open yodd hex2 ann bob 0 clock=none rated=yes for=bob"
    game = offered(for_users=True, expires=7.2)
    assert describe(game, 0.0) == "t1 open yodd hex2 ann - 0 clock=none accept=users expires=7"
