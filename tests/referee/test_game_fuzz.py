"""Any sequence of events ends the game once, with a record that can be read and replayed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.fakes import FULL, PLAIN, TIMED, WALL, info, make_setup
from yoddd.notation.records import dump_record, load_record, replay
from yoddd.protocol.controller import ReplyReceived
from yoddd.referee import (
    Ask,
    Effect,
    Finished,
    Game,
    Reason,
    Seat,
    UnexpectedEvent,
    forfeit,
    void,
)

SEATS = st.sampled_from(list(Seat))
TOKENS = st.one_of(
    st.sampled_from(["a1", "1a1", "2b2", "1a1,2b2", "b3", "c1", "swap", "pass", "resign", ""]),
    st.text(max_size=12),
)
EVENTS = st.one_of(
    # The usual ones first and often: hypothesis likes what stands first.
    st.tuples(st.just("reply"), SEATS, st.just("")),
    st.tuples(st.just("reply"), SEATS, TOKENS),
    st.tuples(st.just("ready"), SEATS, st.sampled_from(["full", "timed", "plain", "none"])),
    st.tuples(st.just("refuse"), SEATS, st.text(max_size=5)),
    st.tuples(st.just("lost"), SEATS, st.just("reset")),
    st.tuples(st.just("wake"), SEATS, st.just("")),
    st.tuples(st.just("crash"), SEATS, st.just("signal 9")),
)
COMMANDS = {"full": FULL, "timed": TIMED, "plain": PLAIN, "none": frozenset[str]()}


def act(game: Game, kind: str, seat: Seat, text: str, now: float) -> list[Effect]:
    match kind:
        case "ready":
            return game.ready(seat, info(COMMANDS[text]), now)
        case "lost":
            return game.lost(seat, text, now)
        case "wake":
            return game.wake(now)
        case "crash":
            return game.terminate(forfeit(seat, Reason.CRASH, text), now)
        case _:
            return game.reply(seat, ReplyReceived("genmove", kind == "reply", text), now)


@given(
    st.sampled_from(["yoin hex2", "yodd hex3", "odd square2"]),
    st.sampled_from(["none", "3+1", "move=2"]),
    st.sampled_from([0.0, 5.0]),
    st.lists(st.tuples(EVENTS, st.floats(0, 2)), max_size=60),
)
def test_game_any_events_end_in_one_readable_record(
    game_board: str,
    clock: str,
    resume: float,
    events: list[tuple[tuple[str, Seat, str], float]],
) -> None:
    name, board = game_board.split()
    game = Game(make_setup(name, board, clock=clock, resume=resume))
    effects = game.start(0.0, WALL)
    for seat in Seat:
        effects += game.ready(seat, info(PLAIN), 0.0)
    now = 0.0
    for (kind, seat, text), pause in events:
        now += pause
        try:
            effects += act(game, kind, seat, text, now)
        except UnexpectedEvent:
            continue
    effects += game.terminate(void("the test is over"), now)
    finished = [effect for effect in effects if isinstance(effect, Finished)]
    assert effects[-1:] == finished
    assert not any(isinstance(effect, Ask) for effect in game.wake(now + 1e6))
    record = load_record(dump_record(finished[0].record))
    assert record == finished[0].record
    assert len(replay(record).history) == len(record.turns)
