"""Games that can be observed: their spectators, and the games that are listed."""

from __future__ import annotations

from tests.daemon.fake_time import world_of
from yoddd.daemon.play.game_runner import GameRunner, Spectator
from yoddd.daemon.play.game_services import FINISHED_KEPT, GameServices
from yoddd.referee.hosted.events import Holder
from yoddd.referee.hosted.game import HostedGame
from yoddd.referee.hosted.state import Phase
from yoddd.rules import make_rules

RULES = make_rules("yodd", "hex2")
FIRST = "position yodd hex2 2/3/2 b 0 1"


def make_game(game_id: str = "t1", phase: Phase = Phase.OFFERED) -> GameRunner:
    game = HostedGame(game_id, RULES, "none", (Holder("ann"), None), phase=phase)
    return GameRunner(world_of(), game, (None, None))


class Watching:
    """A spectator with the lines and the ends of its reply."""

    def __init__(self, game: GameRunner, *, goes_on: bool = False) -> None:
        self.lines: list[str] = []
        self.ends: list[str | None] = []
        self.spectator: Spectator = game.watch(self.lines.append, self.ends.append, goes_on=goes_on)


def test_live_game_that_lingers_goes_on_for_those_who_may_stay() -> None:
    game = make_game(phase=Phase.OVER)
    game.game.lingers = True
    ann, spectator = Watching(game, goes_on=True), Watching(game)
    game.tell("rematch t2")
    assert (ann.ends, spectator.ends) == ([], [None])
    game.end(None)
    assert ann.ends == []
    game.game.lingers = False
    game.end(None)
    assert (ann.lines, ann.ends) == ([FIRST, "rematch t2"], [None])


def test_live_game_sends_nothing_to_a_spectator_that_has_stopped() -> None:
    game = make_game()
    stopped, other = Watching(game), Watching(game)
    stopped.spectator.stop()
    stopped.spectator.stop()
    game.notice("maintenance")
    game.end("busy: resume it")
    assert (stopped.lines, stopped.ends) == ([FIRST], [])
    assert (other.lines, other.ends) == ([FIRST, "notice maintenance"], ["busy: resume it"])
    assert Watching(game).lines == [FIRST]  # a notice is for those who watch at the time


def test_live_games_drop_the_oldest_of_too_many_that_are_over() -> None:
    games = GameServices(world_of())
    open_game = make_game("open")
    games.add(open_game)
    for number in range(FINISHED_KEPT + 3):
        games.add(make_game(f"t{number}", Phase.OVER))
    games.add(make_game("last"))
    assert len(games.describe(["t2", "t3"])) == 1
    assert games.find("open") is open_game
    assert [one.game.id for one in games][:2] == ["open", "t3"]
    assert games.describe()[0].startswith("last open")
