"""The commands of the engine: kept searchers, pondering, budgets, levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.protocol.peer import Peer
from tests.support.engines import Answering
from yoddd.engine import Budget, Searcher, SearchResult, Shelf, Timekeeper
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StartTask, StopTask
from yoddd.rules import PositionLike

MADE: list[Answering] = []
"""The engines that were made, the one that has searched last at the end."""


def counting(name: str, winrate: float | None = None) -> Answering:
    """An engine that plays the first turn."""

    def find(position: PositionLike, _budget: Budget) -> SearchResult:
        return SearchResult(next(position.legal_turns()), 1, winrate)

    MADE.append(Answering(find, name))
    return MADE[-1]


ENGINES: Mapping[str, Callable[[], Searcher]] = {
    "counting": lambda: counting("counting"),
    "pessimist": lambda: counting("pessimist", 0.1),
}


def peer(**settings: object) -> Peer:
    made = Peer(engines=ENGINES, engine="counting", **settings)
    made.setup("game yodd hex3")
    return made


@pytest.mark.parametrize("search", ["genmove", "genmove_analyze"])
def test_genmove_reuses_the_searcher_of_the_last_turn(search: str) -> None:
    client = peer()
    client.setup(search, "play w 1a2", search)
    assert len(MADE[-1].budgets) == 2


@pytest.mark.parametrize(
    "line",
    [
        "clear_board",
        "game yodd hex3",
        "boardsize 4",
        "set_param reuse off",
        "set_param level 9",
        "set_param engine pessimist",
    ],
)
def test_genmove_after_new_game_or_settings_uses_a_new_searcher(line: str) -> None:
    client = peer()
    client.setup("genmove", "genmove", line, "genmove")
    assert len(MADE[-1].budgets) == 1


def test_shelf_after_disconnect_is_empty() -> None:
    shelf = Shelf()
    for end in ("quit", "lost"):
        client = peer(shelf=shelf)
        client.setup("genmove")
        assert len(shelf) == 1
        if end == "quit":
            client.ask("quit")
        else:
            client.take(client.session.lost())
        assert len(shelf) == 0


def pondering() -> tuple[Peer, StartTask]:
    """Return a peer whose engine ponders, and the effect of that search."""
    client = peer(ponder=True)
    client.setup("set_param ponder on")
    search = client.begin("genmove")
    assert client.finish_task(search) == b"= 1a1\n\n"
    ponder = client.log[-1]
    assert isinstance(ponder, StartTask)
    assert ponder.token != search.token
    return client, ponder


def test_pondering_ends_with_the_next_turn() -> None:
    client, ponder = pondering()
    assert client.session.phase is Phase.READY
    assert client.feed(b"play w 1a2\n") == b"= \n\n"
    assert StopTask(ponder.token) in client.log
    assert client.finish_task(ponder) == b"", "its result is ignored"
    client.setup("genmove")
    assert len(MADE[-1].budgets) == 3


@pytest.mark.parametrize("line", ["name", "showboard", "time_left w 9 0", "play w 9z9"])
def test_pondering_continues_while_its_subject_stays(line: str) -> None:
    client, ponder = pondering()
    assert ponder.idle
    client.ask(line)
    assert StopTask(ponder.token) not in client.log


@pytest.mark.parametrize(
    "line", ["play w 1a2", "undo", "clear_board", "set_param ponder off", "analyze", "genmove"]
)
def test_pondering_ends_when_its_subject_changes(line: str) -> None:
    client, ponder = pondering()
    client.feed(f"{line}\n".encode())
    assert StopTask(ponder.token) in client.log
    started = [effect for effect in client.log if isinstance(effect, StartTask | StartAnalysis)]
    assert started[-1] is ponder or client.log.index(started[-1]) > client.log.index(
        StopTask(ponder.token)
    )


def test_pondering_with_request_waiting_does_not_begin() -> None:
    client = peer(ponder=True)
    client.setup("set_param ponder on")
    search = client.begin("genmove\nname")
    assert client.finish_task(search) == b"= 1a1\n\n= yoddd\n\n"
    assert client.log[-1] == search


def budget_of(*lines: str, search: str = "reg_genmove", **settings: object) -> Budget:
    engine = Answering(name="recording")
    still = Timekeeper(lambda: 0.0)
    client = Peer(
        engines={"recording": lambda: engine}, engine="recording", timekeeper=still, **settings
    )
    client.setup("game yodd hex3", *lines, search)
    return engine.budgets[-1]


def test_set_param_limits_reach_the_budget() -> None:
    assert budget_of() == Budget(memory=256 << 20)
    assert budget_of(
        "set_param playouts 7",
        "set_param visits 9",
        "set_param seconds 0.5",
        "set_param threads 3",
        "set_param memory 5",
        threads=4,
        memory=64,
    ) == Budget(7, 9, 0.5, 3, 5 << 20)


@pytest.mark.parametrize("name", ["playouts", "visits", "seconds"])
def test_set_param_default_removes_the_limit(name: str) -> None:
    assert budget_of(f"set_param {name} 7", f"set_param {name} Default") == budget_of()


@pytest.mark.parametrize(
    ("lines", "free", "threads"),
    [
        (["set_param seconds 1"], 8, 2),
        (["kata-time_settings byoyomi 0 2 1"], 2, 2),
        (["set_param seconds 1"], 1, 1),
        (["set_param seconds 1"], -3, 1),
        ([], 8, 1),
        (["set_param seconds 1", "set_param visits 50"], 8, 1),
        (["set_param seconds 1", "set_param playouts 50"], 8, 1),
        (["set_param seconds 1", "set_param seed 5"], 8, 1),
        (["set_param seconds 1", "set_param level 9"], 8, 1),
        (["set_param seconds 1", "set_param threads 3"], 1, 3),
        (["set_param seconds 1", "set_param threads 3", "set_param threads default"], 8, 2),
    ],
)
def test_budget_by_time_alone_has_two_threads_where_they_are_free(
    lines: list[str], free: int, threads: int
) -> None:
    found = budget_of(*lines, free_threads=lambda: free, draw_seed=lambda: 7, seed=None, threads=4)
    assert found.threads == threads


def test_budget_of_two_times_takes_the_shorter() -> None:
    control = "kata-time_settings byoyomi 0 2 1"
    assert budget_of(control).seconds == pytest.approx(1.95)
    assert budget_of(control, "set_param seconds 0.5").seconds == 0.5
    assert budget_of(control, "set_param seconds 5").seconds == pytest.approx(1.95)
    assert budget_of(control, search="genmove_analyze maxtime 0.25").seconds == 0.25


@pytest.mark.parametrize("line", ["genmove", "reg_genmove"])
def test_genmove_deducts_waiting_and_reply_from_its_time(line: str) -> None:
    engine, now = Answering(), [0.0]
    keeper = Timekeeper(lambda: now[0])
    client = Peer(engines={"one": lambda: engine}, engine="one", timekeeper=keeper)
    client.setup("game yodd hex3", "set_param seconds 2")
    for waiting, closing in ((0.5, 0.0), (3.0, 0.25), (0.5, 0.0)):
        search = client.begin(line)
        now[0] += waiting
        found = search.work(lambda: False)
        now[0] += closing
        client.take(client.session.task_done(search.token, found))
    assert [budget.seconds for budget in engine.budgets] == [1.5, 0.0, 1.25]


def test_analyze_ignores_the_limits_of_genmove() -> None:
    limits = ("set_param playouts 7", "set_param seconds 3", "set_param level 1")
    free = budget_of(*limits, search="analyze")
    assert (free.playouts, free.seconds) == (10_000_000, None)
    bound = budget_of(*limits, search="analyze b maxvisits 50 maxtime 2.5")
    assert (bound.playouts, bound.seconds) == (50, 2.5)


def test_genmove_below_resign_threshold_resigns() -> None:
    client = peer()
    client.setup("set_param engine pessimist", "set_param resign 10")
    assert client.ask("genmove") == "= 1a1"
    client.setup("set_param resign 11")
    assert client.ask("genmove") == "= resign"
    assert client.ask("final_score") == "= B+R"
    assert client.ask("undo") == "= "
