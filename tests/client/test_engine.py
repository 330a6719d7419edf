"""`yoddd.SimpleEngine` against real processes, sound and faulty ones."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import yoddd
from tests.support.programs import PATIENCE, YODDD
from yoddd import Board, EngineFailure, EngineRefusal, Limit, SimpleEngine
from yoddd.client import EngineFault, EngineGone
from yoddd.protocol.controller import MANDATORY
from yoddd.rules import RESIGN, SWAP

pytestmark = [pytest.mark.process, pytest.mark.whole]

OURS = [*YODDD, "gtp"]
OTHER = [sys.executable, str(Path(__file__).parents[1] / "programs" / "engine.py")]


@pytest.fixture(scope="module")
def ours() -> Iterator[SimpleEngine]:
    engine = SimpleEngine.popen(OURS, timeout=PATIENCE)
    yield engine
    assert engine.close(PATIENCE) == 0


@pytest.fixture(scope="module")
def other() -> Iterator[SimpleEngine]:
    with SimpleEngine.popen(OTHER, timeout=PATIENCE) as engine:
        yield engine


@pytest.mark.gate
def test_simple_engine_info_is_that_of_the_engine(ours: SimpleEngine) -> None:
    assert (ours.info.name, ours.info.version) == ("yoddd", yoddd.__version__)
    assert ours.ask("protocol_version") == "2"
    with pytest.raises(EngineRefusal, match="unknown command: frobnicate"):
        ours.ask("frobnicate")


@pytest.mark.parametrize(
    ("game", "board"), [("yodd", "hex3"), ("odd", "hex2"), ("yoin", "hex2"), ("product", "hex2")]
)
def test_play_two_engines_finish_a_game(
    ours: SimpleEngine, other: SimpleEngine, game: str, board: str
) -> None:
    play = Board(game, board)
    seats = [ours, other]
    while not play.is_over:
        before = play.copy()
        engine = seats[len(play.history) % 2]
        turn = engine.play(
            play, Limit(playouts=20) if engine is ours else Limit(), timeout=PATIENCE
        )
        assert play == before
        play.push(turn)
    assert play.outcome() is not None
    assert Board.from_position(ours.ask("position")).rules == play.rules


def test_play_in_the_same_game_sends_only_new_turns(ours: SimpleEngine) -> None:
    board = Board("yodd", "hex3")
    limit = Limit(playouts=5)
    board.push(ours.play(board, limit))
    board.push("pass")
    board.push(ours.play(board, limit))
    assert ours.ask("position") == board.position
    assert ours.ask("history").split()[1] == "pass"
    # Another history, another start, other options, and no limit again.
    board.pop()
    board.pop()
    for other in (
        board,
        Board.from_position("yodd hex3 3/4/2w2/4/3 w 0 2 own_colour=on"),
        Board("odd", "square4", {"min_group": "2"}),
    ):
        turn = ours.play(other, limit)
        other.push(turn)
        assert ours.ask("position") == other.position
    assert ours.ask("get_param playouts") == "5"
    assert ours.play(Board("yodd", "hex2")) in Board("yodd", "hex2").legal_turns
    assert ours.ask("get_param playouts") == "default"


def test_requests_that_cannot_be_served_raise(ours: SimpleEngine, other: SimpleEngine) -> None:
    board = Board("yodd", "hex2")
    for turn in ("1a1", "pass", "pass"):
        board.push(turn)
    for ask in (ours.play, ours.analysis):
        with pytest.raises(ValueError, match="the game is over"):
            ask(board)
    with pytest.raises(ValueError, match="needs a limit"):
        ours.analyse(Board("yodd", "hex2"), Limit())
    with pytest.raises(EngineRefusal, match="cannot analyse"):
        other.analysis(Board("yodd", "hex2"))
    assert other.ask("name") == "Test engine"
    assert repr(ours).startswith("<SimpleEngine ")
    with pytest.raises(EngineRefusal, match="no parameter"):
        ours.configure({"strength": 3})
    ours.configure({"seed": 7})
    assert ours.ask("get_param seed") == "7"


def test_analysis_yields_reports_until_stopped(ours: SimpleEngine) -> None:
    board = Board("yodd", "hex4")
    board.push("1d4")
    with ours.analysis(board) as reports:
        candidates = next(reports)
        best = candidates[0]
        assert best.turn in board.legal_turns
        assert best.line[0] == best.turn
        assert 0 <= best.winrate <= 1
        assert [one.visits for one in candidates] == sorted(
            (one.visits for one in candidates), reverse=True
        )
    assert list(reports) == []
    assert ours.ask("position") == board.position
    # Any other request ends it as well.
    again = ours.analysis(board)
    assert next(again)
    assert ours.ask("name") == "yoddd"
    assert list(again) == []


def test_ask_for_longest_reply_reads_it(ours: SimpleEngine) -> None:
    ours.ask("game yodd hex13")
    ours.ask("play b 1a1")
    total, *turns = ours.ask("legal turns limit=10000").splitlines()
    assert total.startswith("total ")
    assert len(turns) == 10_000


WORDY_ENGINE = """
import sys
replies = {"protocol_version": "2", "list_commands": sys.argv[1], "analyze": 20000 * "x"}
for line in sys.stdin:
    number, word, *_ = line.split()
    print(f"={number} {replies.get(word, '')}\\n", flush=True)
    if word == "analyze":
        sys.stdin.read()
"""


def test_analysis_of_faulty_engine_raises_without_waiting() -> None:
    commands = "\n".join((*MANDATORY, "game", "position", "analyze"))
    with SimpleEngine.popen(
        [sys.executable, "-c", WORDY_ENGINE, commands], timeout=PATIENCE
    ) as engine:
        with (
            pytest.raises(EngineFault, match="line over 16384 bytes"),
            engine.analysis(Board("yodd", "hex2")) as reports,
        ):
            next(reports)
        with pytest.raises(EngineGone, match="line over 16384 bytes"):
            engine.ask("name")


def test_analyse_with_limit_ends_by_itself(ours: SimpleEngine) -> None:
    board = Board("yoin", "hex3")
    board.push("c3")
    found = ours.analyse(board, Limit(playouts=60))
    assert SWAP in {candidate.turn for candidate in found}
    for candidate in found:
        trial = board.copy()
        for turn in candidate.line:
            trial.push(turn)
    assert ours.analyse(board, Limit(time=0.05))
    assert ours.analyse(board, Limit(time=1e-5))


def test_interrupt_from_another_thread_ends_play(ours: SimpleEngine) -> None:
    board = Board("yodd", "hex4")
    is_over = threading.Event()

    def interrupt() -> None:
        while not is_over.wait(0.3):  # the first one may come before the request
            ours.interrupt()

    bell = threading.Thread(target=interrupt)
    bell.start()
    try:
        turn = ours.play(board, Limit(playouts=1_000_000), timeout=PATIENCE)
    finally:
        is_over.set()
        bell.join()
    assert turn in board.legal_turns


def test_play_interrupted_from_the_keyboard_leaves_the_engine_usable(ours: SimpleEngine) -> None:
    is_over = threading.Event()

    def interrupt(*_signal: object) -> None:
        if not is_over.is_set():
            is_over.set()
            raise KeyboardInterrupt

    def ring() -> None:
        while not is_over.wait(0.3):
            os.kill(os.getpid(), signal.SIGINT)

    def play() -> None:
        bell.start()
        ours.play(Board("yodd", "hex4"), Limit(playouts=10_000_000))

    before = signal.signal(signal.SIGINT, interrupt)
    bell = threading.Thread(target=ring)
    try:
        with pytest.raises(KeyboardInterrupt):
            play()
    finally:
        is_over.set()
        bell.join()
        signal.signal(signal.SIGINT, before)
    assert ours.play(Board("yodd", "hex4"), Limit(playouts=20)) in Board("yodd", "hex4").legal_turns


def test_requests_after_the_end_raise_and_analysis_is_over() -> None:
    with SimpleEngine.popen(OURS, timeout=PATIENCE) as engine:
        with engine.analysis(Board("yodd", "hex4")) as reports:
            assert next(reports)
            assert engine.close(PATIENCE) == 0
        assert list(reports) == []
        engine.interrupt()
        with pytest.raises(EngineGone, match="cannot be used any more: closed"):
            engine.play(Board("yodd", "hex3"))
        assert engine.close() == 0


# -- what goes wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error", "reason"),
    [
        pytest.param("crash", EngineGone, "status 3", marks=pytest.mark.gate),
        ("wrong-id", EngineFault, "reply with id"),
        ("nonsense", EngineFault, "chose"),
        ("illegal", EngineFault, "chose"),
        ("refuse-genmove", EngineRefusal, "."),
        ("malformed", EngineFault, "malformed reply"),
    ],
)
def test_play_with_faulty_engine_raises(
    fault: str, error: type[EngineFailure], reason: str
) -> None:
    with SimpleEngine.popen([*OTHER, "--fault", fault], timeout=PATIENCE) as engine:
        with pytest.raises(error, match=reason):
            engine.play(Board("yodd", "hex3"), timeout=PATIENCE)
        if fault in ("crash", "wrong-id", "malformed"):
            with pytest.raises(EngineGone, match="cannot be used any more"):
                engine.ask("name")


@pytest.mark.gate
def test_ask_after_engine_died_raises_gone() -> None:
    with SimpleEngine.popen(OTHER, timeout=PATIENCE) as engine:
        engine._engine._process.kill()
        with pytest.raises(EngineGone, match="has ended: killed by SIGKILL"):
            engine.ask("name")
        with pytest.raises(EngineGone, match="cannot be used any more: the engine has ended"):
            engine.ask("name")
    assert engine.close() == -9


def test_play_may_return_a_resignation() -> None:
    with SimpleEngine.popen([*OTHER, "--fault", "resign"], timeout=PATIENCE) as engine:
        board = Board("yodd", "hex3")
        assert engine.play(board) == RESIGN
        board.push(RESIGN)
        assert board.is_over


def test_popen_of_what_is_no_engine_raises() -> None:
    with pytest.raises(EngineGone, match="cannot start"):
        SimpleEngine.popen("no-such-program --at-all")
    with pytest.raises(EngineGone, match="cannot start"):
        SimpleEngine.popen([])
    with pytest.raises(EngineGone, match="has ended: exit status 5"):
        SimpleEngine.popen([sys.executable, "-c", "raise SystemExit(5)"], timeout=PATIENCE)
    with pytest.raises(EngineFault, match="lacks genmove"):
        SimpleEngine.popen([*OTHER, "--fault", "lacks-genmove"], timeout=PATIENCE)
