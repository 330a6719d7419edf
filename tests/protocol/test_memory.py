"""What a session's engine remembers from turn to turn, and how it is held back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from tests.protocol.peer import FirstTurn, Peer
from yoddd.engine import Budget, Searcher, SearchResult, Shelf, StopFlag, Timekeeper
from yoddd.protocol import Phase
from yoddd.protocol.effects import StartAnalysis, StartTask, StopTask
from yoddd.rules import PositionLike


class Counting(FirstTurn):
    """Plays the first turn, says how often it was asked, and notes what it may spend."""

    name = "counting"
    winrate: float | None = None

    def __init__(self) -> None:
        self.asked = 0
        self.budgets: list[Budget] = []

    def search(
        self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
    ) -> SearchResult:
        self.asked += 1
        self.budgets.append(budget)
        turn = super().search(position, budget, seed, stop).turn
        return SearchResult(turn, self.asked, self.winrate)


class Pessimist(Counting):
    name = "pessimist"
    winrate = 0.1


ENGINES: Mapping[str, Callable[[], Searcher]] = {"counting": Counting, "pessimist": Pessimist}


def peer(**settings: object) -> Peer:
    made = Peer(engines=ENGINES, engine="counting", **settings)
    made.setup("game yodd hex3")
    return made


def asked_of(client: Peer) -> int:
    """How often the engine that answered last has been asked."""
    return int(client.ask("gogui-last_search").partition(": ")[2].split()[0])


@pytest.mark.parametrize("search", ["genmove", "genmove_analyze"])
def test_the_engine_of_the_last_turn_plays_the_next(search: str) -> None:
    client = peer()
    client.setup(search, "play w 1a2", search)
    assert asked_of(client) == 2


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
def test_a_new_engine_plays_after(line: str) -> None:
    client = peer()
    client.setup("genmove", "genmove", line, "genmove")
    assert asked_of(client) == 1


def test_thinking_without_playing_changes_nothing() -> None:
    client = peer()
    client.setup("genmove")
    for line in ("reg_genmove", "analyze"):
        client.setup(line)
    client.setup("genmove")
    assert asked_of(client) == 2


def test_nothing_is_kept_for_who_has_left() -> None:
    shelf = Shelf()
    for leave in ("quit", "lost"):
        client = peer(shelf=shelf)
        client.setup("genmove")
        assert len(shelf) == 1
        if leave == "quit":
            client.ask("quit")
        else:
            client.take(client.session.lost())
        assert len(shelf) == 0


def test_clients_share_the_places() -> None:
    shelf = Shelf(places=2)
    clients = [peer(shelf=shelf) for _ in range(3)]
    for client in clients:
        client.setup("genmove", "genmove")
    assert len(shelf) == 2
    for client in reversed(clients):
        client.setup("genmove")
    assert [asked_of(client) for client in clients] == [1, 3, 3]


def test_it_ponders_until_the_next_line() -> None:
    client = peer(ponder=True)
    client.setup("set_param ponder on")
    client.feed(b"genmove\n")
    search = client.log[-1]
    assert isinstance(search, StartTask)
    assert client.finish_task(search) == b"= 1a1\n\n"
    ponder = client.log[-1]
    assert isinstance(ponder, StartTask)
    assert ponder.token != search.token
    assert client.session.phase is Phase.READY
    assert client.feed(b"play w 1a2\n") == b"= \n\n"
    assert StopTask(ponder.token) in client.log
    assert client.finish_task(ponder) == b""  # its result comes late and interests nobody
    client.setup("genmove")
    assert asked_of(client) == 3


def pondering() -> tuple[Peer, StartTask]:
    """Somebody whose engine has played its turn and ponders, and that search."""
    client = peer(ponder=True)
    client.setup("set_param ponder on")
    client.feed(b"genmove\n")
    search = client.log[-1]
    assert isinstance(search, StartTask)
    client.finish_task(search)
    ponder = client.log[-1]
    assert isinstance(ponder, StartTask)
    return client, ponder


@pytest.mark.parametrize("line", ["name", "showboard", "time_left w 9 0", "play w 9z9"])
def test_it_ponders_on_while_the_position_stays(line: str) -> None:
    client, ponder = pondering()
    assert ponder.idle
    client.ask(line)
    assert StopTask(ponder.token) not in client.log


@pytest.mark.parametrize(
    "line", ["play w 1a2", "undo", "clear_board", "set_param ponder off", "analyze", "genmove"]
)
def test_pondering_ends_with_its_use(line: str) -> None:
    client, ponder = pondering()
    client.feed(f"{line}\n".encode())
    assert StopTask(ponder.token) in client.log
    started = [effect for effect in client.log if isinstance(effect, StartTask | StartAnalysis)]
    assert started[-1] is ponder or client.log.index(started[-1]) > client.log.index(
        StopTask(ponder.token)
    )


def test_it_does_not_ponder_where_more_is_asked_already() -> None:
    client = peer(ponder=True)
    client.setup("set_param ponder on")
    client.feed(b"genmove\nname\n")
    search = client.log[-1]
    assert isinstance(search, StartTask)
    assert client.finish_task(search) == b"= 1a1\n\n= yoddd\n\n"
    assert client.log[-1] == search


def test_a_server_that_does_not_let_it_ponder_says_so() -> None:
    assert peer().ask("set_param ponder on").startswith("? syntax error: ponder 'on'")


def budget_of(*lines: str, search: str = "reg_genmove", **settings: object) -> Budget:
    seen: list[Budget] = []

    class Noting(Counting):
        def search(
            self, position: PositionLike, budget: Budget, seed: int, stop: StopFlag
        ) -> SearchResult:
            seen.append(budget)
            return super().search(position, budget, seed, stop)

    still = Timekeeper(lambda: 0.0)
    client = Peer(engines={"noting": Noting}, engine="noting", timekeeper=still, **settings)
    client.setup("game yodd hex3", *lines, search)
    return seen[-1]


def test_parameters_reach_the_search() -> None:
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


def test_of_two_times_the_shorter_holds() -> None:
    control = "kata-time_settings byoyomi 0 2 1"
    assert budget_of(control).seconds == pytest.approx(1.95)
    assert budget_of(control, "set_param seconds 0.5").seconds == 0.5
    assert budget_of(control, "set_param seconds 5").seconds == pytest.approx(1.95)
    assert budget_of(control, search="genmove_analyze maxtime 0.25").seconds == 0.25


@pytest.mark.parametrize("line", ["genmove", "reg_genmove"])
def test_waiting_and_the_way_of_the_answer_are_within_the_time(line: str) -> None:
    engine, now = Counting(), [0.0]
    keeper = Timekeeper(lambda: now[0])
    client = Peer(engines={"one": lambda: engine}, engine="one", timekeeper=keeper)
    client.setup("game yodd hex3", "set_param seconds 2")
    for waiting, closing in ((0.5, 0.0), (3.0, 0.25), (0.5, 0.0)):
        client.feed(f"{line}\n".encode())
        search = client.log[-1]
        assert isinstance(search, StartTask)
        now[0] += waiting
        found = search.work(lambda: False)
        now[0] += closing
        client.take(client.session.task_done(search.token, found))
    assert [budget.seconds for budget in engine.budgets] == [1.5, 0.0, 1.25]


def test_an_analysis_knows_no_limits_but_its_own() -> None:
    limits = ("set_param playouts 7", "set_param seconds 3", "set_param level 1")
    free = budget_of(*limits, search="analyze")
    assert (free.playouts, free.seconds) == (10_000_000, None)
    bound = budget_of(*limits, search="analyze b maxvisits 50 maxtime 2.5")
    assert (bound.playouts, bound.seconds) == (50, 2.5)


def test_the_adapter_is_told_the_time_too() -> None:
    client = peer()
    client.setup("set_param seconds 0.5")
    for line in ("genmove", "analyze b maxtime 0.5"):
        client.feed(f"{line}\n".encode())
        effect = client.log[-1]
        assert isinstance(effect, StartTask | StartAnalysis)
        assert effect.seconds == 0.5
        client.finish_task(effect)


def test_the_engine_gives_up_below_its_threshold() -> None:
    client = peer()
    client.setup("set_param engine pessimist", "set_param resign 10")
    assert client.ask("genmove") == "= 1a1"
    client.setup("set_param resign 11")
    assert client.ask("genmove") == "= resign"
    assert client.ask("final_score") == "= B+R"
    assert client.ask("undo") == "= "


def test_a_level_makes_turns_at_random() -> None:
    turns = set()
    for seed in range(5):
        client = peer()
        client.setup("set_param level 1", f"set_param seed {seed}")
        turns.add(client.ask("genmove"))
    assert len(turns) > 1
