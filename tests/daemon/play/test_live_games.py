"""Games that can be observed: the lines that spectators receive, and the games that are listed."""

from __future__ import annotations

import pytest

from tests.daemon.fake_time import world_of
from yoddd.daemon.play.live_games import FINISHED_KEPT, LiveGame, LiveGames, Spectator
from yoddd.daemon.play.news import GameBegins, GameEnds, TurnSeen
from yoddd.daemon.play.pair_wait import unplayed
from yoddd.notation.records import GameRecord, dump_record
from yoddd.protocol.errors import PeerError
from yoddd.referee import GameSetup, parse_clock, void
from yoddd.rules import make_rules

RULES = make_rules("yodd", "hex2")
FIRST = "position yodd hex2 2/3/2 b 0 1"


def make_game(game_id: str = "t1") -> LiveGame:
    return LiveGame(game_id, RULES, "none", ("ann", None))


def make_record() -> GameRecord:
    setup = GameSetup(id="g", rules=RULES, names=("ann", "bob"), clock=parse_clock("none"))
    return unplayed(world_of(), setup, void("test")).record


class Watching:
    """A spectator with the lines and the ends of its reply."""

    def __init__(self, game: LiveGame, *, goes_on: bool = False) -> None:
        self.lines: list[str] = []
        self.ends: list[str | None] = []
        self.spectator: Spectator = game.watch(self.lines.append, self.ends.append, goes_on=goes_on)


def test_live_game_sends_each_spectator_all_lines_from_the_start() -> None:
    game, record = make_game(), make_record()
    early = Watching(game)
    game.begin("ann", "bob")
    late = Watching(game)
    game.turn("b", "1a1", 1.5)
    assert (game.spectators, game.is_open, game.is_over) == (2, False, False)
    game.end(record)
    expected = [FIRST, "game t1 ann bob none", "turn b 1a1 1.500", f"record {dump_record(record)}"]
    assert early.lines == late.lines == Watching(game).lines == expected
    assert early.ends == late.ends == Watching(game).ends == [None]
    assert (game.spectators, game.is_over) == (0, True)


def test_live_game_that_lingers_goes_on_for_those_who_may_stay_until_its_rematch() -> None:
    game, record = make_game(), make_record()
    game.lingers = True
    ann, spectator = Watching(game, goes_on=True), Watching(game)
    game.end(record)
    game.request("w", "rematch t2")
    bob = Watching(game, goes_on=True)
    game.refuse("w", "rematch")
    assert ann.lines[2:] == bob.lines[2:] == ["request w rematch t2", "refuse w rematch"]
    assert (ann.ends, bob.ends, spectator.ends) == ([], [], [None])
    game.name_rematch("t3")
    game.close()
    assert (ann.ends, bob.ends) == ([None], [None])
    assert ann.lines[-1] == Watching(game).lines[-1] == "rematch t3"
    assert game.describe().endswith(" rematch=t3")


def test_live_game_turns_taken_back_are_shown_to_no_later_spectator() -> None:
    game = make_game()
    game.begin("ann", "bob")
    early = Watching(game)
    for token in ("1a1", "pass", "pass"):
        game.turn("b", token, 1.0)
    game.request("b", "takeback 1")
    assert Watching(game).lines[-1] == early.lines[-1] == "request b takeback 1"
    game.rewind(1)
    assert early.lines[-1] == "rewind 1"
    assert Watching(game).lines[1:] == ["game t1 ann bob none", "turn b 1a1 1.000"]
    assert " 1 clock=none" in game.describe()


def test_live_game_that_ends_by_an_error_tells_the_spectators() -> None:
    game = make_game()
    watching = Watching(game)
    game.end(None, "busy: resume it")
    assert (watching.lines, watching.ends) == ([FIRST], ["busy: resume it"])


def test_live_game_sends_nothing_to_a_spectator_that_has_stopped() -> None:
    game = make_game()
    stopped, other = Watching(game), Watching(game)
    stopped.spectator.stop()
    stopped.spectator.stop()
    game.notice("maintenance")
    game.end(None)
    assert (stopped.lines, stopped.ends) == ([FIRST], [])
    assert (other.lines, other.ends) == ([FIRST, "notice maintenance"], [None])
    assert Watching(game).lines == [FIRST]  # a notice is for those who watch at the time


def test_live_game_description_has_its_state_turns_and_options() -> None:
    game = LiveGame("t1", make_rules("yodd", "hex2", {"own_colour": "on"}), "60", ("ann", None))
    assert game.describe() == "t1 open yodd hex2 ann - 0 clock=60 own_colour=on"
    game.begin("ann", "bob")
    game.turn("b", "1a1", 1.0)
    assert game.describe() == "t1 playing yodd hex2 ann bob 1 clock=60 own_colour=on"


def test_live_games_drop_the_oldest_of_too_many_that_are_over() -> None:
    games = LiveGames()
    open_game = games.add(make_game("open"))
    for number in range(FINISHED_KEPT + 3):
        games.add(make_game(f"t{number}")).end(None)
    games.add(make_game("last"))
    assert not games.has("t2")
    assert games.has("t3")
    assert games.find("open") is open_game
    assert next(games.latest).id == "last"
    assert [game.id for game in games][:2] == ["open", "t3"]
    assert games.describe()[0].startswith("last open")


def test_live_games_without_a_game_refuse_its_id() -> None:
    games = LiveGames()
    game = games.add(make_game())
    watching = Watching(game)
    games.remove(game)
    games.remove(game)
    assert watching.ends == [None]
    with pytest.raises(PeerError, match="no game 't1'"):
        games.find("t1")


def test_live_games_reporter_shows_a_match_game_by_game() -> None:
    games = LiveGames()
    reasons: list[str] = []
    report = games.reporter(RULES, "60", reasons.append, lambda: ("w", 1.5))
    report(GameBegins(1, "m-1", "ann", "bob", ("1a1", "pass")))
    game = games.find("m-1")
    report(TurnSeen(1, "b", "pass", 2.0))
    watching = Watching(game)
    assert watching.lines[1:] == [
        "game m-1 ann bob 60",
        "turn b 1a1 0.000",
        "turn w pass 0.000",
        "turn b pass 2.000",
        "clock w 1.500",
    ]
    abort = game.abort
    assert abort is not None
    abort("enough")
    assert reasons == ["enough"]
    report(GameEnds(1, make_record()))
    assert games.find("m-1").abort is None
    assert games.find("m-1").is_over
    report(GameBegins(2, "m-2", "bob", "ann"))
    assert [one.id for one in games.latest] == ["m-2", "m-1"]
