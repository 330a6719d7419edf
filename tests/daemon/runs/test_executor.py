"""The executor of this process: which games it plays, archives and aborts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial

import attrs
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.daemon.fake_time import AnsweringEngine, error_of, settle, world_of
from tests.daemon.leaks import LoggedErrors
from tests.daemon.runs.conftest import plan_of
from tests.daemon.runs.sinks import Sink, SlowSink
from tests.support.games import SAMPLE
from yoddd.daemon.connections.engine_link import EngineLink
from yoddd.daemon.connections.engine_registry import EngineRegistry
from yoddd.daemon.play.executor import (
    MOST_FAILURES,
    LocalExecutor,
    StopReason,
    apply_crash_policy,
    stops_run,
)
from yoddd.daemon.play.game_runner import GameRunner
from yoddd.daemon.play.game_services import StartGate
from yoddd.daemon.play.news import GameBegins, GameEnds, News, TurnSeen
from yoddd.daemon.play.participants import AttachedParticipant
from yoddd.daemon.play.slot import Slot
from yoddd.daemon.runs.archive import RunError
from yoddd.notation.reasons import REASONS, Reason
from yoddd.referee import WaitLimits
from yoddd.referee.tournament.config import TournamentConfig, make_plan
from yoddd.referee.tournament.plan import OnCrash
from yoddd.referee.tournament.tournament import Tournament


class Bench:
    """An executor of a small tournament between scripted engines that attach."""

    def __init__(
        self,
        clock: Clock,
        config: TournamentConfig,
        sink: Sink | None,
        concurrency: int = 1,
        gate: StartGate | None = None,
        first: float | None = None,
    ) -> None:
        self.clock = clock
        self.registry = EngineRegistry(Clock().seconds)
        self.news: list[News] = []
        self.hear: Callable[[News], None] = self.news.append
        self.shown: list[GameRunner] = []
        world = world_of(clock)

        def make_slot(number: int) -> Slot:
            return Slot(
                world,
                number,
                lambda one, _slot: AttachedParticipant(self.registry, config.engine[one].name),
                gate=gate or StartGate(),
                transcribes=sink is not None,
                show=self.shown.append,
            )

        self.executor = LocalExecutor(
            world.reactor,
            Tournament(make_plan(config)),
            None if sink is None else sink.commit,
            lambda news: self.hear(news),  # noqa: PLW0108 — a test changes it
            concurrency,
            make_slot=make_slot,
            first=first,
        )
        self.done = Deferred.fromCoroutine(self.executor.play())

    def attach(self, name: str, turns: Iterable[str] = ()) -> EngineLink:
        engine = AnsweringEngine(self.clock, self.registry, name, turns)
        settle(self.clock)
        return engine.link

    def of(self, kind: type) -> list[News]:
        return [news for news in self.news if isinstance(news, kind)]


@pytest.fixture
def sink() -> Sink:
    return Sink()


def test_executor_plays_all_games_and_ends(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=2), sink)
    assert bench.executor.running == 1
    bench.attach("ann", ["1b2"])
    bench.attach("bob")
    assert bench.done.result is StopReason.OVER
    assert [game.record.id for game in sink.games] == ["r1t1p1.1", "r1t1p1.2"]
    assert {game.record.reason for game in sink.games} == {"resign"}
    assert [turn.token for turn in bench.news if isinstance(turn, TurnSeen)] == ["1b2"]
    assert [game.bundle for game in sink.games] == [None, None]
    assert len(bench.of(GameBegins)) == len(bench.of(GameEnds)) == 2
    assert bench.executor.running == 0


def test_executor_archives_a_fault_with_its_files(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=1), sink)
    bench.attach("ann", ["nonsense"])
    bench.attach("bob")
    (game,) = sink.games
    assert game.record.blame == "b"
    assert game.bundle is not None
    fault = json.loads(game.bundle["fault.json"])
    assert (fault["blame"], fault["winner"]) == ("ann", "bob")
    assert "genmove b" in game.bundle["transcript.txt"]
    assert set(game.bundle) >= {"stderr-b.txt", "stderr-w.txt"}


@pytest.mark.parametrize(("keeps", "handshakes"), [(False, 2), (True, 1)])
def test_executor_asks_a_process_once_who_it_is_and_a_connection_before_each_game(
    clock: Clock, sink: Sink, monkeypatch: pytest.MonkeyPatch, *, keeps: bool, handshakes: int
) -> None:
    bench = Bench(clock, plan_of(games=2), sink)
    engines = [AnsweringEngine(clock, bench.registry, name) for name in ("ann", "bob")]
    if keeps:  # as the link to a process does
        for one in engines:
            monkeypatch.setattr(one.link, "introduced", partial(setattr, one.link, "info"))
    settle(clock)
    assert len(sink.games) == 2
    for one in engines:
        assert one.asked.count("list_commands") == handshakes
        assert one.asked.count("clear_board") == 2


def test_executor_with_more_slots_than_engines_keeps_waiting_games_due(
    clock: Clock, sink: Sink
) -> None:
    bench = Bench(clock, plan_of(games=4), sink, concurrency=2)
    assert bench.executor.running == 2
    bench.executor.set_concurrency(1)
    bench.attach("ann")
    bench.attach("bob")
    assert bench.done.result is StopReason.OVER
    assert len(sink.games) == 4


def test_executor_that_is_paused_begins_no_game_until_it_resumes(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=2), sink)
    bench.executor.pause()
    bench.attach("ann")
    bench.attach("bob")
    assert len(sink.games) == 1
    assert not bench.done.called
    bench.executor.resume()
    settle(clock)
    assert bench.done.result is StopReason.OVER


def test_executor_that_is_stopped_leaves_running_games_missing(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=2), sink)
    bench.attach("ann")
    bench.executor.stop()
    bench.executor.stop()
    settle(clock)
    assert bench.done.result is StopReason.STOPPED
    assert sink.games == []
    assert len(list(bench.executor.tournament.missing())) == 2


def test_executor_begins_the_next_game_while_the_last_is_written(clock: Clock) -> None:
    sink = SlowSink()
    bench = Bench(clock, plan_of(games=4), sink)
    bench.attach("ann")
    bench.attach("bob")
    # One is being written, another waits for that, and a third one does not begin.
    assert [len(sink.waiting), len(bench.of(GameBegins)), bench.executor.running] == [2, 2, 2]
    assert bench.executor.tournament.finished == len(bench.of(GameEnds)) == 0
    sink.write()
    settle(clock)
    assert [len(sink.waiting), len(bench.of(GameBegins))] == [2, 3]
    assert bench.executor.tournament.finished == len(bench.of(GameEnds)) == 1


def test_executor_that_is_stopped_keeps_a_game_that_is_being_written(clock: Clock) -> None:
    sink = SlowSink()
    bench = Bench(clock, plan_of(games=4), sink)
    bench.attach("ann")
    bench.attach("bob")
    bench.executor.stop()
    settle(clock)
    assert not bench.done.called
    while sink.waiting:
        sink.write()
        settle(clock)
    assert bench.done.result is StopReason.STOPPED
    assert bench.executor.tournament.finished == len(sink.games) == 2


def test_executor_fails_where_a_result_cannot_be_written(clock: Clock) -> None:
    bench = Bench(clock, plan_of(games=4), Sink(RunError("disk full")), concurrency=2)
    bench.attach("ann")
    bench.attach("bob")
    failures: list[object] = []
    bench.done.addErrback(lambda failure: failures.append(failure.value))
    assert [str(failure) for failure in failures] == ["disk full"]


@pytest.mark.parametrize("first", [None, 5.0])
def test_engine_that_left_between_games_loses_after_the_limit(
    clock: Clock, sink: Sink, first: float | None
) -> None:
    config = plan_of(games=2, limits=WaitLimits(absence=5))
    bench = Bench(clock, config, sink, first=first)
    ann = bench.attach("ann")
    bench.executor.pause()
    bench.attach("bob")
    bench.registry.remove(ann)
    bench.executor.resume()
    clock.advance(5)
    settle(clock)
    if first is None:
        assert bench.done.result is StopReason.OVER
    else:
        assert str(error_of(bench.done)) == "not attached: ann"
    assert [game.record.reason for game in sink.games] == ["resign", "disconnect"]
    record = sink.games[-1].record
    assert (record.white, record.blame, record.winner) == ("ann", "w", "b")
    assert record.detail == "left between two games and not back within 5 s"
    assert len(bench.of(GameBegins)) == 2


def test_engine_that_plays_elsewhere_is_waited_for_without_limit(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=2, limits=WaitLimits(absence=5)), sink)
    bench.executor.pause()
    bench.attach("ann")
    bob = bench.attach("bob")
    bob.taken = True
    bench.executor.resume()
    clock.pump([5, 5, 5])
    assert len(sink.games) == 1
    bench.registry.free(bob)
    settle(clock)
    assert [game.record.reason for game in sink.games] == ["resign", "resign"]


def test_game_whose_first_engine_disconnects_waits_for_it_again(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=1), sink)
    bench.registry.remove(bench.attach("ann"))
    bench.attach("bob")
    assert bench.registry.is_free("bob")  # another game could have it
    bench.attach("ann")
    assert bench.done.result is StopReason.OVER


@pytest.mark.parametrize(
    ("taken", "text"),
    [(True, "busy with another match: bob or ann"), (False, "not attached: bob, ann")],
)
def test_game_that_gets_neither_engine_blames_none(
    clock: Clock, sink: Sink, *, taken: bool, text: str
) -> None:
    config = plan_of(games=2, limits=WaitLimits(absence=5))
    bench = Bench(clock, config, sink, first=5.0)
    bench.executor.pause()
    for link in [bench.attach(name) for name in ("ann", "bob")]:
        link.taken = taken
        if not taken:
            bench.registry.remove(link)
    bench.executor.resume()
    clock.advance(5)
    settle(clock)
    assert str(error_of(bench.done)) == text
    assert [game.record.reason for game in sink.games] == ["resign"]


@pytest.mark.parametrize("resume", [0, 10])
def test_engine_that_leaves_as_its_game_begins_may_resume_it(
    clock: Clock, sink: Sink, resume: float
) -> None:
    bench = Bench(clock, plan_of(games=1, limits=WaitLimits(resume=resume)), sink)
    ann = AnsweringEngine(clock, bench.registry, "ann")

    def hear(news: News) -> None:
        if isinstance(news, GameBegins):
            ann.disconnect()

    bench.hear = hear
    bob = AnsweringEngine(clock, bench.registry, "bob")
    assert ann.asked == []
    if resume:
        assert sink.games == []
        bench.attach("ann")
    else:
        settle(clock)
        assert bench.registry.is_free("bob")
        assert bob.asked == []
    assert [game.record.reason for game in sink.games] == ["resign" if resume else "disconnect"]


CRASH = attrs.evolve(SAMPLE, winner="w", reason="crash", blame="b", detail="exit status 3")


@pytest.mark.parametrize(
    ("policy", "stops", "reason", "winner"),
    [
        (OnCrash.LOSS, False, "crash", "w"),
        (OnCrash.STOP, True, "crash", "w"),
        (OnCrash.VOID, False, "void", None),
    ],
)
def test_crash_policy_decides_about_crashes(
    policy: OnCrash, *, stops: bool, reason: str, winner: str | None
) -> None:
    assert stops_run(CRASH, policy) is stops
    kept = apply_crash_policy(CRASH, policy)
    assert (kept.reason, kept.winner) == (reason, winner)
    assert not stops_run(SAMPLE, policy)
    assert apply_crash_policy(SAMPLE, policy) == SAMPLE


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_fault_of_a_builtin_engine_is_never_a_result(clock: Clock, sink: Sink, reason: str) -> None:
    config = plan_of(games=2)
    ours = attrs.evolve(config.engine[0], engine="builtin:uct")
    bench = Bench(clock, attrs.evolve(config, engine=(ours, config.engine[1])), sink)
    for blame in ("b", "w"):
        record = attrs.evolve(CRASH, black="ann", white="bob", reason=reason, blame=blame)
        kept = bench.executor._judge(record)
        is_void = blame == "b" and Reason(reason).is_never_ours
        assert (kept.winner is None) is is_void
        assert is_void or kept == record
        if is_void:
            assert kept.detail == f"a builtin engine failed: ann: {reason}: exit status 3"


@pytest.mark.parametrize("attempts", [1, 3, 5])
def test_run_ends_after_three_faults_of_a_builtin_engine(
    clock: Clock, sink: Sink, attempts: int
) -> None:
    config = plan_of(games=9, attempts=attempts)
    ours = attrs.evolve(config.engine[0], engine="builtin:uct")
    bench = Bench(clock, attrs.evolve(config, engine=(ours, config.engine[1])), sink)
    bench.attach("bob", ["1a1"] * 9)
    bench.attach("ann", ["nonsense"] * 9)
    assert "3 games are void by our fault: a builtin engine failed: ann: illegal" in str(
        error_of(bench.done)
    )
    assert [(game.record.winner, game.record.reason) for game in sink.games] == [
        (None, "void")
    ] * MOST_FAILURES


def test_executor_stops_at_a_crash_under_that_policy(clock: Clock, sink: Sink) -> None:
    bench = Bench(clock, plan_of(games=2, on_crash=OnCrash.STOP), sink)
    bench.attach("bob")
    AnsweringEngine(clock, bench.registry, "ann").link.ended("gone")
    settle(clock)
    assert bench.done.result is StopReason.CRASHED
    assert [game.record.reason for game in sink.games] == ["disconnect"]


# -- a match that a client has asked for -------------------------------------------------------


def ends(bench: Bench) -> list[tuple[str | None, str]]:
    """Winner and reason of each game that is over."""
    return [(n.record.winner, n.record.reason) for n in bench.news if isinstance(n, GameEnds)]


@pytest.mark.parametrize("is_stopped", [False, True])
def test_executor_waits_for_the_gate_before_a_game(clock: Clock, *, is_stopped: bool) -> None:
    gate = StartGate()
    gate.close("maintenance")
    bench = Bench(clock, plan_of(games=1), None, gate=gate)
    for name in ("ann", "bob"):
        bench.attach(name)
    assert (bench.news, bench.done.called) == ([], False)
    if is_stopped:
        bench.executor.stop()
    gate.open()
    settle(clock)
    assert (len(ends(bench)), bench.done.called) == (not is_stopped, True)


def test_executor_whose_news_cannot_be_taken_plays_the_game_again(
    clock: Clock, logged_errors: LoggedErrors
) -> None:
    bench = Bench(clock, plan_of(games=1), None)

    def hear(news: News) -> None:
        bench.news.append(news)
        if isinstance(news, TurnSeen):
            bench.hear = bench.news.append
            raise BrokenPipeError(32, "Broken pipe")

    bench.hear = hear
    bench.attach("ann", ["1a1", "1a1"])
    bench.attach("bob", ["1b1", "1b1"])
    bench.attach("bob")  # its connection was closed, since it owed a reply
    assert ends(bench) == [(None, "void"), ("b", "resign")]
    first = next(one.record for one in bench.news if isinstance(one, GameEnds))
    assert first.detail == "the referee failed: BrokenPipeError: [Errno 32] Broken pipe"
    assert (first.blame, bench.done.result) == ("referee", StopReason.OVER)
    assert logged_errors.flush(BrokenPipeError)
